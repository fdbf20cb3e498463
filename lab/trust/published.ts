import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Figures } from '../second-judge/figures.ts'

/** Figures of programs that write no page of their own, as their last whole run left them. */
export interface Published {
  readonly falseAlarms: {
    readonly date: string
    readonly variants: number
    /** Runs of each variant in gate. */
    readonly gates: number
    /** Runs of each variant in acceptance, and in nightly. */
    readonly others: number
    readonly runs: number
    readonly blamed: number
  }
  readonly judges: Readonly<Record<'proof' | 'stacks', JudgesFigures>>
  readonly power: {
    readonly date: string
    /** Answers of a run that could have shown a breach. */
    readonly answers: number
    /** Runs at each rate. */
    readonly runs: number
    /** Runs that noticed, by the rate as a multiple of one in `answers`. */
    readonly noticed: Readonly<Record<string, number>>
  }
}

/** What both judges came to, in distinct situations. */
export type JudgesFigures = Omit<Figures, 'exchanges'>

const file = fileURLToPath(new URL('published.json', import.meta.url))

/** Reads the figures. */
export function published(): Published {
  return JSON.parse(readFileSync(file, 'utf8'))
}

/** Replaces some figures; `npm run lab -- trust` puts them into the page. */
export function publish(figures: Partial<Published>): void {
  writeFileSync(file, `${JSON.stringify({ ...published(), ...figures }, null, 2)}\n`)
}
