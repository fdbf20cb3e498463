import { expect, test } from 'vitest'
import { holds, type Check } from '../judge/judge.ts'
import { answer, refused } from '../judge/testing/exchanges.ts'
import type { TestRequest } from './plan/test-request.ts'
import {
  asking,
  each,
  noKey,
  numbered,
  played,
  plays,
  saying,
  type Meets,
  type Play,
  type Row,
  type Script,
} from './testing/played.ts'

const ruleId = 'authentication/api-key-missing'
const anything: Check = { allowed: [], judge: () => holds }
const bare = answer(429, { message: 'too many requests' })
const after = (status: number, field: string): Meets =>
  answer(status, '', { fields: [['Retry-After', field]] })
const tooFast = 'the service refused the rate of requests, 6 of 6 times (429)'

/** A case with these answers in turn; its check accepts any answer. */
function one(met: readonly Meets[], change = (request: TestRequest): TestRequest => request): Partial<Play> {
  return {
    rules: [asking(ruleId, 'a', (request) => change(request.without('x-api-key')), anything)],
    service: { a: met },
  }
}
const by = (method: string, ...met: readonly Meets[]): Partial<Play> =>
  one(met, (request) => request.method(method))
/** Cases of the exhausted client, which ask for a quota by default. */
const ofExhausted = (
  names: string,
  met: readonly Meets[],
  asksForQuota = true,
  method = 'GET',
): Partial<Play> => ({
  fixtures: ['FIXTURE_EXHAUSTED'],
  rules: [
    asking(
      'quota/exhausted',
      names,
      (_, { list }) =>
        (list.of('exhausted')[0] ?? expect.fail('no client')).trait({ asksForQuota }).method(method),
      anything,
    ),
  ],
  service: each(names, ...met),
})

test.for<Row>([
  [
    'is sent again after longer and longer waits',
    one(['closed', 'closed', 'closed', null]),
    { waits: [0.3, 0.8, 1.5] },
  ],
  ...['HEAD', 'OPTIONS'].map((method): Row => [
    `with ${method} is sent again`,
    by(method, 'closed', 'closed', null),
    { waits: [0.3, 0.8] },
  ]),
  ...['POST', 'PUT', 'PATCH', 'DELETE'].map((method): Row => [
    `with ${method} is sent again only once, since it may have had an effect`,
    by(method, 'closed', 'closed', null),
    { waits: [0.3] },
  ]),
  ['is sent again after the wait that a gateway names', one([after(503, '2'), null]), { waits: [2] }],
  ['is never sent again earlier than usual', one([after(503, '0'), null]), { waits: [0.3] }],
  ['is sent again after ten seconds at most', one([after(503, '86400'), null]), { waits: [10] }],
  ['is sent again as usual if a gateway names no time', one([after(503, 'soon'), null]), { waits: [0.3] }],
  ['is slowed down by a 429 without a code', one([bare, bare, null]), { waits: [1, 1] }],
  ['is slowed down by a 429 with an unknown code', one([refused(429, 'RATE'), null]), { waits: [1] }],
  ['is slowed down for as long as a 429 asks', one([after(429, '7'), null]), { waits: [7] }],
  ['is slowed down for a minute at most', one([after(429, '3600'), null]), { waits: [60] }],
  ['with POST is sent again after a 429, as it had no effect', by('POST', bare, null), { waits: [1] }],
  [
    'keeps its retries through a 429',
    one([bare, 'closed', bare, 'closed', 'closed', null]),
    { waits: [1, 0.3, 1, 0.8, 1.5] },
  ],
  [
    'gets no extra retries from a 429',
    one(['closed', 'closed', bare, 'closed', null]),
    { waits: [0.3, 0.8, 1, 1.5] },
  ],
  ['is not judged if a 429 persists', one([bare]), { left: [tooFast], waits: [1, 1, 1, 1, 1] }],
  [
    'takes a persistent 429 as its answer if it asks for a quota',
    ofExhausted('a', [bare]),
    { order: saying('plain a a a a plain a'), waits: [1, 1], found: expect.anything() },
  ],
  [
    'takes its first 429 as its answer if another request of its client took one',
    ofExhausted('a b', [bare]),
    { order: 'plain a a a a plain a b', found: expect.anything() },
  ],
  [
    'with HEAD takes its first 429 as its answer, since HEAD gets no code',
    ofExhausted('a', [bare], true, 'HEAD'),
    { order: 'plain a' },
  ],
  [
    'is too fast if a 429 persists and it asks for no quota',
    ofExhausted('a', [bare], false),
    { left: [tooFast] },
  ],
  [
    'is too fast if a 429 persists and its client has quota left',
    one([bare], (request) => request.trait({ asksForQuota: true })),
    { left: [tooFast] },
  ],
  [
    'that asks for a quota is sent again alone, after a pause of all requests',
    {
      ...ofExhausted(numbered(20), []),
      service: each('a1 a2', bare, null),
      env: { RUN_CONCURRENCY: '8' },
    },
    { turns: expect.stringMatching(/ a17 a18 a19 a20 \| a1 \| a2$/), waits: [1] },
  ],
  [
    'with a 429 slows down all requests, but only once for those in flight',
    {
      rules: [noKey(numbered(8))],
      service: each('a1 a2 a3', bare, null),
      env: { RUN_CONCURRENCY: '4' },
    },
    { turns: 'plain | a1 a2 a3 a4 | a5 | a6 | a7 | a8 | a1 | a2 | a3', waits: [1] },
  ],
  ...(
    [
      ['nothing down if a gateway fails four times', 4, answer(502, ''), Array(26).fill(0.3)],
      ['nothing down if connections are closed five times', 5, 'closed', Array(27).fill(0.3)],
      [
        'all requests down if a gateway fails five times',
        5,
        answer(502, ''),
        [...Array(20).fill(0.3), 0.5, 0.5, 0.5, 0.4, 0.4, 0.4, 0.4],
      ],
    ] as const
  ).map(([what, count, met, waits]): Row => [
    `slows ${what}, with answers in between`,
    {
      rules: [noKey(numbered(12))],
      service: each(numbered(count), met, null),
      env: { RUN_MAX_RPS: '4' },
    },
    { waits },
  ]),
])('a request %s', plays)

/** Two hundred cases; from the second request on, no answer comes for this long. */
function failingFor(ms: number): Partial<Play> {
  let began: number | null = null
  const service: Script = ({ at, index }) => {
    if (index === 1) began = at
    return began !== null && at - began < ms ? 'closed' : null
  }
  return { rules: [noKey(numbered(200))], service, env: { RUN_CONCURRENCY: '8' } }
}

test.for<Row>([
  [
    'ends the run after a few requests, however many cases wait',
    failingFor(Infinity),
    { ended: saying('the service stopped answering'), sent: { length: 31 } },
  ],
  [
    'that ends after two seconds costs a few requests',
    failingFor(2_000),
    { trouble: 'closed connection 11', sent: { length: 216 } },
  ],
])('an outage %s', plays)

/** Numbers of requests sent at the same time, without consecutive repeats. */
async function sizes(service: Script): Promise<string> {
  const { turns, atMost } = await played({
    rules: [noKey(numbered(420))],
    service,
    env: { RUN_CONCURRENCY: '8' },
  })
  const all = turns.split(' | ').map((together) => together.split(' ').length)
  const different = all.filter((size, place) => size !== all[place - 1])
  return `${different.join(' ')}, connections: ${atMost.join(' ')}`
}

test.for<readonly [what: string, service: Script, expected: string]>([
  ['stays the same after two closed connections', each('a9 a10', 'closed', null), '1 8 6, connections: '],
  [
    'drops to two after three closed connections, then grows again',
    each('a9 a10 a11', 'closed', null),
    '1 8 2 3 4 5 6 2, connections: 2 3 4 5 6',
  ],
  [
    'drops to two again after one more closed connection',
    each('a9 a10 a11 a150', 'closed', null),
    '1 8 2 3 2 3 2, connections: 2 3 2 3',
  ],
  [
    'drops to two after 503s on new connections',
    each('a9 a10 a11', answer(503, ''), null),
    '1 8 2 3 4 5 6 2, connections: 2 3 4 5 6',
  ],
  [
    'stays the same after other failures of a gateway',
    each('a9 a10 a11', answer(502, ''), null),
    '1 8 2 8 4 1, connections: ',
  ],
  [
    'stays the same if closed connections are rare',
    each('a10 a110 a210 a310', 'closed', null),
    '1 8 6 1, connections: ',
  ],
])('the number of requests in flight %s', async ([, service, expected]) => {
  expect(await sizes(service)).toBe(expected)
})
