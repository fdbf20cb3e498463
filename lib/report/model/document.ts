import { beginning } from '../../text/printable.ts'
import type { RuleStatus } from '../../judge/record.ts'

/** The meaning of a line, which determines its colour. */
export type Tone = 'plain' | 'strong' | 'good' | 'warning' | 'bad' | 'faint'

/** A labelled value. A `whole` value is meant to be copied, so it is never wrapped. */
export interface Fact {
  readonly label: string
  readonly value: string
  readonly whole?: true
}

/** A list item. Its status determines its mark and colour. */
export interface Item {
  readonly text: string
  readonly status?: RuleStatus
  readonly under?: readonly (string | Fact)[]
}

/** A part of a section. */
export type Block =
  | { readonly kind: 'text'; readonly text: string; readonly tone?: Tone; readonly whole?: true }
  | { readonly kind: 'list'; readonly items: readonly Item[]; readonly ordered?: boolean }
  | { readonly kind: 'facts'; readonly facts: readonly Fact[] }
  | {
      readonly kind: 'table'
      readonly head: readonly string[]
      readonly rows: readonly (readonly string[])[]
    }

/** A heading with its content, or just the content. */
export interface Section {
  readonly title?: string
  readonly tone?: Tone
  readonly blocks: readonly Block[]
  readonly parts?: readonly Section[]
}

export function paragraph(text: string, tone: Tone = 'plain'): Block {
  return { kind: 'text', text, tone }
}

/** A list, or no block at all if there are no items. */
export function listOf(items: readonly Item[], ordered = false): readonly Block[] {
  return items.length === 0 ? [] : [{ kind: 'list', items, ordered }]
}

/** Truncates text of unknown origin. */
export function short(text: string): string {
  return beginning(text, 600)
}
