import type { RuleStatus } from '../judge/record.ts'

/** A piece of a line. Its text may come from anywhere: every renderer makes it safe to show. */
export type Span = string | { readonly code: string } | { readonly strong: string } | StatusSpan

/** The status of a rule in a run, null if the run does not have the rule. */
interface StatusSpan {
  readonly status: RuleStatus | null
}

/** A line of text, before it is wrapped. */
export type Phrase = string | readonly Span[]

/** What a line is about, which decides its colour. */
export type Tone = 'plain' | 'strong' | 'good' | 'warning' | 'bad' | 'faint'

/** A labelled value; `whole` means that it is to be copied, so it is never wrapped. */
export interface Fact {
  readonly label: string
  readonly value: string
  readonly whole?: true
}

/** An item of a list. A status decides its mark and its colour. */
export interface Item {
  readonly text: Phrase
  readonly status?: RuleStatus
  /** Names that belong to the item, as ids of rules. */
  readonly names?: readonly string[]
  /** Lines below the item. */
  readonly under?: readonly (Phrase | Fact)[]
}

/** What a section consists of. */
export type Block =
  | { readonly kind: 'text'; readonly text: Phrase; readonly tone?: Tone; readonly whole?: true }
  | {
      readonly kind: 'list'
      readonly items: readonly Item[]
      /** Number of items that are left to `verdict.json`. */
      readonly hidden?: number
      readonly ordered?: boolean
    }
  | { readonly kind: 'facts'; readonly facts: readonly Fact[] }
  | {
      readonly kind: 'table'
      readonly head: readonly string[]
      readonly rows: readonly (readonly Phrase[])[]
    }

/** A heading with what stands below it; without a title, the blocks alone. */
export interface Section {
  /** A name that is unique in its document. */
  readonly id: string
  readonly title?: Phrase
  readonly tone?: Tone
  readonly blocks: readonly Block[]
  readonly parts?: readonly Section[]
}

/** A paragraph. */
export function paragraph(text: Phrase, tone: Tone = 'plain'): Block {
  return { kind: 'text', text, tone }
}

/** A list of items, at most `most` of them, as blocks: no block if there are no items. */
export function listOf(items: readonly Item[], most = 60, ordered = false): readonly Block[] {
  if (items.length === 0) return []
  return [{ kind: 'list', items: items.slice(0, most), hidden: Math.max(0, items.length - most), ordered }]
}

/** The text without its marks. */
export function plainText(text: Phrase): string {
  return typeof text === 'string' ? text : text.map(spanText).join('')
}

function spanText(span: Span): string {
  if (typeof span === 'string') return span
  if ('code' in span) return span.code
  return 'strong' in span ? span.strong : (span.status ?? 'absent')
}

/** `untested: ` before the text of an item whose mark does not say it; else nothing. */
export function spokenStatus(status: RuleStatus | undefined): string {
  return status === 'inconclusive' || status === 'untested' ? `${status}: ` : ''
}

/** Whether a column of a table holds numbers, which are aligned at their ends. */
export function isNumeric(rows: readonly (readonly Phrase[])[], column: number): boolean {
  return rows.every((row) => /^(?:[\d,.]+|·)$/.test(plainText(row[column] ?? '')))
}
