/**
 * Whether a text repeats a value, as it is or in an encoding in which anybody reads it: JSON escapes, HTML character
 * references, percent-encoding (of some characters, or of all), hexadecimal, base64 (at every alignment).
 */
export function repeats(text: string, value: string): boolean {
  return value !== '' && encodings(value).some((encoded) => text.includes(encoded))
}

const known = new Map<string, readonly string[]>()

/** Kept for the few values that every request carries; forgotten when there are many, so that memory stays flat. */
function encodings(value: string): readonly string[] {
  const kept = known.get(value)
  if (kept !== undefined) return kept

  const percent = encodeURIComponent(value)
  const made = [
    ...new Set([
      value,
      json(value),
      json(value).replaceAll('/', String.raw`\/`),
      html(value),
      percent,
      percent.replaceAll(/%[0-9A-F]{2}/g, (byte) => byte.toLowerCase()),
      ...hexadecimal(value),
      ...base64(value),
    ]),
  ]
  if (known.size >= 64) known.clear()
  known.set(value, made)
  return made
}

function json(value: string): string {
  return JSON.stringify(value).slice(1, -1)
}

function html(value: string): string {
  const references: Readonly<Record<string, string>> = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
    "'": '&#39;',
  }
  return value.replace(/[&<>"']/g, (character) => references[character] ?? character)
}

/** Two digits for each byte, as they are or behind a percent sign, in both letter cases. */
function hexadecimal(value: string): readonly string[] {
  const digits = Buffer.from(value, 'latin1').toString('hex')
  const percent = digits.replaceAll(/../g, '%$&')
  return [digits, digits.toUpperCase(), percent, percent.toUpperCase()]
}

/** What every base64 text that holds the value has in common, for each of the three alignments; both alphabets. */
function base64(value: string): readonly string[] {
  return [0, 1, 2].flatMap((shift) => {
    const bytes = Buffer.from(`${'\0'.repeat(shift)}${value}`, 'latin1')
    const whole = bytes
      .subarray(0, bytes.length - (bytes.length % 3))
      .toString('base64')
      .slice(shift === 0 ? 0 : 4)
    return [whole, whole.replaceAll('+', '-').replaceAll('/', '_')]
  })
}
