/** The longest word that is shown, and the longest flag. */
const longestWord = 20
const longestFlag = 40
/** What is shorter is no credential, and may be a part of our own words. */
const shortestHidden = 4

/**
 * A word of a command line as it may be shown: what stands where no value is expected may be a credential, which nobody
 * can know yet. A flag goes without its value, a plain word as it is, anything else by its length.
 */
export function shownWord(word: string): string {
  const flag = /^--?[a-z][a-z-]*/.exec(word)?.[0]
  if (flag !== undefined && flag.length <= longestFlag) return flag.length === word.length ? word : `${flag}…`
  if (/^[a-z-]+$/.test(word) && word.length <= longestWord) return word
  return `a word of ${word.length} characters`
}

/** A text about these words, in which none of them is shown otherwise. */
export function withShownWords(text: string, words: readonly string[]): string {
  return words
    .flatMap((word) => [word, word.slice(word.indexOf('=') + 1)])
    .filter((word) => word.length >= shortestHidden && shownWord(word) !== word)
    .toSorted((one, other) => other.length - one.length)
    .reduce((rest, word) => rest.replaceAll(word, () => shownWord(word)), text)
}
