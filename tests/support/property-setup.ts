import fc from 'fast-check'
import { inject } from 'vitest'
import { fixedSeed } from './property-seed.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Seed of each property that names none; the product draws its cases by seeds of its own. */
    propertySeed: number
  }
}

const seed = inject('propertySeed')
// The same examples again find little that is new: who asks for others is drawn more of them.
const numRuns = seed === fixedSeed ? 25 : 250
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed, numRuns })
