import { type OtherStrings, startOf, type ChangeName, changeText } from '../../drift/tolerated.ts'
import { readContent } from '../../http/exchange.ts'
import { TransportError, MAX_ANSWER_BYTES } from '../../http/transport-error.ts'
import { isTooDeep, maxLevels } from '../../text/json.ts'

/** Changes to make, and the seed that determines them. */
export type Changing = Readonly<{
  changes: readonly ChangeName[]
  seed: number
  /** Selects opaque strings and remembers their replacements. */
  strings: OtherStrings
  /** The number of the request, starting from 1. */
  number: number
}>

/** `says` is the value of `x-tolerated-changes`; `texts` is null for an unchanged answer. */
export type ChangedAnswer = Readonly<{
  says: string
  texts: Readonly<{ before: string; after: string }> | null
}>

/** Result for an answer that is too long to change. */
export const tooLong = unchanged(`the answer is longer than ${MAX_ANSWER_BYTES / 1024 / 1024} MiB`)

/** Maximum number of brackets and commas. Every object gets new properties, and a million objects would take gigabytes. */
const maxValues = 100_000

/** Changes JSON content as determined by the seed and the answer's number. Never throws, even if the content is unreadable. */
export function changeAnswer(
  answer: Readonly<{ type: string; encoding: string; bytes: Buffer }>,
  { changes, seed, strings, number }: Changing,
): ChangedAnswer {
  const charset = /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(answer.type)?.[1] ?? 'utf-8'
  if (!/^utf-?8$/i.test(charset)) return unchanged('its label names a charset other than UTF-8')
  try {
    const coding = [['content-encoding', answer.encoding]] as const
    const { text, body } = readContent(answer.bytes, coding)
    if (body.kind === 'damaged') return unchanged(`it is ${body.because}`)
    if (body.kind === 'empty') return unchanged('it is empty')
    if (body.kind !== 'json') return unchanged(body.because)
    if (isTooDeep(text)) return unchanged(`it is nested deeper than ${maxLevels} levels`)
    if ((text.match(/[{[,]/g)?.length ?? 0) > maxValues) return unchanged('it contains too many values')

    const { text: after, done } = changeText(text, changes, startOf(seed, `answer ${number}`), strings)
    const effective = done.filter(({ count }) => count > 0).map(({ says }) => says)
    if (effective.length === 0) return unchanged('it contains nothing that may change')
    const says = [...effective, `seed ${seed}`, `answer ${number}`].join('; ')
    return { says, texts: { before: text, after } }
  } catch (error) {
    if (!(error instanceof TransportError)) throw error
    return error.kind === 'answer-too-large' ? tooLong : unchanged(error.message)
  }
}

function unchanged(because: string) {
  return { says: `none: ${because}`, texts: null }
}
