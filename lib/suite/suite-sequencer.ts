import { basename } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * The areas in the order in which their suites run: what runs together, then scenarios, then what uses a quota up, then what may lock a
 * client, and at last what sums up the whole run.
 */
export const suiteOrder = [
  'conventions',
  'input',
  'versioning',
  'authentication',
  'fuzz',
  'quota',
  'last',
  'endpoints',
  'run-wide',
  'tolerance',
] as const

/** Runs the suites in {@link suiteOrder}; vitest's own order is by size and time. */
export class SuiteSequencer extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return files.toSorted((a, b) => rank(a.moduleId) - rank(b.moduleId))
  }
}

function rank(moduleId: string): number {
  const area = basename(moduleId).replace(/\.suite\.[jt]s$/, '')
  const found = suiteOrder.findIndex((name) => name === area)
  return found === -1 ? suiteOrder.length : found
}
