import { expect, it } from 'vitest'
import { secondOpinion, type Recorded, type Service } from './second-judge.ts'

type Answer = Recorded['answer']
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
const named = (name: string, values: string[]): Fields => values.map((value) => [name, value])
const answer = (status: number, content: object): Answer => {
  const challenge = named('WWW-Authenticate', ['ApiKey realm="x"'])
  const fields = [...named('Content-Type', ['application/json']), ...challenge]
  return { status, fields, body: Buffer.from(JSON.stringify(content)) }
}
const errorOf = (code: string) => answer(STATUS[code] ?? 0, { error_code: code, error_message: 'text' })
/** A success, and each documented error. */
const ERRORS = Object.keys(STATUS).map((code): [string, Answer] => [code, errorOf(code)])
const ANSWERS: [string, Answer][] = [['success', answer(200, { items: [] })], ...ERRORS]

/** The plain good request. */
const GOOD = { method: 'GET', target: `/base${LIST}`, api: ['ka'], secret: ['sa'], version: ['1'] }
type Change = Partial<typeof GOOD & { more: Fields; host: string[] }>
const request = (change: Change): Recorded['request'] => {
  const { method, target, api, secret, version, more = [], host = ['h'] } = { ...GOOD, ...change }
  const credentials = [...named('X-Api-Key', api), ...named('x-secret-key', secret)]
  const fields = [...named('Host', host), ...credentials, ...named('X-VERSION', version), ...more]
  return { method, target, fields }
}

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
  ['transport may refuse', { host: [] }, 'success', '1030'],
  ['query undocumented, transport may refuse', { target: `/base${LIST}?a[b]=1` }, 'success 1030', ''],
  ['api key absent, transport may refuse', { api: [], ...LONG }, '1001', '1007 1030'],
]
const expected = (allowed: string, silent: string, name: string): string =>
  allowed.split(' ').includes(name) ? 'allowed' : silent.split(' ').includes(name) ? 'silent' : 'forbidden'

const ROWS = [...KEYS, ...SECRETS, ...BESIDE, ...VERSIONS, ...TARGETS, ...NOWHERE]
it.each(ROWS)('the second judge reads %s (%#)', (situation, change, allowed, silent) => {
  for (const [name, given] of ANSWERS) {
    const opinion = secondOpinion(service, { request: request(change), answer: given })
    expect(opinion).toMatchObject({ says: expected(allowed, silent, name), situation })
    expect(opinion.because).not.toBe('')
  }
})
