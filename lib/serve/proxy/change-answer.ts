import { MAX_ANSWER_BYTES } from '../../http/receive.ts'
import { readBody } from '../../http/body.ts'
import { decodeContent } from '../../http/decode.ts'
import { TransportError } from '../../http/transport-error.ts'
import { isTooDeep, maxLevels } from '../../json/json-value.ts'
import { type ChangeName, changeText } from '../../drift/tolerated.ts'
import { startOf } from '../../drift/seeded-draws.ts'
import type { OpaqueStrings } from '../../drift/opaque-strings.ts'
import { changesMade, type ChangeMade } from './changes-made.ts'
import { valuesOf, type Fields } from './fields.ts'

/** Changes to make, and the seed that decides them. */
export interface Changing {
  readonly changes: readonly ChangeName[]
  readonly seed: number
  /** Which strings are opaque, and what they have become so far. */
  readonly strings: OpaqueStrings
  /** Whether each change is told. */
  readonly logChanges: boolean
}

/** An answer after the tolerated changes; `says` is the value of `x-tolerated-changes`, without any value of the answer. */
export type ChangedAnswer =
  | {
      readonly kind: 'changed'
      readonly content: Buffer
      readonly says: string
      /** Empty unless each change is told. */
      readonly made: readonly ChangeMade[]
    }
  | { readonly kind: 'unchanged'; readonly says: string }

const beyondLimit = `the answer is longer than ${MAX_ANSWER_BYTES / 1024 / 1024} MiB`

/** `x-tolerated-changes` of an answer that is too long to change. */
export const tooLong = `none: ${beyondLimit}`

/**
 * Maximum number of values in an answer; objects count ten times, since properties are added to each. Real answers of 4 MiB stay
 * below; a million empty objects would take gigabytes.
 */
const maxValues = 1_000_000

/** Whether an answer is labelled as JSON. */
export function isLabelledJson(fields: Fields): boolean {
  const [label = ''] = valuesOf(fields, 'content-type')
  return /^\s*(?:application\/json|[^\s;/]+\/[^\s;/]+\+json)\s*(?:;|$)/i.test(label)
}

/** Changes JSON content as the seed and the answer's number decide; never throws. */
export function changeAnswer(
  answer: { readonly fields: Fields; readonly bytes: Buffer; readonly number: number },
  { changes, seed, strings, logChanges }: Changing,
): ChangedAnswer {
  const read = readJsonText(answer.fields, answer.bytes)
  if ('because' in read) return unchanged(read.because)

  const { text, done } = changeText(read.text, changes, startOf(seed, `answer ${answer.number}`), strings)
  const effective = done.filter(({ count }) => count > 0).map(({ says }) => says)
  if (effective.length === 0) return unchanged('it holds nothing that may change')
  return {
    kind: 'changed',
    content: Buffer.from(text),
    says: [...effective, `seed ${seed}`, `answer ${answer.number}`].join('; '),
    made: logChanges ? changesMade(read.text, text) : [],
  }
}

function unchanged(because: string): ChangedAnswer {
  return { kind: 'unchanged', says: `none: ${because}` }
}

function readJsonText(
  fields: Fields,
  bytes: Buffer,
): { readonly text: string } | { readonly because: string } {
  const [label = ''] = valuesOf(fields, 'content-type')
  const charset = /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(label)?.[1] ?? 'utf-8'
  if (!/^utf-?8$/i.test(charset)) return { because: 'its label names another charset than UTF-8' }
  try {
    const decoded = decodeContent(bytes, fields, MAX_ANSWER_BYTES)
    if (decoded.kind === 'damaged') return { because: `it is ${decoded.because}` }
    const { text, body } = readBody(decoded.content)
    if (body.kind === 'empty') return { because: 'it is empty' }
    if (body.kind !== 'json') return { because: body.because }
    if (isTooDeep(text)) return { because: `it is nested deeper than ${maxLevels} levels` }
    return valuesIn(decoded.content) > maxValues ? { because: 'it holds too many values' } : { text }
  } catch (error) {
    if (!(error instanceof TransportError)) throw error
    return { because: error.kind === 'answer-too-large' ? beyondLimit : error.message }
  }
}

/** An upper bound: brackets and commas inside strings count, too. */
function valuesIn(content: Buffer): number {
  let values = 0
  for (const byte of content) {
    if (byte === 0x5b || byte === 0x2c) values += 1
    else if (byte === 0x7b) values += 10
  }
  return values
}
