import { withField, withoutField, type PlainAnswer } from './answer.ts'
import { changing, type Change, type Operator } from './operator.ts'

/** With other fields. */
const withFields = (one: PlainAnswer, ...fields: PlainAnswer['fields']): PlainAnswer => ({ ...one, fields })

const types = {
  html: 'text/html; charset=utf-8',
  text: 'text/plain; charset=utf-8',
  xml: 'application/xml',
  'octet-stream': 'application/octet-stream',
  javascript: 'application/javascript',
  problem: 'application/problem+json',
  empty: '',
  invalid: 'json',
  'no-charset': 'application/json',
  'upper-case': 'APPLICATION/JSON',
  'two-types': 'application/json, text/html',
  'charset-latin-1': 'application/json; charset=iso-8859-1',
}

const html = ['content-type', 'text/html'] as const
const typedTwice = (one: PlainAnswer) => withFields(one, ...one.fields, ...one.fields.slice(0, 1))

const contentType = changing('content-type', [
  ['absent', 'there is no content type', (one) => withoutField(one, 'content-type')],
  ...Object.entries(types).map(([name, value]): Change => {
    const about = `the content type is ${JSON.stringify(value)}`
    return [name, about, (one) => withField(one, 'content-type', value)]
  }),
  ['html-behind', 'there is a second content type, text/html', (one) => withFields(one, ...one.fields, html)],
  ['html-before', 'there is a first content type, text/html', (one) => withFields(one, html, ...one.fields)],
  ['twice', 'the content type comes twice', typedTwice],
])

const length = (value: string) => (one: PlainAnswer) => withField(one, 'content-length', value)
const lengthBy = (step: number) => (one: PlainAnswer) => length(String(one.body.length + step))(one)
const unlengthened = (one: PlainAnswer): PlainAnswer => withoutField(one, 'content-length')
const lengthTwice = (one: PlainAnswer): PlainAnswer =>
  withFields(one, ...one.fields, ['content-length', String(one.body.length + 1)])

const contentLength = changing('content-length', [
  ['+1', 'content-length is one too large', lengthBy(1)],
  ['-1', 'content-length is one too small', lengthBy(-1)],
  ['+1000', 'content-length is 1,000 too large', lengthBy(1_000)],
  ['0', 'content-length is 0, and the body follows', length('0')],
  ['negative', 'content-length is -1', length('-1')],
  ['word', 'content-length is "many"', length('many')],
  ['empty', 'content-length is empty', length('')],
  ['absent', 'there is no content-length; the body comes in chunks', unlengthened],
  ['twice', 'content-length comes twice, with two values', lengthTwice],
])

const added = {
  server: ['server', 'nginx'],
  'no-store': ['cache-control', 'no-store'],
  'public-cache': ['cache-control', 'public, max-age=86400'],
  cookie: ['set-cookie', 'session=1; Path=/'],
  'www-authenticate': ['www-authenticate', 'Basic realm="api"'],
  'retry-after': ['retry-after', '3600'],
  location: ['location', '/login'],
  close: ['connection', 'close'],
  upgrade: ['upgrade', 'h2c'],
  empty: ['x-empty', ''],
  long: ['x-long', 'a'.repeat(6_000)],
  'bad-date': ['last-modified', 'yesterday'],
  cors: ['access-control-allow-origin', '*'],
} as const

const echoed = ['x-api-key', 'x-secret-key', 'x-version'].map((name): Change => [
  `echo-${name}`,
  `the header ${name} of the request comes back`,
  (answer, { request }) => withField(answer, name, String(request.headers[name] ?? '')),
])

const inCapitals = (one: PlainAnswer): PlainAnswer =>
  withFields(one, ...one.fields.map(([name, value]) => [name.toUpperCase(), value] as const))

const fields = changing('field', [
  ['date-absent', 'there is no date', (answer) => withoutField(answer, 'date')],
  ['date-wrong', 'the date is no date', (answer) => withField(answer, 'date', 'today')],
  ['date-old', 'the date is of 1970', (answer) => withField(answer, 'date', new Date(0).toUTCString())],
  ['order', 'the fields come in the opposite order', (one) => withFields(one, ...one.fields.toReversed())],
  ['upper-case', 'the names are in capitals', inCapitals],
  ['all-twice', 'every field comes twice', (one) => withFields(one, ...one.fields, ...one.fields)],
  ...Object.entries(added).map(([name, [field, value]]): Change => {
    return [name, `there is a field ${field}: ${value.slice(0, 40)}`, (one) => withField(one, field, value)]
  }),
  ...echoed,
])

/** Operators that change the header fields. */
export const fieldOperators: readonly Operator[] = [...contentType, ...contentLength, ...fields]
