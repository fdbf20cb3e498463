import type { RuleId } from '../spec/rules.ts'
import { isRuleId } from '../spec/rules.ts'

/** What the public name of a case says. */
export interface CaseName {
  readonly rule: RuleId
  readonly seed: number
  /** The case's name within the rule, with the way of shrinking behind it. */
  readonly case: string
}

/** The line that sends a case again, for a shell. */
export function replayLine(name: string): string {
  return `npx card-switch-conformance replay '${name.replaceAll("'", String.raw`'\''`)}'`
}

/** Reads the public name of a case, `rule:seed:case[:shrink path]`; null where it is none. */
export function parseCaseName(text: string): CaseName | null {
  const parsed = /^(?<rule>[^:]+):(?<seed>\d{1,16}):(?<name>.+)$/s.exec(text)?.groups
  const { rule = '', seed = '', name = '' } = parsed ?? {}
  if (!isRuleId(rule) || !Number.isSafeInteger(Number(seed))) return null
  return { rule, seed: Number(seed), case: name }
}
