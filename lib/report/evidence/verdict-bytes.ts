import { isTooDeep, maxLevels } from '../../settings/user-file.ts'
import { beginning, printable } from '../../settings/printable.ts'
import { verdictMistakes } from '../../verdict/validate-verdict.ts'
import { verdictFormat, type Verdict } from '../../verdict/verdict.ts'

/** What bytes that should be a `verdict.json` hold: a verdict, or what is wrong as a sentence without a subject. */
export type VerdictBytes =
  | { readonly kind: 'verdict'; readonly verdict: Verdict }
  | { readonly kind: 'wrong'; readonly wrong: string }

/** Reads a verdict from the bytes that go into an archive, or lie in it, so that nothing else can be meant by them. */
export function verdictFrom(bytes: Buffer): VerdictBytes {
  // Brackets and quotes are the same bytes in every such encoding.
  if (isTooDeep(bytes.toString('latin1'))) {
    return { kind: 'wrong', wrong: `is nested deeper than ${maxLevels} levels, as no verdict is` }
  }
  const value = jsonFrom(bytes)
  if (value === undefined) return { kind: 'wrong', wrong: 'is not JSON' }

  const format = formatOf(value)
  if (format === null) return { kind: 'wrong', wrong: 'is no verdict: it names no format' }
  if (format !== verdictFormat) {
    return {
      kind: 'wrong',
      wrong: `is of the format ${named(format)}, and this program reads ${verdictFormat}: use the version of the suite that wrote it`,
    }
  }
  if (isVerdict(value)) return { kind: 'verdict', verdict: value }

  const [first = '', ...others] = verdictMistakes(value)
  const more = others.length === 0 ? '' : `; and ${others.length} more`
  return { kind: 'wrong', wrong: `does not fit the format that it names: ${first}${more}` }
}

/** The value that UTF-8 bytes hold as JSON; undefined where they hold none. */
export function jsonFrom(bytes: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes))
  } catch {
    return undefined
  }
}

/** The format that a value names; null where it names none. */
export function formatOf(value: unknown): string | null {
  if (typeof value !== 'object' || value === null || !('format' in value)) return null
  return typeof value.format === 'string' ? value.format : null
}

/** A text of an archive in quotes, so that it can neither act on a terminal nor fill it. */
export function named(text: string): string {
  return `"${beginning(printable(text.slice(0, 200)), 120, Math.max(0, text.length - 200))}"`
}

function isVerdict(value: unknown): value is Verdict {
  return verdictMistakes(value).length === 0
}
