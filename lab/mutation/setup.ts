import { afterAll, beforeAll, inject } from 'vitest'

declare module 'vitest' {
  interface ProvidedContext {
    /** The number of the mutant that a run meets, and how often it may be asked for; null where it is counted which are met. */
    active: { readonly mutant: string; readonly hitLimit: number } | null
  }
  interface TaskMeta {
    /** How often each mutant was asked for, by its number: while modules were loaded, and while tests ran. */
    met?: {
      readonly load?: Readonly<Record<string, number>>
      readonly run?: Readonly<Record<string, number>>
    }
  }
}

/** What the instrumented code reads and writes. */
interface Switch {
  activeMutant?: string
  hitCount?: number
  hitLimit?: number
  currentTestId?: 'load' | 'run'
  mutantCoverage?: {
    static: object
    perTest: { load?: Record<string, number>; run?: Record<string, number> }
  }
}

const state: Switch = Reflect.get(globalThis, '__stryker__') ?? {}
Reflect.set(globalThis, '__stryker__', state)
const active = inject('active')
if (active === null) {
  const counts = (state.mutantCoverage ??= { static: {}, perTest: {} })
  counts.perTest = {}
  state.currentTestId = 'load'
  beforeAll(() => void (state.currentTestId = 'run'))
  // oxlint-disable-next-line no-empty-pattern -- vitest wants it in order to give the suite
  afterAll(({}, suite) => void (suite.meta.met = counts.perTest))
} else {
  state.activeMutant = active.mutant
  state.hitLimit = active.hitLimit
  state.hitCount ??= 0
}
