import { expect, it } from 'vitest'
import { secondOpinion, type Opinion, type Recorded, type Service } from './second-judge.ts'

type Answer = NonNullable<Recorded['answer']>
type Fields = [name: string, value: string][]

const LIST = '/api/customizations/list'
const client = (one: string, state: Service['clients'][number]['state'] = 'permitted', secret = one) => {
  return { apiKey: `k${one}`, secretKey: `s${secret}`, state }
}
const permitted = [client('a'), client('b'), client('2', 'permitted', '3')]
const refused = [client('n', 'no-customer'), client('i', 'inactive'), client('u', 'unauthorized')]
const exhausted = [client('x', 'exhausted'), client('2', 'exhausted')]
const endpoint = (path: string, more: Partial<Service['endpoints'][number]> = {}) => {
  return { method: 'GET', path, versions: [1], validQueries: [''], invalidQueries: [], ...more }
}
const service: Service = {
  basePath: '/base',
  clients: [...permitted, ...refused, ...exhausted],
  endpoints: [
    endpoint(LIST, { validQueries: ['', 'a=1'], invalidQueries: ['?a=x'] }),
    endpoint('/api/two', { versions: [1, 2] }),
    endpoint('/api/late', { versions: [2] }),
    endpoint('/api/off', { inactive: true }),
    endpoint('/api/make', { method: 'POST' }),
  ],
  unsupportedVersions: [99, -1],
}

const STATUS: Readonly<Record<string, number>> = Object.fromEntries([
  ...['1001', '1002', '1003', '1010', '1030'].map((code) => [code, 400]),
  ...['1006', '1007', '1011', '1012', '1013'].map((code) => [code, 401]),
  ['1020', 429],
])
const CHALLENGE: Fields = [['WWW-Authenticate', 'ApiKey realm="x"']]
const HTML: Fields = [['content-type', 'text/html']]
const plain = (status: number, body: string | Buffer, fields: Fields = []): Answer => {
  return { status, fields, body: Buffer.from(body) }
}
const empty = (status: number, fields: Fields = []): Answer => plain(status, '', fields)
const html = (status: number): Answer => plain(status, '<p>', HTML)
const answer = (status: number, content: unknown, fields = CHALLENGE): Answer => {
  const body = typeof content === 'string' ? content : JSON.stringify(content)
  return plain(status, body, [['Content-Type', 'application/json'], ...fields])
}
const failed = (status: number, code: unknown, error_message: unknown = '', fields = CHALLENGE): Answer =>
  answer(status, { error_code: code, error_message }, fields)
const error = (code: string, status = STATUS[code] ?? 400): Answer => failed(status, code, 'text')
/** A success, and each documented error. */
const ANSWERS = {
  success: answer(200, { items: [] }),
  ...Object.fromEntries(Object.keys(STATUS).map((code) => [code, error(code)])),
}

/** A change of the plain good request. */
interface Change {
  method?: string
  target?: string
  api?: string[]
  secret?: string[]
  version?: string[]
  more?: Fields
  malformed?: boolean
  noHost?: boolean
}
const request = (c: Change = {}): Recorded['request'] => ({
  method: c.method ?? 'GET',
  target: c.target ?? `/base${LIST}`,
  fields: [
    ...(c.noHost ? [] : ([['Host', 'h']] as Fields)),
    ...(c.api ?? ['ka']).map((v): [string, string] => ['X-Api-Key', v]),
    ...(c.secret ?? ['sa']).map((v): [string, string] => ['x-secret-key', v]),
    ...(c.version ?? ['1']).map((v): [string, string] => ['X-VERSION', v]),
    ...(c.more ?? []),
  ],
  ...(c.malformed === undefined ? {} : { malformed: c.malformed }),
})
const ask = (c: Change, a: Answer | null): Opinion =>
  secondOpinion(service, { request: request(c), answer: a })

/** Situation, change, allowed answers, and answers on which it is silent. It forbids all others. */
type Row = readonly [situation: string, change: Change, allowed: string, silent: string]
const [WRONG, TWICE] = [['zz'], ['ka', 'ka']]
const UNCLEAR = '1001 1006 1007 1011 1012 1013 1020 1030'

/** The owner of the key. Unless it is flawed, the secret belongs to the same client. */
const KEYS: readonly Row[] = [
  ['no flaw', {}, 'success', ''],
  ['api key absent', { api: [] }, '1001', '1007'],
  ['api key wrong', { api: WRONG }, '1006', '1007 1012'],
  ['api key blank', { api: [' \t'] }, '', '1001 1006 1007 1012'],
  ['api key unclear', { api: TWICE }, '', `success ${UNCLEAR}`],
  ['client inactive', { api: ['ki'], secret: ['si'] }, '1011', ''],
  ['client unauthorized', { api: ['ku'], secret: ['su'] }, '1013', ''],
  ['client exhausted', { api: ['kx'], secret: ['sx'] }, '1020', ''],
]
const SECRETS: readonly Row[] = [
  ['secret absent', { secret: [] }, '1002', ''],
  ['secret wrong', { secret: WRONG }, '1007', '1012'],
  ['secret blank', { secret: [''] }, '', '1002 1007 1012'],
  ['secret unclear', { secret: ['sa', 'zz'] }, '', 'success 1002 1007 1012 1030'],
]
/** Flaws that count differently if another flaw is present. */
const BESIDE: readonly Row[] = [
  ['api key absent, secret absent', { api: [], secret: [] }, '1001 1002', ''],
  ['api key wrong, secret absent', { api: WRONG, secret: [] }, '1006 1002', '1012'],
  ['api key unclear, secret absent', { api: TWICE, secret: [] }, '1002', UNCLEAR],
  ['api key blank, secret absent', { api: [''], secret: [] }, '1002', '1001 1006 1012'],
  ['secret of another client', { secret: ['sb'] }, '', '1006 1007 1012'],
  ['secret of another client, client inactive', { api: ['ki'] }, '1011', '1006 1007 1012'],
  ['client no-customer', { api: ['kn'], secret: ['sn'] }, '1012', ''],
  ['secret absent, client no-customer', { api: ['kn'], secret: [] }, '1002', '1012'],
  ['secret wrong, client no-customer', { api: ['kn'], secret: WRONG }, '1007', '1012'],
  ['secret blank, client no-customer', { api: ['kn'], secret: [''] }, '', '1002 1007 1012'],
  ['secret unclear, client no-customer', { api: ['kn'], secret: TWICE }, '', 'success 1002 1007 1012 1030'],
  ['secret of another client, client no-customer', { api: ['kn'] }, '', '1006 1007 1012'],
]
const VERSIONS: readonly Row[] = [
  ['version absent', { version: [] }, '1003', ''],
  ['version repeated', { version: ['1', '1'] }, '', 'success 1003 1010 1030'],
  ['version blank', { version: [' '] }, '', '1003 1010 1030'],
  ['version without the endpoint', { version: ['99'] }, '1010', ''],
  ['version not known', { version: ['7'] }, '', 'success 1010'],
  ['version oddly written', { version: ['01'] }, '', 'success 1010 1030'],
  ['version not an integer', { version: ['abc'] }, '1010', '1030'],
]
const sent = (name: string, value: string): Pick<Change, 'more'> => ({ more: [[name, value]] })
const [SENT, LONG] = [sent('Content-Length', '2'), sent('big', 'x'.repeat(9000))]
const [UNKNOWN_QUERY, BAD_QUERY] = [{ target: `/base${LIST}?b=1` }, { target: `/base${LIST}?a=x` }]
const TARGETS: readonly Row[] = [
  ['no flaw', { target: `/base${LIST}?a=1` }, 'success', ''],
  ['query invalid', BAD_QUERY, '1030', ''],
  ['query undocumented', UNKNOWN_QUERY, 'success 1030', ''],
  ['content sent', SENT, '', 'success 1030'],
  ['content sent, query undocumented', { ...UNKNOWN_QUERY, ...SENT }, '1030', 'success'],
  ['content sent, query invalid', { ...BAD_QUERY, ...sent('Transfer-Encoding', 'chunked') }, '1030', ''],
  ['endpoint inactive', { target: '/base/api/off' }, '1011', ''],
  ['endpoint inactive, query undocumented', { target: '/base/api/off?b' }, '1011 1030', ''],
]
const as = (one: string, target: string): Change => ({ target, api: [`k${one}`], secret: [`s${one}`] })
const [NONE, NEAR] = ['/base/api/none', `/base${LIST}/`]
const POST = { method: 'POST', target: '/base/api/make' }
/** Unknown endpoints, certain or not. Here the version and the client's state count differently. */
const NOWHERE: readonly Row[] = [
  ['endpoint unknown', { target: NONE }, '1010', ''],
  ['endpoint unknown, query sent', { target: `${NONE}?b=1` }, '1010', '1030'],
  ['version absent, endpoint unknown', { target: NONE, version: [] }, '1003 1010', ''],
  ['endpoint unknown', { target: '/base/api/customizations', version: ['99'] }, '1010', ''],
  ['client inactive, endpoint unknown', as('i', NONE), '1010', '1011'],
  ['client unauthorized, endpoint unknown', as('u', NONE), '1010', '1013'],
  ['client exhausted, endpoint unknown', as('x', NONE), '1010 1020', ''],
  ['client no-customer, endpoint unknown', as('n', NONE), '1010 1012', ''],
  ['path near a known path', { target: NEAR }, '', 'success 1010'],
  ['path near a known path, query sent', { target: `${NEAR}?a=x` }, '', 'success 1010 1030'],
  ['path near a known path, endpoint inactive', { target: '/base/api/OFF' }, '', 'success 1010 1011'],
  ['client inactive, path near a known path', as('i', '/base/api//two'), '', 'success 1010 1011'],
  ['version without the endpoint, path near a known path', { target: NEAR, version: ['99'] }, '1010', ''],
  ['api key absent, path near a known path', { target: NEAR, api: [] }, '1001', '1007 1010'],
  ['version absent, without version 1', { target: '/base/api/late', version: [] }, '1003', '1010'],
  ['version without the endpoint', { target: '/base/api/late' }, '1010', ''],
  ['no flaw', { target: '/base/api/late', version: ['2'] }, 'success', ''],
  ['no flaw', POST, 'success', ''],
  ['content sent', { ...POST, ...sent('content-length', '9') }, '', 'success 1030'],
  ['client exhausted', { api: ['k2'], secret: ['s2'] }, '1020', ''],
  ['no flaw', { api: ['k2'], secret: ['s3'] }, 'success', ''],
  ['secret wrong, client exhausted', { api: ['k2'], secret: WRONG }, '1007', '1012 1020'],
  ['transport may refuse', { noHost: true }, 'success', '1030'],
  ['query undocumented, transport may refuse', { target: `/base${LIST}?a[b]=1` }, 'success 1030', ''],
  ['api key absent, transport may refuse', { api: [], ...LONG }, '1001', '1007 1030'],
]
const expected = (allowed: string, silent: string, name: string): string =>
  allowed.split(' ').includes(name) ? 'allowed' : silent.split(' ').includes(name) ? 'silent' : 'forbidden'

const ROWS = [...KEYS, ...SECRETS, ...BESIDE, ...VERSIONS, ...TARGETS, ...NOWHERE]
it.each(ROWS)('the second judge reads %s (%#)', (situation, change, allowed, silent) => {
  for (const [name, given] of Object.entries(ANSWERS)) {
    const opinion = ask(change, given)
    expect(opinion).toMatchObject({ says: expected(allowed, silent, name), situation })
    expect(opinion.because).not.toBe('')
  }
})

/** One request of each kind, for the forms of answers. */
const KINDS: Readonly<Record<string, Change>> = {
  good: {},
  bad: { api: [] },
  open: { version: ['01'] },
  free: UNKNOWN_QUERY,
  near: { target: NEAR },
  transport: { noHost: true },
  content: sent('content-length', '3'),
  malformed: { malformed: true },
  form: { target: '*' },
  ...Object.fromEntries(['DELETE', 'POST', 'OPTIONS', 'HEAD'].map((method) => [method, { method }])),
  outside: { target: '/' },
  post: POST,
}

const WIDE = 'malformed form DELETE POST OPTIONS'
const HEAD = `${WIDE} HEAD`
const GOOD = 'good free transport post'
const SOFT = `open near content outside ${WIDE}`
const ALL = Object.keys(KINDS)
const but = (...kinds: string[]): string => ALL.filter((kind) => !kinds.includes(kind)).join(' ')
const asJson = (status: number, body: string): Answer => plain(status, Buffer.from(body, 'latin1'))
const PROBLEM: Fields = [['content-type', 'application/problem+json; charset=utf-8']]
const reordered = answer(400, { extra: 1, error_message: '', error_code: '1001' })
const [ANY, NOT_BAD, NO_HEAD] = [ALL.join(' '), but('bad'), but('HEAD')]
const [EDGE, EDGES] = [`near transport content outside ${WIDE}`, `near transport outside ${HEAD}`]

type Form = readonly [form: string, answer: Answer, allowed: string, silent: string]
const empties = (allowed: string, silent: string, ...statuses: number[]): Form[] =>
  statuses.map((status) => [`${status} empty`, empty(status), allowed, silent])

/**
 * Answers, with the kinds for which each is allowed and those for which the judge is silent. It is forbidden
 * for the others.
 */
const FORMS: readonly Form[] = [
  ['success', answer(200, []), GOOD, SOFT],
  ['success, JSON not labelled', plain(200, '[]'), GOOD, SOFT],
  ['null code with status 200', answer(200, { error_code: null }), GOOD, SOFT],
  ['success, JSON labelled as html', answer(200, [], HTML), '', `${GOOD} ${SOFT}`],
  ...empties('', `${HEAD} outside`, 200),
  ['success, html', html(200), '', `${WIDE} outside`],
  ['success, html labelled as JSON', answer(200, '<p>'), '', `${WIDE} outside`],
  ['success, cut JSON', answer(200, '{"a":'), '', `${WIDE} outside`],
  ['success, JSON in latin1', asJson(200, '"\xe9"'), '', but('bad', 'HEAD')],
  ['unknown code with status 200', failed(200, 'x'), '', but('bad', 'HEAD')],
  ['201', answer(201, {}), '', but('bad', 'HEAD')],
  ['error object with status 200', failed(200, '1001'), '', 'outside'],
  ['307 with an error object', failed(307, '1001'), '', 'outside'],
  ['1001 as a number', failed(400, 1001), '', 'outside'],
  ['1001, no message', answer(400, { error_code: '1001' }), '', 'outside'],
  ['1001, null message', failed(400, '1001', null), '', 'outside'],
  ['message, no code', answer(400, { error_message: '' }), '', 'outside'],
  ['code not in the tables', failed(400, '1004'), '', 'outside'],
  ['code of Object', failed(400, 'toString'), '', 'outside'],
  ['1001 with status 401', error('1001', 401), '', 'outside'],
  ['1001 with status 500', error('1001', 500), '', 'outside'],
  ['1020 with status 503', error('1020', 503), '', 'outside'],
  ['404 with an unknown code', failed(404, '404'), '', 'outside'],
  ['429 with another code', failed(429, '1021'), '', 'outside'],
  ['500 JSON', answer(500, {}), '', 'outside'],
  ...empties('', 'outside', 500, 599),
  ...empties('', `${HEAD} outside post`, 204, 205),
  ['204 with content', answer(204, {}), '', ''],
  ['205 with content', answer(205, {}), '', ''],
  ['206 without a Range request', answer(206, {}), '', ''],
  ...empties('', '', 101, 304, 401, 405, 600, 99),
  ...empties('', ANY, 100, 407, 408, 414, 421, 429, 431, 503, 504, 505),
  ['307', empty(307, [['location', '/x']]), '', NOT_BAD],
  ['1001', error('1001'), 'bad', `outside ${WIDE}`],
  ['1001, reordered', reordered, 'bad', `outside ${WIDE}`],
  ['1001 as problem+json', { ...error('1001'), fields: PROBLEM }, 'bad', `outside ${WIDE}`],
  ['1001, labelled as html', failed(400, '1001', '', HTML), '', `bad outside ${WIDE}`],
  ['1001 in latin1', asJson(400, '{"error_code":"1001","error_message":"\xe9"}'), '', NO_HEAD],
  ['429 html', html(429), '', NO_HEAD],
  ['502 html', html(502), '', NO_HEAD],
  ['400 html', html(400), '', EDGE],
  ['400 JSON, no error object', answer(400, ['error_code']), '', EDGE],
  ...empties('', `${EDGE} HEAD`, 400, 411, 413, 415),
  ['401 with a challenge', empty(401, CHALLENGE), '', EDGES],
  ['405 with Allow', empty(405, [['allow', '']]), '', EDGES],
  ...empties('', EDGES, 404, 406, 412),
  ...empties('', `outside ${HEAD}`, 501),
]
it.each(FORMS)('the second judge judges this form of answer correctly: %s', (_, given, allowed, silent) => {
  const said = Object.entries(KINDS).map(([kind, change]) => [kind, ask(change, given).says])
  expect(said).toEqual(ALL.map((kind) => [kind, expected(allowed, silent, kind)]))
})

const TAG = sent('If-None-Match', '"x"')
const RANGE = sent('Range', 'bytes=0-1')
const tagged = (change: Change): Change => ({ ...TAG, ...change })
const ACCEPTED = ['application/json', 'text/html, */*;q=0.1'].map((value) => sent('Accept', value))
it.each<[number, string, Change[]]>([
  [304, 'allowed', [TAG, { ...sent('If-Modified-Since', 'x'), target: `/base${LIST}?b` }]],
  [304, 'silent', [tagged({ version: ['01'] }), tagged({ method: 'HEAD' })]],
  [304, 'forbidden', [tagged({ api: [] }), tagged(POST), sent('If-Match', '"x"')]],
  [412, 'silent', [sent('If-Match', '"x"')]],
  [101, 'silent', [sent('Upgrade', 'x')]],
  [206, 'silent', [RANGE]],
  [206, 'forbidden', [{ ...RANGE, api: [] }]],
  [416, 'silent', [RANGE]],
  [417, 'silent', [sent('Expect', 'x')]],
  [417, 'forbidden', [{}]],
  [406, 'silent', [sent('Accept', 'text/html'), sent('Accept', 'application/json;q=0')]],
  [406, 'forbidden', ACCEPTED],
])('the second judge judges status %i by the fields of the request: %s', (status, says, changes) => {
  for (const change of changes) expect(ask(change, empty(status)).says).toBe(says)
})
