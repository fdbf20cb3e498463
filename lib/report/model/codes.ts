import { documentedPairs } from '../../specification/answers.ts'

const names: ReadonlyMap<string, string> = new Map(
  documentedPairs.map(({ status, errorCode, errorMessage }) => [`${status} ${errorCode}`, errorMessage]),
)
const pair = /\b(400|401|429)( \/ | and )(1\d{3})\b(?! \()/g

/** Adds the name from the specification after the first mention of each documented pair in a text: `400 / 1001 (api key header is missing)`. */
export function withCodeNames(text: string): string {
  const told = new Set<string>()
  return text.replaceAll(pair, (shown, status: string, _: string, code: string) => {
    const key = `${status} ${code}`
    const name = names.get(key)
    if (name === undefined || told.has(key)) return shown
    told.add(key)
    return `${shown} (${name})`
  })
}
