import { kinds, withField, withoutField, type Occasion, type PlainAnswer } from './answer.ts'
import { changing, type Operator } from './operator.ts'

type Change = readonly [
  name: string,
  about: string,
  change: (answer: PlainAnswer, occasion: Occasion) => PlainAnswer,
]

function family(name: string, changes: readonly Change[]): readonly Operator[] {
  return changes.map(([own, about, change]) =>
    changing({ name: `${name}-${own}`, family: name, about, kinds }, change),
  )
}

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

const contentType = family('content-type', [
  ['absent', 'there is no content type', (answer) => withoutField(answer, 'content-type')],
  ...Object.entries(types).map(([name, value]): Change => [
    name,
    `the content type is ${JSON.stringify(value)}`,
    (answer) => withField(answer, 'content-type', value),
  ]),
  [
    'html-behind',
    'there is a second content type, text/html',
    (answer) => ({ ...answer, fields: [...answer.fields, ['content-type', 'text/html']] }),
  ],
  [
    'html-before',
    'there is a first content type, text/html',
    (answer) => ({ ...answer, fields: [['content-type', 'text/html'], ...answer.fields] }),
  ],
  [
    'twice',
    'the content type comes twice',
    (answer) => ({ ...answer, fields: [...answer.fields, ...answer.fields.slice(0, 1)] }),
  ],
])

const lengthBy = (step: number) => (answer: PlainAnswer) =>
  withField(answer, 'content-length', String(answer.body.length + step))

const contentLength = family('content-length', [
  ['+1', 'content-length is one too large', lengthBy(1)],
  ['-1', 'content-length is one too small', lengthBy(-1)],
  ['+1000', 'content-length is 1,000 too large', lengthBy(1_000)],
  ['0', 'content-length is 0, and the body follows', (answer) => withField(answer, 'content-length', '0')],
  ['negative', 'content-length is -1', (answer) => withField(answer, 'content-length', '-1')],
  ['word', 'content-length is "many"', (answer) => withField(answer, 'content-length', 'many')],
  ['empty', 'content-length is empty', (answer) => withField(answer, 'content-length', '')],
  [
    'absent',
    'there is no content-length; the body comes in chunks',
    (one) => withoutField(one, 'content-length'),
  ],
  [
    'twice',
    'content-length comes twice, with two values',
    (one) => ({ ...one, fields: [...one.fields, ['content-length', String(one.body.length + 1)]] }),
  ],
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

const fields = family('field', [
  ['date-absent', 'there is no date', (answer) => withoutField(answer, 'date')],
  ['date-wrong', 'the date is no date', (answer) => withField(answer, 'date', 'today')],
  ['date-old', 'the date is of 1970', (answer) => withField(answer, 'date', new Date(0).toUTCString())],
  ['order', 'the fields come in the opposite order', (one) => ({ ...one, fields: one.fields.toReversed() })],
  [
    'upper-case',
    'the names are in capitals',
    (one) => ({ ...one, fields: one.fields.map(([name, value]) => [name.toUpperCase(), value]) }),
  ],
  ['all-twice', 'every field comes twice', (one) => ({ ...one, fields: [...one.fields, ...one.fields] })],
  ...Object.entries(added).map(([name, [field, value]]): Change => [
    name,
    `there is a field ${field}: ${value.slice(0, 40)}`,
    (answer) => withField(answer, field, value),
  ]),
  ...echoed,
])

/** Operators that change the fields of the head. */
export const fieldOperators: readonly Operator[] = [...contentType, ...contentLength, ...fields]
