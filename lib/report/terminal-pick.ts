import type { Finding } from '../judge/record.ts'
import { answerOf } from './finding-rows.ts'
import type { VerdictRule } from '../verdict/verdict.ts'

/** A finding that the terminal shows, and at which length. */
export interface PickedFinding {
  readonly finding: Finding
  readonly detail: 'full' | 'short'
}

/** The findings of a rule that the terminal shows. */
export interface PickedRule {
  readonly rule: VerdictRule
  readonly findings: readonly PickedFinding[]
}

/** What the terminal shows, and what it leaves to `verdict.json`. */
export interface Picked {
  readonly shown: readonly PickedRule[]
  readonly hidden: readonly { readonly rule: VerdictRule; readonly finding: Finding }[]
}

/** How many findings are shown in full, and how many in all. */
export interface Bounds {
  readonly full: number
  readonly all: number
}

/**
 * Picks findings so that one fault met by many rules does not drown the others: each rule's first finding comes before any
 * rule's second, and an answer that was shown in full already is shown short. What a waiver covers is shown elsewhere.
 */
export function pickFindings(rules: readonly VerdictRule[], bounds: Bounds): Picked {
  const candidates = rules
    .flatMap((rule) => openFindings(rule).map((finding, turn) => ({ rule, finding, turn })))
    .toSorted((a, b) => a.turn - b.turn)
  const seen = new Set<string>()
  const picks = candidates.slice(0, bounds.all).map(({ rule, finding }) => {
    const answer = sameAnswer(finding)
    const detail = seen.has(answer) || seen.size >= bounds.full ? 'short' : 'full'
    if (detail === 'full') seen.add(answer)
    return { rule, finding, detail } as const
  })

  return {
    shown: rules
      .map((rule) => ({ rule, findings: picks.filter((pick) => pick.rule === rule) }))
      .filter(({ findings }) => findings.length > 0),
    hidden: candidates.slice(bounds.all),
  }
}

/** The findings of a rule that no waiver covers. */
export function openFindings(rule: VerdictRule): readonly Finding[] {
  return rule.findings.filter(({ waived }) => waived === undefined)
}

function sameAnswer(finding: Finding): string {
  return JSON.stringify([answerOf(finding), finding.exchange.response?.body ?? null])
}
