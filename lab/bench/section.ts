import type { Spread } from './measure/spread.ts'

/** Ratios and counts that goals and bounds are about, by what they say. */
export type FigureName =
  | 'gate : newman'
  | 'gate : plain undici'
  | 'requests of a gate'
  | 'requests of an essential gate'
  | 'faults per 100 requests'
  | 'gate at 100 ms : bound'
  | 'first request : newman'
  | 'memory of 10⁶ : 10⁴ cases'
  | 'memory of 10⁵ : 10⁴ cases'
  | 'requests an endpoint'
  | 'time an endpoint, of 100 : of 10'

/** Figures by name; what was not measured is left out. */
export type Figures = Readonly<Partial<Record<FigureName, Spread>>>

/** A table of the page; rows that are as long as its head. */
export interface Table {
  readonly head: readonly string[]
  readonly rows: readonly (readonly string[])[]
}

/** What was measured: paragraphs and tables in the order of the page, and figures. */
export interface Measured {
  readonly parts: readonly (string | Table)[]
  readonly figures: Figures
}

/** How much is measured: `whole` for the page, `quick` to try something, `regression` for CI. */
export interface Scale {
  readonly kind: 'whole' | 'quick' | 'regression'
  readonly rounds: number
}

/** A part of the page that can be measured alone. */
export interface Section {
  readonly name: string
  readonly title: string
  readonly measure: (scale: Scale) => Promise<Measured>
}
