import { trimOws, type Field } from '../http/request.ts'

/** Text that repeats a value, and how it is spelled. */
export type Spelling = readonly [how: string, text: string]

/** The spelling in which a text repeats a value, or null. */
export function repeatedAs(text: string, spellings: readonly Spelling[]): string | null {
  return spellings.find(([, written]) => text.includes(written))?.[0] ?? null
}

/** A value as it arrives. */
export function arrived(value: Field['value']): string {
  return trimOws(typeof value === 'string' ? value : value.reveal())
}

/** The spellings of a value: plain, JSON escapes, HTML references, percent-encoding, hexadecimal, base64. */
export function spellingsOf(given: Field['value']): readonly Spelling[] {
  const value = arrived(given)
  if (value === '') return []
  const percent = encodeURIComponent(value)
  const digits = Buffer.from(value, 'latin1').toString('hex')
  const percentBytes = digits.replaceAll(/../g, '%$&')
  const all: readonly Spelling[] = [
    ['as it is', value],
    ['with JSON escapes', json(value)],
    ['with JSON escapes', json(value).replaceAll('/', String.raw`\/`)],
    ['with HTML character references', html(value)],
    ['percent-encoded', percent],
    ['percent-encoded', percent.replaceAll(/%[0-9A-F]{2}/g, (byte) => byte.toLowerCase())],
    ['percent-encoded', percentBytes],
    ['percent-encoded', percentBytes.toUpperCase()],
    ['in hexadecimal', digits],
    ['in hexadecimal', digits.toUpperCase()],
    ...base64(value).map((text): Spelling => ['in base64', text]),
  ]
  // Avoids searching for the same text twice, because each search of a large answer takes milliseconds.
  return all.filter(([, text], at) => all.findIndex((other) => other[1] === text) === at)
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

/** The part shared by all base64 texts that contain the value, for each of the three alignments and both alphabets. */
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
