import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { certainFlaws } from '../../judge/allowed.ts'
import { flawless, type Facts } from '../../judge/facts.ts'
import { ErrorPrecedence, Observations } from './observations.ts'
import { open, refusal, type Reply } from '../testing/open.ts'
import { snapshotOf } from '../run/open-run.ts'

describe('observations', () => {
  it('are the last value of each, in the order of their ids', () => {
    const observations = new Observations()
    observations.observe('order', ['1001'])
    observations.observe('letter-case', 'accepted')
    observations.observe('letter-case', '401 / 1006')

    expect(observations.all().filter(({ id }) => !id.startsWith('flaw-order'))).toEqual([
      { id: 'letter-case', value: '401 / 1006' },
      { id: 'order', value: ['1001'] },
    ])
  })

  it('of several subjects hold at most five outcomes of each, and a hundred subjects', () => {
    const observations = new Observations()
    for (let outcome = 9; outcome > 0; outcome -= 1) observations.note('seen', 'one', `${outcome}`)
    for (let subject = 0; subject < 200; subject += 1) observations.note('seen', `${subject}`, 'same')
    const value = observations.all().find(({ id }) => id === 'seen')?.value ?? {}

    expect(value).toMatchObject({ one: '5; 6; 7; 8; 9' })
    expect(Object.keys(Object(value))).toHaveLength(100)
  })
})

describe('latencies', () => {
  function percentiles(values: readonly number[]): ReturnType<Observations['latencyMs']> {
    const observations = new Observations()
    for (const value of values) observations.took('errors/body-shape', value)
    return observations.latencyMs()
  }

  it('are none without an answer', () => {
    expect(percentiles([])).toBeNull()
  })

  it('are the values below which that share lies', () => {
    const hundred = Array.from({ length: 100 }, (_, index) => index + 1)

    expect(percentiles(hundred)).toEqual({ p50: 50, p95: 95, p99: 99, max: 100 })
    expect(percentiles(hundred.toReversed())).toEqual({ p50: 50, p95: 95, p99: 99, max: 100 })
    expect(percentiles([7])).toEqual({ p50: 7, p95: 7, p99: 7, max: 7 })
    expect(percentiles([10, 9])).toEqual({ p50: 9, p95: 10, p99: 10, max: 10 })
    expect(percentiles([1.26, 1.24])).toEqual({ p50: 1.2, p95: 1.3, p99: 1.3, max: 1.3 })
  })

  it('are in order, and not beyond what was seen', () => {
    const latency = fc.integer({ min: 0, max: 600_000 })
    fc.assert(
      fc.property(fc.array(latency, { minLength: 1, maxLength: 300 }), (values) => {
        const { p50 = 0, p95 = 0, p99 = 0, max = 0 } = percentiles(values) ?? {}
        expect([p50, p95, p99, max].toSorted((a, b) => a - b)).toEqual([p50, p95, p99, max])
        expect(max).toBe(Math.max(...values))
        expect(values.filter((value) => value <= p50).length).toBeGreaterThanOrEqual(values.length / 2)
        expect(values.filter((value) => value <= p95).length).toBeGreaterThanOrEqual(values.length * 0.95)
      }),
    )
  })
})

const flaws: Readonly<Record<string, Partial<Facts>>> = {
  '1001': { apiKey: 'absent' },
  '1002': { secretKey: 'absent' },
  '1003': { version: 'absent' },
  '1010': { endpoint: 'unknown' },
  '1011': { state: 'inactive' },
  '1013': { permission: 'denied' },
}
const codes = Object.keys(flaws)

function withFlaws(...some: readonly string[]): Facts {
  return some.reduce((facts, code) => ({ ...facts, ...flaws[code] }), flawless)
}

/** The error precedence learned from a service that reports the first of these codes. */
function learn(order: ErrorPrecedence, ranking: readonly string[], some: readonly string[]): void {
  order.note(withFlaws(...some), ranking.find((code) => some.includes(code)) ?? null)
}

describe('the order of flaws', () => {
  it('is the one in which a service reports them, once every pair was met', () => {
    fc.assert(
      fc.property(fc.shuffledSubarray(codes, { minLength: codes.length }), (ranking) => {
        const order = new ErrorPrecedence()
        for (const a of codes) for (const b of codes) if (a !== b) learn(order, ranking, [a, b])

        expect(order.order()).toEqual(ranking)
        expect(order.contradictions()).toEqual([])
      }),
    )
  })

  it('follows from chains of pairs', () => {
    const order = new ErrorPrecedence()
    learn(order, ['1013', '1003'], ['1013', '1003'])
    learn(order, ['1003', '1001'], ['1003', '1001'])

    expect(order.order()).toEqual(['1013', '1003', '1001'])
  })

  it('is contradicted where a pair was reported both ways, however the majority is', () => {
    const order = new ErrorPrecedence()
    for (let time = 0; time < 3; time += 1) learn(order, ['1002', '1001'], ['1001', '1002'])
    learn(order, ['1001'], ['1001', '1002'])

    expect(order.order()).toEqual(['1002', '1001'])
    expect(order.contradictions()).toEqual([{ between: ['1001', '1002'], times: [1, 3] }])
  })

  it('learns nothing from one flaw, from what may be none, from a success, and from a code of another flaw', () => {
    const order = new ErrorPrecedence()
    order.note(withFlaws('1001'), '1001')
    order.note({ ...withFlaws('1001', '1002'), version: 'odd' }, '1001')
    order.note(withFlaws('1001', '1002'), null)
    order.note(withFlaws('1001', '1002'), '1013')

    expect(order.order()).toEqual([])
  })

  it('knows the flaws by the facts that say so', () => {
    expect(certainFlaws(withFlaws('1001', '1010'))).toEqual([
      { fact: 'apiKey', codes: ['1001'] },
      { fact: 'endpoint', codes: ['1010'] },
    ])
  })
})

const context = { rule: 'authentication/api-key-missing', case: 'absent' } as const

/** The observations of an answer to a request without a key. */
async function observed(reply: Reply): Promise<Readonly<Record<string, unknown>>> {
  const { run, plain } = await open({ reply: ({ plain: isPlain }) => (isPlain ? null : reply) })
  await run.driver.send(plain.without('x-api-key'), context)
  const { observations } = snapshotOf(run)
  return Object.fromEntries(observations.map(({ id, value }) => [id, value]))
}

describe('names that stand twice in one object', () => {
  it('are written down with what was answered, and judged by nobody if the codes are the same', async () => {
    const body = '{"error_code":"1001","error_code":"1001","error_message":"a","x":{"b":1,"b":2}}'
    const { run, plain } = await open({
      reply: ({ plain: isPlain }) => (isPlain ? null : { status: 400, body }),
    })
    await run.driver.send(plain.without('x-api-key'), context)

    expect(snapshotOf(run).observations).toContainEqual({
      id: 'duplicate-members',
      value: { b: '400 / 1001', error_code: '400 / 1001' },
    })
    for (const rule of ['conventions/json-response', 'errors/body-shape', 'errors/documented-pairs'] as const)
      expect(run.record.findings.of(rule).findings).toEqual([])
  })

  it('are nothing where none does', async () => {
    expect(await observed(refusal(400, '1001'))).not.toHaveProperty('duplicate-members')
  })
})

it('a label that is sent twice is written down', async () => {
  const body = { error_code: '1001', error_message: 'a' }
  const twice = { 'content-type': ['application/json', 'application/json'] }

  expect(await observed({ status: 400, body, fields: twice })).toMatchObject({
    'repeated-content-type': { 'application/json, application/json': '400 / 1001' },
  })
})

describe('a byte order mark before JSON', () => {
  const rule = 'conventions/json-response'
  const warningOf = async (env: Readonly<Record<string, string>>): Promise<unknown> => {
    const body = '\uFEFF{"error_code":"1001","error_message":"a"}'
    const { run, plain } = await open({
      env,
      reply: ({ plain: isPlain }) => (isPlain ? null : { status: 400, body }),
    })
    await run.driver.send(plain.without('x-api-key'), context)
    const [finding, ...others] = run.record.findings.of(rule).findings

    expect(others).toEqual([])
    expect(finding).toMatchObject({ reproduced: '3 of 3', summary: expect.stringContaining('U+FEFF') })
    return finding?.warning
  }

  it('is a warning of a documented rule', async () => {
    expect(await warningOf({})).toBe(true)
  })

  it('is a violation where warnings count', async () => {
    expect(await warningOf({ RUN_STRICT: 'true' })).toBeUndefined()
  })
})
