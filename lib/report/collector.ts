import type { Reporter, TestCase, TestModule } from 'vitest/node'
import type { Baseline } from '../drift/baseline.ts'
import { areaOf } from '../spec/rules.ts'
import type { Replayed, RuleResult, RunRecord } from '../judge/record.ts'

/** What the suites have told when they ended, or were cut short. */
export interface Collected {
  readonly results: readonly RuleResult[]
  /** The run as a whole, as the last rule that ended saw it. */
  readonly record: RunRecord | null
  /** What went wrong in the suite itself: errors outside a rule, rules that failed without a result. */
  readonly mishaps: readonly string[]
  /** What became of a case that was sent again; null in a run. */
  readonly replayed: Replayed | null
  /** The shapes of all answers, where a baseline was asked for. */
  readonly shapes: Baseline | null
}

/** A vitest reporter that takes the results out of the tests' meta; vitest's own opinion of success is not asked. */
export class Collector implements Reporter {
  readonly #results: RuleResult[] = []
  readonly #mishaps: string[] = []
  #record: RunRecord | null = null
  #replayed: Replayed | null = null
  #shapes: Baseline | null = null
  #area: string | null = null

  /** The area of the rule that began last, or null before the first one. */
  get area(): string | null {
    return this.#area
  }

  onTestCaseReady(test: TestCase): void {
    const { planned } = test.meta()
    if (planned !== undefined) this.#area = areaOf(planned.id)
  }

  onTestCaseResult(test: TestCase): void {
    const { result, record, replayed, shapes } = test.meta()
    if (shapes !== undefined) this.#shapes = shapes
    if (replayed !== undefined) this.#replayed = replayed
    if (result !== undefined) this.#results.push(result)
    if (record !== undefined) this.#record = record

    const { state, errors } = test.result()
    if (result === undefined && state === 'failed') {
      this.#mishaps.push(...(errors ?? []).map((error) => `${test.name}: ${describe(error)}`))
    }
  }

  onTestModuleEnd(module: TestModule): void {
    this.#mishaps.push(...module.errors().map((error) => `${module.relativeModuleId}: ${describe(error)}`))
  }

  onTestRunEnd(
    _modules: readonly TestModule[],
    unhandled: readonly { readonly message: string; readonly stack?: string }[],
  ): void {
    this.#mishaps.push(...unhandled.map(describe))
  }

  /** All that was told so far. */
  collected(): Collected {
    return {
      results: this.#results,
      record: this.#record,
      mishaps: this.#mishaps,
      replayed: this.#replayed,
      shapes: this.#shapes,
    }
  }
}

/** The message, and where it happened, without the frames of libraries. */
function describe({
  message,
  stack,
}: {
  readonly message: string
  readonly stack?: string | undefined
}): string {
  const frame = stack
    ?.split('\n')
    .find((line) => line.trim().startsWith('at ') && !line.includes('node_modules'))
  return frame === undefined ? message : `${message} (${frame.trim()})`
}
