import { beginning, printable } from '../../text/printable.ts'

/** Maximum length of text without a separate limit, in characters. */
const longest = 5_000

/** Finished HTML, created only by {@link html}, {@link lines} and {@link trusted}. */
export class Markup {
  readonly #text: string

  constructor(text: string) {
    this.#text = text
  }

  toString(): string {
    return this.#text
  }
}

/** Values in a template: text, which is escaped, finished HTML, and `null` or `false` for nothing. */
export type Part = string | number | Markup | null | false | readonly Part[]

/** Creates HTML from a template. Escapes markup and misleading characters in all text. Everything from a target passes through this function. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  return new Markup(strings.reduce((before, string, index) => before + markupOf(parts[index - 1]) + string))
}

/** Lines for a `pre` element, each escaped so that no line can look like two. */
export function lines(texts: readonly string[]): Markup {
  return new Markup(texts.map(escaped).join('\n'))
}

/** Marks our own HTML, CSS or script as safe. Never use this for text from elsewhere. */
export function trusted(text: string): Markup {
  return new Markup(text)
}

function markupOf(part: Part | undefined): string {
  if (part === undefined || part === null || part === false) return ''
  if (part instanceof Markup) return part.toString()
  if (typeof part === 'string' || typeof part === 'number') return escaped(`${part}`)
  return part.map(markupOf).join('')
}

function escaped(text: string) {
  return printable(beginning(text, longest)).replace(
    /[&<>"'`]/g,
    (character) => `&#${character.charCodeAt(0)};`,
  )
}
