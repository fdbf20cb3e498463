import { expect, test } from 'vitest'
import { suites } from '../../suites/index.ts'
import { answer, refused } from '../judge/testing/exchanges.ts'
import { refuse } from '../serve/reference/answer.ts'
import { clients } from '../serve/reference/clients.ts'
import type { Fault } from '../serve/reference/fault.ts'
import type { ReferenceOptions } from '../serve/reference/service.ts'
import { played, type Meets, type Script } from './testing/played.ts'

/** When a service locks the target client, and what it answers then. */
interface Lock {
  /** Whether it locks after wrong secrets at these times, in milliseconds. */
  readonly after: (times: readonly number[]) => boolean
  /** Whether a success or a lock clears them. */
  readonly forgets: boolean
  readonly lastsMs: number
  readonly answers: Meets
}

/** Locks the key of the target client, and answers instead of the service while it is locked. */
function locking({ after, forgets, lastsMs, answers }: Lock): Script {
  const { apiKey, secretKey } = clients.permitted
  let [wrong, until]: [number[], number] = [[], 0]
  return ({ apiKey: key, secretKey: secret, version, at: time }) => {
    if (key !== apiKey || secret === undefined || version !== '1') return null
    if (until > time) return answers
    if (secret === secretKey && forgets) wrong = []
    if (secret === secretKey) return null
    wrong.push(time)
    if (!after(wrong)) return null
    until = time + lastsMs
    if (forgets) wrong = []
    return null
  }
}

const page = answer(403, '<h1>locked</h1>', { fields: [['content-type', 'text/html']] })
const few = {
  RUN_FUZZ_CASES: '10',
  RUN_ONLY:
    'endpoints/list-succeeds,authentication/secret-key-missing,authentication/secret-key-invalid,versioning/version-missing,errors/documented-pairs,fuzz/secret-key',
}

const rules = suites.flatMap((one) => one.rules)

/** The verdict of a run against a service, with the ids of its rules by status. */
async function judged(service: Script, profile = 'acceptance', more = '', reference: ReferenceOptions = {}) {
  const env = { ...few, RUN_ONLY: few.RUN_ONLY + more, RUN_PROFILE: profile, RUN_CONCURRENCY: '8' }
  const { verdict } = await played({ rules, service, reference, env })
  const idsOf = (status: string): readonly string[] =>
    verdict.rules.filter((one) => one.status === status).map(({ id }) => id)
  return { verdict, idsOf }
}

const inARow =
  (most: number) =>
  (times: readonly number[]): boolean =>
    times.length >= most
const withinAMinute =
  (most: number) =>
  (times: readonly number[]): boolean =>
    times.filter((time) => time > (times.at(-1) ?? 0) - 60_000).length >= most
const tenSeconds = { forgets: true, lastsMs: 10_000 } as const
const every = few.RUN_ONLY.split(',')
const aboutSecrets = ['authentication/secret-key-invalid', 'fuzz/secret-key']

const wrongSecret = { ...tenSeconds, answers: refused(401, '1007') } as const
const others = every.filter((id) => !aboutSecrets.includes(id))
/** Results without findings: `open` leaves a rule about secrets open, `whole` judges every rule. */
const open: Came = { failed: [], atLeast: others, left: ['fuzz/secret-key'] }
const whole: Came = { failed: [], atLeast: every }
const conditions = 'authentication/no-bypass,fuzz/headers,fuzz/combined-flaws,fuzz/path,fuzz/version'

/** The rules that fail, those that pass at least, and those that are inconclusive at least. */
interface Came {
  readonly failed: readonly string[]
  readonly atLeast: readonly string[]
  readonly left?: readonly string[]
}

test.for<readonly [locks: string, lock: Lock, came: Came, profile?: string, more?: string]>([
  ['after three wrong secrets', { ...wrongSecret, after: inARow(3) }, whole],
  [
    'after five wrong secrets, with 403 for 40 seconds',
    { after: inARow(5), forgets: true, lastsMs: 40_000, answers: page },
    whole,
  ],
  [
    'after ten wrong secrets, with 1020',
    { ...tenSeconds, after: inARow(10), answers: refused(429, '1020') },
    whole,
  ],
  ['after five wrong secrets in a minute', { ...wrongSecret, forgets: false, after: withinAMinute(5) }, open],
  ['from the fifth wrong secret on', { ...wrongSecret, forgets: false, after: inARow(5) }, open],
  [
    'from the second wrong secret on',
    { ...wrongSecret, forgets: false, after: inARow(2), answers: refused(401, '1006') },
    open,
  ],
  ['after five wrong secrets, with silence', { ...tenSeconds, after: inARow(5), answers: 'closed' }, open],
  ['in a gate', { ...wrongSecret, after: inARow(3) }, { failed: [], atLeast: others }, 'gate'],
  [
    'with a page, when rows have conditions',
    { ...tenSeconds, after: inARow(3), answers: page },
    { failed: [], atLeast: [] },
    'gate',
    `,${conditions}`,
  ],
  [
    'with an undocumented code',
    { ...tenSeconds, after: inARow(5), answers: refused(403, '1014') },
    { failed: ['errors/documented-pairs'], atLeast: [] },
  ],
])(
  'a service is not blamed for locking a client %s, and rules without wrong secrets judge it',
  async ([, lock, { failed, atLeast, left = [] }, profile, more = '']) => {
    const { idsOf } = await judged(locking(lock), profile, more)

    expect([idsOf('failed'), idsOf('warned')]).toEqual([failed, []])
    expect(idsOf('passed')).toEqual(expect.arrayContaining([...atLeast]))
    expect(idsOf('inconclusive')).toEqual(expect.arrayContaining([...left]))
  },
)

test.for([refused(401, '1006'), page])(
  'a lock that outlasts the wait ends the run, and the service is not blamed: $status',
  async (answers) => {
    const lock: Lock = { after: inARow(3), forgets: true, lastsMs: 3_600_000, answers }
    const { idsOf, verdict } = await judged(locking(lock), 'gate')

    expect([idsOf('failed'), idsOf('warned'), verdict.exitCode]).toEqual([[], [], 3])
    expect(verdict.because.join(' ')).toContain('the client may have been locked out')
  },
)

const spoiling: Fault = {
  name: 'wrong-secret-spoils-next-success',
  about: 'The next success after a wrong secret is answered 401 and 1007.',
  rules: ['endpoints/list-succeeds'],
  bend: () => {
    let isSpoiled = false
    return {
      answer: (given) => {
        const isHit = isSpoiled && given.refusal === null
        isSpoiled = !isHit && (isSpoiled || given.refusal === '1007')
        return isHit ? refuse('1007') : given
      },
    }
  },
}

test.for<readonly [string, Lock | null]>([
  ['for ten seconds', { ...tenSeconds, after: inARow(1), answers: refused(401, '1007') }],
  ['once', null],
])('a service is blamed only for refusing valid credentials after one wrong secret: %s', async ([, lock]) => {
  const reply = lock === null ? {} : locking(lock)
  const { idsOf, verdict } = await judged(reply, undefined, undefined, {
    faults: lock === null ? [spoiling] : [],
  })

  expect(idsOf('failed')).toEqual(['endpoints/list-succeeds'])
  expect(idsOf('inconclusive').toSorted()).toEqual(aboutSecrets)
  expect(verdict.rules.flatMap(({ findings }) => findings)).toMatchObject([
    { summary: expect.stringContaining('right after one wrong secret, 3 times'), reproduced: '3 of 3' },
  ])
})
