import { InvalidRule, holds, type Check } from '../../judge/judge.ts'
import { runWideChecks } from '../../judge/run-wide.ts'
import {
  ruleOf,
  runWideRules,
  type DeclaredRule,
  type Phase,
  type Rule,
  type RuleId,
  type RunWideRuleId,
  type SpecRuleId,
} from '../../specification/rules.ts'
import { example, type Area, type Case, type SuiteRule, type Untestable } from './cases.ts'
import { propertyOf, type ClassesOf } from './fuzz.ts'
import {
  flawedRequests,
  type GeneratedChoice,
  type JudgedEndpoint,
  type ListedChoice,
  type SuiteContext,
} from './suite-context.ts'

export type CasesOf = (context: SuiteContext) => readonly Case[] | Untestable

/** Groups rules under the title of a part of the specification. */
export function area(title: string, rules: readonly SuiteRule[]): Area {
  return { title, rules }
}

/** A user's own rule with its catalogue entry; its phase is `together` by default. */
export interface OwnRule extends Omit<Rule, 'phase'> {
  /** A prefix that is not an area of the specification, a slash and a name, in lower-case letters, digits and hyphens. */
  readonly id: RuleId
  readonly phase?: Phase
}

function declared(given: SpecRuleId | OwnRule): DeclaredRule {
  if (typeof given === 'string') return { id: given, entry: ruleOf(given) }
  const { id, ...entry } = given
  return { id, entry: { phase: 'together', ...entry } }
}

/** Declares a rule with listed cases; a rule that summarizes the run may have none. */
export function rule(
  given: SpecRuleId | OwnRule,
  casesOf: (context: SuiteContext) => Iterable<Case> | Untestable,
  choice: ListedChoice = {},
): SuiteRule {
  const { id, entry } = declared(given)
  const further = typeof given === 'string' ? [] : null
  return {
    id,
    entry,
    work: (context) => {
      const all = casesOf(context)
      if ('untested' in all) return all
      const made = [...all]
      const { replayed } = context
      if (replayed?.rule !== id) return { kind: 'cases', cases: context.listed(made, { further, ...choice }) }
      const cases = made.filter(({ name }) => name === replayed.case)
      if (made.length > 0 && cases.length === 0) return { untested: `no case is called ${replayed.case}` }
      return { kind: 'cases', cases }
    },
  }
}

/** Declares a rule with generated cases. Its classes are known in advance, and each case is drawn when it is sent. */
export function fuzzed(
  given: SpecRuleId | OwnRule,
  classesOf: ClassesOf,
  choice: GeneratedChoice = {},
): SuiteRule {
  const { id, entry } = declared(given)
  const classesIn: ClassesOf = (input) => {
    const classes = [...classesOf(input)]
    // A rule may be written without types, and anything else would be a rule without cases.
    const unfit = classes.find((one) => !('nth' in Object(one)))
    if (unfit !== undefined) throw new InvalidRule('a list of classes, made with caseClass()', unfit)
    return classes
  }
  return { id, entry, work: (context) => propertyOf(id, classesIn, context, choice) }
}

/** Declares a rule that judges every answer; it sends a request only if no other rule does. */
export function onEveryAnswer(id: RunWideRuleId): SuiteRule {
  // The run already judges every exchange by this rule.
  const check: Check = { allowed: [], judge: (exchange) => runWideChecks[id](exchange) ?? holds }
  const oneOfEach = onEachEndpoint((endpoint, context) => [
    example('valid', endpoint.request, check),
    ...flawedRequests(context, endpoint).map(({ name, request }) => example(name, request, check)),
  ])
  return rule(id, (context) => {
    const isAlone = context.selected.every((one) => runWideRules.some((runWide) => runWide === one))
    return isAlone || context.replayed !== null ? oneOfEach(context) : []
  })
}

/** Makes cases, or parts of cases, for every endpoint and adds its label to their names. */
export function onEachEndpoint<Named extends { readonly name: string }>(
  make: (endpoint: JudgedEndpoint, context: SuiteContext) => readonly Named[],
): (context: SuiteContext) => readonly Named[] {
  return (context) =>
    context.endpoints.flatMap((endpoint) =>
      make(endpoint, context).map((one) => ({ ...one, name: endpoint.named(one.name) })),
    )
}
