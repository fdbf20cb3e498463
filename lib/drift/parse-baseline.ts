import { jsonValue, objectOr } from '../text/json.ts'
import { fitsBaseline } from './baseline-validator.ts'
import { baselineFormat, type Baseline } from './baseline.ts'

/** A baseline, or a phrase in `wrong` that describes the text without quoting any values. */
type ParsedBaseline =
  | Readonly<{ kind: 'baseline'; baseline: Baseline }>
  | Readonly<{ kind: 'wrong'; wrong: string }>

/** Parses the text of a baseline file, with or without a byte order mark. */
export function parseBaseline(text: string): ParsedBaseline {
  const data = jsonValue(text.replace(/^\uFEFF/, ''))
  if (data === undefined)
    return { kind: 'wrong', wrong: text.trim() === '' ? 'it is empty' : 'it is not JSON' }
  const otherFormat = formatMistake(data)
  if (otherFormat !== null) return { kind: 'wrong', wrong: otherFormat }
  if (fitsBaseline(data)) return { kind: 'baseline', baseline: data }

  const [error] = fitsBaseline.errors ?? []
  const place = error?.instancePath === '' ? 'the whole file' : error?.instancePath
  return { kind: 'wrong', wrong: `it is a broken baseline: ${place} ${error?.message ?? 'does not fit'}` }
}

/** Reveals nothing else about data that does not have the baseline's format name, because it could be any file. */
function formatMistake(data: unknown) {
  const { format } = objectOr(data)
  if (format === baselineFormat) return null
  if (typeof format !== 'string') return `it does not name the format ${baselineFormat}`

  const isOtherVersion = /^card-switch-conformance\/baseline\/\d+$/.test(format)
  return isOtherVersion
    ? `its format is ${format}, but this suite version reads ${baselineFormat}`
    : `its format is not ${baselineFormat}`
}
