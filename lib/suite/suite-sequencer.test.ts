import { describe, expect, it } from 'vitest'
import type { TestSpecification } from 'vitest/node'
import { suiteOrder, SuiteSequencer } from './suite-sequencer.ts'

/** The paths of files in the order in which they would run. Only the path of a specification decides. */
async function sorted(files: readonly string[]): Promise<readonly string[]> {
  const specifications = files.map((moduleId): TestSpecification =>
    Object.assign(Object.create(null), { moduleId }),
  )
  const sort: unknown = Reflect.get(SuiteSequencer.prototype, 'sort')
  if (typeof sort !== 'function') throw new Error('the sequencer does not sort')
  const ordered: TestSpecification[] = await Reflect.apply(sort, null, [specifications])
  return ordered.map(({ moduleId }) => moduleId)
}

describe('the order of suites', () => {
  it('is ours, whatever the order in which the files were found, compiled or not', async () => {
    for (const extension of ['ts', 'js']) {
      const ordered = suiteOrder.map((area) => `/somewhere/suites/${area}.suite.${extension}`)

      expect(await sorted(ordered.toReversed())).toEqual(ordered)
      expect(await sorted(ordered.toSorted())).toEqual(ordered)
    }
  })

  it('puts an unknown file at the end, where it cannot disturb what is known', async () => {
    expect(await sorted(['/a/new.suite.ts', '/a/run-wide.suite.ts', '/a/input.suite.ts'])).toEqual([
      '/a/input.suite.ts',
      '/a/run-wide.suite.ts',
      '/a/new.suite.ts',
    ])
  })

  it('names no area twice', () => {
    expect(new Set(suiteOrder).size).toBe(suiteOrder.length)
  })
})
