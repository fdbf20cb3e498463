import { repeatedly } from '../../verdict/shell-lines.ts'
import { isIntermittent, isSteady, type Finding, type RuleResult } from '../../judge/record.ts'

/** Results whose replay lines send a case many times, too, where its wrong answer is one that the service gave only sometimes elsewhere. */
export function sentOftenEnough<One extends Pick<RuleResult, 'findings'>>(
  results: readonly One[],
): readonly One[] {
  const all = results.flatMap(({ findings }) => findings)
  const sometimes = new Set(all.filter(isIntermittent).map(answerOf))
  const often = (finding: Finding): Finding => {
    const { replay } = finding
    if (replay === null || !isSteady(finding) || !sometimes.has(answerOf(finding))) return finding
    return { ...finding, replay: repeatedly(replay) }
  }
  return results.map((result) => ({ ...result, findings: result.findings.map(often) }))
}

function answerOf({ answered }: Finding): string {
  return answered === null ? 'none' : `${answered.status}/${answered.errorCode ?? ''}`
}
