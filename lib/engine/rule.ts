import type { Case, Untestable } from './cases.ts'
import type { Property } from './property.ts'
import type { RuleId } from '../spec/rules.ts'
import type { SuiteContext } from './suite-context.ts'

/** What a rule sends in a run: listed cases, or generated ones. */
export type Work =
  | { readonly kind: 'cases'; readonly cases: readonly Case[] }
  | { readonly kind: 'generated'; readonly property: Property }

/** A rule of the catalogue, and how it is judged: a plain value. */
export interface Rule {
  readonly id: RuleId
  /** What it would send; called before anything is sent, and sends nothing. */
  readonly work: (context: SuiteContext) => Work | Untestable
}

/** Rules of one part of the specification. */
export interface Area {
  readonly title: string
  readonly rules: readonly Rule[]
}

/** Makes the cases of a rule. */
export type CasesOf = (context: SuiteContext) => readonly Case[] | Untestable
