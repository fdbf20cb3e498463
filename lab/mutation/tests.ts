import { ask, renewable, started, type Met, type Tested } from './processes.ts'
import type { Drawn } from './sample.ts'

/** What became of a mutant. */
export interface Fate {
  readonly status: 'killed by tests' | 'killed by the gate' | 'timed out' | 'survived' | 'no coverage'
  /** The test file or the service that noticed it. */
  readonly by: string | null
}

/** A mutant meets its test files, quick ones first, until they have taken so long without a mutant, in seconds. */
const mostSeconds = 60

/** Runs tests on mutated code, in a process of their own. */
export interface Tests {
  /** Finds which mutants the tests of a folder meet (of all folders: ''); names of test files that fail without a mutant. */
  readonly meet: (within: string) => Promise<readonly string[]>
  readonly fateOf: (mutant: Drawn) => Promise<Fate>
  readonly end: () => void
}

export function testsOf(texts: ReadonlyMap<string, string>): Tests {
  const child = renewable(() => started('./tests-process.ts'))
  let met: Met = { files: [], importers: new Map() }
  const isPassed = new Set<string>()
  return {
    async meet(within) {
      const said = await ask<Met>(child.get(), { kind: 'meet', texts, within, without: [...isPassed] })
      if (said === null) throw new Error('the tests ended without a mutant')
      for (const { name } of met.files) isPassed.add(name)
      met = said
      return met.files.filter(({ ok }) => !ok).map(({ name }) => name)
    },
    async fateOf({ file, active }) {
      const isLoaded = met.files.some(({ load }) => load?.[active] !== undefined)
      const importers = new Set(isLoaded ? met.importers.get(file) : [])
      const covering = met.files
        .filter(({ name, ok, run }) => ok && (run?.[active] !== undefined || importers.has(name)))
        .toSorted((one, other) => one.seconds - other.seconds)
      let seconds = 0
      const files = covering.filter((one) => (seconds += one.seconds) - one.seconds < mostSeconds)
      if (files.length === 0) return { status: 'no coverage', by: null }
      const hits = met.files.reduce(
        (sum, { load, run }) => sum + (load?.[active] ?? 0) + (run?.[active] ?? 0),
        0,
      )
      const said = await ask<Tested>(child.get(), {
        kind: 'test',
        texts,
        mutant: active,
        hitLimit: 100 * hits + 1_000,
        files: files.map(({ name }) => name),
        seconds,
      })
      if (said === null || said.late) return { status: 'timed out', by: said?.by ?? null }
      return said.by === null ? { status: 'survived', by: null } : { status: 'killed by tests', by: said.by }
    },
    end: () => child.end(),
  }
}
