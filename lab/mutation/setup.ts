import { afterAll, beforeAll, inject } from 'vitest'

type Counts = Readonly<Record<string, number>>

declare module 'vitest' {
  interface ProvidedContext {
    /**
     * The number of the active mutant and its maximum evaluations, or null while counting which mutants are
     * reached.
     */
    active: { readonly mutant: string; readonly hitLimit: number } | null
    /** The results of gates without a mutant, by service. Absent when these are being determined. */
    gates: Readonly<Record<string, string>>
  }
  interface TaskMeta {
    /** The evaluations of each mutant, by its number: while loading modules, and while running tests. */
    met?: { load?: Counts; run?: Counts }
    /** The result of a gate. */
    came?: string
  }
}

const active = inject('active')
/** The globals of the instrumented code. */
const state = Reflect.get(globalThis, '__stryker__') ?? {
  mutantCoverage: { static: {}, perTest: {} },
  ...(active === null ? {} : { activeMutant: active.mutant, hitLimit: active.hitLimit, hitCount: 0 }),
}
Reflect.set(globalThis, '__stryker__', state)
state.mutantCoverage.perTest = {}
state.currentTestId = 'load'
beforeAll(() => void (state.currentTestId = 'run'))
// oxlint-disable-next-line no-empty-pattern -- vitest wants it in order to give the suite
afterAll(({}, suite) => void (suite.meta.met = state.mutantCoverage.perTest))
