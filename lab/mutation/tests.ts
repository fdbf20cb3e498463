import { fork, type ChildProcess } from 'node:child_process'
import type { sampleOf } from './sample.ts'
import type { meet, test } from './tests-process.ts'

/**
 * The judges that may notice a mutant: the tests of its room, all other tests that load its file, and gates
 * in memory.
 */
export const judges = ['near', 'far', 'gate'] as const
export type Judge = (typeof judges)[number]

const [byTests, byGate, lateness] = ['killed by tests', 'killed by the gate', 'timed out'] as const
export const statuses = [byTests, byGate, 'survived', 'no coverage', lateness] as const

/** The fate of a mutant. */
export interface Fate {
  readonly status: (typeof statuses)[number]
  /** The test file that noticed it. */
  readonly by: string | null
}

type Sample = Awaited<ReturnType<typeof sampleOf>>
export type Drawn = Sample['drawn'][number]

/** A mutant and its fate, as in JSON. */
export type Result = Drawn & Fate

/** Whether no judge noticed it. */
export const isOpen = ({ status }: Fate): boolean => status === 'survived' || status === 'no coverage'

/** The mutants that test files reach without an active mutant. */
export type Met = Awaited<ReturnType<typeof meet>>
type Tested = Awaited<ReturnType<typeof test>>

/** The total time of a mutant's test files, measured without a mutant, after which no more are run, in seconds. */
const mostSeconds = 60
/** Upper limit for a request, even on a busy machine, in milliseconds. */
const hangsMs = 3_600_000

/** Runs tests on mutated code in a separate process, which is replaced when it ends. */
export function testsOf({ texts }: Sample, folder: string) {
  let child: ChildProcess | null = null
  let met: Met = { files: [], gates: {}, importers: new Map() }
  const ask = <Said>(what: object): Promise<Said | null> => {
    child ??= fork(new URL('tests-process.ts', import.meta.url), {
      execArgv: ['--import', 'tsx'],
      serialization: 'advanced',
      env: { ...process.env, NODE_ENV: 'test', VITEST: '1' },
    })
    const asked = child
    return new Promise((resolve) => {
      const late = setTimeout(() => asked.kill('SIGKILL'), hangsMs)
      const settle = (said: Said | null): void => {
        clearTimeout(late)
        asked.removeAllListeners()
        if (said === null) child = null
        resolve(said)
      }
      asked.once('message', (said: Said) => settle(said)).once('exit', () => settle(null))
      asked.send({ texts, folder, ...what })
    })
  }
  return {
    /**
     * Finds the mutants that a judge reaches. Prints the names of test files that fail without a mutant, and
     * skips them.
     */
    async meet(judge: Judge): Promise<readonly string[]> {
      const said = await ask<Met>({ judge })
      if (said === null) throw new Error(`the tests of ${judge} ended without a mutant`)
      met = said
      return met.files.filter(({ ok }) => !ok).map(({ name }) => name)
    },
    /** Runs the test files that reach a mutant, fast ones first. */
    async fateOf({ file, active: mutant }: Drawn): Promise<Fate> {
      const isLoaded = met.files.some(({ load }) => load?.[mutant] !== undefined)
      const importers = new Set(isLoaded ? met.importers.get(file) : [])
      let seconds = 0
      const files = met.files
        .filter(({ name, ok, run }) => ok && (run?.[mutant] !== undefined || importers.has(name)))
        .toSorted((one, other) => one.seconds - other.seconds)
        .filter((one) => (seconds += one.seconds) - one.seconds < mostSeconds)
        .map(({ name }) => name)
      if (files.length === 0) return { status: 'no coverage', by: null }
      const hits = met.files.map(({ load, run }) => (load?.[mutant] ?? 0) + (run?.[mutant] ?? 0))
      const hitLimit = 1_000 + 100 * hits.reduce((sum, count) => sum + count, 0)
      const said = await ask<Tested>({ mutant, hitLimit, files, seconds, gates: met.gates })
      if (said === null) return { status: lateness, by: null }
      const { by, late } = said
      if (by === null) return { status: 'survived', by }
      const killed = by.startsWith('gate') ? byGate : byTests
      return { status: late ? lateness : killed, by }
    },
    end: () => child?.disconnect(),
  }
}
