import { describe, expect, it } from 'vitest'
import { truncateBody, type Exchange } from '../../http/exchange.ts'
import type { Situations } from '../../judge/power.ts'
import { answer, credentials, exchange } from '../../judge/testing/exchanges.ts'
import { flawless } from '../../specification/flaws.ts'
import { countBlamed } from '../../verdict/power.ts'
import { listEndpoint } from '../testing/contexts.ts'
import { requestOf } from '../testing/layers.ts'
import { PowerRecord } from './power-record.ts'

const model = {
  clients: [{ name: 'target' as const, credentials }],
  endpoints: [listEndpoint],
  unsupportedVersion: '9',
}
const served = exchange(answer(200, { items: [] }))
const request = requestOf()

const further = { cases: '--fuzz-cases', rows: '--seed' }

function another(): Exchange {
  return exchange(answer(200, {}))
}

function of(record: PowerRecord, kind: Situations['kind']): Situations {
  const found = record.power(further).situations.find((one) => one.kind === kind)
  if (found === undefined) throw new Error(`no situations of kind ${kind}`)
  return found
}

describe('the power of a run', () => {
  it('counts judged answers, not observed ones', () => {
    const record = new PowerRecord(model)
    for (const observed of [false, true, false]) record.answered({ observed }, another())
    expect(record.power(further).answers).toBe(2)
    expect(record.power(further).excludes).toBeCloseTo(1 - 0.05 ** (1 / 2))
  })

  it('counts an exchange with a breach once, however many findings blame it', () => {
    const record = new PowerRecord(model)
    const [first, second] = [another(), another()]
    for (const one of [first, second, another()]) record.answered({ observed: false }, one)
    for (const finding of ['a', 'b', 'a']) record.showed(finding, first)
    record.showed('b', truncateBody(second))
    for (const finding of ['c', 'b']) record.leftUnanswered(finding, first.request)
    // The counts that remain if findings were dropped or belong to rules that were not selected.
    const counted = ['abc', 'a', 'b', 'c', ''].map((findings) =>
      countBlamed(record.blamed, new Set(findings)),
    )

    expect(record.power(further).answers).toBe(3)
    expect(counted.map(Object.values)).toEqual([
      [2, 1],
      [1, 0],
      [2, 1],
      [0, 1],
      [0, 0],
    ])
  })

  it('counts an observed exchange that showed a breach', () => {
    const record = new PowerRecord(model)
    const observed = another()
    record.answered({ observed: true }, observed)
    record.showed('a', observed)
    expect(record.power(further).answers).toBe(1)
    expect(record.blamed).toEqual([{ findings: ['a'], faulty: 1, unanswered: 0 }])
  })

  it('counts each flaw alone and each pair of flaws', () => {
    const record = new PowerRecord(model)
    record.met(request, served, flawless)
    record.met(request, served, { ...flawless, version: 'absent' })
    record.met(request, served, { ...flawless, version: 'absent', apiKey: 'absent' })
    record.met(request, served, { ...flawless, version: 'absent', apiKey: 'absent', secretKey: 'absent' })
    expect(of(record, 'flaw').reached).toEqual({ 'no x-version': 1 })
    expect(of(record, 'pair').reached).toEqual({ 'no x-api-key + no x-version': 1 })
  })

  it('counts a condition for requests with at most one flaw', () => {
    const record = new PowerRecord(model)
    const names = ['accept-language: de', '?_=17', 'connection: close']
    const conditions = names.map((name) => ({ name, needs: [], isSent: name !== '?_=17' }))
    record.planned({ conditions })
    record.planned({ conditions })
    const german = ['accept-language: de', 'accept left out']
    const one = { ...flawless, version: 'absent' } as const
    record.met(request.trait({ conditions: german }), served, one)
    record.met(request.trait({ conditions: german }), served, flawless)
    record.met(request.trait({ conditions: ['connection: close'], excused: true }), served, one)
    record.met(request.trait({ conditions: ['connection: close'] }), served, { ...one, apiKey: 'absent' })

    expect(of(record, 'condition')).toEqual({
      kind: 'condition',
      reached: { 'accept-language: de': 2 },
      missing: { '?_=17': 'no setting', 'connection: close': '--seed' },
    })
    expect(of(new PowerRecord(model), 'condition')).toMatchObject({ reached: {}, missing: {} })
  })

  it('counts connections, preceding requests and requests in flight', () => {
    const record = new PowerRecord(model)
    const flawed = { ...flawless, apiKey: 'invalid' } as const
    const met = (more: Partial<Exchange>): void => record.met(request, { ...served, ...more }, flawed)
    met({ reused: false, followsSuccess: true })
    met({ reused: true, amidOthers: true })
    record.met(request, { ...served, reused: true, followsSuccess: true }, flawless)
    expect(of(record, 'connection').reached).toEqual({ 'a new connection': 1, 'a connection used before': 2 })
    expect(of(record, 'order').reached).toEqual({ 'a flawed request right after a success': 1 })
    expect(of(record, 'load').reached).toEqual({ 'several requests at once': 1 })
  })

  it('names the setting that would reach a missing situation', () => {
    const { missing } = of(new PowerRecord(model), 'flaw')
    expect(missing).toMatchObject({
      inactive: 'FIXTURE_INACTIVE_API_KEY',
      'invalid input': 'FIXTURE_INVALID_QUERY',
      'no x-api-key': '--fuzz-cases',
    })
    expect(of(new PowerRecord(model), 'client').missing).toMatchObject({
      'client target': '--fuzz-cases',
      'client noCustomer': 'FIXTURE_NO_CUSTOMER_API_KEY',
    })
    const given = new PowerRecord({ ...model, endpoints: [{ ...listEndpoint, invalidQuery: 'limit=abc' }] })
    expect(of(given, 'flaw').missing['invalid input']).toBe('--fuzz-cases')
    expect(of(given, 'pair').missing['near miss of a path + quota used up']).toBe('no setting')
  })
})
