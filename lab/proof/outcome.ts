import type { Verdict } from '../../lib/verdict/verdict.ts'
import { entryOf, specCatalogue } from '../../lib/specification/catalogue.ts'
import type { RuleId } from '../../lib/specification/rules.ts'
import { rulesThat } from '../../tests/support/program.ts'
import type { Expectation, Result, Subject } from './subject.ts'

/** What the program left behind, as far as the proof looks at it. */
export interface Left {
  readonly code: number | null
  readonly verdict: Verdict | null
  readonly stdout: string
  readonly stderr: string
}

/** What a run says of the suite, and what is wrong with it. */
export interface Judged {
  readonly result: Result
  readonly shortcomings: readonly string[]
}

const profilesInOrder = ['gate', 'acceptance', 'nightly'] as const

/** Judges what one run left behind by what was expected of its subject. */
export function judgeOutcome({ expects }: Pick<Subject, 'expects'>, left: Left): Judged {
  const { result, shortcomings } = byExpectation(expects, left)
  return { result, shortcomings: [...shortcomings, ...always(left)] }
}

function byExpectation(expects: Expectation, left: Left): Judged {
  switch (expects.kind) {
    case 'caught':
      return caught(expects, left)
    case 'conformant':
      return conformant(expects, left)
    case 'ends':
      return ends(expects, left)
  }
}

/** What a terminal obeys, or shows in another direction: nothing that a service says may reach one as it is. */
const obeyed = /[^\P{Cc}\n]|[\u202a-\u202e\u2066-\u2069]/u

/** What must hold whatever the subject: a verdict that says what the process said, and silence besides. */
function always({ code, verdict, stdout, stderr }: Left): readonly string[] {
  if (verdict === null) return ['there is no verdict.json']
  return [
    ...(obeyed.test(stdout) ? ['the terminal is sent what it would obey'] : []),
    ...(verdict.exitCode === code ? [] : [`verdict.json says exit ${verdict.exitCode}, the process ${code}`]),
    ...(stderr === '' ? [] : [`standard error says: ${stderr.slice(0, 500)}`]),
  ]
}

function caught(
  { by, from, inNoOther, alone, implied }: Expectation & { readonly kind: 'caught' },
  { code, verdict }: Left,
): Judged {
  const red = rulesThat(verdict, 'failed', 'warned')
  const failed = rulesThat(verdict, 'failed')
  const wrongCode = codeOfFault(failed, verdict, code)
  const others = red.filter((rule) => !by.includes(rule))
  const listed = `none of ${by.join(', ')} is red`
  if (others.length < red.length) {
    // A breach of implied rules alone is a warning, and stops no deploy.
    const mayWarn =
      by.some((rule) => entryOf(specCatalogue, rule).level !== 'documented') ||
      (implied === true && verdict?.strict === false)
    const warnedOnly = failed.length === 0 && !mayWarn
    const shortcomings = [
      ...wrongCode,
      ...(warnedOnly ? ['a documented rule was only warned of'] : []),
      ...(alone && others.length > 0 ? [`blamed besides for ${others.join(', ')}`] : []),
    ]
    return { result: 'caught', shortcomings }
  }
  const needNotNotice = (profile: Verdict['profile']): boolean =>
    comesBefore(profile, from) || (inNoOther === true && profile !== from)
  if (verdict !== null && needNotNotice(verdict.profile)) return { result: 'beyond', shortcomings: wrongCode }
  return red.length === 0
    ? { result: 'missed', shortcomings: [listed, ...wrongCode] }
    : { result: 'wrong rule', shortcomings: [`${listed}, but ${red.join(', ')}`, ...wrongCode] }
}

/** A violation ends in 1; else what could not be judged may end in 3. */
function codeOfFault(
  failed: readonly RuleId[],
  verdict: Verdict | null,
  code: number | null,
): readonly string[] {
  const allowed = failed.length > 0 ? [1] : rulesThat(verdict, 'inconclusive').length > 0 ? [0, 3] : [0]
  return allowed.some((one) => one === code)
    ? []
    : [`exit ${code} where ${allowed.join(' or ')} was expected`]
}

function comesBefore(profile: Verdict['profile'], from: Verdict['profile']): boolean {
  return profilesInOrder.indexOf(profile) < profilesInOrder.indexOf(from)
}

function conformant(
  { untested, warns = [] }: Expectation & { readonly kind: 'conformant' },
  { code, verdict }: Left,
): Judged {
  const failed = rulesThat(verdict, 'failed')
  const red = [...failed, ...rulesThat(verdict, 'warned').filter((rule) => !warns.includes(rule))]
  const open = rulesThat(verdict, 'inconclusive')
  const missing = rulesThat(verdict, 'untested').filter((rule) => !untested.includes(rule))
  const shortcomings = [
    ...(red.length === 0 ? [] : [`blamed for ${red.join(', ')}`]),
    ...(open.length === 0 ? [] : [`not judged to the end: ${open.join(', ')}`]),
    ...(missing.length === 0 ? [] : [`not tested: ${missing.join(', ')}`]),
    ...(code === 0 ? [] : [`exit ${code} where 0 was expected`]),
  ]
  return { result: shortcomings.length === 0 ? 'passed' : 'false alarm', shortcomings }
}

function ends(
  { exit, rules, says }: Expectation & { readonly kind: 'ends' },
  { code, verdict, stdout }: Left,
): Judged {
  const failed = rulesThat(verdict, 'failed')
  const warned = rulesThat(verdict, 'warned')
  const shown = exit === 1 ? failed : [...failed, ...warned]
  const told = `${verdict?.because.join(' ') ?? ''} ${stdout}`.replaceAll(/\s+/g, ' ')
  const shortcomings = [
    ...(code === exit ? [] : [`exit ${code} where ${exit} was expected`]),
    ...(exit !== 1 && failed.length > 0 ? [`blamed for ${failed.join(', ')}`] : []),
    ...(exit === 3 && rules.length === 0 && warned.length > 0 ? [`warned of ${warned.join(', ')}`] : []),
    ...((exit !== 1 && rules.length === 0) || rules.some((rule) => shown.includes(rule))
      ? []
      : [`none of ${rules.join(', ')} ${exit === 1 ? 'failed' : 'is red'}`]),
    ...says.filter((piece) => !told.includes(piece)).map((piece) => `nothing says "${piece}"`),
  ]
  return { result: shortcomings.length === 0 ? 'ended well' : 'ended wrongly', shortcomings }
}
