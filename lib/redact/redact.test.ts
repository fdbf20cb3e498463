import { deflateRawSync } from 'node:zlib'

import * as fc from 'fast-check'
import { beforeEach, describe, expect, it, test } from 'vitest'

import { finderOf } from '../../tests/leaks/finder.ts'
import { disguises, spellings } from '../../tests/leaks/spellings.ts'
import { redactJson, redactorFor, type Redactor } from './redact.ts'
import { Secret } from './secret.ts'

const key = 'ak_live_9f8E7d6C5b4A/3210+xyz"Q'
const secret = 'sk_live_Zm9vYmFyLWJheg.q&u<u>x'
// Made for each test: a mutant is there only once the tests begin.
let redactor: Redactor
beforeEach(() => {
  redactor = redactorFor(
    [new Secret('TARGET_API_KEY', key), new Secret('TARGET_SECRET_KEY', secret)],
    ['/api/customizations/list', 'x-api-key', 'error_code', '1006'],
  )
})
const base64 = (text: string | Buffer): string => Buffer.from(text).toString('base64')

/** What the settings let through: visible ASCII, with spaces between. */
const credential = fc
  .string({
    unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)),
    minLength: 12,
    maxLength: 44,
  })
  .filter((text) => text.trim() === text && text.replaceAll(/[^A-Za-z0-9]/g, '').length >= 10)
  .filter((text) => new Set(text.toLowerCase()).size > text.length * 0.7)
const around = fc.oneof(
  fc.lorem({ maxCount: 8 }),
  fc.json(),
  fc.base64String({ maxLength: 40 }),
  fc.webUrl(),
  fc.string({ maxLength: 30 }),
)

describe('a credential stays hidden', () => {
  test.for(Object.keys(spellings))('%s', (name) => {
    const spell = spellings[name] ?? String
    fc.assert(
      fc.property(credential, around, around, (value, before, after) => {
        const own = redactorFor([new Secret('KEY', value)]).ofAnswer()
        const text = `${before} ${String(spell(value))} ${after}`
        const find = finderOf([value])

        expect(find(Buffer.from(own.redact(text)))).toEqual([])
        expect(find(Buffer.from(own.redact(JSON.stringify({ error_code: '1006', note: text }))))).toEqual([])
      }),
      { numRuns: 3 },
    )
  })

  // Each quote ends a part that is withheld; what stands before it must not be readable either.
  it.each([
    'xmDji2+(R1"6n<NC@~;KA8yY(F2',
    'gzU&Etw)8q|":v*KJ6\\V=5!zh,y^,(M',
    'nX;QR1vuK,Ai7H8r|BPUmO0J0~',
    'XzLFf,{v{!Zr:]7r^.s*',
  ])('with characters of no width beside quotes: %s', (value) => {
    for (const sign of ['&#8203;', '\u200b', '\\u2060', '&#xfeff;', '\u00ad']) {
      const text = Array.from(value).join(sign)
      for (const given of [text, `["a",1] ${text} {"b":"c"}`, JSON.stringify({ note: `see ${text} "a"` })])
        expect(finderOf([value])(Buffer.from(redactorFor([new Secret('KEY', value)]).redact(given)))).toEqual(
          [],
        )
    }
  })

  it('in pieces of four or more that are three quarters of it, in order, up to 480 characters apart', () => {
    const filler = fc.string({
      unit: fc.constantFrom(...'-_*., #|/:;'),
      minLength: 1,
      maxLength: 480,
      size: 'max',
    })
    const long = credential.filter((text) => text.length >= 16)
    fc.assert(
      fc.property(
        long,
        fc.infiniteStream(fc.nat(11)),
        fc.array(filler, { minLength: 12 }),
        (value, draw, gaps) => {
          const own = redactorFor([new Secret('KEY', value)]).ofAnswer()
          const find = finderOf([value])
          const pieces: string[] = []
          let [at, missing] = [0, Math.floor(value.length / 4)]
          while (at < value.length) {
            const left = Math.min(missing, draw.next().value % 4)
            const end = at + left + 4 + draw.next().value
            const piece = value.slice(at + left, value.length - end < 4 ? value.length : end)
            // What is left for the last piece may be too short for one.
            if (piece.length < 4) break
            pieces.push(piece)
            missing -= left
            at += left + piece.length
          }
          fc.pre(pieces.join('').length >= value.length * 0.75)
          const text = pieces.map((piece, index) => `${piece}${gaps[index % gaps.length] ?? ''}`).join('')

          expect(find(Buffer.from(text))).not.toEqual([])
          expect(find(Buffer.from(own.redact(text)))).toEqual([])
          expect(find(Buffer.from(own.redact(JSON.stringify({ error_code: '1006', note: text }))))).toEqual(
            [],
          )
        },
      ),
    )
  })

  it.each([
    ['with a gap in the middle', 'Ab3dEf7hIj9lMn5p', 'Ab3dEf7**9lMn5p'],
    ['without its beginning', 'Ab3dEf7hIj9lMn5p', 'f7hI-..-j9lM-..-n5p'],
    [
      'with a piece that comes again',
      'Ab3dEf7hIj9lMn5pQr1s',
      ['Ab3dEf', 'hIj9', 'hIj9', 'Mn5pQr'].join(` ${'.'.repeat(300)} `).replace(/\.{200}(?=[. ]*M)/, ''),
    ],
    ['at both ends of a header value', 'Ab3dEf7hIj9lMn5p', `Ab3dEf7${' .'.repeat(243)}9lMn5p`],
    ['with its first piece again', 'Ab3dEf7hIj9lMn5pQr1s', 'Ab3dEf hIj9 Ab3d Mn5pQr'],
    ['of ten characters', 'Ab3dEf7hIj', 'Ab3d**7hIj'],
  ])('in pieces %s', (_, value, text) => {
    const own = redactorFor([new Secret('KEY', value)])

    expect(own.redact(text)).toBe(`(withheld: ${text.length} characters, a trace of KEY in pieces)`)
  })

  // What is no accident: the documents name these.
  test.for(Object.keys(disguises))('but not %s', (name) => {
    const text = `no such key: ${(disguises[name] ?? String)('7f3a9c51e0b84d26a1f95c3780d2be64')}`

    expect(redactorFor([new Secret('KEY', '7f3a9c51e0b84d26a1f95c3780d2be64')]).redact(text)).toBe(text)
  })
})

// What the searcher of the tests does not read.
describe('a credential is withheld', () => {
  const wide = (text: string): string =>
    Array.from(text, (one) => String.fromCharCode(one.charCodeAt(0) + 0xfee0)).join('')
  const between =
    (text: string): ((value: string) => string) =>
    (value) =>
      Array.from(value).join(text)
  const written: Readonly<Record<string, (value: string) => string>> = {
    'in full-width letters, as their bytes': (value) => Buffer.from(wide(value)).toString('latin1'),
    'in full-width letters, in hexadecimal': (value) => Buffer.from(wide(value)).toString('hex'),
    'in full-width letters, in base64': (value) => base64(wide(value)),
    'in base64 in lines of four, in JSON': (value) =>
      JSON.stringify(base64(value).replaceAll(/.{4}/g, '$&\n')).slice(1, -1),
    'in sections': (value) => Array.from(value, (one) => `<![CDATA[${one}]]>`).join(''),
    'with titles between': between('\u001b]2;abc\u001b\\'),
    'with titles of one byte between': between('\u009d2;abc\u009c'),
    'with device strings between': between('\u001bPabc\u001b\\'),
    'with colours of one byte between': between('\u009b31m'),
    'with single codes between': between('\u001b7'),
    'with character sets between': between('\u001b(0'),
  }
  it.for(Object.entries(written))('%s', ([, write]) => {
    for (const value of ['ak_live_QmZrTwYpLkDsVxNbGhJcFeUa', '9f3c1e7ab45d60281c9e4f7a2b8d53e6071fa9c4']) {
      const own = redactorFor([new Secret('KEY', value)])

      expect(own.redact(`{"note": "${write(value)}"}`)).toContain('a trace of KEY')
    }
  })
})

it('signs alone are withheld in quoted-printable, also with a line break between them', () => {
  const value = '!#$%&()*+-.:;?@^'
  const text = Array.from(value, (one) => `=${one.charCodeAt(0).toString(16).toUpperCase()}`).join('=\r\n')

  expect(redactorFor([new Secret('KEY', value)]).redact(text)).toBe(
    `(withheld: ${text.length} characters, a trace of KEY in quoted-printable)`,
  )
})

describe('a text that was searched before', () => {
  it('is redacted as by a redactor that has seen no text, also beside other values that were sent', () => {
    const secrets = [new Secret('TARGET_SECRET_KEY', secret)]
    const part = fc.constantFrom(secret, secret.slice(0, 9), base64(secret), 'application/json', 'sent-value')
    const sent = fc.constantFrom([], [new Secret('TARGET_API_KEY near', 'sent-value')])
    const texts = fc.array(fc.tuple(sent, fc.array(fc.oneof(part, around), { maxLength: 2 })), {
      maxLength: 12,
    })
    fc.assert(
      fc.property(texts, (all) => {
        const used = redactorFor(secrets)
        for (const [besides, parts] of [...all, ...all]) {
          const text = parts.join(' ')
          expect(used.ofAnswer({ secrets: besides, text: '' }).redact(text)).toBe(
            redactorFor(secrets).ofAnswer({ secrets: besides, text: '' }).redact(text),
          )
        }
      }),
    )
  })
})

describe('a value that stands whole is masked', () => {
  const usual = [
    'as it is',
    'in upper case',
    'in swapped case',
    'in JSON',
    'in JSON, every character',
    'in JSON within JSON',
    'in HTML, decimal',
    'in HTML, hexadecimal',
    'in HTML, twice',
    'percent-encoded',
    'percent-encoded as a form',
    'percent-encoded, every byte',
    'percent-encoded twice',
    'in base64',
    'in base64 after one byte',
    'in base64 after two bytes',
    'in base64url',
    'in base64, percent-encoded',
    'in hexadecimal',
    'in hexadecimal, in upper case',
  ]
  test.for(usual)('%s, and what stands around it stays', (name) => {
    for (const value of [key, secret]) {
      const redacted = redactor.redact(`before: ${String((spellings[name] ?? String)(value))} :after`)

      expect(redacted).toMatch(/^before: [\w+/?-]{0,6}<TARGET_(API|SECRET)_KEY>[\w=%]{0,7} :after$/)
      expect(redactor.redact(redacted)).toBe(redacted)
    }
  })

  it('holds escapes itself, is long, or goes beyond ASCII', () => {
    const values = ['a%41b\\nc&amp;d%2541e\\u0041f', 'Xy7-'.repeat(150), 'schlüssel-für-große-tore']
    for (const value of values) {
      const own = redactorFor([new Secret('ODD', value)])

      expect(own.redact(value)).toBe('<ODD>')
      expect(own.redact(JSON.stringify(value))).toBe('"<ODD>"')
      expect(own.redact(encodeURIComponent(value))).toBe('<ODD>')
    }
  })

  it.each([
    ['conclusion: specific, ci, (ci) ci=1 Ci', 'conclusion: specific, <A>, (<A>) <A>=1 <A>'],
    ['ci2 2ci ciä äci cici', 'ci2 2ci ciä äci cici'],
    ['x%63i:pw@proxy %63i:pw', 'x%63i:<B>@proxy <A>:<B>'],
    ['a Q7z b q7zq q7z-1', 'a <C> b q7zq <C>-1'],
  ])('below four characters only as a word of its own: %j', (text, redacted) => {
    const short = redactorFor([new Secret('A', 'ci'), new Secret('B', 'pw'), new Secret('C', 'q7z')])

    expect(short.redact(text)).toBe(redacted)
    expect(short.redact(redacted)).toBe(redacted)
  })

  it('was sent, and made from a credential; the longest value gives its name', () => {
    const near = new Secret('TARGET_API_KEY with a digit doubled', key.replace('3210', '33210'))
    const own = redactor.ofAnswer({ secrets: [near, new Secret('cut to 2 characters', 'co')], text: '' })

    expect(own.redact(`known: ${near.reveal()}, ${key}`)).toBe(`known: <${near.name}>, <TARGET_API_KEY>`)
    expect(own.redact('error_code')).toBe('error_code')
  })

  it('was sent, unless it is shorter than four characters', () => {
    const sent = ['abc', 'wxyz'].map((value) => new Secret('cut', value))

    expect(redactor.ofAnswer({ secrets: sent, text: '' }).redact('abc, wxyz')).toBe('abc, <cut>')
  })

  it('occurs in the name that replaces it', () => {
    const own = redactorFor([
      new Secret('TARGET_API_KEY', 'target_api'),
      new Secret('T', 'x'),
      new Secret('E', ''),
    ])

    expect(own.redact('target_api x')).toBe('<TARGET_API_KEY> <T>')
    expect(own.redact('<TARGET_API_KEY> <T>')).toBe('<TARGET_API_KEY> <T>')
  })
})

describe('what holds a trace is withheld', () => {
  const note = (length: number, name: string, how = ''): string =>
    `(withheld: ${length} characters, a trace of ${name}${how})`

  it.each([
    ['a part', `known: ${key.slice(8, 16)}`, note(15, 'TARGET_API_KEY')],
    ['backwards', secret.split('').toReversed().join(''), note(30, 'TARGET_SECRET_KEY')],
    [
      'a string of JSON',
      `{"error_code":"1006","a":["${key.slice(9, 20)}", 1]}`,
      `{"error_code":"1006","a":["${note(11, 'TARGET_API_KEY')}", 1]}`,
    ],
    [
      'a quoted text',
      `realm="see ${base64(base64(secret))}", x`,
      `realm="${note(60, 'TARGET_SECRET_KEY', ' in base64 of base64')}", x`,
    ],
    [
      'an escaped part',
      Array.from(key.slice(9, 20), (one) => `%${one.charCodeAt(0).toString(16)}`).join(''),
      note(33, 'TARGET_API_KEY', ' in escape sequences'),
    ],
    [
      'packed data that is no longer than what is shown whole',
      base64(deflateRawSync(key.slice(8, 28))),
      note(32, 'TARGET_API_KEY', ' in base64 of packed data'),
    ],
    [
      'a list',
      `{"n":[1,2],"a":${JSON.stringify([...Buffer.from(key)])}}`,
      `{"n":[1,2],"a":["${note(104, 'TARGET_API_KEY', ' in character codes')}"]}`,
    ],
    [
      'strings that are one together',
      ' {"error_code":"1006","a":"ak_live_9f8E","b":{"c":"7d6C5b4A"}}',
      ' {"error_code":"1006","a":"(withheld: 12 characters, a trace of TARGET_API_KEY)","b":{"c":"(withheld: 8 characters, a trace of TARGET_API_KEY)"}}',
    ],
    [
      'in pieces',
      '  {"error_code":"1006","a":"9f8E7d","b":{"c":"6C5b4A/"},"d":"3210+xy"}',
      `  {"error_code":"1006","a":"${note(8, 'TARGET_API_KEY', ' in pieces')}","b":{"c":"${note(9, 'TARGET_API_KEY', ' in pieces')}"},"d":"${note(9, 'TARGET_API_KEY', ' in pieces')}"}`,
    ],
    [
      'in pieces of JSON in another text',
      'see {"a":"9f8E7d","b":{"c":"6C5b4A/"},"d":"3210+xy"}',
      note(52, 'TARGET_API_KEY', ' in pieces'),
    ],
    [
      'a name in a path',
      `$.list[].${key.slice(10, 20)} and $['a ${key.slice(8, 20)}'] are missing`,
      `$.list[].${note(10, 'TARGET_API_KEY')} and $['${note(14, 'TARGET_API_KEY')}'] are missing`,
    ],
    ['a name', `{"${key.slice(10, 20)}":1}`, `{"${note(10, 'TARGET_API_KEY')}":1}`],
  ])('%s', (_, text, redacted) => {
    expect(redactor.redact(text)).toBe(redacted)
    expect(redactor.redact(redacted)).toBe(redacted)
  })

  it('unless that stands in public words, or in a beginning that credentials share', () => {
    const own = redactorFor(
      ['ak_live_aaaabbbbccccdddd', 'ak_live_ddddeeeeffffgggg', 'customizations-4711', '10061234'].map(
        (one) => new Secret('K', one),
      ),
      ['/api/customizations/list', '1006'],
    )
    const text = '/api/customizations/list 401 1006: keys begin with ak_live_'

    expect(own.redact(text)).toBe(text)
    expect(own.redact(Buffer.from('keys begin with ak_live_').toString('hex'))).toMatch(/^6b657973/)
    expect(own.redact('ak_live_aaaab')).toBe(note(13, 'K'))
    expect(redactorFor([new Secret('K', 'ak_live_aaaabbbbccccdddd')]).redact(text)).not.toBe(text)
  })

  it('unless letters with gaps are of a beginning that credentials share', () => {
    const own = redactorFor(
      ['a1b2c3d4', 'e5f6a7b8'].map((one) => new Secret('K', `customer_live_${one.repeat(4)}`)),
    )

    expect(own.redact('c u s t o m e r  l i v e')).toBe('c u s t o m e r  l i v e')
  })

  describe('unless public words explain it:', () => {
    const words = ['the list endpoint may need an api key', 'TARGET_API_KEY', '/api/customizations/list']
    const of = (value: string) => redactorFor([new Secret('K', value)], words)

    it.each([
      [
        'parts of names, in any letter case',
        'my_api_key_1',
        'set $TARGET_API_KEY, "api_key" or target_api_key',
      ],
      ['words beside each other', 'list-endpoint-7q', 'the list endpoint of the list, endpoint: list'],
      ['every part of a credential', 'need-list', 'they need a list'],
      ['words in a row that are a credential', 'list-endpoint', 'the list endpoint may need it'],
      ['words far apart', 'customizations-endpoint-7q', 'customizations may need an endpoint'],
    ])('%s', (_, value, text) => {
      expect(of(value).redact(text)).toBe(text)
      expect(redactorFor([new Secret('K', value)]).redact(text)).not.toBe(text)
    })

    it.each([
      ['more than a word', 'my_api_key_1', 'my_api'],
      ['a word and what follows', 'list-endpoint-7q', 'list-endpoint-7'],
      ['letters with gaps', 'list-endpoint', 'l i s t - e n d p o i n t'],
      ['words that are broken', 'list-endpoint', 'list-en dpoint'],
      ['broken words far apart', 'customizations-endpoint-7q', 'customiz, and zations-end, and endpoint'],
      ['words, and before them what they do not hold', 'listQ7z9endpoint', 'Q7z9 and list, endpoint'],
      ['backwards', 'list-endpoint', 'tniopdne-tsil'],
      ['encoded', 'list-endpoint', Buffer.from('the list-endpoint').toString('hex')],
      ['packed', 'list-endpoint', base64(deflateRawSync('the list-endpoint'))],
      ['a word of ours that nobody encodes', 'customizations', btoa('of customizations list')],
      ['a word of ours that nobody packs', 'customizations', base64(deflateRawSync('of customizations'))],
    ])('but not %s', (_, value, text) => {
      expect(of(value).redact(text)).toMatch(/<K>|withheld: \d+ characters, a trace of K/)
    })

    it('and masks the whole, wherever it stands', () => {
      expect(of('my_api_key_1').redact('TARGET_API_KEY is my_api_key_1')).toBe('TARGET_API_KEY is <K>')
      expect(of('customizations').redact('/api/customizations/list')).toBe('/api/<K>/list')
    })
  })

  it.each([
    ['ak_live_aaaabbbbccccdddd', 'zz_test_ddddeeeeffffgggg', 'keys begin with ak_live_'],
    ['aaaa_bbbb_cccc', 'aaaa_bbbb_dddd', 'begins with aaaa_bbbb'],
  ])('also in a beginning that is not shared, or longer than a third: %s, %s', (one, other, text) => {
    expect(redactorFor([one, other].map((value) => new Secret('K', value))).redact(text)).not.toBe(text)
  })

  it.each([
    ['a-b-c-d-e-f-g-h', 'a b c d e f g h', true],
    ['a-b-c-d-e-f-g', 'a b c d e f g', false],
  ])('takes eight letters for a trace, whatever stands between: %s in %j: %s', (value, text, isTrace) => {
    expect(redactorFor([new Secret('K', value)]).redact(text) !== text).toBe(isTrace)
  })

  it.each([
    [500, true],
    [501, false],
  ])('takes letters for a trace that are at most 500 characters apart: %i: %s', (gap, isTrace) => {
    const text = `a b c${'.'.repeat(gap)}d e f g h`

    expect(redactorFor([new Secret('K', 'a-b-c-d-e-f-g-h')]).redact(text) !== text).toBe(isTrace)
  })

  it('finds what was set as bytes of UTF-8 in its characters', () => {
    const bytes = Buffer.from('schlüssel-größe').toString('latin1')

    expect(redactorFor([new Secret('K', bytes)]).redact('üssel-gr')).toBe(note(8, 'K'))
  })

  it.each([
    ['characters beyond ASCII', 'what replaces them', 'üäößüäöß', '\ufffd'.repeat(8)],
    ['characters beyond bytes', 'their lower bytes', '\u0141\u0143\u0145\u0147\u0149\u014b', 'ACEGIK'],
  ])('is found in %s, not in %s', (_, _other, value, text) => {
    const own = redactorFor([new Secret('K', value)])

    expect([value.slice(1), text].map((one) => own.redact(one))).toEqual([note(value.length - 1, 'K'), text])
  })

  it('is what takes too long to decode', () => {
    let text = 'hello world, this is a text'
    for (let depth = 0; depth < 9; depth += 1) text = Buffer.from(text).toString('hex')

    expect(redactor.redact(text)).toBe(
      `(withheld: ${text.length} characters, encoded too deep to be searched)`,
    )
  })

  it('takes half of a short credential for a trace beside a long one', () => {
    const both = redactorFor([new Secret('A', key), new Secret('B', 'zebra')])

    expect(both.redact('zebr')).toBe(note(4, 'B'))
  })

  it('takes half a credential, at least four and at most eight characters, for a trace', () => {
    const short = redactorFor([new Secret('B', 'zebra')])

    expect(short.redact('zeb bra')).toBe('zeb bra')
    expect(short.redact('zebr')).toBe(note(4, 'B'))
    expect(redactor.redact(key.slice(9, 16))).toBe(key.slice(9, 16))
  })
})

describe('an ordinary answer loses nothing', () => {
  const hex = fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: 8, maxLength: 64 })
  const item = fc.record({
    id: fc.oneof(fc.uuid(), fc.ulid(), hex, fc.nat()),
    at: fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
    image: fc.uint8Array({ maxLength: 600 }).map((bytes) => base64(Buffer.from(bytes))),
    link: fc.webUrl({ withQueryParameters: true }),
    text: fc.oneof(fc.lorem({ maxCount: 30 }), fc.string({ unit: 'binary', maxLength: 60 })),
    more: fc.json(),
  })
  // As issued by real services; each finds other things alike in what is no credential.
  const owners = [
    ['ak_live_HuPvbsz8YJEinxxqnoezFVok', 'sk_live_s4iw9cT0sfLEUNJRUVrwpn9v'],
    ['7f3a9c51e0b84d26a1f95c3780d2be64', 'd0c1a2b3948576657483929a1b0c2d3e'],
    ['0b6f3a52-6d1c-4f0e-9a77-0d3d1f0c9be8', '3d2c1b0a-9f8e-4d7c-8b6a-5f4e3d2c1b0a'],
    ['4716389025614873', '9081726354453627'],
  ].map((values) =>
    redactorFor(
      values.map((value) => new Secret('K', value)),
      ['/api/customizations/list'],
    ),
  )

  it('with ids, times, images, links and texts', () => {
    fc.assert(
      fc.property(fc.array(item, { maxLength: 8 }), fc.boolean(), (items, isIndented) => {
        const text = JSON.stringify(items, null, isIndented ? 2 : 0)
        for (const owner of owners) expect(owner.redact(text)).toBe(text)
      }),
    )
  })

  it.each([
    '{"error_code":"1006","error_message":"The API key ****ZFVok is not valid","request_id":"4f2a91bc-77e0-4c12-b3d9-85e6a01f2c47"}',
    '<!doctype html><html><head><title>502 Bad Gateway</title></head><body><h1>502 &mdash; Bad Gateway</h1><hr>nginx/1.25.3<!-- a padding to disable MSIE and Chrome friendly error page --></body></html>',
    'Key realm="customizations", error="invalid_token", error_description="The access token expired"',
    `data:image/png;base64,${base64(Buffer.from(Array.from({ length: 3_000 }, (_, at) => (at * 7_919) % 251)))}`,
    `${'YWJj'.repeat(400)} eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N`,
    JSON.stringify(Array.from({ length: 400 }, (_, at) => (at * 37) % 256)),
  ])('%s', (text) => {
    for (const owner of owners) expect(owner.redact(text)).toBe(text)
  })

  it.each(['&#x110000; &#9999999;', '\\u{110000}', '&nosuch; \\q'])(
    'with escapes of no character: %s',
    (text) => {
      expect(redactor.redact(text)).toBe(text)
    },
  )

  it('that repeats a near miss, by its name', () => {
    const near = new Secret('TARGET_API_KEY with its first character changed', `b${key.slice(1)}`)
    const text = `{"error_code":"1006","error_message":"no such key: ${JSON.stringify(near.reveal()).slice(1, -1)}"}`

    expect(redactor.ofAnswer({ secrets: [near], text: '' }).redact(text)).toBe(
      `{"error_code":"1006","error_message":"no such key: <${near.name}>"}`,
    )
  })
})

describe('plain data', () => {
  it('has its strings, keys and numbers redacted, and keeps the rest', () => {
    const digits = redactorFor([new Secret('PIN', '1234567890')])
    const given = {
      a: [1, null, true, 'n 1234567890'],
      x1234567890: { n: 1234567890, big: 1234567890n, more: 12n },
      s: new Secret('S', 'v'),
    }

    expect(redactJson(given, digits)).toEqual({
      a: [1, null, true, 'n <PIN>'],
      'x<PIN>': { n: '<PIN>', big: '<PIN>', more: 12n },
      s: '<S>',
    })
  })

  it('is bounded in depth', () => {
    const deep: unknown = JSON.parse(`${'['.repeat(200_000)}${']'.repeat(200_000)}`)

    const nested = (levels: number): unknown =>
      levels === 0 ? 'a' : levels % 2 === 0 ? [nested(levels - 1)] : { a: nested(levels - 1) }

    expect(JSON.stringify(redactJson(deep, redactor))).toContain('deeper than 100 levels')
    expect(redactJson(nested(100), redactor)).toEqual(nested(100))
    expect(JSON.stringify(redactJson(nested(101), redactor))).toContain('deeper than 100 levels')
  })
})
