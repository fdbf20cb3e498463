import { describe, expect, it } from 'vitest'
import { secondOpinion, type Opinion, type Recorded, type Service } from './second-judge.ts'

type Answer = NonNullable<Recorded['answer']>
type Fields = [name: string, value: string][]

const LIST = '/api/customizations/list'
/** Clients that may not be served: their state, what their key and secret end in, and their code. */
const STATES = [
  ['no-customer', 'n', '1012'],
  ['inactive', 'i', '1011'],
  ['unauthorized', 'u', '1013'],
  ['exhausted', 'x', '1020'],
] as const
const client = (key: string, secret: string, state: Service['clients'][number]['state'] = 'permitted') => ({
  apiKey: `k${key}`,
  secretKey: `s${secret}`,
  state,
})
const endpoint = (path: string, more: Partial<Service['endpoints'][number]> = {}) => ({
  method: 'GET',
  path,
  versions: [1],
  validQueries: [''],
  invalidQueries: [],
  ...more,
})
const service: Service = {
  basePath: '/base',
  clients: [
    client('a', 'a'),
    client('b', 'b'),
    client('n', 'n', 'no-customer'),
    client('i', 'i', 'inactive'),
    client('u', 'u', 'unauthorized'),
    client('x', 'x', 'exhausted'),
    client('2', '2', 'exhausted'),
    client('2', '3'),
  ],
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
const bytes = (content: unknown): Uint8Array =>
  Buffer.from(typeof content === 'string' ? content : JSON.stringify(content))
const CHALLENGE: Fields = [['WWW-Authenticate', 'ApiKey realm="x"']]
const HTML: Fields = [['content-type', 'text/html']]
const plain = (status: number, body: string | Buffer, fields: Fields = []): Answer => ({
  status,
  fields,
  body: Buffer.from(body),
})
const empty = (status: number, fields: Fields = []): Answer => ({ status, fields, body: new Uint8Array() })
const html = (status: number): Answer => plain(status, '<p>', HTML)
const answer = (status: number, content: unknown, fields = CHALLENGE): Answer => ({
  status,
  fields: [['Content-Type', 'application/json'], ...fields],
  body: bytes(content),
})
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

/** situation, change, answers allowed, answers silent; every other answer is forbidden. */
type Row = readonly [situation: string, change: Change, allowed: string, silent: string]
const [WRONG, TWICE] = [['zz'], ['ka', 'ka']]
const TWO_SECRETS = ['sa', 'sa']
/** What the client or the input may be refused with. */
const LATER = '1011 1012 1013 1020 1030'

/** What is allowed and silent for a client of any state with such a secret; `own` is the code of its state, unless that is 1012. */
const ofClient = STATES.flatMap(([state, letter, code]): readonly Row[] => {
  const own = state === 'no-customer' ? '' : code
  const row = (flaw: string, secret: string[], allowed: string, silent: string): Row => [
    flaw === '' ? `client ${state}` : `${flaw}, client ${state}`,
    { api: [`k${letter}`], secret },
    allowed,
    silent,
  ]
  return [
    row('', [`s${letter}`], code, ''),
    row('secret absent', [], `1002 ${own}`, own === '' ? '1012' : ''),
    row('secret wrong', WRONG, `1007 ${own}`, '1012'),
    row('secret blank', [''], own, '1002 1007 1012'),
    row(
      'secret unclear',
      [`s${letter}`, `s${letter}`],
      own,
      `${own === '' ? 'success ' : ''}1002 1007 1012 1030`,
    ),
    row('secret of another client', ['sa'], own, '1006 1007 1012'),
  ]
})
const P = { api: ['ka'], secret: ['sa'] }
const CREDENTIALS: readonly Row[] = [
  ['no flaw', P, 'success', ''],
  ['api key absent', { ...P, api: [] }, '1001', '1007'],
  ['secret absent', { ...P, secret: [] }, '1002', ''],
  ['api key absent, secret absent', { api: [], secret: [] }, '1001 1002', ''],
  ['api key wrong', { ...P, api: WRONG }, '1006', '1007 1012'],
  ['secret wrong', { ...P, secret: WRONG }, '1007', '1012'],
  ['api key wrong, secret wrong', { api: WRONG, secret: WRONG }, '1006 1007', '1012'],
  ['api key absent, secret wrong', { api: [], secret: WRONG }, '1001 1007', '1012'],
  ['api key wrong, secret absent', { api: WRONG, secret: [] }, '1006 1002', '1012'],
  ['secret of another client', { api: ['ka'], secret: ['sb'] }, '', '1006 1007 1012'],
  ['api key blank', { ...P, api: [' \t'] }, '', '1001 1006 1007 1012'],
  ['secret blank', { ...P, secret: [''] }, '', '1002 1007 1012'],
  ['api key blank, secret blank', { api: [''], secret: [''] }, '', '1001 1002 1006 1007 1012'],
  ['api key blank, secret absent', { api: [''], secret: [] }, '1002', '1001 1006 1012'],
  ['api key blank, secret wrong', { api: [''], secret: WRONG }, '1007', '1001 1006 1012'],
  ['api key absent, secret blank', { api: [], secret: [''] }, '1001', '1002 1007 1012'],
  ['api key wrong, secret blank', { api: WRONG, secret: [''] }, '1006', '1002 1007 1012'],
  ['api key unclear', { ...P, api: TWICE }, '', `success 1001 1006 1007 ${LATER}`],
  ['secret unclear', { ...P, secret: ['sa', 'zz'] }, '', 'success 1002 1007 1012 1030'],
  [
    'api key unclear, secret unclear',
    { api: TWICE, secret: TWO_SECRETS },
    '',
    `success 1001 1002 1006 1007 ${LATER}`,
  ],
  ['api key unclear, secret absent', { api: TWICE, secret: [] }, '1002', `1001 1006 1007 ${LATER}`],
  ['api key unclear, secret wrong', { api: TWICE, secret: WRONG }, '1007', `1001 1006 ${LATER}`],
  ['api key unclear, secret blank', { api: TWICE, secret: [''] }, '', `1001 1002 1006 1007 ${LATER}`],
  ['api key absent, secret unclear', { api: [], secret: TWO_SECRETS }, '1001', '1002 1007 1012 1030'],
  ['api key wrong, secret unclear', { api: WRONG, secret: TWO_SECRETS }, '1006', '1002 1007 1012 1030'],
  ['api key blank, secret unclear', { api: [''], secret: TWO_SECRETS }, '', '1001 1002 1006 1007 1012 1030'],
  ...ofClient,
]
const VERSIONS: readonly Row[] = [
  ['no flaw', { version: ['1'] }, 'success', ''],
  ['version absent', { version: [] }, '1003', ''],
  ['version repeated', { version: ['1', '1'] }, '', 'success 1003 1010 1030'],
  ['version blank', { version: [' '] }, '', '1003 1010 1030'],
  ['version without the endpoint', { version: ['99'] }, '1010', ''],
  ['version not known', { version: ['7'] }, '', 'success 1010'],
  ['version oddly written', { version: ['01'] }, '', 'success 1010 1030'],
  ['version not an integer', { version: ['abc'] }, '1010', '1030'],
]
const sent = (name: string, value: string): Pick<Change, 'more'> => ({ more: [[name, value]] })
const [UNKNOWN_QUERY, BAD_QUERY] = [{ target: `/base${LIST}?b=1` }, { target: `/base${LIST}?a=x` }]
const TARGETS: readonly Row[] = [
  ['no flaw', { target: `/base${LIST}?a=1` }, 'success', ''],
  ['query invalid', BAD_QUERY, '1030', ''],
  ['query undocumented', UNKNOWN_QUERY, 'success 1030', ''],
  ['content sent', sent('Content-Length', '2'), '', 'success 1030'],
  [
    'content sent, query undocumented',
    { ...UNKNOWN_QUERY, ...sent('Content-Length', '2') },
    '1030',
    'success',
  ],
  ['content sent, query invalid', { ...BAD_QUERY, ...sent('Transfer-Encoding', 'chunked') }, '1030', ''],
  ['endpoint inactive', { target: '/base/api/off' }, '1011', ''],
  ['endpoint inactive, query undocumented', { target: '/base/api/off?b' }, '1011 1030', ''],
]
const as = (letter: string, target: string): Change => ({
  target,
  api: [`k${letter}`],
  secret: [`s${letter}`],
})
const [NONE, NEAR] = ['/base/api/none', `/base${LIST}/`]
const POST = { method: 'POST', target: '/base/api/make' }
/** No endpoint there, or none for certain: here the version and the client's state weigh otherwise. */
const NOWHERE: readonly Row[] = [
  ['endpoint unknown', { target: NONE }, '1010', ''],
  ['endpoint unknown, query sent', { target: `${NONE}?b=1` }, '1010', '1030'],
  ['version absent, endpoint unknown', { target: NONE, version: [] }, '1003 1010', ''],
  ['endpoint unknown', { target: '/base/api/customizations', version: ['99'] }, '1010', ''],
  ['client inactive, endpoint unknown', as('i', NONE), '1010', '1011'],
  ['client unauthorized, endpoint unknown', as('u', NONE), '1010', '1013'],
  ['client exhausted, endpoint unknown', as('x', NONE), '1010 1020', ''],
  ['client no-customer, endpoint unknown', as('n', NONE), '1010 1012', ''],
  ['path near a known one', { target: NEAR }, '', 'success 1010'],
  ['path near a known one, query sent', { target: `${NEAR}?a=x` }, '', 'success 1010 1030'],
  ['path near a known one, endpoint inactive', { target: '/base/api/OFF' }, '', 'success 1010 1011'],
  ['client inactive, path near a known one', as('i', '/base/api//two'), '', 'success 1010 1011'],
  ['version without the endpoint, path near a known one', { target: NEAR, version: ['99'] }, '1010', ''],
  ['api key absent, path near a known one', { target: NEAR, api: [] }, '1001', '1007 1010'],
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
  [
    'api key absent, transport may refuse',
    { api: [], ...sent('big', 'x'.repeat(9000)) },
    '1001',
    '1007 1030',
  ],
]
const expected = (allowed: string, silent: string, name: string): string =>
  allowed.split(' ').includes(name) ? 'allowed' : silent.split(' ').includes(name) ? 'silent' : 'forbidden'

it.each([...CREDENTIALS, ...VERSIONS, ...TARGETS, ...NOWHERE])(
  'reads %s %#',
  (situation, change, allowed, silent) => {
    for (const [name, given] of Object.entries(ANSWERS)) {
      const opinion = ask(change, given)
      expect([name, opinion.says, opinion.situation]).toEqual([
        name,
        expected(allowed, silent, name),
        situation,
      ])
      expect(opinion.because).not.toBe('')
    }
  },
)

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
  DELETE: { method: 'DELETE' },
  POST: { method: 'POST' },
  OPTIONS: { method: 'OPTIONS' },
  HEAD: { method: 'HEAD' },
  outside: { target: '/' },
  post: POST,
}

it('allows of several flaws the answer to any of them, and no success', () => {
  const seen = new Set<string>()
  const wrong: unknown[] = []
  for (const [, c, ca, cs] of CREDENTIALS)
    for (const [, v, va, vs] of VERSIONS)
      for (const [, t, ta, ts] of TARGETS)
        for (const [name, given] of Object.entries(ANSWERS)) {
          const { says, situation } = ask({ ...c, ...v, ...t }, given)
          seen.add(situation)
          const each = [expected(ca, cs, name), expected(va, vs, name), expected(ta, ts, name)]
          const strictest = ['forbidden', 'silent', 'allowed']
          const inOrder = name === 'success' ? strictest : strictest.toReversed()
          const want = inOrder.find((one) => each.includes(one))
          if (says !== want) wrong.push([situation, name, says, want])
        }
  for (const change of [...NOWHERE.map((row) => row[1]), ...Object.values(KINDS)])
    seen.add(ask(change, null).situation)

  expect(wrong).toEqual([])
  expect(seen.size).toBeGreaterThan(3_000)
})

const versions = (...values: string[]): Change[] =>
  values.map((v) => ({ version: [Buffer.from(v).toString('latin1')] }))
const targets = (...values: string[]): Change[] => values.map((target) => ({ target }))
const keys = (...values: string[][]): Change[] => values.map((api) => ({ api }))
const fields = (...values: Fields[]): Change[] => values.map((more) => ({ more }))
const length = (value: string): [string, string] => ['content-length', value]

/** Situations, each in many writings. */
const WRITINGS: readonly (readonly [situation: string, ...Change[]])[] = [
  ['no flaw', { api: [' \tka\t '], secret: ['sa '], version: ['\t1 '] }],
  ['no flaw', { target: '/base/api/two', version: ['2'] }],
  [
    'no flaw',
    ...fields([
      ['Content-Length', '0'],
      ['Accept', 'text/html'],
    ]),
  ],
  ['api key wrong', ...keys(['KA'], ['ka,ka'], ['k a'], ['sa'], ['zz\xa0'])],
  ['api key unclear', ...keys(['ka\xa0'], ['\xc2\xa0ka'], ['\xa0'], ['ka', 'zz'], ['', ''])],
  ['version oddly written', ...versions('+1', '1.0', '1e0', '0x1', '-0', '1,1', 'v1', '٣', '-5', '١')],
  ['version oddly written', ...versions('99999999999999999999', '1 1')],
  ['version not an integer', ...versions('abc', 'one', 'null', '-', '*', 'NaN', 'Infinity')],
  ['version without the endpoint', ...versions('2', '-1')],
  ['version not known', { version: ['0'] }, { target: '/base/api/two', version: ['3'] }],
  ['path near a known one', ...targets('/base/api/customizations/List', '/base/api/customizations/%6Cist')],
  ['path near a known one', ...targets('/base/api/./customizations/list', '/base/api/customizations%2Flist')],
  [
    'path near a known one',
    ...targets('/base/api/x/../customizations/list', '/base/api/customizations/list%20'),
  ],
  ['path near a known one', ...targets('/base/api/customizations/list;v=1')],
  [
    'endpoint unknown',
    ...targets('/base/api/customizations/lists', '/base/api/customizations/list/x', '/base/api/'),
  ],
  ['path outside {base_url}/api/', ...targets('/', '/base/api', LIST, '//base/api/two', '/base/API/two')],
  ['path outside {base_url}/api/', ...targets('/based/api/two')],
  ['query undocumented', ...targets(`/base${LIST}?`, `/base${LIST}??a=1`, `/base${LIST}?a=%31`)],
  ['malformed head', { malformed: true }, { method: 'G T' }, { api: ['ka\x0b'] }],
  ['malformed head', ...fields([['a b', 'c']], [['a', 'b\0']], [length('1'), length('1')], [length('-1')])],
  ['malformed head', ...fields([length('1'), ['transfer-encoding', 'chunked']])],
  ['target not in origin form', ...targets('*', 'http://h/base/api/two', 'h:1')],
  ['another method', { method: 'DELETE' }, { method: 'DELETE', target: NONE }, { method: 'get' }],
  ['another method', { method: 'GET', target: '/base/api/make' }],
  ['method OPTIONS', { method: 'OPTIONS', target: NONE }],
  ['transport may refuse', { more: [['host', 'h']] }, { noHost: true }],
  ['no flaw', { noHost: true, more: [[':authority', 'h']] }],
]
it.for(WRITINGS)('reads %s in each of its writings %#', ([situation, ...changes]) => {
  expect(changes.map((change) => ask(change, null).situation)).toEqual(changes.map(() => situation))
})

it.each([
  ['', LIST],
  ['/base/', `/base${LIST}`],
])('reads paths below a base path like %s', (basePath, target) => {
  const { situation } = secondOpinion(
    { ...service, basePath },
    { request: request({ target }), answer: null },
  )
  expect(situation).toBe('no flaw')
})

const WIDE = 'malformed form DELETE POST OPTIONS'
const HEAD = `${WIDE} HEAD`
const GOOD = 'good free transport post'
const SOFT = `open near content outside ${WIDE}`
const ALL = Object.keys(KINDS)
const but = (...kinds: string[]): string => ALL.filter((kind) => !kinds.includes(kind)).join(' ')
const empties = (...statuses: number[]): Record<string, Answer> =>
  Object.fromEntries(statuses.map((status) => [`${status} empty`, empty(status)]))

/** Kinds for which these answers are allowed, and for which they are silent; they are forbidden for the others. */
const FORMS: readonly (readonly [allowed: string, silent: string, answers: Record<string, Answer>])[] = [
  [
    GOOD,
    SOFT,
    {
      success: answer(200, []),
      'success, JSON not labelled': plain(200, '[]'),
      'null code under 200': answer(200, { error_code: null }),
    },
  ],
  ['', `${GOOD} ${SOFT}`, { 'success, JSON labelled as html': answer(200, [], HTML) }],
  ['', `${HEAD} outside`, empties(200)],
  [
    '',
    `${WIDE} outside`,
    {
      'success, html': html(200),
      'success, html labelled as JSON': answer(200, '<p>'),
      'success, cut JSON': answer(200, '{"a":'),
    },
  ],
  [
    '',
    but('bad', 'HEAD'),
    {
      'success, JSON in latin1': plain(200, Buffer.from('"\xe9"', 'latin1')),
      'unknown code under 200': failed(200, 'x'),
      '201': answer(201, {}),
    },
  ],
  [
    '',
    'outside',
    {
      'error object under 200': failed(200, '1001'),
      '307 with an error object': failed(307, '1001'),
      '1001 as a number': failed(400, 1001),
      '1001, no message': answer(400, { error_code: '1001' }),
      '1001, null message': failed(400, '1001', null),
      'message, no code': answer(400, { error_message: '' }),
      'code not in the tables': failed(400, '1004'),
      'code of Object': failed(400, 'toString'),
      '1001 under 401': error('1001', 401),
      '1001 under 500': error('1001', 500),
      '1020 under 503': error('1020', 503),
      '404 with an unknown code': failed(404, '404'),
      '429 with another code': failed(429, '1021'),
      '500 JSON': answer(500, {}),
      ...empties(500, 599),
    },
  ],
  ['', `${HEAD} outside post`, empties(204, 205)],
  [
    '',
    '',
    {
      '204 with content': answer(204, {}),
      '205 with content': answer(205, {}),
      '206 not asked for': answer(206, {}),
      ...empties(101, 304, 401, 405, 600, 99),
    },
  ],
  ['', ALL.join(' '), empties(100, 407, 408, 414, 421, 429, 431, 503, 504, 505)],
  ['', but('bad'), { '307': empty(307, [['location', '/x']]) }],
  [
    'bad',
    `outside ${WIDE}`,
    {
      '1001': error('1001'),
      '1001, in another order': answer(400, { extra: 1, error_message: '', error_code: '1001' }),
      '1001 as problem+json': {
        ...error('1001'),
        fields: [['content-type', 'application/problem+json; charset=utf-8']],
      },
    },
  ],
  ['', `bad outside ${WIDE}`, { '1001, labelled as html': failed(400, '1001', '', HTML) }],
  [
    '',
    but('HEAD'),
    {
      '1001 in latin1': plain(400, Buffer.from('{"error_code":"1001","error_message":"\xe9"}', 'latin1')),
      '429 html': html(429),
      '502 html': html(502),
    },
  ],
  [
    '',
    `near transport content outside ${WIDE}`,
    { '400 html': html(400), '400 JSON, no error object': answer(400, ['error_code']) },
  ],
  ['', `near transport content outside ${HEAD}`, empties(400, 411, 413, 415)],
  [
    '',
    `near transport outside ${HEAD}`,
    {
      '401 with a challenge': empty(401, CHALLENGE),
      '405 with Allow': empty(405, [['allow', '']]),
      ...empties(404, 406, 412),
    },
  ],
  ['', `outside ${HEAD}`, empties(501)],
]
const forms = FORMS.flatMap(([allowed, silent, answers]) =>
  Object.entries(answers).map(([form, given]) => [form, given, allowed, silent] as const),
)
describe('forms of answers', () => {
  it.each(forms)('%s', (_, given, allowed, silent) => {
    const said = Object.entries(KINDS).map(([kind, change]) => [kind, ask(change, given).says])
    expect(said).toEqual(ALL.map((kind) => [kind, expected(allowed, silent, kind)]))
  })
  it('says nothing where no answer came', () => {
    for (const change of Object.values(KINDS)) expect(ask(change, null).says).toBe('silent')
  })
  const bare = { ...error('1006'), fields: [] }
  const challenged = { ...bare, fields: [['www-authenticate', ' ']] as Fields }
  it.each<readonly [Change, Answer, string]>([
    [{}, html(400), 'Responses, including errors, are JSON'],
    [{}, answer(400, {}), 'Error body (JSON), returned with'],
    [{}, answer(500, {}), 'Error body (JSON), returned with'],
    [{}, html(500), 'Error body (JSON), returned with'],
    [sent('If-None-Match', '"x"'), answer(304, []), 'do not include content'],
    // 401 needs a challenge, whatever else allows it; but what the specification says comes first.
    [{ api: WRONG }, bare, '15.5.2'],
    [{ api: WRONG }, challenged, '15.5.2'],
    [{}, bare, 'A5'],
  ])('quotes the sentence that forbids an answer %#', (change, given, because) => {
    expect(ask(change, given)).toMatchObject({ says: 'forbidden', because: expect.stringContaining(because) })
  })
  const TAG = sent('If-None-Match', '"x"')
  const RANGE = sent('Range', 'bytes=0-1')
  it.each<readonly [Change, number, string]>([
    [TAG, 304, 'allowed'],
    [{ ...sent('If-Modified-Since', 'x'), target: `/base${LIST}?b` }, 304, 'allowed'],
    [{ ...TAG, api: [] }, 304, 'forbidden'],
    [{ ...TAG, version: ['01'] }, 304, 'silent'],
    [{ ...TAG, method: 'HEAD' }, 304, 'silent'],
    [{ ...TAG, ...POST }, 304, 'forbidden'],
    [sent('If-Match', '"x"'), 304, 'forbidden'],
    [sent('If-Match', '"x"'), 412, 'silent'],
    [sent('Upgrade', 'x'), 101, 'silent'],
    [RANGE, 206, 'silent'],
    [{ ...RANGE, api: [] }, 206, 'forbidden'],
    [RANGE, 416, 'silent'],
    [sent('Expect', 'x'), 417, 'silent'],
    [{}, 417, 'forbidden'],
    [sent('Accept', 'text/html'), 406, 'silent'],
    [sent('Accept', 'application/json;q=0'), 406, 'silent'],
    [sent('Accept', 'application/json'), 406, 'forbidden'],
    [sent('Accept', 'text/html, */*;q=0.1'), 406, 'forbidden'],
  ])('judges a status by what the request asks for %#', (change, status, says) => {
    expect(ask(change, empty(status)).says).toBe(says)
  })
})
