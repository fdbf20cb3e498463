import { trimOws, type Field } from '../http/request.ts'
import type { Secret } from '../redact/secret.ts'

type Spelling = readonly [how: string, text: string]

/** The spelling in which a text repeats a value: plain, JSON escapes, HTML references, percent-encoding, hexadecimal, base64; or null. */
export function repeatedAs(text: string, value: Field['value']): string | null {
  for (const [how, written] of spellingsOf(value)) if (text.includes(written)) return how
  return null
}

/** As long as a secret is held: nearly every request carries the same, and a gate would take longer to spell it for each answer. */
const spelledSecrets = new WeakMap<Secret, readonly Spelling[]>()

function spellingsOf(value: Field['value']): readonly Spelling[] {
  if (typeof value === 'string') return spelled(arrived(value))
  const made = spelledSecrets.get(value) ?? spelled(arrived(value))
  spelledSecrets.set(value, made)
  return made
}

/** A value as it arrives. */
export function arrived(value: Field['value']): string {
  return trimOws(typeof value === 'string' ? value : value.reveal())
}

/** Different texts: each search of a large answer takes milliseconds. */
function spelled(value: string): readonly Spelling[] {
  if (value === '') return []
  const percent = encodeURIComponent(value)
  const digits = Buffer.from(value, 'latin1').toString('hex')
  const percentBytes = digits.replaceAll(/../g, '%$&')
  const all: readonly Spelling[] = [
    ['as it is', value],
    ['with the escapes of JSON', json(value)],
    ['with the escapes of JSON', json(value).replaceAll('/', String.raw`\/`)],
    ['with the character references of HTML', html(value)],
    ['percent-encoded', percent],
    ['percent-encoded', percent.replaceAll(/%[0-9A-F]{2}/g, (byte) => byte.toLowerCase())],
    ['percent-encoded', percentBytes],
    ['percent-encoded', percentBytes.toUpperCase()],
    ['in hexadecimal', digits],
    ['in hexadecimal', digits.toUpperCase()],
    ...base64(value).map((text): Spelling => ['in base64', text]),
  ]
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

/** What all base64 texts of the value share, for each of the three alignments and both alphabets. */
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
