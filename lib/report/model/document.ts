import { beginning } from '../../text/printable.ts'
import type { RuleStatus } from '../../judge/record.ts'

/** Meaning of a line, which decides its colour. */
export type Tone = 'plain' | 'strong' | 'good' | 'warning' | 'bad' | 'faint'

/** A labelled value. A `whole` value is meant for copying, so it is never wrapped. */
export interface Fact {
  readonly label: string
  readonly value: string
  readonly whole?: true
}

/** An item of a list. Its status decides mark and colour. */
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

/** A heading with its content, or only the content. */
export interface Section {
  readonly title?: string
  readonly tone?: Tone
  readonly blocks: readonly Block[]
  readonly parts?: readonly Section[]
}

/** A paragraph. */
export function paragraph(text: string, tone: Tone = 'plain'): Block {
  return { kind: 'text', text, tone }
}

/** A list; no block without items. */
export function listOf(items: readonly Item[], ordered = false): readonly Block[] {
  return items.length === 0 ? [] : [{ kind: 'list', items, ordered }]
}

/** Cuts a text of unknown origin. */
export function short(text: string): string {
  return beginning(text, 600)
}
