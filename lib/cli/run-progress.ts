import type { RunEvent } from '../engine/run.ts'
import { casesDone, type Progress } from '../report/progress.ts'
import type { PlannedRule } from '../engine/plan.ts'
import { areaOf } from '../spec/rules.ts'

/** How far a run has come, by what it tells. */
export class RunProgress {
  #plan: readonly PlannedRule[] = []
  #budget = 0
  #area: string | null = null
  #sent = 0
  readonly #settled = new Set<string>()
  readonly #cases: Record<string, number> = {}

  note(event: RunEvent): void {
    switch (event.kind) {
      case 'planned':
        this.#plan = event.rules
        this.#budget = event.budget
        return
      case 'rule-started':
        this.#area = areaOf(event.rule)
        return
      case 'case-done':
        this.#cases[event.rule] = (this.#cases[event.rule] ?? 0) + 1
        return
      case 'request-done':
        this.#sent = event.sent
        return
      case 'rule-settled':
        this.#settled.add(event.result.id)
        return
      case 'run-ended':
        return
    }
  }

  get now(): Progress {
    return {
      area: this.#area,
      cases: casesDone(this.#plan, this.#settled, this.#cases),
      requests: { sent: this.#sent, budget: this.#budget },
    }
  }
}
