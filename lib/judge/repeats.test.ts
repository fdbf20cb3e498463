import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { growth, linear } from '../../tests/support/processor-time.ts'
import { Secret } from '../redact/secret.ts'
import { repeatedAs as foundAs, spellingsOf } from './run-wide.ts'

function repeatedAs(text: string, value: string): string | null {
  return foundAs(text, spellingsOf(value))
}

/** The characters that a secret key can contain: visible ASCII. */
const secrets = fc.string({
  unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)),
  minLength: 12,
  maxLength: 64,
})
const around = fc.string({ maxLength: 20 })

const htmlCharacters: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

function html(text: string): string {
  return [...text].map((one) => htmlCharacters[one] ?? one).join('')
}

const encodings: readonly (readonly [name: string, encode: (text: string) => string])[] = [
  ['unchanged', (text) => text],
  ['as JSON', (text) => JSON.stringify(text)],
  ['as JSON inside a longer text', (text) => JSON.stringify(`not "${text}", sorry`)],
  ['as JSON with the slash escaped, as PHP writes it', (text) => JSON.stringify(text).replaceAll('/', '\\/')],
  ['as HTML', html],
  ['percent-encoded', encodeURIComponent],
  [
    'percent-encoded in lower case',
    (text) => encodeURIComponent(text).replaceAll(/%../g, (escape) => escape.toLowerCase()),
  ],
  ['percent-encoded, every byte', (text) => hex(text).replaceAll(/../g, '%$&')],
  ['percent-encoded, every byte, in capitals', (text) => hex(text).toUpperCase().replaceAll(/../g, '%$&')],
  ['in hexadecimal', hex],
  ['in hexadecimal, in capitals', (text) => hex(text).toUpperCase()],
]

function hex(text: string): string {
  return Buffer.from(text, 'latin1').toString('hex')
}

describe('a repeated value is found in a text', () => {
  it.each(encodings)('%s', (_, encode) => {
    fc.assert(
      fc.property(secrets, around, around, (secret, before, after) => {
        expect(repeatedAs(before + encode(secret) + after, secret)).not.toBeNull()
      }),
    )
  })

  it.each(['base64', 'base64url'] as const)('in %s, at any position in the encoded text', (alphabet) => {
    fc.assert(
      fc.property(secrets, around, around, (secret, before, after) => {
        const text = Buffer.from(before + secret + after, 'utf8').toString(alphabet)
        expect(repeatedAs(`{"token":"${text}"}`, secret)).not.toBeNull()
      }),
    )
  })

  it('at all three alignments of base64, with or without padding', () => {
    const secret = 'abc?>~defghijk'
    for (const before of ['', 'x', 'xy', 'xyz', 'user:']) {
      for (const after of ['', 'z', ':more']) {
        const packed = Buffer.from(`${before}${secret}${after}`).toString('base64')
        expect(repeatedAs(packed, secret), before).not.toBeNull()
        expect(repeatedAs(packed.replace(/=+$/, ''), secret), before).not.toBeNull()
      }
    }
  })

  it('in base64 of bytes beyond ASCII, given as one character each', () => {
    const bytes = 'caf\xc3\xa9-secret'

    expect(repeatedAs(Buffer.from(`<${bytes}>`, 'latin1').toString('base64'), bytes)).not.toBeNull()
  })

  // Base64 mixes the first two and last two characters with their neighbours.
  it('but not if base64 lacks three of its characters', () => {
    const secret = 'abcdefghijkl'
    const ends = Array.from({ length: 9 }, (_, from) => secret.slice(from + 3))
    const starts = Array.from({ length: 9 }, (_, from) => secret.slice(0, -3 - from))

    for (const part of [...ends, ...starts]) {
      expect(repeatedAs(Buffer.from(part).toString('base64'), secret), part).toBeNull()
    }
  })

  it('only if the text contains it', () => {
    fc.assert(
      fc.property(secrets, fc.string({ maxLength: 200 }), (secret, text) => {
        fc.pre(!text.includes(secret))
        expect(repeatedAs(text, secret)).toBeNull()
      }),
    )
    expect(repeatedAs('anything', '')).toBeNull()
    expect(repeatedAs('Abcdefghijkl', 'abcdefghijkl')).toBeNull()
  })

  it('in linear time, even for repetitive values', async () => {
    const near = 'aaaaaaaaaaab'
    const look = (size: number): void => expect(repeatedAs('a'.repeat(size), near)).toBeNull()

    expect(await growth(look, 4_000_000)).toBeLessThan(linear)
  })

  it('by the trimmed text of a secret', () => {
    const secret = new Secret('TARGET_SECRET_KEY', ' secret-number-1\t')

    expect(spellingsOf(secret)).toEqual(spellingsOf('secret-number-1'))
  })
})
