import { afterAll, beforeAll, inject } from 'vitest'

type Counts = Readonly<Record<string, number>>

declare module 'vitest' {
  interface ProvidedContext {
    /** The number of the mutant that a run meets, and how often it may be asked for; null where it is counted which are met. */
    active: { readonly mutant: string; readonly hitLimit: number } | null
  }
  interface TaskMeta {
    /** How often each mutant was asked for, by its number: while modules were loaded, and while tests ran. */
    met?: { load?: Counts; run?: Counts }
  }
}

const active = inject('active')
/** What the instrumented code reads and writes. */
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
