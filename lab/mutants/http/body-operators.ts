import { gzipSync } from 'node:zlib'
import { errorKinds, recordOf, withBody, withField, withMembers, type PlainAnswer } from './answer.ts'
import { changing, type Change, type Operator } from './operator.ts'

type Members = Readonly<Record<string, unknown>>

/** The change of one member, by its value. */
const memberChanges: Readonly<Record<string, (members: Members, name: string) => Members>> = {
  removed: (members, name) => Object.fromEntries(Object.entries(members).filter(([own]) => own !== name)),
  renamed: (members, name) =>
    Object.fromEntries(Object.entries(members).map(([own, it]) => [own === name ? camelCase(own) : own, it])),
  null: (members, name) => ({ ...members, [name]: null }),
  number: (members, name) => ({ ...members, [name]: typeof members[name] === 'number' ? 1.5 : 7 }),
  boolean: (members, name) => ({ ...members, [name]: true }),
  empty: (members, name) => ({ ...members, [name]: typeof members[name] === 'string' ? '' : [] }),
  object: (members, name) => ({ ...members, [name]: { value: members[name] } }),
  array: (members, name) => ({ ...members, [name]: [members[name]] }),
  text: (members, name) => ({ ...members, [name]: 'text' }),
}

/** Every documented name is in snake case. The list's names have no underscore. */
function camelCase(name: string): string {
  const camel = name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
  return camel === name ? `${name}_` : camel
}

const ofErrors = ['error_code', 'error_message'].map((name) => [name, errorKinds] as const)
const members = [...ofErrors, ['customizations', ['success']] as const, ['total', ['success']] as const]

const madeOf = (name: string): string => (name === 'removed' || name === 'renamed' ? name : `made ${name}`)

const memberRows = members.flatMap(([member, of]) =>
  Object.entries(memberChanges).map(([name, change]): Change => {
    const changed = (one: PlainAnswer) => withMembers(one, change(recordOf(one.body), member))
    return [`${member}-${name}`, `the member ${member} is ${madeOf(name)}`, changed, of]
  }),
)

type BodyChange = readonly [name: string, about: string, change: (text: string) => string]

const wholeBodies: readonly BodyChange[] = [
  ['emptied', 'the body is empty', () => ''],
  ['truncated', 'the body is cut half-way, its length with it', (text) => text.slice(0, text.length / 2)],
  ['short', 'the last character of the body is missing', (text) => text.slice(0, -1)],
  ['doubled', 'the body comes twice', (text) => text + text],
  ['not-json', 'the body is a sentence', () => 'something went wrong'],
  ['html', 'the body is a web page', () => '<!doctype html><html><body>error</body></html>'],
  ['array-wrapped', 'the body is an array that holds the object', (text) => `[${text}]`],
  ['nested', 'the object is the member "data" of another', (text) => `{"data":${text}}`],
  ['string', 'the body is a JSON string that holds the JSON', (text) => JSON.stringify(text)],
  ['object-empty', 'the body is {}', () => '{}'],
  ['array-empty', 'the body is []', () => '[]'],
  ['null', 'the body is null', () => 'null'],
  ['number', 'the body is 0', () => '0'],
  ['single-quotes', 'the quotes of the JSON are single', (text) => text.replaceAll('"', "'")],
  ['trailing-comma', 'a comma stands before the last brace', (text) => text.replace(/\}$/, ',}')],
  ['comment', 'a comment stands before the JSON', (text) => `/* answer */ ${text}`],
  ['prefixed', ")]}' stands before the JSON", (text) => `)]}'\n${text}`],
  ['warning-before', 'a warning stands before the JSON', (text) => `Warning: undefined index\n${text}`],
  ['nul-behind', 'a byte 0 stands behind the JSON', (text) => `${text}\0`],
  ['member-added', 'there is one more member', (text) => text.replace(/\}$/, ',"request":"r-1"}')],
  ['member-twice', 'a first member stands before, of the same name and with another value', twice],
  ['reordered', 'the members come in another order', reversed],
  ['spaced', 'white space stands around the JSON', (text) => `\n  ${text}\n`],
]

function twice(text: string): string {
  const [name = ''] = Object.keys(recordOf(Buffer.from(text)))
  return text.replace(/^\{/, `{${JSON.stringify(name)}:"0000",`)
}

function reversed(text: string): string {
  return JSON.stringify(Object.fromEntries(Object.entries(recordOf(Buffer.from(text))).toReversed()))
}

/** The body with a letter beyond ASCII, so that its encoding matters. */
const accented = ({ body }: PlainAnswer): string => body.toString().replace(/\}$/, ',"café":"é"}')

const textOf = ({ body }: PlainAnswer): string => body.toString()

const inLatin1 = (one: PlainAnswer): PlainAnswer => withBody(one, Buffer.from(accented(one), 'latin1'))
const inUtf16 = (one: PlainAnswer, mark = '') => withBody(one, Buffer.from(mark + textOf(one), 'utf16le'))
const named = (one: PlainAnswer, charset: string): PlainAnswer =>
  withField(one, 'content-type', `application/json; charset=${charset}`)
const inNamedLatin1 = (one: PlainAnswer): PlainAnswer => named(inLatin1(one), 'iso-8859-1')
const inNamedUtf16 = (one: PlainAnswer): PlainAnswer => named(inUtf16(one, '\uFEFF'), 'utf-16')
const marked = (one: PlainAnswer): PlainAnswer => withBody(one, `\uFEFF${textOf(one)}`)
const coded = (one: PlainAnswer, coding: string): PlainAnswer => withField(one, 'content-encoding', coding)
const cutGzip = ({ body }: PlainAnswer): Buffer => gzipSync(body).subarray(0, 20)

const encodings: readonly Change[] = [
  ['latin-1', 'é is written as latin-1 and called UTF-8', inLatin1],
  ['latin-1-named', 'é is written as latin-1, and the content type says so', inNamedLatin1],
  ['utf-16', 'the body is UTF-16', (one) => inUtf16(one)],
  ['utf-16-named', 'the body is UTF-16, and the content type says so', inNamedUtf16],
  ['byte-order-mark', 'a byte order mark stands before the JSON', marked],
  ['bad-byte', 'a byte 0xFF stands within a string', (one) => withBody(one, badByte(accented(one)))],
  ['gzip-label', 'content-encoding says gzip, and the body is plain', (one) => coded(one, 'gzip')],
  ['gzip-unlabelled', 'the body is gzip, and nothing says so', (one) => withBody(one, gzipSync(one.body))],
  ['gzip-truncated', 'the body is gzip, cut half-way', (one) => coded(withBody(one, cutGzip(one)), 'gzip')],
  ['coding-unknown', 'content-encoding says rot13, and the body is plain', (one) => coded(one, 'rot13')],
  ['base64', 'the body is base64', (one) => withBody(one, one.body.toString('base64'))],
  ['percent', 'the body is percent-encoded', (one) => withBody(one, encodeURIComponent(textOf(one)))],
]

function badByte(text: string): Buffer {
  const bytes = Buffer.from(text, 'latin1')
  bytes[bytes.lastIndexOf(0xe9)] = 0xff
  return bytes
}

/** Operators that change the body, its members or its character encoding. */
export const bodyOperators: readonly Operator[] = [
  ...changing('body member', memberRows, { prefix: '' }),
  ...changing(
    'body',
    wholeBodies.map(([name, about, change]) => [name, about, (one) => withBody(one, change(textOf(one)))]),
  ),
  ...changing('encoding', encodings),
]
