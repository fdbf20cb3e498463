import type { Reporter, TestCase, TestModule } from 'vitest/node'
import type { RuleResult, RunRecord } from '../judge/record.ts'

/** What the suites have told when they ended, or were cut short. */
export interface Collected {
  readonly results: readonly RuleResult[]
  /** The run as a whole, as the last rule that ended saw it. */
  readonly record: RunRecord | null
  /** What went wrong in the suite itself: errors outside a rule, rules that failed without a result. */
  readonly mishaps: readonly string[]
}

/** A vitest reporter that takes the results out of the tests' meta; vitest's own opinion of success is not asked. */
export class Collector implements Reporter {
  readonly #results: RuleResult[] = []
  readonly #mishaps: string[] = []
  #record: RunRecord | null = null

  onTestCaseResult(test: TestCase): void {
    const { result, record } = test.meta()
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
    return { results: this.#results, record: this.#record, mishaps: this.#mishaps }
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
