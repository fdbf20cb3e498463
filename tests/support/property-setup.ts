import fc from 'fast-check'
import { inject } from 'vitest'
import { fixedSeed } from './property-seed.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Seed of each property that sets none. The product generates its cases from other seeds. */
    propertySeed: number
  }
}

const seed = inject('propertySeed')
// Repeating the same examples finds little: another seed draws ten times as many.
const numRuns = seed === fixedSeed ? 25 : 250
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed, numRuns })
