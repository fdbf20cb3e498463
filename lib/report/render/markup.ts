import { beginning, printable } from '../../text/printable.ts'

/** Maximum length of any text, in characters, for texts without their own limit. */
const longest = 5_000

/** Finished HTML, made only by {@link html}, {@link lines} and {@link trusted}. */
export class Markup {
  readonly #text: string

  constructor(text: string) {
    this.#text = text
  }

  toString(): string {
    return this.#text
  }
}

/** Values in a template: texts, which are escaped, and finished HTML. */
export type Part = string | number | Markup | readonly Part[]

/** Makes HTML from a template. Escapes markup and misleading characters in every text. All text from a target passes through here. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  return new Markup(strings.reduce((before, string, index) => before + markupOf(parts[index - 1]) + string))
}

/** Empty markup. */
export const nothing = new Markup('')

/** Lines for `pre`, each escaped, so that no line can look like two. */
export function lines(texts: readonly string[]): Markup {
  return new Markup(texts.map(escaped).join('\n'))
}

/** Marks our own HTML, CSS or script as safe. Never use it for foreign text. */
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
