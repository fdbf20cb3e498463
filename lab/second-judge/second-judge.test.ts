import { describe, expect, it } from 'vitest'
import { secondOpinion, type Opinion, type Recorded, type Service } from './second-judge.ts'

const LIST = '/api/customizations/list'
const service: Service = {
  basePath: '/base',
  clients: [
    { apiKey: 'ka', secretKey: 'sa', state: 'permitted' },
    { apiKey: 'kb', secretKey: 'sb', state: 'permitted' },
    { apiKey: 'kn', secretKey: 'sn', state: 'no-customer' },
    { apiKey: 'ki', secretKey: 'si', state: 'inactive' },
    { apiKey: 'ku', secretKey: 'su', state: 'unauthorized' },
    { apiKey: 'kx', secretKey: 'sx', state: 'exhausted' },
    { apiKey: 'k2', secretKey: 's2', state: 'exhausted' },
    { apiKey: 'k2', secretKey: 's3', state: 'permitted' },
  ],
  endpoints: [
    { method: 'GET', path: LIST, versions: [1], validQueries: ['', 'a=1'], invalidQueries: ['?a=x'] },
    { method: 'GET', path: '/api/two', versions: [1, 2], validQueries: [''], invalidQueries: [] },
    { method: 'GET', path: '/api/late', versions: [2], validQueries: [''], invalidQueries: [] },
    {
      method: 'GET',
      path: '/api/off',
      versions: [1],
      validQueries: [''],
      invalidQueries: [],
      inactive: true,
    },
    { method: 'POST', path: '/api/make', versions: [1], validQueries: [''], invalidQueries: [] },
  ],
  unsupportedVersions: [99, -1],
}
const STATUS: Record<string, number> = {
  1001: 400,
  1002: 400,
  1003: 400,
  1006: 401,
  1007: 401,
  1010: 400,
  1011: 401,
  1012: 401,
  1013: 401,
  1020: 429,
  1030: 400,
}
const CODES = Object.keys(STATUS)
const ANSWERS = ['success', ...CODES]
type Answer = NonNullable<Recorded['answer']>
type Fields = [name: string, value: string][]
const bytes = (content: unknown): Uint8Array =>
  Buffer.from(typeof content === 'string' ? content : JSON.stringify(content))
const CHALLENGE: Fields = [['WWW-Authenticate', 'ApiKey realm="x"']]
const answer = (status: number, content: unknown, fields: Fields = CHALLENGE): Answer => ({
  status,
  fields: [['Content-Type', 'application/json'], ...fields],
  body: bytes(content),
})
const error = (code: string, status = STATUS[code] ?? 400): Answer =>
  answer(status, { error_code: code, error_message: 'text' })
const plainAnswer = (name: string): Answer => (name === 'success' ? answer(200, { items: [] }) : error(name))

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
type Row = [situation: string, change: Change, allowed: string, silent: string]
const P = { api: ['ka'], secret: ['sa'] }
const CREDENTIALS: Row[] = [
  ['no flaw', P, 'success', ''],
  ['api key absent', { ...P, api: [] }, '1001', '1007'],
  ['secret absent', { ...P, secret: [] }, '1002', ''],
  ['api key absent, secret absent', { api: [], secret: [] }, '1001 1002', ''],
  ['api key wrong', { ...P, api: ['zz'] }, '1006', '1007 1012'],
  ['secret wrong', { ...P, secret: ['zz'] }, '1007', '1012'],
  ['api key wrong, secret wrong', { api: ['zz'], secret: ['zz'] }, '1006 1007', '1012'],
  ['api key absent, secret wrong', { api: [], secret: ['zz'] }, '1001 1007', '1012'],
  ['api key wrong, secret absent', { api: ['zz'], secret: [] }, '1006 1002', '1012'],
  ['secret of another client', { api: ['ka'], secret: ['sb'] }, '', '1006 1007 1012'],
  ['api key blank', { ...P, api: [' \t'] }, '', '1001 1006 1007 1012'],
  ['secret blank', { ...P, secret: [''] }, '', '1002 1007 1012'],
  ['api key blank, secret blank', { api: [''], secret: [''] }, '', '1001 1002 1006 1007 1012'],
  ['api key blank, secret absent', { api: [''], secret: [] }, '1002', '1001 1006 1012'],
  ['api key blank, secret wrong', { api: [''], secret: ['zz'] }, '1007', '1001 1006 1012'],
  ['api key absent, secret blank', { api: [], secret: [''] }, '1001', '1002 1007 1012'],
  ['api key wrong, secret blank', { api: ['zz'], secret: [''] }, '1006', '1002 1007 1012'],
  ['api key unclear', { ...P, api: ['ka', 'ka'] }, '', 'success 1001 1006 1007 1011 1012 1013 1020 1030'],
  ['secret unclear', { ...P, secret: ['sa', 'zz'] }, '', 'success 1002 1007 1012 1030'],
  [
    'api key unclear, secret unclear',
    { api: ['ka', 'ka'], secret: ['sa', 'sa'] },
    '',
    'success 1001 1002 1006 1007 1011 1012 1013 1020 1030',
  ],
  [
    'api key unclear, secret absent',
    { api: ['ka', 'ka'], secret: [] },
    '1002',
    '1001 1006 1007 1011 1012 1013 1020 1030',
  ],
  [
    'api key unclear, secret wrong',
    { api: ['ka', 'ka'], secret: ['zz'] },
    '1007',
    '1001 1006 1011 1012 1013 1020 1030',
  ],
  [
    'api key unclear, secret blank',
    { api: ['ka', 'ka'], secret: [''] },
    '',
    '1001 1002 1006 1007 1011 1012 1013 1020 1030',
  ],
  ['api key absent, secret unclear', { api: [], secret: ['sa', 'sa'] }, '1001', '1002 1007 1012 1030'],
  ['api key wrong, secret unclear', { api: ['zz'], secret: ['sa', 'sa'] }, '1006', '1002 1007 1012 1030'],
  ['api key blank, secret unclear', { api: [''], secret: ['sa', 'sa'] }, '', '1001 1002 1006 1007 1012 1030'],
  ['client no-customer', { api: ['kn'], secret: ['sn'] }, '1012', ''],
  ['client inactive', { api: ['ki'], secret: ['si'] }, '1011', ''],
  ['client unauthorized', { api: ['ku'], secret: ['su'] }, '1013', ''],
  ['client exhausted', { api: ['kx'], secret: ['sx'] }, '1020', ''],
  ['secret absent, client no-customer', { api: ['kn'], secret: [] }, '1002', '1012'],
  ['secret absent, client inactive', { api: ['ki'], secret: [] }, '1002 1011', ''],
  ['secret absent, client unauthorized', { api: ['ku'], secret: [] }, '1002 1013', ''],
  ['secret absent, client exhausted', { api: ['kx'], secret: [] }, '1002 1020', ''],
  ['secret wrong, client no-customer', { api: ['kn'], secret: ['zz'] }, '1007', '1012'],
  ['secret wrong, client inactive', { api: ['ki'], secret: ['zz'] }, '1007 1011', '1012'],
  ['secret wrong, client unauthorized', { api: ['ku'], secret: ['zz'] }, '1007 1013', '1012'],
  ['secret wrong, client exhausted', { api: ['kx'], secret: ['zz'] }, '1007 1020', '1012'],
  ['secret blank, client no-customer', { api: ['kn'], secret: [''] }, '', '1002 1007 1012'],
  ['secret blank, client inactive', { api: ['ki'], secret: [''] }, '1011', '1002 1007 1012'],
  ['secret blank, client unauthorized', { api: ['ku'], secret: [''] }, '1013', '1002 1007 1012'],
  ['secret blank, client exhausted', { api: ['kx'], secret: [''] }, '1020', '1002 1007 1012'],
  [
    'secret unclear, client no-customer',
    { api: ['kn'], secret: ['sn', 'sn'] },
    '',
    'success 1002 1007 1012 1030',
  ],
  ['secret unclear, client inactive', { api: ['ki'], secret: ['si', 'si'] }, '1011', '1002 1007 1012 1030'],
  [
    'secret unclear, client unauthorized',
    { api: ['ku'], secret: ['su', 'su'] },
    '1013',
    '1002 1007 1012 1030',
  ],
  ['secret unclear, client exhausted', { api: ['kx'], secret: ['sx', 'sx'] }, '1020', '1002 1007 1012 1030'],
  ['secret of another client, client no-customer', { api: ['kn'], secret: ['sa'] }, '', '1006 1007 1012'],
  ['secret of another client, client inactive', { api: ['ki'], secret: ['sa'] }, '1011', '1006 1007 1012'],
  [
    'secret of another client, client unauthorized',
    { api: ['ku'], secret: ['sa'] },
    '1013',
    '1006 1007 1012',
  ],
  ['secret of another client, client exhausted', { api: ['kx'], secret: ['sa'] }, '1020', '1006 1007 1012'],
]
const VERSIONS: Row[] = [
  ['no flaw', { version: ['1'] }, 'success', ''],
  ['version absent', { version: [] }, '1003', ''],
  ['version repeated', { version: ['1', '1'] }, '', 'success 1003 1010 1030'],
  ['version blank', { version: [' '] }, '', '1003 1010 1030'],
  ['version without the endpoint', { version: ['99'] }, '1010', ''],
  ['version not known', { version: ['7'] }, '', 'success 1010'],
  ['version oddly written', { version: ['01'] }, '', 'success 1010 1030'],
  ['version not an integer', { version: ['abc'] }, '1010', '1030'],
]
const TARGETS: Row[] = [
  ['no flaw', { target: `/base${LIST}?a=1` }, 'success', ''],
  ['query invalid', { target: `/base${LIST}?a=x` }, '1030', ''],
  ['query undocumented', { target: `/base${LIST}?b=1` }, 'success 1030', ''],
  ['content sent', { more: [['Content-Length', '2']] }, '', 'success 1030'],
  [
    'content sent, query undocumented',
    { target: `/base${LIST}?b=1`, more: [['Content-Length', '2']] },
    '1030',
    'success',
  ],
  [
    'content sent, query invalid',
    { target: `/base${LIST}?a=x`, more: [['Transfer-Encoding', 'chunked']] },
    '1030',
    '',
  ],
  ['endpoint inactive', { target: '/base/api/off' }, '1011', ''],
  ['endpoint inactive, query undocumented', { target: '/base/api/off?b' }, '1011 1030', ''],
]
/** No endpoint there, or none for certain: here the version and the client's state weigh otherwise. */
const NOWHERE: Row[] = [
  ['endpoint unknown', { target: '/base/api/none' }, '1010', ''],
  ['endpoint unknown, query sent', { target: '/base/api/none?b=1' }, '1010', '1030'],
  ['version absent, endpoint unknown', { target: '/base/api/none', version: [] }, '1003 1010', ''],
  ['endpoint unknown', { target: '/base/api/customizations', version: ['99'] }, '1010', ''],
  [
    'client inactive, endpoint unknown',
    { target: '/base/api/none', api: ['ki'], secret: ['si'] },
    '1010',
    '1011',
  ],
  [
    'client unauthorized, endpoint unknown',
    { target: '/base/api/none', api: ['ku'], secret: ['su'] },
    '1010',
    '1013',
  ],
  [
    'client exhausted, endpoint unknown',
    { target: '/base/api/none', api: ['kx'], secret: ['sx'] },
    '1010 1020',
    '',
  ],
  [
    'client no-customer, endpoint unknown',
    { target: '/base/api/none', api: ['kn'], secret: ['sn'] },
    '1010 1012',
    '',
  ],
  ['path near a known one', { target: `/base${LIST}/` }, '', 'success 1010'],
  ['path near a known one, query sent', { target: `/base${LIST}/?a=x` }, '', 'success 1010 1030'],
  ['path near a known one, endpoint inactive', { target: '/base/api/OFF' }, '', 'success 1010 1011'],
  [
    'client inactive, path near a known one',
    { target: '/base/api//two', api: ['ki'], secret: ['si'] },
    '',
    'success 1010 1011',
  ],
  [
    'version without the endpoint, path near a known one',
    { target: `/base${LIST}/`, version: ['99'] },
    '1010',
    '',
  ],
  ['api key absent, path near a known one', { target: `/base${LIST}/`, api: [] }, '1001', '1007 1010'],
  ['version absent, without version 1', { target: '/base/api/late', version: [] }, '1003', '1010'],
  ['version without the endpoint', { target: '/base/api/late' }, '1010', ''],
  ['no flaw', { target: '/base/api/late', version: ['2'] }, 'success', ''],
  ['no flaw', { method: 'POST', target: '/base/api/make' }, 'success', ''],
  [
    'content sent',
    { method: 'POST', target: '/base/api/make', more: [['content-length', '9']] },
    '',
    'success 1030',
  ],
  ['client exhausted', { api: ['k2'], secret: ['s2'] }, '1020', ''],
  ['no flaw', { api: ['k2'], secret: ['s3'] }, 'success', ''],
  ['secret wrong, client exhausted', { api: ['k2'], secret: ['zz'] }, '1007', '1012 1020'],
  ['transport may refuse', { noHost: true }, 'success', '1030'],
  ['query undocumented, transport may refuse', { target: `/base${LIST}?a[b]=1` }, 'success 1030', ''],
  [
    'api key absent, transport may refuse',
    { api: [], more: [['big', 'x'.repeat(9000)]] },
    '1001',
    '1007 1030',
  ],
]
const expected = (allowed: string, silent: string, name: string): string =>
  allowed.split(' ').includes(name) ? 'allowed' : silent.split(' ').includes(name) ? 'silent' : 'forbidden'

describe.each([
  ['credentials', CREDENTIALS],
  ['versions', VERSIONS],
  ['targets', TARGETS],
  ['nowhere', NOWHERE],
] as const)('%s', (_, rows) => {
  it.each(rows)('%s %#', (situation, change, allowed, silent) => {
    for (const name of ANSWERS) {
      const opinion = ask(change, plainAnswer(name))
      expect([name, opinion.says, opinion.situation]).toEqual([
        name,
        expected(allowed, silent, name),
        situation,
      ])
      expect(opinion.because).not.toBe('')
    }
  })
})

it('several flaws: the answer to any of them, and no success', () => {
  const seen = new Set<string>()
  for (const [, c, ca, cs] of CREDENTIALS)
    for (const [, v, va, vs] of VERSIONS)
      for (const [, t, ta, ts] of TARGETS) {
        const change = { ...c, ...v, ...t }
        for (const name of ANSWERS) {
          const opinion = ask(change, plainAnswer(name))
          seen.add(opinion.situation)
          const each = [expected(ca, cs, name), expected(va, vs, name), expected(ta, ts, name)]
          const strictest = ['forbidden', 'silent', 'allowed']
          const inOrder = name === 'success' ? strictest : strictest.toReversed()
          const want = inOrder.find((one) => each.some((says) => says === one))
          expect([opinion.situation, name, opinion.says]).toEqual([opinion.situation, name, want])
        }
      }
  for (const [, change] of NOWHERE) seen.add(ask(change, null).situation)
  for (const [, change] of KINDS) seen.add(ask(change, null).situation)
  expect(seen.size).toBeGreaterThan(3_000)
})

const same = (situation: string, ...changes: Change[]): void => {
  for (const change of changes) expect([change, ask(change, null).situation]).toEqual([change, situation])
}
it('reads one situation in many writings', () => {
  same(
    'no flaw',
    { api: [' \tka\t '], secret: ['sa '], version: ['\t1 '] },
    { target: '/base/api/two', version: ['2'] },
    {
      more: [
        ['Content-Length', '0'],
        ['Accept', 'text/html'],
      ],
    },
  )
  same(
    'api key wrong',
    { api: ['KA'] },
    { api: ['ka,ka'] },
    { api: ['k a'] },
    { api: ['sa'] },
    { api: ['zz\xa0'] },
  )
  same(
    'api key unclear',
    { api: ['ka\xa0'] },
    { api: ['\xc2\xa0ka'] },
    { api: ['\xa0'] },
    { api: ['ka', 'zz'] },
    { api: ['', ''] },
  )
  same(
    'version oddly written',
    ...['+1', '1.0', '1e0', '0x1', '-0', '1,1', 'v1', '٣', '-5', '١', '99999999999999999999', '1 1'].map(
      (v) => ({ version: [Buffer.from(v).toString('latin1')] }),
    ),
  )
  same(
    'version not an integer',
    ...['abc', 'one', 'null', '-', '*', 'NaN', 'Infinity'].map((v) => ({ version: [v] })),
  )
  same('version without the endpoint', { version: ['2'] }, { version: ['-1'] })
  same('version not known', { version: ['0'] }, { target: '/base/api/two', version: ['3'] })
  same(
    'path near a known one',
    ...[
      '//api/customizations/list',
      '/base/api/customizations/List',
      '/base/api/customizations/%6Cist',
      '/base/api/./customizations/list',
      '/base/api/x/../customizations/list',
      '/base/api/customizations%2Flist',
      '/base/api/customizations/list;v=1',
      '/base/api/customizations/list%20',
    ]
      .slice(1)
      .map((target) => ({ target })),
  )
  same(
    'endpoint unknown',
    ...['/base/api/customizations/lists', '/base/api/customizations/list/x', '/base/api/'].map((target) => ({
      target,
    })),
  )
  same(
    'path outside {base_url}/api/',
    ...['/', '/base/api', LIST, '//base/api/two', '/base/API/two', '/based/api/two'].map((target) => ({
      target,
    })),
  )
  same(
    'query undocumented',
    { target: `/base${LIST}?` },
    { target: `/base${LIST}??a=1` },
    { target: `/base${LIST}?a=%31` },
  )
  same(
    'malformed head',
    { malformed: true },
    { more: [['a b', 'c']] },
    { more: [['a', 'b\0']] },
    { api: ['ka\x0b'] },
    { method: 'G T' },
    {
      more: [
        ['content-length', '1'],
        ['content-length', '1'],
      ],
    },
    { more: [['content-length', '-1']] },
    {
      more: [
        ['content-length', '1'],
        ['transfer-encoding', 'chunked'],
      ],
    },
  )
  same('target not in origin form', { target: '*' }, { target: 'http://h/base/api/two' }, { target: 'h:1' })
  same(
    'another method',
    { method: 'DELETE' },
    { method: 'DELETE', target: '/base/api/none' },
    { method: 'GET', target: '/base/api/make' },
    { method: 'get' },
  )
  same('method OPTIONS', { method: 'OPTIONS', target: '/base/api/none' })
  same('transport may refuse', { more: [['host', 'h']] }, { noHost: true })
  same('no flaw', { noHost: true, more: [[':authority', 'h']] })
  expect(
    secondOpinion({ ...service, basePath: '' }, { request: request({ target: LIST }), answer: null })
      .situation,
  ).toBe('no flaw')
  expect(
    secondOpinion({ ...service, basePath: '/base/' }, { request: request(), answer: null }).situation,
  ).toBe('no flaw')
})

/** One request of each kind, for the forms of answers. */
const KINDS: [kind: string, change: Change][] = [
  ['good', {}],
  ['bad', { api: [] }],
  ['open', { version: ['01'] }],
  ['free', { target: `/base${LIST}?b=1` }],
  ['near', { target: `/base${LIST}/` }],
  ['transport', { noHost: true }],
  ['content', { more: [['content-length', '3']] }],
  ['malformed', { malformed: true }],
  ['form', { target: '*' }],
  ['DELETE', { method: 'DELETE' }],
  ['POST', { method: 'POST' }],
  ['OPTIONS', { method: 'OPTIONS' }],
  ['HEAD', { method: 'HEAD' }],
  ['outside', { target: '/' }],
  ['post', { method: 'POST', target: '/base/api/make' }],
]
const html = (status: number, fields: Fields = []): Answer => ({
  status,
  fields: [['content-type', 'text/html'], ...fields],
  body: bytes('<p>'),
})
const empty = (status: number, fields: Fields = []): Answer => ({ status, fields, body: new Uint8Array() })
const WIDE = ['malformed', 'form', 'DELETE', 'POST', 'OPTIONS', 'HEAD']
const ALL = KINDS.map(([kind]) => kind)
const but = (...kinds: string[]): string[] => ALL.filter((kind) => !kinds.includes(kind))
/** form, answer, kinds for which it is allowed, kinds for which it is silent; forbidden for the others. */
const FORMS: [form: string, answer: Answer, allowed: string[], silent: string[]][] = [
  [
    'success',
    answer(200, []),
    ['good', 'free', 'transport', 'post'],
    ['open', 'near', 'content', 'outside', ...WIDE.slice(0, 5)],
  ],
  ['success, no content', empty(200), [], [...WIDE, 'outside']],
  ['success, html', html(200), [], [...WIDE.slice(0, 5), 'outside']],
  ['success, html labelled as JSON', answer(200, '<p>'), [], [...WIDE.slice(0, 5), 'outside']],
  ['success, cut JSON', answer(200, '{"a":'), [], [...WIDE.slice(0, 5), 'outside']],
  [
    'success, JSON labelled as html',
    answer(200, [], [['content-type', 'text/html']]),
    [],
    ['good', 'free', 'transport', 'post', 'open', 'near', 'content', 'outside', ...WIDE.slice(0, 5)],
  ],
  [
    'success, JSON not labelled',
    { status: 200, fields: [], body: bytes([]) },
    ['good', 'free', 'transport', 'post'],
    ['open', 'near', 'content', 'outside', ...WIDE.slice(0, 5)],
  ],
  [
    'success, JSON in latin1',
    { status: 200, fields: [], body: Buffer.from('"\xe9"', 'latin1') },
    [],
    but('bad', 'HEAD'),
  ],
  ['error object under 200', answer(200, { error_code: '1001', error_message: '' }), [], ['outside']],
  ['unknown code under 200', answer(200, { error_code: 'x', error_message: '' }), [], but('bad', 'HEAD')],
  [
    'null code under 200',
    answer(200, { error_code: null }),
    ['good', 'free', 'transport', 'post'],
    ['open', 'near', 'content', 'outside', ...WIDE.slice(0, 5)],
  ],
  ['201', answer(201, {}), [], but('bad', 'HEAD')],
  ['204', empty(204), [], [...WIDE, 'outside', 'post']],
  ['204 with content', answer(204, {}), [], []],
  ['205 with content', answer(205, {}), [], []],
  ['205', empty(205), [], [...WIDE, 'outside', 'post']],
  ['206 not asked for', answer(206, {}), [], []],
  ['100', empty(100), [], ALL],
  ['101 not asked for', empty(101), [], []],
  ['304 not asked for', empty(304), [], []],
  ['307', empty(307, [['location', '/x']]), [], but('bad')],
  ['307 with an error object', answer(307, { error_code: '1001', error_message: '' }), [], ['outside']],
  ['1001', error('1001'), ['bad'], ['outside', ...WIDE.slice(0, 5)]],
  [
    '1001, more properties, other order',
    answer(400, { extra: 1, error_message: '', error_code: '1001' }),
    ['bad'],
    ['outside', ...WIDE.slice(0, 5)],
  ],
  [
    '1001, labelled as html',
    answer(400, { error_code: '1001', error_message: '' }, [['content-type', 'text/html']]),
    [],
    ['bad', 'outside', ...WIDE.slice(0, 5)],
  ],
  [
    '1001 as problem+json',
    { ...error('1001'), fields: [['content-type', 'application/problem+json; charset=utf-8']] },
    ['bad'],
    ['outside', ...WIDE.slice(0, 5)],
  ],
  [
    '1001 in latin1',
    { status: 400, fields: [], body: Buffer.from('{"error_code":"1001","error_message":"\xe9"}', 'latin1') },
    [],
    but('HEAD'),
  ],
  ['1001 as a number', answer(400, { error_code: 1001, error_message: '' }), [], ['outside']],
  ['1001, no message', answer(400, { error_code: '1001' }), [], ['outside']],
  ['1001, null message', answer(400, { error_code: '1001', error_message: null }), [], ['outside']],
  ['message, no code', answer(400, { error_message: '' }), [], ['outside']],
  ['code not in the tables', answer(400, { error_code: '1004', error_message: '' }), [], ['outside']],
  ['code of Object', answer(400, { error_code: 'toString', error_message: '' }), [], ['outside']],
  ['1001 under 401', error('1001', 401), [], ['outside']],
  ['1001 under 500', error('1001', 500), [], ['outside']],
  ['1020 under 503', error('1020', 503), [], ['outside']],
  ['400 html', html(400), [], ['near', 'transport', 'content', 'outside', ...WIDE.slice(0, 5)]],
  ['400 empty', empty(400), [], ['near', 'transport', 'content', 'outside', ...WIDE]],
  [
    '400 JSON, no error object',
    answer(400, ['error_code']),
    [],
    ['near', 'transport', 'content', 'outside', ...WIDE.slice(0, 5)],
  ],
  ['401 empty, challenge', empty(401, CHALLENGE), [], ['near', 'transport', 'outside', ...WIDE]],
  ['401 empty, no challenge', empty(401), [], []],
  ['404 empty', empty(404), [], ['near', 'transport', 'outside', ...WIDE]],
  ['404 with an unknown code', answer(404, { error_code: '404', error_message: '' }), [], ['outside']],
  ['405 with Allow', empty(405, [['allow', '']]), [], ['near', 'transport', 'outside', ...WIDE]],
  ['405 without Allow', empty(405), [], []],
  ['406', empty(406), [], ['near', 'transport', 'outside', ...WIDE]],
  ['411', empty(411), [], ['near', 'transport', 'content', 'outside', ...WIDE]],
  ['415', empty(415), [], ['near', 'transport', 'content', 'outside', ...WIDE]],
  ['413', empty(413), [], ['near', 'transport', 'content', 'outside', ...WIDE]],
  ['412', empty(412), [], ['near', 'transport', 'outside', ...WIDE]],
  ...[407, 408, 414, 421, 431, 505].map((status): (typeof FORMS)[number] => [
    `${status}`,
    empty(status),
    [],
    ALL,
  ]),
  ['429 html', html(429), [], but('HEAD')],
  ['429 empty', empty(429), [], ALL],
  ['429 with another code', answer(429, { error_code: '1021', error_message: '' }), [], ['outside']],
  ['500 empty', empty(500), [], ['outside']],
  ['500 JSON', answer(500, {}), [], ['outside']],
  ['501', empty(501), [], ['outside', ...WIDE]],
  ['502', html(502), [], but('HEAD')],
  ['503', empty(503), [], ALL],
  ['504', empty(504), [], ALL],
  ['599', empty(599), [], ['outside']],
  ['600', empty(600), [], []],
  ['99', empty(99), [], []],
]
describe('forms of answers', () => {
  it.each(FORMS)('%s', (_, a, allowed, silent) => {
    for (const [kind, change] of KINDS) {
      expect([kind, ask(change, a).says]).toEqual([
        kind,
        allowed.includes(kind) ? 'allowed' : silent.includes(kind) ? 'silent' : 'forbidden',
      ])
      expect(ask(change, null).says).toBe('silent')
    }
  })
  it('quotes the sentence on JSON for what is no JSON, and the one on the error body otherwise', () => {
    expect(ask({}, html(400)).because).toContain('Responses, including errors, are JSON')
    for (const a of [answer(400, {}), answer(500, {}), html(500)])
      expect(ask({}, a).because).toContain('Error body (JSON), returned with')
    expect(ask({ more: [['If-None-Match', '"x"']] }, answer(304, [])).because).toContain(
      'do not include content',
    )
  })
  it('401 needs a challenge, whatever else allows it', () => {
    const bare = { ...error('1006'), fields: [] }
    expect(ask({ api: ['zz'] }, bare)).toMatchObject({
      says: 'forbidden',
      because: expect.stringContaining('15.5.2'),
    })
    expect(ask({ api: ['zz'] }, { ...bare, fields: [['www-authenticate', ' ']] }).says).toBe('forbidden')
    expect(ask({}, bare).because).toContain('A5') // what the specification says comes first
  })
  it('statuses which the request asks for', () => {
    const given = (name: string, value: string, more: Change = {}): Change => ({
      ...more,
      more: [[name, value]],
    })
    for (const [change, status, says] of [
      [given('If-None-Match', '"x"'), 304, 'allowed'],
      [given('If-Modified-Since', 'x', { target: `/base${LIST}?b` }), 304, 'allowed'],
      [given('If-None-Match', '"x"', { api: [] }), 304, 'forbidden'],
      [given('If-None-Match', '"x"', { version: ['01'] }), 304, 'silent'],
      [given('If-None-Match', '"x"', { method: 'HEAD' }), 304, 'silent'],
      [given('If-None-Match', '"x"', { method: 'POST', target: '/base/api/make' }), 304, 'forbidden'],
      [given('If-Match', '"x"'), 304, 'forbidden'],
      [given('If-Match', '"x"'), 412, 'silent'],
      [given('Upgrade', 'x'), 101, 'silent'],
      [given('Range', 'bytes=0-1'), 206, 'silent'],
      [given('Range', 'bytes=0-1', { api: [] }), 206, 'forbidden'],
      [given('Range', 'bytes=0-1'), 416, 'silent'],
      [given('Expect', 'x'), 417, 'silent'],
      [{}, 417, 'forbidden'],
      [given('Accept', 'text/html'), 406, 'silent'],
      [given('Accept', 'application/json;q=0'), 406, 'silent'],
      [given('Accept', 'application/json'), 406, 'forbidden'],
      [given('Accept', 'text/html, */*;q=0.1'), 406, 'forbidden'],
    ] as [Change, number, string][])
      expect([change, status, ask(change, empty(status)).says]).toEqual([change, status, says])
  })
})
