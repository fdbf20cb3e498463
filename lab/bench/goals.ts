import type { Spread } from './measure/spread.ts'
import type { FigureName } from './section.ts'

/** What a figure must reach: at most, or at least, so much. */
export interface Bound {
  readonly figure: FigureName
  readonly atMost?: number
  readonly atLeast?: number
}

/** Figures to reach, for the page. */
export const goals: readonly (Bound & { readonly says: string })[] = [
  {
    figure: 'gate : newman',
    atMost: 0.65,
    says: 'a gate, start to exit, of newman’s time with its 30 requests',
  },
  {
    figure: 'memory of 10⁶ : 10⁴ cases',
    atMost: 1.3,
    says: 'memory of a million cases, of that of ten thousand',
  },
  {
    figure: 'gate at 100 ms : bound',
    atMost: 1.3,
    says: 'a gate at 100 ms, of the bound and start-up',
  },
  {
    figure: 'requests of a gate',
    atMost: 326,
    says: 'requests of a gate with every fixture (320, and the declared quota of 6)',
  },
  {
    figure: 'requests of an essential gate',
    atMost: 36,
    says: 'requests of a gate with `--essential` (30, and the declared quota of 6)',
  },
  { figure: 'faults per 100 requests', atLeast: 125, says: 'faults caught per 100 requests of a gate' },
  { figure: 'requests an endpoint', atMost: 20, says: 'requests that an endpoint adds to a gate' },
  {
    figure: 'time an endpoint, of 100 : of 10',
    atMost: 1.2,
    says: 'time that an endpoint adds, with 100 of that with 10 (linear: 1)',
  },
]

/** Bounds of `--ci`: of times some 1.5 times worse than measured, of a gate those of the processor. */
export const bounds: readonly Bound[] = [
  { figure: 'gate : newman', atMost: 1.3 },
  { figure: 'gate : plain undici', atMost: 3.5 },
  { figure: 'requests of a gate', atMost: 330 },
  { figure: 'requests of an essential gate', atMost: 36 },
  { figure: 'gate at 100 ms : bound', atMost: 1.6 },
  { figure: 'first request : newman', atMost: 0.8 },
  { figure: 'memory of 10⁵ : 10⁴ cases', atMost: 1.7 },
  { figure: 'requests an endpoint', atMost: 20 },
]

/** Whether the median keeps to the bound. */
export function keeps({ atMost = Infinity, atLeast = -Infinity }: Bound, { median }: Spread): boolean {
  return median <= atMost && median >= atLeast
}

/** Whether no round came within the bound. One round that did is enough: a busy machine slows some, a regression all. */
export function breaks({ atMost = Infinity, atLeast = -Infinity }: Bound, { least, most }: Spread): boolean {
  return !(least <= atMost && most >= atLeast)
}

/** `at most 0.65`. */
export function boundText({ atMost, atLeast }: Bound): string {
  return atMost === undefined ? `at least ${atLeast}` : `at most ${atMost}`
}
