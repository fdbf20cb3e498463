import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { redactorFor, redactJson } from './redact.ts'
import { Secret } from './secret.ts'

const key = 'ak_live_9f8E7d6C5b4A/3210+xyz"Q'
const secret = 'sk_live_Zm9vYmFyLWJheg.q&u<u>x'
const redactor = redactorFor([new Secret('TARGET_API_KEY', key), new Secret('TARGET_SECRET_KEY', secret)])

const each = (text: string, write: (code: number, character: string) => string): string =>
  Array.from(text, (character) => write(character.charCodeAt(0), character)).join('')
const hex = (code: number, digits: number): string => code.toString(16).padStart(digits, '0')
const base64 = (text: string): string => Buffer.from(text).toString('base64')

const encodings: Readonly<Record<string, (text: string) => string>> = {
  raw: (text) => text,
  'upper case': (text) => text.toUpperCase(),
  'lower case': (text) => text.toLowerCase(),
  reversed: (text) => Array.from(text).toReversed().join(''),
  JSON: (text) => JSON.stringify(text).slice(1, -1).replaceAll('/', '\\/'),
  'JSON, every character': (text) => each(text, (code) => `\\u${hex(code, 4)}`),
  'JSON, every character, upper case': (text) => each(text, (code) => `\\u${hex(code, 4).toUpperCase()}`),
  'JSON within JSON': (text) => JSON.stringify(JSON.stringify(text)).slice(3, -3),
  JavaScript: (text) => each(text, (code) => `\\x${hex(code, 2)}`),
  'HTML, decimal': (text) => each(text, (code) => `&#${code};`),
  'HTML, decimal, no semicolon': (text) => each(text, (code) => `&#${code}`),
  'HTML, hexadecimal': (text) => each(text, (code) => `&#x${hex(code, 2)};`),
  'HTML, named': (text) =>
    text
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;')
      .replaceAll('"', '&quot;')
      .replaceAll('_', '&lowbar;'),
  'percent, reserved only': encodeURIComponent,
  'percent, every character': (text) => each(text, (code) => `%${hex(code, 2)}`),
  'percent, every character, upper case': (text) => each(text, (code) => `%${hex(code, 2).toUpperCase()}`),
  'percent, twice': (text) => encodeURIComponent(encodeURIComponent(text)),
  base64: base64,
  'base64, second alignment': (text) => base64(`u${text}`),
  'base64, third alignment': (text) => base64(`us:${text}`),
  'Basic authentication': (text) => `Basic ${base64(`user:${text}`)}`,
  base64url: (text) => Buffer.from(`??>${text}`).toString('base64url'),
  'base64 in a URL': (text) => encodeURIComponent(base64(text)),
  hexadecimal: (text) => Buffer.from(text).toString('hex'),
  'hexadecimal, upper case, after a digit': (text) => `a${Buffer.from(text).toString('hex').toUpperCase()}`,
}

/** The longest part of a value that still stands in a text, in whatever writing is looked for. */
function longestLeft(text: string, value: string, encode: (text: string) => string): number {
  for (let length = value.length; length > 0; length -= 1) {
    for (let start = 0; start + length <= value.length; start += 1) {
      if (text.includes(encode(value.slice(start, start + length)))) return length
    }
  }
  return 0
}

describe('a credential is masked', () => {
  test.for(Object.keys(encodings))('%s', (name) => {
    const encode = encodings[name] ?? String
    for (const value of [key, secret]) {
      const redacted = redactor.redact(`before: ${encode(value)} :after`)

      expect(redacted).toMatch(/^before: .*<TARGET_(API|SECRET)_KEY>.* :after$/)
      expect(longestLeft(redacted, value, encode)).toBeLessThan(4)
      expect(redactor.redact(redacted)).toBe(redacted)
    }
  })

  test('truncated, off by one, and broken in two', () => {
    for (const echo of [
      key.slice(0, 8),
      key.slice(-8),
      key.slice(3, 12),
      `${key.slice(0, 15)}#${key.slice(16)}`,
    ]) {
      expect(longestLeft(redactor.redact(echo), key, String)).toBeLessThan(8)
    }
    expect(redactor.redact(`${key.slice(0, 14)}\n${key.slice(14)}`)).toBe('<TARGET_API_KEY>')
    const wrapped = base64(`${'x'.repeat(40)}${key}`).replace(/(.{76})/g, '$1\r\n')
    expect(redactor.redact(wrapped)).toMatch(/^[^\r\n]*<TARGET_API_KEY>[^\r\n]*$/)
  })

  test('one that holds escapes itself, in any mixture of escapes', () => {
    const odd = redactorFor([new Secret('ODD', 'a%41b\\nc&amp;d%2541e\\u0041f')])

    expect(odd.redact('a%41b\\nc&amp;d%2541e\\u0041f')).toBe('<ODD>')
    expect(odd.redact(JSON.stringify('a%41b\\nc&amp;d%2541e\\u0041f'))).toBe('"<ODD>"')
    expect(odd.redact(encodeURIComponent('a%41b\\nc&amp;d%2541e\\u0041f'))).toBe('<ODD>')
  })

  test('one beyond ASCII, as characters and as UTF-8 bytes', () => {
    const beyond = redactorFor([new Secret('K', 'schlüssel-für-große-tore')])

    for (const echo of [
      'schlüssel-für-große-tore',
      'SCHLÜSSEL-FÜR',
      Buffer.from('schlüssel-für').toString('latin1'),
    ]) {
      expect(beyond.redact(echo)).toMatch(/^<K>(SSEL)?$/)
    }
    expect(beyond.redact(encodeURIComponent('schlüssel-für-große-tore'))).toBe('<K>')
    expect(beyond.redact(`x ${base64('schlüssel-für-große-tore')}`)).toMatch(/^x <K>=*$/)
  })

  test.each([
    ['conclusion: specific, ci, (ci) ci=1 Ci', 'conclusion: specific, <A>, (<A>) <A>=1 <A>'],
    ['ci', '<A>'],
    ['ci2 2ci ciä äci cici', 'ci2 2ci ciä äci cici'],
    ['x%63i:pw@proxy %63i:pw', 'x%63i:<B>@proxy <A>:<B>'],
    ['ic', '<A>'],
    ['a Q7z b q7zq q7z-1', 'a <C> b q7zq <C>-1'],
  ])('ones below four characters only as words of their own: %j', (text, redacted) => {
    const short = redactorFor([new Secret('A', 'ci'), new Secret('B', 'pw'), new Secret('C', 'q7z')])

    expect(short.redact(text)).toBe(redacted)
    expect(short.redact(redacted)).toBe(redacted)
  })

  test('short ones: whole below four characters, four from there on', () => {
    const short = redactorFor([new Secret('A', 'q7'), new Secret('B', 'zebra')])

    expect(short.redact('q q7 zeb zebr ebra')).toBe('q <A> zeb <B> <B>')
    expect(redactorFor([new Secret('E', '')]).redact('text')).toBe('text')
  })

  test('ones that share a beginning', () => {
    const shared = redactorFor([
      new Secret('A', 'ak_live_aaaabbbbcccc'),
      new Secret('B', 'ak_live_ddddeeeeffff'),
    ])

    expect(shared.redact('ak_live_ddddeeeeffff, ak_live_aaaabbbbcccc')).toMatch(/^<[AB]>, <[AB]>$/)
  })

  test('when its characters occur in the names that replace it', () => {
    const own = redactorFor([new Secret('TARGET_API_KEY', 'target_api'), new Secret('T', 'x')])

    expect(own.redact('target_api x')).toBe('<TARGET_API_KEY> <T>')
    expect(own.redact('<TARGET_API_KEY> <T>')).toBe('<TARGET_API_KEY> <T>')
  })
})

describe('properties', () => {
  // The settings refuse control characters in a credential; NUL stands in every other byte of UTF-16.
  const credential = fc
    .string({ unit: 'binary-ascii', minLength: 4, maxLength: 40 })
    .filter((text) => !text.includes('\0'))
  const noise = fc.string({ unit: 'binary', maxLength: 60 })

  test('whatever stands around it and however it is written, it goes', () => {
    fc.assert(
      fc.property(
        credential,
        noise,
        noise,
        fc.constantFrom(...Object.keys(encodings)),
        (value, before, after, name) => {
          const encoded = (encodings[name] ?? String)(value)
          fc.pre(encoded.length > 3 && !'<KEY>'.includes(encoded))
          const redacted = redactorFor([new Secret('KEY', value)]).redact(`${before} ${encoded} ${after}`)

          expect(redacted).not.toContain(encoded)
        },
      ),
      { numRuns: 500 },
    )
  })

  test('redaction twice changes nothing more', () => {
    const parts = fc.constantFrom(
      '\\',
      '%',
      '5',
      'c',
      '&',
      '#',
      ';',
      '2',
      '<',
      'K',
      '>',
      'a',
      '\\u005c',
      '&#37;',
    )
    const made = fc.array(parts, { maxLength: 40 }).map((list) => list.join(''))
    fc.assert(
      fc.property(made, made, (value, text) => {
        const own = redactorFor([new Secret('K', value)])
        const once = own.redact(text + value)

        expect(own.redact(once)).toBe(once)
      }),
      { numRuns: 1000 },
    )
  })

  test('a text without credentials stays as it is', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 400 }),
      fc.lorem({ maxCount: 40 }),
      fc.base64String(),
      fc.json(),
      fc.webUrl(),
    )
    fc.assert(
      fc.property(text, (given) => {
        expect(redactor.redact(given)).toBe(given)
      }),
      { numRuns: 500 },
    )
  })
})

test('the time is linear in the text, whatever that consists of', () => {
  const size = 256 * 1024
  for (const unit of [
    '{"id":"a1b2c3d4"},',
    'QUJDREVGRw',
    '%',
    '\\u0061',
    '&#x61;',
    '%2525',
    '\\\\',
    '&',
    '0x41,',
    '97,',
    '<b',
    'a\n',
    key,
  ]) {
    const text = unit.repeat(size / unit.length)
    const before = process.cpuUsage()
    redactor.redact(text)

    // Measured, of the processor's time: 10 MB a second of JSON, at least 3 MB of anything; quadratic, this would take minutes.
    expect(process.cpuUsage(before).user / 1_000, unit).toBeLessThan(2_000)
  }
})

describe('plain data', () => {
  test('strings, keys and numbers are redacted, the rest is kept', () => {
    const digits = redactorFor([new Secret('PIN', '1234567890')])
    const given = {
      a: [1, null, true, 'n 1234567890'],
      x1234567890: { n: 1234567890 },
      s: new Secret('S', 'v'),
    }

    expect(redactJson(given, digits)).toEqual({
      a: [1, null, true, 'n <PIN>'],
      'x<PIN>': { n: '<PIN>' },
      s: '<S>',
    })
  })

  test('depth is bounded', () => {
    const deep: unknown = JSON.parse(`${'['.repeat(200_000)}${']'.repeat(200_000)}`)

    expect(JSON.stringify(redactJson(deep, redactor))).toContain('deeper than 100 levels')
  })
})
