import { MAX_GAP } from './escapes.ts'
import { GramFilter } from './gram-index.ts'

/** What anybody may read: text from it is no trace of a credential. Texts to look up are in lower case. */
export class PublicWords {
  readonly #all: string
  readonly #filter = new GramFilter()
  readonly #words: ReadonlySet<string>
  readonly #explained = new Map<string, boolean>()

  constructor(words: readonly string[]) {
    // V8 searches a text of single bytes much faster.
    this.#all = words
      .join('\n')
      .toLowerCase()
      .replaceAll(/[^\0-\xff]/g, '\n')
    this.#filter.add(this.#all)
    this.#words = new Set(this.#all.match(wholeWords))
  }

  /** Whether they hold a text, also within a word; most texts are ruled out by four of their characters. */
  hold(text: string): boolean {
    return this.#filter.mayHold(text) && this.#all.includes(text)
  }

  /** Whether whole words stand in them as they are, or are words of them that have three letters on average: a single letter is a word, too. */
  explain(words: string): boolean {
    const known = this.#explained.get(words)
    if (known !== undefined) return known
    const explained = this.#consistsOfWords(words) || this.#standsInThem(words)
    if (this.#explained.size === mostRemembered) this.#explained.clear()
    this.#explained.set(words, explained)
    return explained
  }

  #consistsOfWords(words: string): boolean {
    const all = words.match(wholeWords) ?? []
    return all.join('').length >= 3 * all.length && all.every((word) => this.#words.has(word))
  }

  #standsInThem(words: string): boolean {
    if (!this.#filter.mayHold(words)) return false
    for (let at = this.#all.indexOf(words); at >= 0; at = this.#all.indexOf(words, at + 1))
      if (!isLetter(this.#all[at - 1]) && !isLetter(this.#all[at + words.length])) return true
    return false
  }
}

const wholeWords = /[a-z\d]+/g
const mostRemembered = 1_000

/** Maximum length of a word, in characters: the time stays linear in a text that is all one. */
const longestWord = 40

/** A part of a text, with the rest of the words that it cuts. */
export function wholeWordsOf(text: string, from: number, to: number): string {
  let [start, end] = [from, to]
  while (isLetter(text[start - 1]) && from - start < longestWord) start -= 1
  while (isLetter(text[end]) && end - to < longestWord) end += 1
  return text.slice(start, end)
}

/** The place of each letter and digit in a text; a long gap counts as one, as {@link lettersOf} writes it. */
export function placesOfLetters(text: string): readonly number[] {
  return [...text.matchAll(lettersAndGaps)].map(({ index }) => index)
}

const lettersAndGaps = new RegExp(`[a-z\\d]|[^a-z\\d]{${MAX_GAP + 1},}`, 'gi')

function isLetter(character: string | undefined): boolean {
  return character !== undefined && /[a-z\d]/.test(character)
}
