import { describe, expect, it } from 'vitest'
import type { RuleStatus } from '../../lib/judge/record.ts'
import { rulesWith, ruleWith, verdictWith } from '../../lib/verdict/verdict.testing.ts'
import type { ExitCode } from '../../lib/verdict/verdict.ts'
import type { ProfileName } from '../../lib/settings/profiles.ts'
import type { RuleId } from '../../lib/specification/rules.ts'
import { judgeOutcome, type Left } from './outcome.ts'
import type { Expectation } from './subject.ts'

const missing = 'authentication/api-key-missing'
const invalid = 'authentication/api-key-invalid'
const implied = 'conventions/header-case-insensitive'

type Statuses = Readonly<Record<RuleId, RuleStatus>>

function left(code: ExitCode, statuses: Statuses = {}, profile: ProfileName = 'gate'): Left {
  const rules = rulesWith(
    Object.entries(statuses).map(([id, status]) => {
      const rule = rulesWith([]).find((one) => one.id === id)
      if (rule === undefined) throw new Error(`no rule ${id}`)
      return ruleWith(rule.id, { status })
    }),
  )
  return {
    code,
    verdict: verdictWith({ exitCode: code, rules, profile, because: ['why'] }),
    stdout: '',
    stderr: '',
  }
}

function judged(expects: Expectation, given: Left): string {
  const { result, shortcomings } = judgeOutcome({ expects }, given)
  return [result, ...shortcomings].join('; ')
}

describe('a fault', () => {
  const expects: Expectation = { kind: 'caught', by: [missing], from: 'gate', alone: false }

  it('is caught by a rule that is named for it, whatever else is red', () => {
    expect(judged(expects, left(1, { [missing]: 'failed', [invalid]: 'failed' }))).toBe('caught')
  })

  it('is missed when nothing is red', () => {
    expect(judged(expects, left(0))).toBe(`missed; none of ${missing} is red`)
  })

  it('is caught by the wrong rule when only others are red', () => {
    expect(judged(expects, left(1, { [invalid]: 'failed' }))).toBe(
      `wrong rule; none of ${missing} is red, but ${invalid}`,
    )
  })

  it('may go unnoticed in a profile that does not send enough, and in no further one', () => {
    const later: Expectation = { ...expects, from: 'acceptance' }

    expect(judged(later, left(0))).toBe('beyond')
    expect(judged(later, left(0, {}, 'acceptance'))).toBe(`missed; none of ${missing} is red`)
    expect(judged(later, left(0, {}, 'nightly'))).toBe(`missed; none of ${missing} is red`)
  })

  it('may go unnoticed in later profiles that do not send enough either', () => {
    const there: Expectation = { ...expects, from: 'acceptance', inNoOther: true }

    expect(judged(there, left(0))).toBe('beyond')
    expect(judged(there, left(0, {}, 'acceptance'))).toBe(`missed; none of ${missing} is red`)
    expect(judged(there, left(0, {}, 'nightly'))).toBe('beyond')
  })

  it('must end in 1 where a rule failed, and not where one was only warned of', () => {
    expect(judged(expects, left(0, { [missing]: 'failed' }))).toBe('caught; exit 0 where 1 was expected')
    expect(judged({ ...expects, by: [implied] }, left(0, { [implied]: 'warned' }))).toBe('caught')
    expect(judged({ ...expects, by: [implied] }, left(1, { [implied]: 'warned' }))).toBe(
      'caught; exit 1 where 0 was expected',
    )
  })

  it('may end in 3 only where something was not judged to the end', () => {
    const others = { [implied]: 'warned', [invalid]: 'inconclusive' } as const

    expect(judged({ ...expects, by: [implied] }, left(3, others))).toBe('caught')
    expect(judged({ ...expects, by: [implied] }, left(3, { [implied]: 'warned' }))).toBe(
      'caught; exit 3 where 0 was expected',
    )
  })

  it('must make nothing else red where it keeps to the specification otherwise', () => {
    const red = left(1, { [missing]: 'failed', [invalid]: 'failed' })

    expect(judged({ ...expects, alone: true }, red)).toBe(`caught; blamed besides for ${invalid}`)
    expect(judged({ ...expects, alone: true }, left(1, { [missing]: 'failed' }))).toBe('caught')
  })

  it('must not only be warned of by a documented rule', () => {
    expect(judged(expects, left(0, { [missing]: 'warned' }))).toBe(
      'caught; a documented rule was only warned of',
    )
  })

  it('may be so where it follows from HTTP or JSON only, and warnings do not count', () => {
    const warned = left(0, { [missing]: 'warned' })
    const strict = { ...warned, verdict: warned.verdict && { ...warned.verdict, strict: true } }

    expect(judged({ ...expects, implied: true }, warned)).toBe('caught')
    expect(judged({ ...expects, implied: true }, strict)).toBe('caught; a documented rule was only warned of')
  })
})

describe('a conformant variant', () => {
  const expects: Expectation = { kind: 'conformant', untested: [implied] }

  it('passes when everything was judged but what may be left out', () => {
    expect(judged(expects, left(0, { [implied]: 'untested' }))).toBe('passed')
  })

  it.each([
    ['failed', 1, `blamed for ${missing}; exit 1 where 0 was expected`],
    ['warned', 0, `blamed for ${missing}`],
    ['inconclusive', 3, `not judged to the end: ${missing}; exit 3 where 0 was expected`],
    ['untested', 0, `not tested: ${missing}`],
  ] as const)('is a false alarm when a rule is %s', (status, code, because) => {
    expect(judged(expects, left(code, { [missing]: status }))).toBe(`false alarm; ${because}`)
  })
})

describe('a conformant variant that a rule may warn of', () => {
  const expects: Expectation = { kind: 'conformant', untested: [], warns: [missing] }

  it('passes where that rule warns, and where it does not', () => {
    expect(judged(expects, left(0, { [missing]: 'warned' }))).toBe('passed')
    expect(judged(expects, left(0))).toBe('passed')
  })

  it('is a false alarm when another rule warns, or that rule fails', () => {
    expect(judged(expects, left(0, { [invalid]: 'warned' }))).toBe(`false alarm; blamed for ${invalid}`)
    expect(judged(expects, left(1, { [missing]: 'failed' }))).toContain(`false alarm; blamed for ${missing}`)
  })
})

describe('another target', () => {
  const unreachable: Expectation = { kind: 'ends', exit: 3, rules: [], says: ['nobody listens'] }

  it('ends well with its exit code and its reason, wherever the lines of the terminal break', () => {
    expect(judged(unreachable, { ...left(3), stdout: 'that nobody\n   listens' })).toBe('ended well')
  })

  it('ends wrongly with another exit code, without its reason, or when it is blamed', () => {
    expect(judged(unreachable, left(0))).toBe(
      'ended wrongly; exit 0 where 3 was expected; nothing says "nobody listens"',
    )
    expect(judged({ ...unreachable, says: [] }, left(3, { [missing]: 'failed' }))).toBe(
      `ended wrongly; blamed for ${missing}`,
    )
    expect(judged({ ...unreachable, says: [] }, left(3, { [implied]: 'warned' }))).toBe(
      `ended wrongly; warned of ${implied}`,
    )
  })

  it('ends wrongly when a terminal would obey what it said', () => {
    const obeyed = { ...left(3), stdout: 'nobody listens\u001b[2J' }

    expect(judged(unreachable, obeyed)).toBe('ended well; the terminal is sent what it would obey')
  })

  it('ends wrongly when it is blamed by rules that have nothing to do with it', () => {
    const harmful: Expectation = { kind: 'ends', exit: 1, rules: [missing], says: [] }

    expect(judged(harmful, left(1, { [missing]: 'failed', [invalid]: 'failed' }))).toBe('ended well')
    expect(judged(harmful, left(1, { [invalid]: 'failed' }))).toBe(`ended wrongly; none of ${missing} failed`)
  })

  it('ends wrongly when no rule warns of it that is meant to', () => {
    const warning: Expectation = { kind: 'ends', exit: 0, rules: [implied], says: [] }

    expect(judged(warning, left(0, { [implied]: 'warned' }))).toBe('ended well')
    expect(judged(warning, left(0))).toBe(`ended wrongly; none of ${implied} is red`)
  })
})

describe('whatever the subject', () => {
  const expects: Expectation = { kind: 'conformant', untested: [] }

  it('there must be a verdict, of the exit code of the process, and silence on standard error', () => {
    expect(judged(expects, { ...left(0), verdict: null })).toContain('there is no verdict.json')
    expect(judged(expects, { ...left(3), code: 0 })).toContain('verdict.json says exit 3, the process 0')
    expect(judged(expects, { ...left(0), stderr: 'Warning' })).toContain('standard error says: Warning')
  })
})
