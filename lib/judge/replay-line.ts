import { isRuleId, type RuleId } from '../spec/rules.ts'
import { quoted } from './bash.ts'

/** What the public name of a case says. */
export interface CaseName {
  readonly rule: RuleId
  readonly seed: number
  /** The case's name within the rule, with the way of shrinking behind it. */
  readonly case: string
}

/** The line that sends a case again, for a shell; `flags` are the words that it needs besides. */
export function replayLine(name: string, flags: readonly string[] = []): string {
  return ['npx card-switch-conformance replay', quoted(name), ...flags.map(word)].join(' ')
}

/** Quoted where a shell would read it in another way. */
function word(text: string): string {
  return /^[\w%+,./:@-]+$/.test(text) ? text : quoted(text)
}

/** Reads the public name of a case, `rule:seed:case[:shrink path]`; null where it is none. */
export function parseCaseName(text: string): CaseName | null {
  const parsed = /^(?<rule>[^:]+):(?<seed>\d{1,16}):(?<name>.+)$/s.exec(text)?.groups
  const { rule = '', seed = '', name = '' } = parsed ?? {}
  if (!isRuleId(rule) || !Number.isSafeInteger(Number(seed))) return null
  return { rule, seed: Number(seed), case: name }
}
