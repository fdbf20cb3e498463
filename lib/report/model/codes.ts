import { documentedPairs } from '../../specification/answers.ts'

const names = documentedPairs.map(({ status, errorCode, errorMessage }) => ({
  pair: new RegExp(String.raw`\b${status}(?: / | and )${errorCode}\b(?! \()`),
  errorMessage,
}))

/** Adds the name from the specification after the first mention of each documented pair in a text: `400 / 1001 (api key header is missing)`. */
export function withCodeNames(text: string): string {
  return names.reduce(
    (named, { pair, errorMessage }) => named.replace(pair, (shown) => `${shown} (${errorMessage})`),
    text,
  )
}
