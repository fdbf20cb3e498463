import { describe, expect, it } from 'vitest'
import { TransportError } from '../../http/transport-error.ts'
import type { Exchange } from '../../http/exchange.ts'
import { answers, answersOneOf, succeeds, succeedsWith, type Check } from '../../judge/judge.ts'
import { success } from '../../specification/answers.ts'
import { answer, exchange, refused, served } from '../../judge/testing/exchanges.ts'
import type { RuleId } from '../../specification/rules.ts'
import type { Example } from '../plan/cases.ts'
import { ClientLockedOut, NoResponse, notServed } from '../plan/errors.ts'
import type { TestRequest } from '../plan/test-request.ts'
import type { RunRecord } from '../record/run-record.ts'
import { recordOf, requestOf } from '../testing/layers.ts'
import { plain, unanswered } from '../testing/meets.ts'
import { Accuser } from './accuser.ts'
import { served as servedBetween, type Confirm, type HealthBetween } from './confirm.ts'

const rule = 'authentication/api-key-missing'
const bypass = 'authentication/no-bypass'
const flawed = requestOf({}, { fields: [] })
const missing = answers({ status: 400, errorCode: '1001' })
const wrong = exchange(refused(401, '1006'))
const failure = exchange(answer(500, {}))
const notServedBetween: HealthBetween = {
  kind: 'not served',
  breach: notServed({ request: plain, exchange: failure }),
}

interface Accusing {
  readonly accuser: Accuser
  readonly record: RunRecord
  /** What was confirmed: the request, and whether a success and the documented refusal would show the breach, too. */
  readonly confirmed: { readonly request: TestRequest; readonly violates: readonly boolean[] }[]
  /** How often each finding of a rule was reproduced. */
  readonly foundOf: (id: RuleId) => readonly string[]
}

/** An accuser whose confirmations see the breach each time; these are the health checks between, in turn, the last one repeatedly. */
function accusing(checks: readonly (HealthBetween | Error)[] = [servedBetween], isReplay = false): Accusing {
  const record = recordOf({ isReplay })
  const confirmed: Accusing['confirmed'] = []
  const request: Confirm['request'] = async (sent, _, violates) => {
    const health = checks[Math.min(confirmed.length, checks.length - 1)]
    confirmed.push({
      request: sent,
      violates: [served, refused(400, '1001')].map((one) => violates(exchange(one))),
    })
    if (health === undefined || health instanceof Error) throw health ?? new Error('nothing was said')
    return { seen: 3, of: 3, health }
  }
  const foundOf = (id: RuleId): readonly string[] =>
    record.findings.of(id).findings.map(({ reproduced }) => reproduced)
  return { accuser: new Accuser(record, { request }), record, confirmed, foundOf }
}

/** The arguments that accuse an answer which breaks a case's check. */
function broken(
  check: Check,
  met: Exchange = wrong,
  { request = flawed, of = rule, ...example }: Broken = {},
): Parameters<Accuser['accuseOf']> {
  const judged = check.judge(met)
  if (judged.kind !== 'violates') throw new Error('allowed')
  return [
    { request, exchange: met, context: { rule: of, case: 'a' }, breach: judged.breach },
    { check, ...example },
  ]
}

interface Broken extends Pick<Example, 'brokenIfServed'> {
  readonly request?: TestRequest
  readonly of?: RuleId
}

describe('the breach of a check', () => {
  it('is sent again, each answer held against the same check', async () => {
    const { accuser, confirmed, foundOf } = accusing()
    await accuser.accuseOf(...broken(missing))

    expect(foundOf(rule)).toEqual(['3 of 3'])
    expect(confirmed).toEqual([{ request: flawed, violates: [true, false] }])
  })

  it.each([
    ['is served', exchange(served), ['3 of 3']],
    ['is refused in another way', wrong, []],
  ])('breaks the rule about letting in, too, where the request %s', async (_, met, expected) => {
    const { accuser, foundOf } = accusing()
    await accuser.accuseOf(...broken(missing, met, { brokenIfServed: bypass }))

    expect([foundOf(rule), foundOf(bypass)]).toEqual([['3 of 3'], expected])
  })

  it('is lost with the client: nobody knows whether the lockout was why', async () => {
    const { accuser, foundOf } = accusing([new ClientLockedOut('locked out')])

    await expect(accuser.accuseOf(...broken(missing))).rejects.toThrow('locked out')
    expect(foundOf(rule)).toEqual([])
  })

  it('is told once of a case that is sent again', async () => {
    const { accuser, record } = accusing([servedBetween], true)
    await accuser.accuseOf(...broken(missing))

    expect(record.replay?.replayed([rule]).found).toMatchObject([
      { rule, finding: { reproduced: '1 of 1' }, exchanges: [{ response: { status: 401 } }] },
    ])
  })
})

describe('a missing success', () => {
  const says = 'a plain valid request did not succeed either (see endpoints/list-succeeds)'

  it('is a breach where a plain valid request between is served', async () => {
    const { accuser, foundOf } = accusing()
    await accuser.accuseOf(...broken(succeeds()))

    expect(foundOf(rule)).toEqual(['3 of 3'])
  })

  it('blames nobody where that is not served either, and follows from its breach', async () => {
    const { accuser, foundOf } = accusing([notServedBetween])

    await expect(accuser.accuseOf(...broken(succeeds()))).rejects.toMatchObject({
      name: 'Inconclusive',
      message: says,
      follows: notServedBetween.breach,
    })
    expect(foundOf(rule)).toEqual([])
  })

  it('of a plain valid request itself is left to the rules about it', async () => {
    const { accuser, confirmed, foundOf } = accusing()

    await expect(accuser.accuseOf(...broken(succeeds(), wrong, { request: plain }))).rejects.toMatchObject({
      message: says,
      follows: notServed({ request: plain, exchange: wrong }),
    })
    expect([foundOf(rule), confirmed]).toEqual([[], []])
  })

  it.each(['endpoints/list-succeeds', 'versioning/default-version'] as const)(
    'of a plain valid request itself breaks %s, whatever is served between',
    async (of) => {
      const { accuser, foundOf } = accusing([notServedBetween])
      await accuser.accuseOf(...broken(succeeds(), wrong, { request: plain, of }))

      expect(foundOf(of)).toEqual(['3 of 3'])
    },
  )

  it.each([
    ['a refusal is demanded', missing, exchange(served)],
    ['a refusal is allowed, too', answersOneOf([success, { status: 400, errorCode: '1001' }]), wrong],
    ['nothing is documented', { ...missing, allowed: [] }, wrong],
    ['a success came, and holds something wrong', succeedsWith(() => 'it is empty'), exchange(served)],
  ])('is none where %s', async (_, check, met) => {
    const { accuser, record, foundOf } = accusing([notServedBetween])
    await accuser.accuseOf(...broken(check, met))
    await accuser.accuseOf(...broken(check, met, { request: plain, of: bypass }))

    expect([foundOf(rule), foundOf(bypass)]).toEqual([['3 of 3'], ['3 of 3']])
    expect(record.findings.of(rule).findings.map(({ count }) => count)).toEqual([1])
  })
})

describe('a request that is never answered', () => {
  it.each([
    ['a check', missing, [{ status: 400, errorCode: '1001' }]],
    ['none', null, []],
  ])('is a breach as often as it was sent, of a case with %s', async (_, check, allowed) => {
    const { accuser, record, confirmed } = accusing()
    const error = new TransportError('timeout', 'nothing came')
    const silent = new NoResponse(flawed, unanswered(error, [error]))
    await accuser.accuseOfSilence({ rule, case: 'a' }, silent, check)

    const { findings, blamed } = record.findings.of(rule)
    expect(findings).toMatchObject([
      {
        allowed,
        answered: null,
        reproduced: '2 of 2',
        summary: silent.message,
        difference: silent.difference,
      },
    ])
    expect([blamed, confirmed]).toEqual([{ faulty: 0, unanswered: 1 }, []])
  })
})

describe('an answer', () => {
  const context = { rule, case: 'a' } as const
  const endpoints = ['/1', '/2', '/3', '/4', '/5']
  const at = (place: string): TestRequest => requestOf({ endpoint: `GET ${place}` }, { target: place })

  it.each([
    [
      'a documented rule is confirmed each time',
      'errors/documented-pairs',
      refused(400, '9'),
      ['3 of 3', '3 of 3'],
    ],
    [
      'an implied rule is confirmed three times',
      'conventions/json-content-type',
      answer(200, {}, { fields: [] }),
      ['1 of 1', '1 of 1'],
    ],
  ] as const)('that breaks %s', async (_, of, response, last) => {
    const { accuser, foundOf } = accusing()
    for (const place of endpoints)
      await accuser.judge({ request: at(place), exchange: exchange(response), context })

    expect(foundOf(of)).toEqual(['3 of 3', '3 of 3', '3 of 3', ...last])
  })

  it('that breaks an implied rule in another way is confirmed as often', async () => {
    const { accuser, foundOf } = accusing()
    for (const fields of [[], [['content-type', 'text/plain']]] as const)
      for (const place of endpoints)
        await accuser.judge({ request: at(place), exchange: exchange(answer(200, {}, { fields })), context })

    const each = ['3 of 3', '3 of 3', '3 of 3', '1 of 1', '1 of 1']
    expect(foundOf('conventions/json-content-type')).toEqual([...each, ...each])
  })

  it('that breaks a rule is sent again, each answer held against the same rule', async () => {
    const { accuser, confirmed } = accusing()
    const wrongPair = exchange(refused(400, '9'))
    await accuser.judge({ request: flawed, exchange: wrongPair, context })

    expect(confirmed).toEqual([{ request: flawed, violates: [false, false] }])
  })

  it('that a tolerated change turns into a breach is not sent again: the service is not to blame', async () => {
    const { accuser, confirmed, foundOf } = accusing()
    const { judge } = succeedsWith((body) => (Object.keys(Object(body)).length > 2 ? 'it holds more' : null))
    await accuser.tolerate({ request: flawed, exchange: exchange(served), context }, judge)

    expect([foundOf('tolerance/added-properties'), confirmed]).toEqual([['1 of 1'], []])
  })
})
