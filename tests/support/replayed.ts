import { execFileSync } from 'node:child_process'
import type { Finding } from '../../lib/judge/record.ts'
import type { RuleId } from '../../lib/specification/rules.ts'
import { ruleIn, type ProgramResult } from './program.ts'

/** The first finding of a rule in a run. Throws if there is none. */
export function findingOf({ verdict }: ProgramResult, rule: RuleId): Finding {
  const [finding] = ruleIn(verdict, rule).findings
  if (finding === undefined) throw new Error(`${rule} has no finding`)
  return finding
}

/** A replay line as a shell splits it into arguments. */
export function argumentsOf({ replay }: Finding): readonly string[] {
  const [, line] = /^npx --no -- card-switch-conformance (.+)$/s.exec(replay ?? '') ?? []
  if (line === undefined) throw new Error(`not a replay line: ${replay}`)
  return execFileSync('bash', ['-c', `printf '%s\\0' ${line}`], { encoding: 'utf8' })
    .split('\0')
    .slice(0, -1)
}
