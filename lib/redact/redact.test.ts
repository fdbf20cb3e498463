import { inspect } from 'node:util'
import * as fc from 'fast-check'
import { beforeEach, describe, expect, it, test } from 'vitest'
import { finderOf } from '../../tests/leaks/finder.ts'
import { spellings } from '../../tests/leaks/spellings.ts'
import { growth, linear } from '../../tests/support/processor-time.ts'
import { anyText, characterIn, forAll } from '../text/properties.testing.ts'
import { redactJson, redactorFor, type Redactor } from './redact.ts'
import { Secret } from './secret.ts'

const key = 'ak_live_9f8E7d6C5b4A/3210+xyz"Q'
const secret = 'sk_live_Zm9vYmFyLWJheg.q&u<u>x'
// Created in each test, because mutants become active only when the tests begin.
let redactor: Redactor
beforeEach(() => {
  redactor = redactorFor(
    [new Secret('TARGET_API_KEY', key), new Secret('TARGET_SECRET_KEY', secret)],
    ['/api/customizations/list', 'x-api-key', 'error_code', '1006'],
  )
})
const base64 = (text: string | Buffer): string => Buffer.from(text).toString('base64')
const of = (value: string, ...publicWords: readonly string[]): Redactor =>
  redactorFor([new Secret('K', value)], publicWords)

/** The values that the settings accept: visible ASCII, with spaces only inside. */
const credential = fc
  .string({ unit: characterIn(0x20, 0x7e), minLength: 12, maxLength: 44 })
  .filter((text) => text.trim() === text && new Set(text.toLowerCase()).size > text.length * 0.7)
/** Like `fc.webUrl()`, which first builds a list of all characters. */
const link = fc
  .tuple(fc.domain(), anyText({ maxLength: 12 }), fc.string({ maxLength: 12 }))
  .map(([host, path, query]) => `https://${host}/${encodeURIComponent(path)}?${encodeURIComponent(query)}`)
const ofBase64 = fc.base64String({ maxLength: 40 })
const around = fc.oneof(fc.lorem({ maxCount: 8 }), fc.json(), ofBase64, link, anyText({ maxLength: 30 }))

test.for(Object.entries(spellings))('a credential, and half of it, stays hidden: %s', ([, spell]) => {
  const property = fc.property(credential, fc.nat(), around, around, (value, at, before, after) => {
    const half = Math.max(10, Math.ceil(value.length / 2))
    const start = at % (value.length - half + 1)
    const text = `${before} ${spell(value)} ${after}`
    const texts = [text, JSON.stringify({ error_code: '1006', note: text })]

    for (const given of [...texts, `${spell(value.slice(start, start + half))} ${after}`])
      expect(finderOf([value])(Buffer.from(of(value).ofAnswer().redact(given)))).toEqual([])
  })
  fc.assert(property, { numRuns: 5 })
})

describe('a whole value is masked', () => {
  const whole = Object.keys(spellings).filter((name) => !/of JSON|lines|key$|bytes/.test(name))
  test.for(whole)('%s, and the text around it stays', (name) => {
    for (const value of [key, secret]) {
      const redacted = redactor.redact(`before: ${(spellings[name] ?? String)(value)} :after`)

      expect(redacted).toMatch(/^before: [\w+/?-]{0,6}<TARGET_(API|SECRET)_KEY>[\w=%]{0,7} :after$/)
      expect(redactor.redact(redacted)).toBe(redacted)
    }
  })

  it.each([
    ['a%41b\\nc&amp;d%2541e\\u0041f'],
    ['Xy7-'.repeat(150)],
    ['schlüssel-für-große-tore'],
    [Buffer.from('schlüssel-größe').toString('latin1')],
    ['%41%42%43%44%45%46%47'],
    ['{"k":"mN3bV6cX9zL2","s":[1,2,3],"t":"Qq"}'],
  ])('if it contains escapes, is long, or goes beyond ASCII: %j', (value) => {
    expect(of(value).redact(value)).toBe('<K>')
    expect(of(value).redact(JSON.stringify(value))).toBe('"<K>"')
    expect(of(value).redact(encodeURIComponent(value))).toBe('<K>')
  })

  it.each([
    ['%41%42%43%44%45%46%47', 'A CAB, ABCDEFG', 'A CAB, <K>'],
    [Buffer.from('schlüssel-größe').toString('latin1'), 'the schlüssel-größe', 'the <K>'],
    ['qwertzuiop12', 'İİ qwertzuiop12 İ', 'İİ <K> İ'],
    ['qwertz uiop 12', 'qwertz+uiop+12', '<K>'],
    ['üäößüäöß', '\ufffd'.repeat(8), '\ufffd'.repeat(8)],
    ['\u0141\u0143\u0145\u0147\u0149\u014b', 'ACEGIK', 'ACEGIK'],
  ])('and nothing else: with the value %s, %s becomes %s', (value, text, redacted) => {
    expect(of(value).redact(text)).toBe(redacted)
  })

  it.each([
    ['conclusion: specific, ci, (ci) ci=1 Ci', 'conclusion: specific, <A>, (<A>) <A>=1 <A>'],
    ['ci2 2ci ciä äci cici', 'ci2 2ci ciä äci cici'],
    ['x%63i:pw@proxy %63i:pw', 'x%63i:<B>@proxy <A>:<B>'],
    ['a Q7z b q7zq q7z-1', 'a <C> b q7zq <C>-1'],
  ])('if it is shorter than four characters, but only as a separate word: %j', (text, redacted) => {
    const short = redactorFor([new Secret('A', 'ci'), new Secret('B', 'pw'), new Secret('C', 'q7z')])

    expect(short.redact(text)).toBe(redacted)
    expect(short.redact(redacted)).toBe(redacted)
  })

  it('if it was derived from a credential and sent; the longest match gives the name', () => {
    const near = new Secret('TARGET_API_KEY with a digit doubled', key.replace('3210', '33210'))
    const own = redactor.ofAnswer({ secrets: [near, new Secret('cut to 2 characters', 'co')], text: '' })

    expect(own.redact(`known: ${near.reveal()}, ${key}`)).toBe(`known: <${near.name}>, <TARGET_API_KEY>`)
    expect(own.redact('error_code')).toBe('error_code')
  })

  it('if it was sent, even in base64 and shorter than half of any credential, but not below four characters', () => {
    const sent = ['abc', 'wxyz', 'qW7zu90Xd3'].map((value) => new Secret('cut', value))
    const own = redactor.ofAnswer({ secrets: sent, text: '' })
    const packed = base64('qW7zu90Xd3')

    expect(own.redact(`abc, wxyz, ${packed}!`)).toBe('abc, <cut>, <cut>==!')
    expect(redactorFor([]).redact(`no ${packed}!`)).toContain(packed)
  })

  it('even if its replacement contains it', () => {
    const values = { TARGET_API_KEY: 'target_api', T: 'x', E: '' }
    const own = redactorFor(Object.entries(values).map(([name, value]) => new Secret(name, value)))

    expect(own.redact('target_api x')).toBe('<TARGET_API_KEY> <T>')
    expect(own.redact('<TARGET_API_KEY> <T>')).toBe('<TARGET_API_KEY> <T>')
  })
})

describe('half of a credential is hidden', () => {
  const part = '<part of TARGET_API_KEY>'

  it.each([
    ['alone', `known: ${key.slice(8, 24)}`, `known: ${part}`],
    ['in upper case', key.slice(8, 24).toUpperCase(), part],
    ['in a string of JSON', `{"a":["${key.slice(9, 26)}", 1]}`, `{"a":["${part}", 1]}`],
    ['percent-encoded', encodeURIComponent(key.slice(9, 26)), part],
    ['in base64', base64(key.slice(9, 27)), part],
    ['in hexadecimal', Buffer.from(key.slice(9, 26)).toString('hex'), part],
    ['as a name in a path', `$.a[].${key.slice(2, 20)}`, `$.a[].${part}`],
    ['as a name in brackets', `$['a ${key.slice(4, 20)}']`, `$['a ${part}']`],
  ])('%s', (_, text, redacted) => {
    expect(redactor.redact(text)).toBe(redacted)
    expect(redactor.redact(redacted)).toBe(redacted)
  })

  it.each([
    [key, key.slice(0, 16), key.slice(0, 15)],
    ['a1b2c3d4e5', 'b2c3d4e5', '2c3d4e5'],
    ['zebra17', 'zebra17', 'zebra1'],
  ])('but no less: of %s, %s is hidden, and %s is not', (value, half, less) => {
    expect([half, less].map((text) => of(value).redact(text) !== text)).toEqual([true, false])
  })

  it.each([
    ['my_api_key_1', 'set $TARGET_API_KEY, "api_key" or target_api_key', false],
    ['my_api_key_1', 'my_api_ke', true],
    ['customizations-endpoint-7q', '/api/customizations/list', false],
    ['list-endpoint-7q', 'the list-endpoint', false],
    ['list-endpoint-7q', 'the list-endpoint-', true],
  ])('unless it is part of a public word: %s in %s (hidden: %s)', (value, text, isHidden) => {
    const own = of(value, 'TARGET_API_KEY', '/api/customizations/list', 'the list-endpoint may fail')

    expect(own.redact(text) !== text).toBe(isHidden)
  })

  it('but a complete value is hidden even if it is a public word', () => {
    const path = '/api/customizations/list'

    expect(of('customizations', path).redact(path)).toBe('/api/<K>/list')
  })
})

const hex = fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: 8, maxLength: 64 })
const item = fc.record({
  id: fc.oneof(fc.uuid(), fc.ulid(), hex, fc.nat()),
  at: fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
  image: fc.uint8Array({ maxLength: 600 }).map((bytes) => base64(Buffer.from(bytes))),
  link,
  text: fc.oneof(fc.lorem({ maxCount: 30 }), anyText({ maxLength: 60 })),
  more: fc.json(),
})
// As issued by real services. Each form resembles other ordinary values.
const owners = [
  ['ak_live_HuPvbsz8YJEinxxqnoezFVok', 'sk_live_s4iw9cT0sfLEUNJRUVrwpn9v'],
  ['7f3a9c51e0b84d26a1f95c3780d2be64', 'd0c1a2b3948576657483929a1b0c2d3e'],
  ['0b6f3a52-6d1c-4f0e-9a77-0d3d1f0c9be8', '3d2c1b0a-9f8e-4d7c-8b6a-5f4e3d2c1b0a'],
  ['4716389025614873', '9081726354453627'],
].map((values) => redactorFor(values.map((value) => new Secret('K', value))))

it('an ordinary answer stays unchanged, with ids, times, images, links and texts', () => {
  forAll(fc.array(item, { maxLength: 8 }), fc.boolean(), (items, isIndented) => {
    const text = JSON.stringify(items, null, isIndented ? 2 : 0)
    for (const owner of owners) expect(owner.redact(text)).toBe(text)
  })
})

it.each([
  '{"error_code":"1006","error_message":"The API key ****ZFVok is not valid"}',
  `data:image/png;base64,${base64(Buffer.from(Array.from({ length: 3_000 }, (_, at) => (at * 7_919) % 251)))}`,
  JSON.stringify(Array.from({ length: 400 }, (_, at) => (at * 37) % 256)),
  '&#x110000; &#9999999; \\u{110000} &nosuch; \\q',
])('an ordinary answer stays unchanged: %s', (text) => {
  for (const owner of owners) expect(owner.redact(text)).toBe(text)
})

const units = ['{"id":"a1b2c3d4"},', 'QUJDREVGRw', '%2525', '\\u0061', '\\', '&#x61;', 'a\n', '97,', '"', key]
test.each(units)('redacting takes linear time for a text that repeats %j', async (unit) => {
  const own = redactor.ofAnswer()
  const redact = (size: number): string => own.redact(unit.repeat(size / unit.length))

  expect(await growth(redact, 64 * 1024)).toBeLessThan(linear)
})

test('making a redactor takes linear time for a credential of one repeated letter', async () => {
  const make = (size: number) => redactorFor([new Secret('KEY', 'b'.repeat(size))])

  expect(await growth(make, 16 * 1024)).toBeLessThan(linear)
})

test('redacting a result again changes nothing', () => {
  const made = fc.array(fc.constantFrom(...'\\%5c&#;2Ka>"', '\\u005c', '&#37;'), { maxLength: 40 })
  forAll(made, made, (parts, before) => {
    const value = parts.join('')
    fc.pre(value.length >= 4)
    const own = of(value)
    const once = own.redact(before.join('') + value)

    expect(own.redact(once)).toBe(once)
  })
})

it('plain data has its strings, keys and numbers redacted, and everything else stays', () => {
  const digits = redactorFor([new Secret('PIN', '1234567890')])
  const numbers = { n: 1234567890, big: 1234567890n, more: 12n }
  const given = { a: [1, null, true, 'n 1234567890'], x1234567890: numbers, s: new Secret('S', 'v') }

  const hidden = { n: '<PIN>', big: '<PIN>', more: 12n }
  const expected = { a: [1, null, true, 'n <PIN>'], 'x<PIN>': hidden, s: '<S>' }
  expect(redactJson(given, digits)).toEqual(expected)
})

it('plain data is cut off below 100 levels', () => {
  const deep: unknown = JSON.parse(`${'['.repeat(200_000)}${']'.repeat(200_000)}`)
  const nested = (levels: number): unknown =>
    levels === 0 ? 'a' : levels % 2 === 0 ? [nested(levels - 1)] : { a: nested(levels - 1) }

  expect(JSON.stringify(redactJson(deep, redactor))).toContain('deeper than 100 levels')
  expect(redactJson(nested(100), redactor)).toEqual(nested(100))
  expect(JSON.stringify(redactJson(nested(101), redactor))).toContain('deeper than 100 levels')
})

test('a secret prints only its name, and reveals its value only on request', () => {
  const shown = new Secret('TARGET_API_KEY', 'ak_live_1')
  const texts = [String(shown), shown.toJSON(), inspect(shown), JSON.parse(JSON.stringify({ shown })).shown]

  expect(texts).toEqual(Array(4).fill('<TARGET_API_KEY>'))
  expect(shown.reveal()).toBe('ak_live_1')
  expect(Reflect.set(shown, 'name', 'other')).toBe(false)
})

test('a secret has a variable only if its name is that of an environment variable', () => {
  const names = ['TARGET_API_KEY', 'FIXTURE_2_KEY', 'TARGET_API_KEY cut in half', 'the KEY', '2_KEY', '']
  const variables = names.map((name) => new Secret(name, 'x').variable)

  expect(variables).toEqual(['TARGET_API_KEY', 'FIXTURE_2_KEY', null, null, null, null])
})
