import { beginning, printable } from '../../settings/printable.ts'

/** Maximum length of any text, in characters. Texts have bounds of their own; this is for one that was forgotten. */
const longest = 5_000

/** Text that is HTML already. Only {@link html}, {@link lines} and {@link trusted} make it. */
export class Markup {
  readonly #text: string

  constructor(text: string) {
    this.#text = text
  }

  toString(): string {
    return this.#text
  }
}

/** What may stand in a template: texts, which are escaped, and what is HTML already. */
export type Part = string | number | Markup | readonly Part[]

/**
 * HTML from a template. Every text in it is escaped for content and for quoted attributes, and what lies to a reader's eye is
 * written as an escape: the one place through which all that came from a target goes.
 */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  return new Markup(strings.reduce((before, string, index) => before + markupOf(parts[index - 1]) + string))
}

/** Nothing, where a template may hold something. */
export const nothing = new Markup('')

/** Lines of text for `pre`, each escaped, so that none of them can pass for two. */
export function lines(texts: readonly string[]): Markup {
  return new Markup(texts.map(escaped).join('\n'))
}

/** A text of our own that is HTML, CSS or a script; never what came from elsewhere. */
export function trusted(text: string): Markup {
  return new Markup(text)
}

function markupOf(part: Part | undefined): string {
  if (part === undefined) return ''
  if (part instanceof Markup) return part.toString()
  if (typeof part === 'string' || typeof part === 'number') return escaped(`${part}`)
  return part.map(markupOf).join('')
}

function escaped(text: string): string {
  return printable(beginning(text, longest)).replace(
    /[&<>"'`]/g,
    (character) => `&#${character.charCodeAt(0)};`,
  )
}
