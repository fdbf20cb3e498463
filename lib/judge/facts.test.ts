import { expect, test } from 'vitest'
import type { Field, Request } from '../http/exchange.ts'
import { Secret } from '../redact/secret.ts'
import { listEndpoint } from '../run/testing/contexts.ts'
import { type Answer, documentedPairs } from '../specification/answers.ts'
import type { ClientName } from '../specification/client-rows.ts'
import { type Facts, factNames, flawRows, flawless } from '../specification/flaws.ts'
import { allowed, certainFlaws, factsIfKnown, factsOf, hasUncertainFlaw } from './facts.ts'
import { versionFact, hasMalformedLine, isReadInOneWay, readingsOf } from './facts.ts'
import type { KnownClient, KnownEndpoint, TargetModel } from './target-model.ts'

const listed: KnownEndpoint = { ...listEndpoint, invalidQuery: 'limit=abc' }
const paged: KnownEndpoint = { ...listed, path: '/api/cards/all', query: 'page=1', label: 'cards' }
const inactive: KnownEndpoint = { ...listed, path: '/api/cards/old', inactive: true, label: 'old' }

const target = client('target', 'key-of-the-target', 'secret-of-the-target')
const second = client('second', 'key-of-the-second', 'secret-of-the-second')

const others = ['noCustomer', 'inactive', 'unauthorized', 'exhausted'] as const
const refused = others.map((name) => client(name, `key-of-${name}`, `secret-of-${name}`))

const endpoints = [listed, paged, inactive]
const model: TargetModel = { clients: [target, second, ...refused], endpoints, unsupportedVersion: '77' }

function client(name: ClientName, key: string, secret: string): KnownClient {
  return { name, credentials: { apiKey: new Secret('KEY', key), secretKey: new Secret('SECRET', secret) } }
}

interface Sent extends Partial<Readonly<Record<'key' | 'secret' | 'version', string | null>>> {
  readonly method?: string
  readonly target?: string
  readonly more?: readonly Field[]
}

/** The plain request of the target client, with changes. Null omits a field. */
function request(sent: Sent = {}): Request {
  const { key = 'key-of-the-target', secret = 'secret-of-the-target', version = '1', more = [] } = sent
  const fields = [...fieldsOf({ 'x-api-key': key, 'x-secret-key': secret, 'x-version': version }), ...more]
  return { method: sent.method ?? 'GET', target: sent.target ?? listed.path, fields }
}

/** The fields with these values by name, except null. */
const fieldsOf = (values: Readonly<Record<string, Field['value'] | null>>): readonly Field[] =>
  Object.entries(values).flatMap(([name, value]) => (value === null ? [] : [{ name, value }]))

/** The facts that differ from those of a plain valid request. */
function flaws(sent: Sent, known: TargetModel = model): Partial<Facts> {
  const plain: Readonly<Record<string, string>> = { ...flawless }
  const facts = Object.entries(factsOf(request(sent), known))
  return Object.fromEntries(facts.filter(([name, value]) => plain[name] !== value))
}

const exhausted = client('exhausted', 'key-of-the-target', 'secret-exhausted')
const sharing: TargetModel = { ...model, clients: [target, second, exhausted] }
const ofSameSecret = client('second', 'key-of-the-second', 'secret-of-the-target')
const twins: TargetModel = { ...model, clients: [target, ofSameSecret] }
const [shared, twin] = [{ secret: 'secret-of-the-second' }, { key: 'key-of-the-second' }]
const otherPair = { ...shared, ...twin }
const nobody = { key: 'nobody', secret: 'nobodys' }
const absent = { key: null, secret: null, version: null }
const { apiKey, secretKey } = target.credentials
const secretFields = fieldsOf({ 'x-api-key': apiKey, 'x-secret-key': secretKey })
const bothWrong = { apiKey: 'invalid', secretKey: 'nobodys' } as const

test.each<[about: string, carrying: Sent, flaws: Partial<Facts>, known?: TargetModel]>([
  ['no flaw', {}, {}],
  ['credentials as secrets', { key: null, secret: null, more: secretFields }, {}],
  ['another field sent twice', { more: ['a', 'b'].map((value) => ({ name: 'accept', value })) }, {}],
  ['spaces around', { key: ' \tkey-of-the-target ', secret: 'secret-of-the-target\t', version: ' 1' }, {}],
  ['a no-break space before the key', { key: '\u00a0key-of-the-target' }, { apiKey: 'invalid' }],
  ['a vertical tab after the secret', { secret: 'secret-of-the-target\u000b' }, { secretKey: 'nobodys' }],
  ...['', ' ', '\t \t'].flatMap((blank): [string, Sent, Partial<Facts>][] => [
    [`a key ${JSON.stringify(blank)}`, { key: blank }, { apiKey: 'blank' }],
    [`a secret ${JSON.stringify(blank)}`, { secret: blank }, { secretKey: 'blank' }],
    [`a version ${JSON.stringify(blank)}`, { version: blank }, { version: 'blank' }],
  ]),
  ['no key', { key: null }, { apiKey: 'absent' }],
  ['no secret', { secret: null }, { secretKey: 'absent' }],
  ['no version', { version: null }, { version: 'absent' }],
  ['no key, secret or version', absent, { apiKey: 'absent', secretKey: 'absent', version: 'absent' }],
  ['the key in another letter case', { key: 'Key-of-the-target' }, { apiKey: 'invalid' }],
  ['a missing character in the secret', { secret: 'secret-of-the-targe' }, { secretKey: 'nobodys' }],
  ['key and secret swapped', { key: 'secret-of-the-target', secret: 'key-of-the-target' }, bothWrong],
  ["another client's secret", shared, { secretKey: 'another-clients' }],
  ["another client's key", twin, { secretKey: 'another-clients' }],
  ["another client's credentials", otherPair, {}],
  ["an unknown key and a client's secret", { ...shared, key: 'nobody' }, { apiKey: 'invalid' }],
  ["no key and a client's secret", { ...shared, key: null }, { apiKey: 'absent' }],
  ['an unknown key and secret', nobody, bothWrong],
  ['a key that two clients share', {}, {}, sharing],
  ["a key of two and the other's secret", { secret: 'secret-exhausted' }, { quota: 'used-up' }, sharing],
  ["a key of two clients, and a third client's secret", shared, { secretKey: 'another-clients' }, sharing],
  ['a secret that two clients share', {}, {}, twins],
  ["a secret that two clients share, and the other client's key", twin, {}, twins],
])('factsOf determines the facts of a request with %s', (_, sent, expected, known = model) => {
  expect(flaws(sent, known)).toEqual(expected)
})

test('facts do not depend on the letter case or the order of field names', () => {
  const shouted = request().fields.map(({ name, value }) => ({ name: name.toUpperCase(), value }))
  expect(factsOf({ ...request(), fields: shouted.toReversed() }, model)).toEqual(flawless)
})

test.each(['x-api-key', 'x-secret-key', 'x-version'])('facts are unknown if %s is repeated', (name) => {
  for (const again of [name, name.toUpperCase()]) {
    const twice = request({ more: [{ name: again, value: '1' }] })
    expect(() => factsOf(twice, model)).toThrow(RangeError)
    expect(factsIfKnown(twice, model)).toBeNull()
  }
  expect(factsIfKnown(request({ version: null }), model)).toEqual(factsOf(request({ version: null }), model))
})

test.each([
  ['noCustomer', { customer: 'none' }],
  ['inactive', { state: 'inactive' }],
  ['unauthorized', { permission: 'denied' }],
  ['exhausted', { quota: 'used-up' }],
] as const)('the credentials of the client %s determine its facts', (name, expected) => {
  expect(flaws({ key: `key-of-${name}`, secret: `secret-of-${name}` })).toEqual(expected)
  expect(flaws({ key: `key-of-${name}`, secret: 'nobodys' })).toEqual({ ...expected, secretKey: 'nobodys' })
})

const list = '/api/customizations/list'
const zz = 'zzqwertyuiopasdf'
test.each<[endpoint: Facts['endpoint'], paths: readonly string[]]>([
  ['unknown', [`/api/${zz}`, `/api/${zz}/list`, `/api/${zz}/customizations/list`, `/api/${zz}/`]],
  ['uncertain', [`${list}/`, '/API/customizations/list', '/api/Customizations/list']],
  ['uncertain', ['/api/customizations/LIST', '/api//customizations/list', '/api/customizations//list']],
  ['uncertain', ['/api/customizations', '/api/customization/list', '/api/customizations.json', `${list}s`]],
  ['uncertain', [`${list}.json`, `${list}/1`, '/v1/customizations/list', `/v1/${zz}`, `/${zz}/list`]],
  ['uncertain', ['/api/zzshort', `/api/list/${zz}`, '/']],
  // Near misses from the fuzzing catalogue: a changed letter, a suffix, another encoding.
  ['uncertain', ['/api/%63ustomizations/list']],
])('the endpoint is %s for the paths %j', (endpoint, paths) => {
  for (const path of paths) expect(flaws({ target: path }), path).toEqual({ endpoint })
})

const ofOthers: TargetModel = { ...model, endpoints: [listed, { ...paged, version: '3' }] }
const newer: KnownEndpoint = { ...paged, version: '2', query: 'size=1' }
const ofSeveral: TargetModel = { ...model, endpoints: [listed, paged, newer] }
const ofNone: TargetModel = { ...model, endpoints: [] }
const noInvalid = [listed, paged].map((one) => ({ ...one, invalidQuery: null }))
const ofNoInvalidQuery: TargetModel = { ...model, endpoints: noInvalid }
const [all, old] = ['/api/cards/all', '/api/cards/old']

test.each<[target: string, more: Sent, flaws: Partial<Facts>, known?: TargetModel]>([
  [list, { method: 'HEAD' }, { endpoint: 'uncertain' }],
  [list, { method: 'POST' }, { endpoint: 'uncertain' }],
  [old, {}, { state: 'inactive' }],
  [old, { key: null }, { state: 'inactive', apiKey: 'absent' }],
  [`${all}?page=1`, { version: '3' }, {}, ofOthers],
  [`${all}?page=1`, { version: '1' }, { version: 'other' }, ofOthers],
  [`${all}?page=1`, { version: '77' }, { version: 'unsupported' }, ofOthers],
  [list, { version: '3' }, { version: 'other' }, ofOthers],
  [`${all}?page=1`, { version: '1' }, {}, ofSeveral],
  [`${all}?size=1`, { version: '2' }, {}, ofSeveral],
  [`${all}?page=1`, { version: '2' }, { input: 'uncertain' }, ofSeveral],
  [list, { version: '1' }, { endpoint: 'uncertain' }, ofNone],
  [list, { version: '2' }, { endpoint: 'uncertain', version: 'other' }, ofNone],
  [`${list}?limit=abc`, {}, { input: 'invalid' }],
  [`${list}?limit=abc&page=1`, {}, { input: 'uncertain' }],
  [`${list}?a=1?b`, {}, { input: 'uncertain' }],
  [`${all}?page=1`, {}, {}],
  [all, {}, { input: 'uncertain' }],
  [`${all}?page=1&debug=true`, {}, { input: 'uncertain' }],
  [`${all}?limit=abc`, {}, { input: 'invalid' }],
  [`/api/${zz}?limit=abc`, {}, { endpoint: 'unknown', input: 'uncertain' }],
  [`${list}?limit=abc`, {}, { input: 'uncertain' }, ofNoInvalidQuery],
  [all, {}, { input: 'uncertain' }, ofNoInvalidQuery],
])('a request to %s with %o has the flaws %o', (path, more, expected, known = model) => {
  expect(flaws({ ...more, target: path }, known)).toEqual(expected)
})

const known = { served: '1', unsupported: '99' }

/** The text as it arrives, with one character per byte. */
const bytes = (text: string): string => Buffer.from(text, 'utf8').toString('latin1')

test.each([
  ['blank', ['']],
  ['served', ['1']],
  ['unsupported', ['99', '100000000', '2147483647', '123456789']],
  ['out-of-range', ['2147483648', '-1', '4294967297', '9007199254740993', '18446744073709551617']],
  ['out-of-range', [`1${'0'.repeat(309)}`]],
  ['other', ['0', '2', '3', '99999999']],
  ['odd', ['00', '01', '+1', '+01', '-0', '-01', '007', '12.0', '1.0', '1.', '+1.00', '-10.0']],
  ['odd', ['0x1', '0XfF', '+0x1F', '-0x0', '0o7', '0o17', '-0O7', '0b1', '0b101', '+0B10']],
  ['odd', ['1e0', '1E2', '12e3', '1e+10', '1e-2', '-1e0', '1.e2', '1.5e1', '1.25e2', '+10.50e12']],
  ['odd', ['1_0', '12_345', '1_000_000', '+1_0', '-1_00']],
  ['odd', ['０', '１', '１２', '-１', '+１０', '١', '٤٢']],
  ['malformed', ['abc', 'v1', '1abc', '1 1', '1;', '1,2', 'null', '½', '一', '\u200b1', '٤٢x', 'x٤٢']],
  ['malformed', ['--1', '+-1', '++1', '+', '-', '1-', '1.5', '.0', '1.0.0', '1.01', 'v1.0', '1.0a']],
  ['malformed', ['0x', '0xg', '0x1g', '1x1', 'v0x1']],
  ['malformed', ['0o', '0o8', '0o18', 'v0o7', '0b', '0b2', '0b12', 'v0b1']],
  ['malformed', ['e1', '1e', '1e+', '1ee1', 'v1e0', '1e0x', '1e1.5', '1e*2', '1.xe2', '1..e2', '1.5e']],
  ['malformed', ['_1', '1_', '1__0', 'v1_0', '1_0x', '1_x', '1_0_']],
] as const)('a version is read as %s: %#', (fact, values) => {
  for (const value of values) expect(versionFact(bytes(value), known), value).toBe(fact)
})

test.each<[more: Partial<Request>, input: Facts['input']]>([
  [{ body: '{"limit":1}' }, 'valid'],
  [{ body: '{"limit":2}' }, 'uncertain'],
  [{}, 'uncertain'],
  [{ body: '{"limit":1}', target: '/api/cards?a=1' }, 'uncertain'],
])('the input of a request with %j is %s', (more, input) => {
  const posting = { ...listed, method: 'POST', path: '/api/cards', body: '{"limit":1}' } as const
  const sent = { method: 'POST', target: '/api/cards', fields: [], ...more }

  expect(factsOf(sent, { ...model, endpoints: [posting] }).input).toBe(input)
})

/** A request with these fields before two others. */
function carrying(...fields: readonly Field[]): Request {
  return { method: 'GET', target: '/', fields: [...fields, ...fieldsOf({ accept: 'a/b', 'x-version': '1' })] }
}

const key = (value: string, name = 'X-Api-Key'): Request => carrying({ name, value })

/** The fields of every reading, as lines. */
const lines = (one: Request): readonly (readonly string[])[] =>
  readingsOf(one).map(({ fields }) => fields.map(({ name, value }) => `${name}: ${String(value)}`))

const asSent = (value: string): readonly string[] => [`X-Api-Key: ${value}`, 'accept: a/b', 'x-version: 1']

type Further = (value: string) => readonly (readonly string[])[]

const kept: Further = (value) => [asSent(`.${value}.`)]
const without: Further = (value) => [asSent(value).slice(1)]
const cut: Further = () => [['accept: a/b']]
const inOneWay: Further = () => []

test.each<[about: string, further: Further, isMalformed: boolean, values: readonly string[]]>([
  ['in only one way', inOneWay, false, ['key', '', ' key', 'a\tb', 'x'.repeat(2_000), 'a b', '~']],
  ['also with the white space kept', kept, false, ['key ', 'key\t', '\tkey', '  \tkey', ' key ']],
  ['also without the field, if it goes beyond ASCII', without, false, ['k\u0080', '\u00ff', 'a\u00e9b']],
  ['also without a required field', cut, true, ['k\0', 'a\u0001', 'a\u0008b', 'a\nb', 'a\u001fb', '\u007f']],
  ['also without any required field', cut, true, ['x'.repeat(2_001)]],
  ['in several ways', (value) => [...kept(value), ...without(value), ...cut(value)], true, ['\u00e9\0 ']],
])('a service may read a request %s: %#', (_, further, isMalformed, values) => {
  for (const value of values) {
    const [ways, one] = [further(value), key(value)]
    expect(lines(one), value).toEqual([asSent(value), ...ways])
    expect([isReadInOneWay(one), hasMalformedLine(one)]).toEqual([ways.length === 0, isMalformed])
    expect(isReadInOneWay(key(value, 'x-other'))).toBe(true)
  }
})

test('a request has several readings if any of its fields has several', () => {
  const both = (value: string): Request => carrying(...key('key').fields, { name: 'x-secret-key', value })

  expect([isReadInOneWay(both('s ')), hasMalformedLine(both('\0'))]).toEqual([false, true])
})

/** The table of allowed answers, one row per line, written independently of the code. */
const table: readonly (readonly [facts: Partial<Facts>, answers: string])[] = [
  [{}, 'success'],
  [{ apiKey: 'absent' }, '1001'],
  [{ apiKey: 'blank' }, '1001 1006'],
  [{ apiKey: 'invalid' }, '1006'],
  [{ secretKey: 'absent' }, '1002'],
  [{ secretKey: 'blank' }, '1002 1007'],
  [{ secretKey: 'nobodys' }, '1007'],
  [{ secretKey: 'another-clients' }, '1007 1012'],
  [{ version: 'absent' }, '1003'],
  [{ version: 'blank' }, 'success 1003 1010 1030'],
  [{ version: 'malformed' }, '1010 1030'],
  [{ version: 'odd' }, 'success 1010 1030'],
  [{ version: 'unsupported' }, '1010'],
  [{ version: 'out-of-range' }, '1010 1030'],
  [{ version: 'other' }, 'success 1010 1030 1011 1013'],
  [{ endpoint: 'unknown' }, '1010'],
  [{ endpoint: 'uncertain' }, 'success 1001 1002 1003 1010 1030 1006 1007 1011 1012 1013 1020'],
  [{ state: 'inactive' }, '1011'],
  [{ customer: 'none' }, '1012'],
  [{ permission: 'denied' }, '1013'],
  [{ quota: 'used-up' }, '1020'],
  [{ input: 'invalid' }, '1030'],
  [{ input: 'uncertain' }, 'success 1030'],
]

const valuesOf = (name: keyof Facts): readonly string[] => {
  const flawed = flawRows.filter(({ fact }) => fact === name)
  return [flawless[name], ...flawed.map(({ value }) => value)]
}

const words = (answers: readonly Answer[]): ReadonlySet<string> =>
  new Set(answers.map((answer) => answer.errorCode ?? 'success'))

const allFacts = factNames.reduce<readonly Facts[]>(
  (made, name) => made.flatMap((facts) => valuesOf(name).map((value) => ({ ...facts, [name]: value }))),
  [flawless],
)

/** The union of the matching rows, using only the table. */
function unionOfRows(facts: Facts): ReadonlySet<string> {
  const flawed = factNames.filter((name) => facts[name] !== flawless[name])
  const rows = flawed.map((name): readonly string[] => rowFor(name, facts).match(/\S+/g) ?? [])
  const codes = rows.flat().filter((word) => word !== 'success')
  const certain = rows.some((row) => row.length > 0 && !row.includes('success'))

  return new Set(certain ? codes : ['success', ...codes])
}

function rowFor(name: keyof Facts, facts: Facts): string {
  if (name === 'secretKey' && facts.apiKey !== 'valid') {
    // Without a valid key, the owner of a secret is unknown; with a wrong key, the service may look up the
    // pair at once.
    if (facts.secretKey === 'another-clients') return ''
    if (facts.secretKey === 'absent') return '1002'
    if (facts.apiKey !== 'absent') return facts.secretKey === 'blank' ? '1002 1007 1012' : '1007 1012'
  }
  // Wrong credentials without a customer may be completely unknown to the service.
  const isWrong = facts.apiKey !== 'valid' || facts.secretKey !== 'valid'
  if (name === 'customer' && facts.customer === 'none' && isWrong) return '1006 1007 1012'
  const row = table.find(([given]) => given[name] === facts[name])
  if (row === undefined) throw new Error(`no row for ${name} ${facts[name]}`)
  return row[1]
}

/** The mistakes in the allowed answers for these facts. */
function wrongWith(facts: Facts): readonly string[] {
  const answers = allowed(facts)
  const [found, wanted, certain] = [words(answers), unionOfRows(facts), certainFlaws(facts)]
  const codes = new Set(['success', ...certain.flatMap((flaw) => flaw.codes)])
  const isDocumented = ({ status, errorCode }: Answer): boolean =>
    errorCode === null || documentedPairs.some((one) => one.status === status && one.errorCode === errorCode)
  const isUnion = found.size === wanted.size && [...wanted].every((word) => found.has(word))
  const wrong: readonly (readonly [isWrong: boolean, what: string])[] = [
    [!isUnion, `${[...found].join(' ')} are not the union of the rows`],
    [certain.length > 0 === found.has('success'), 'success despite a certain flaw'],
    [answers.length === 0 || found.size !== answers.length, 'no answers, or a repeated one'],
    [!answers.every(isDocumented), 'an undocumented pair'],
    [!hasUncertainFlaw(facts) && ![...found].every((word) => codes.has(word)), 'a code without a flaw'],
  ]
  return wrong.flatMap(([isWrong, what]) => (isWrong ? [what] : []))
}

test('the allowed answers for any facts are the union of the rows that apply', () => {
  for (const facts of allFacts) {
    const wrong = wrongWith(facts)
    if (wrong.length > 0) expect.fail(`${JSON.stringify(facts)}: ${wrong.join(', ')}`)
  }

  expect(allFacts).toHaveLength(4 * 5 * 8 * 3 * 2 * 2 * 2 * 2 * 3)
  expect(allFacts.filter((facts) => !hasUncertainFlaw(facts)).length).toBeGreaterThan(100)
  expect(documentedPairs).toHaveLength(11)
})

test.each(table)('a flaw is certain unless success is allowed, and lists its codes: %o', (facts, answers) => {
  const given = { ...flawless, ...facts }
  const mayBeServed = answers.startsWith('success')
  const [fact] = Object.keys(facts)

  expect(hasUncertainFlaw(given)).toBe(mayBeServed && fact !== undefined)
  expect(certainFlaws(given)).toEqual(mayBeServed ? [] : [{ fact, codes: answers.split(' ') }])
})
