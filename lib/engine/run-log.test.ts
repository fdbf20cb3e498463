import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fingerprintOf } from '../judge/fingerprint.ts'
import { answers, succeeds, type Breach } from '../judge/judge.ts'
import type { ShownExchange } from '../judge/record.ts'
import { exchange, refused, served } from '../judge/testing/exchanges.ts'
import { RunLog, type Reproduced, type Sighting } from './run-log.ts'

const endpoint = 'GET /api/customizations/list'
const shown: ShownExchange = {
  request: { method: 'GET', url: 'https://staging.example/api', headers: [] },
  response: null,
  durationMs: 1,
}

function breachBy(code: string): Breach {
  const judged = answers({ status: 401, errorCode: '1006' }).judge(exchange(refused(401, code)))
  if (judged.kind !== 'violates') throw new Error('allowed')
  return judged.breach
}

const letIn = answers({ status: 401, errorCode: '1006' }).judge(exchange(served))

function sighting(name: string, breach: Breach = breachBy('1007'), at = endpoint): Sighting {
  return {
    case: name,
    endpoint: at,
    breach,
    show: () => ({ exchange: shown, curl: `curl ${name}`, replay: null }),
  }
}

const always = (): Promise<Reproduced> => Promise.resolve({ seen: 3, of: 3 })
const rule = 'authentication/api-key-invalid'

describe('a finding', () => {
  it('is the first breach of its kind, confirmed', async () => {
    const log = new RunLog()
    await log.breach(rule, sighting('one'), () => Promise.resolve({ seen: 2, of: 3 }))

    expect(log.findings(rule)).toEqual([
      {
        fingerprint: fingerprintOf(endpoint, breachBy('1007')),
        case: 'one',
        count: 1,
        examples: [],
        summary: 'answered 401 / 1007 where 401 / 1006 is documented',
        allowed: [{ status: 401, errorCode: '1006' }],
        answered: { status: 401, errorCode: '1007' },
        reproduced: '2 of 3',
        exchange: shown,
        curl: 'curl one',
        replay: null,
      },
    ])
  })

  it('is counted when it is met again, with three further cases at most, and confirmed but once', async () => {
    const log = new RunLog()
    let confirmed = 0
    for (const name of ['one', 'two', 'three', 'four', 'five', 'six']) {
      await log.breach(rule, sighting(name), () => {
        confirmed += 1
        return always()
      })
    }

    const [finding, ...others] = log.findings(rule)
    expect(others).toEqual([])
    expect(finding).toMatchObject({ case: 'one', count: 6, reproduced: '3 of 3', curl: 'curl one' })
    expect(finding?.examples.map((example) => example.case)).toEqual(['two', 'three', 'four'])
    expect(confirmed).toBe(1)
  })

  it('is counted also while the first is being confirmed', async () => {
    const log = new RunLog()
    let done: (reproduced: Reproduced) => void = () => {}
    const first = log.breach(rule, sighting('one'), () => new Promise((resolve) => (done = resolve)))
    await log.breach(rule, sighting('two'), always)
    expect(log.findings(rule)[0]).toMatchObject({ count: 2, reproduced: '1 of 1' })

    done({ seen: 1, of: 3 })
    await first
    expect(log.findings(rule)[0]).toMatchObject({ count: 2, reproduced: '1 of 3' })
  })

  it('is another for another answer, endpoint or rule, in the order in which they were met', async () => {
    const log = new RunLog()
    await log.breach(rule, sighting('one'), always)
    await log.breach(rule, sighting('two', breachBy('1012')), always)
    await log.breach(rule, sighting('three', breachBy('1007'), 'GET /api/cards'), always)
    await log.breach('authentication/no-bypass', sighting('four'), always)

    expect(log.findings(rule).map((finding) => finding.case)).toEqual(['one', 'two', 'three'])
    expect(log.findings('authentication/no-bypass').map((finding) => finding.case)).toEqual(['four'])
    expect(log.findings('authentication/no-side-door')).toEqual([])
  })

  it('shows its exchange only once: showing costs', async () => {
    const log = new RunLog()
    let times = 0
    const counted: Sighting = {
      ...sighting('one'),
      show: () => {
        times += 1
        return { exchange: shown, curl: null, replay: null }
      },
    }
    for (let met = 0; met < 5; met += 1) await log.breach(rule, counted, always)

    expect(times).toBe(1)
  })

  it('without an answer has none', async () => {
    const log = new RunLog()
    const silent: Breach = {
      allowed: [],
      answered: null,
      difference: 'no answer: timeout',
      summary: 'no answer',
    }
    await log.breach(rule, sighting('one', silent), always)

    expect(log.findings(rule)[0]).toMatchObject({ answered: null, allowed: [] })
  })

  it('stays when confirming it fails, for it was seen', async () => {
    const log = new RunLog()
    await expect(
      log.breach(rule, sighting('one'), () => Promise.reject(new Error('the budget was used up'))),
    ).rejects.toThrow('budget')

    expect(log.findings(rule)[0]).toMatchObject({ count: 1, reproduced: '1 of 1' })
  })

  it('can be withdrawn, also while it is being confirmed, and no other with it', async () => {
    const log = new RunLog()
    let done: (reproduced: Reproduced) => void = () => {}
    await log.breach(rule, sighting('other', breachBy('1012')), always)
    const first = log.breach(rule, sighting('one'), () => new Promise((resolve) => (done = resolve)))
    log.withdraw(rule, endpoint, breachBy('1007'))
    done({ seen: 3, of: 3 })
    await first

    expect(log.findings(rule).map((finding) => finding.case)).toEqual(['other'])
  })
})

describe('an explanation', () => {
  const scenario = 'authentication/not-cached'
  const met = async (reproduced: Reproduced, by: Parameters<RunLog['breach']>[0] = rule): Promise<RunLog> => {
    const log = new RunLog()
    await log.breach(by, sighting('one'), () => Promise.resolve(reproduced))
    return log
  }

  it('is a rule that has met the same breach steadily, outside of a scenario', async () => {
    expect((await met({ seen: 3, of: 3 })).isExplained(scenario, endpoint, breachBy('1007'))).toBe(true)
    expect((await met({ seen: 2, of: 2 })).isExplained(scenario, endpoint, breachBy('1007'))).toBe(true)
  })

  it('is none for another breach, or another endpoint', async () => {
    const log = await met({ seen: 3, of: 3 })

    expect(log.isExplained(scenario, endpoint, breachBy('1012'))).toBe(false)
    expect(log.isExplained(scenario, 'GET /api/cards', breachBy('1007'))).toBe(false)
    expect(new RunLog().isExplained(scenario, endpoint, breachBy('1007'))).toBe(false)
  })

  it('is none where the breach came and went, or was not confirmed', async () => {
    expect((await met({ seen: 2, of: 3 })).isExplained(scenario, endpoint, breachBy('1007'))).toBe(false)
    expect((await met({ seen: 1, of: 1 })).isExplained(scenario, endpoint, breachBy('1007'))).toBe(false)
  })

  it('is none for a rule that runs with others, and by no rule that runs alone or at last', async () => {
    const known = breachBy('1007')

    expect((await met({ seen: 3, of: 3 })).isExplained('authentication/no-bypass', endpoint, known)).toBe(
      false,
    )
    for (const by of ['versioning/selected-per-request', 'quota/exhausted'] as const) {
      expect((await met({ seen: 3, of: 3 }, by)).isExplained(scenario, endpoint, known)).toBe(false)
    }
  })

  it('is none for a success: that somebody was let in is what scenarios look for', async () => {
    if (letIn.kind !== 'violates') throw new Error('allowed')
    const log = new RunLog()
    await log.breach(rule, sighting('one', letIn.breach), always)

    expect(log.isExplained(scenario, endpoint, letIn.breach)).toBe(false)
  })

  it('is none for silence', async () => {
    const silent: Breach = {
      allowed: [],
      answered: null,
      difference: 'no answer: timeout',
      summary: 'no answer',
    }
    const log = new RunLog()
    await log.breach(rule, sighting('one', silent), always)

    expect(log.isExplained(scenario, endpoint, silent)).toBe(false)
  })
})

describe('what a rule was judged on', () => {
  it('is counted, the first kept as a sample', () => {
    const log = new RunLog()
    log.judged(rule, () => shown)
    log.judged(rule, () => {
      throw new Error('shown twice')
    })

    expect([log.answers(rule), log.sample(rule)]).toEqual([2, shown])
    expect([log.answers('quota/exhausted'), log.sample('quota/exhausted')]).toEqual([0, null])
  })
})

describe('latencies', () => {
  function percentiles(values: readonly number[]): ReturnType<RunLog['latencyMs']> {
    const log = new RunLog()
    for (const value of values) log.took(value)
    return log.latencyMs()
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

describe('observations', () => {
  it('are the last value of each', () => {
    const log = new RunLog()
    log.observe('letter-case', 'accepted')
    log.observe('order', ['1001'])
    log.observe('letter-case', '401 / 1006')

    expect(log.observations()).toEqual([
      { id: 'letter-case', value: '401 / 1006' },
      { id: 'order', value: ['1001'] },
    ])
  })
})

describe('a demanded success', () => {
  it('has another fingerprint than a demanded refusal', async () => {
    const log = new RunLog()
    const judged = succeeds().judge(exchange(refused(401, '1007')))
    if (judged.kind !== 'violates') throw new Error('allowed')
    await log.breach(rule, sighting('one'), always)
    await log.breach(rule, sighting('two', judged.breach), always)

    expect(log.findings(rule)).toHaveLength(2)
  })
})

describe('a client that was locked out', () => {
  const other = 'authentication/secret-key-invalid'

  it('loses what no plain valid request was served after, before and afterwards', async () => {
    const log = new RunLog()
    await log.breach(rule, sighting('proven'), always)
    await log.breach(other, sighting('cut short'), () => Promise.resolve({ seen: 2, of: 2 }))
    log.lockedOut()
    await log.breach(other, sighting('later'), () => Promise.resolve({ seen: 1, of: 1 }))
    await log.breach(other, sighting('elsewhere', breachBy('1012')), always)

    expect(log.findings(rule).map((one) => one.case)).toEqual(['proven'])
    expect(log.findings(other).map((one) => one.case)).toEqual(['elsewhere'])
  })

  it('keeps what is never the fault of the service', async () => {
    const log = new RunLog()
    await log.breach('tolerance/added-properties', sighting('own'), () => Promise.resolve({ seen: 1, of: 1 }))
    log.lockedOut()

    expect(log.findings('tolerance/added-properties')).toHaveLength(1)
  })
})
