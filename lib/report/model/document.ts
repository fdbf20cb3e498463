import { beginning } from '../../text/printable.ts'
import type { RuleStatus } from '../../judge/record.ts'

/** A piece of a line, made safe to show by every renderer; a status is null for a rule that the run does not have. */
export type Span =
  | string
  | { readonly code: string }
  | { readonly strong: string }
  | { readonly status: RuleStatus | null }

/** A line of text, before it is wrapped. */
export type Phrase = string | readonly Span[]

/** Meaning of a line, which decides its colour. */
export type Tone = 'plain' | 'strong' | 'good' | 'warning' | 'bad' | 'faint'

/** A labelled value; a `whole` one is to be copied, so it is never wrapped. */
export interface Fact {
  readonly label: string
  readonly value: string
  readonly whole?: true
}

/** An item of a list; a status decides its mark and colour. */
export interface Item {
  readonly text: Phrase
  readonly status?: RuleStatus
  readonly under?: readonly (Phrase | Fact)[]
}

/** A part of a section. */
export type Block =
  | { readonly kind: 'text'; readonly text: Phrase; readonly tone?: Tone; readonly whole?: true }
  | {
      readonly kind: 'list'
      readonly items: readonly Item[]
      /** Number of items left to `verdict.json`. */
      readonly hidden?: number
      readonly ordered?: boolean
    }
  | { readonly kind: 'facts'; readonly facts: readonly Fact[] }
  | {
      readonly kind: 'table'
      readonly head: readonly string[]
      readonly rows: readonly (readonly Phrase[])[]
    }

/** A heading with its content, or only the content. */
export interface Section {
  /** Unique in its document. */
  readonly id: string
  readonly title?: Phrase
  readonly tone?: Tone
  readonly blocks: readonly Block[]
  readonly parts?: readonly Section[]
}

/** Whether what stands under an item is a labelled value. */
export function isFact(one: Phrase | Fact): one is Fact {
  return typeof one === 'object' && 'label' in one
}

/** A paragraph. */
export function paragraph(text: Phrase, tone: Tone = 'plain'): Block {
  return { kind: 'text', text, tone }
}

/** Makes a list of at most `most` items; no block without items. */
export function listOf(items: readonly Item[], most = 60, ordered = false): readonly Block[] {
  if (items.length === 0) return []
  return [{ kind: 'list', items: items.slice(0, most), hidden: Math.max(0, items.length - most), ordered }]
}

/** Text of a phrase without its marks. */
export function plainText(text: Phrase): string {
  return typeof text === 'string' ? text : text.map(spanText).join('')
}

function spanText(span: Span): string {
  if (typeof span === 'string') return span
  if ('code' in span) return span.code
  return 'strong' in span ? span.strong : (span.status ?? 'absent')
}

/** `untested: ` or the like, for an item whose mark does not show its status; otherwise empty. */
export function spokenStatus(status: RuleStatus | undefined): string {
  return status === 'inconclusive' || status === 'untested' ? `${status}: ` : ''
}

/** Whether a table's column holds numbers, which are right-aligned. */
export function isNumeric(rows: readonly (readonly Phrase[])[], column: number): boolean {
  return rows.every((row) => /^(?:[\d,.]+|·)$/.test(plainText(row[column] ?? '')))
}

/** Cuts a text of unknown origin. */
export function short(text: string): string {
  return beginning(text, 600)
}
