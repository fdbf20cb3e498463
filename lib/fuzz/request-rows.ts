import fc, { type Arbitrary } from 'fast-check'
import { trimOws, valueOf } from '../http/exchange.ts'
import { credentialOf, type CredentialField, type Secret } from '../redact/secret.ts'
import { refusalOf } from '../specification/answers.ts'
import type { RequiredField } from '../specification/endpoints.ts'
import { membersNamed } from '../text/members.ts'
import { droppable, oneOf, unknownSegments } from './arbitraries.ts'
import {
  bases,
  byTransport,
  caseClass,
  judged,
  type Base,
  type CaseClass,
  type ClientInput,
  type MutatedRequest,
} from './case-class.ts'
import { orders, writings } from './header-lines.ts'
import { nearMisses } from './mutated-value.ts'
import {
  adding,
  inHttp10,
  inTurn,
  line,
  ordered,
  renamed,
  renaming,
  setting,
  settingLine,
  to,
  unchanged,
  withQuery,
  without,
} from './request-changes.ts'
import { randomSegment, seededNumber } from './seeded.ts'

/** A level of a factor: a condition that must not change the outcome, the excuses that it provides, and the strength of a breach that depends on it. Its `says` follows "with" in reports (`accept-language: de`), is part of fingerprints and never changes. */
export type Condition = MutatedRequest &
  Readonly<{
    /** Its parts, such as each field of a client, if it can be simplified. */
    parts?: readonly Condition[]
    /** Whether it adds a query, which may or may not be valid input. */
    widens?: true
  }>

/** Levels of which each row takes one; null is the plain level. Each flaw of a ranked factor begins with the first level, which finds the most faults. */
export type Factor = readonly [name: string, levels: readonly (Condition | null)[], isRanked?: boolean]

function field(text: string, more: Partial<MutatedRequest> = {}) {
  return judged(text, settingLine(text), more)
}

function query(name: string, text: string, more: Partial<MutatedRequest> = {}): Condition {
  return { ...judged(name, withQuery(text), more), widens: true }
}

function orNone(name: string, values: readonly string[]): Factor {
  return [name, [null, ...values.map((value) => field(`${name}: ${value}`))]]
}

/**
 * Fields that common clients send, all accepted by the OWASP Core Rule Set. Excludes `user-agent`, `accept`, `origin`, `cookie`, and
 * codings that some Node versions cannot decode.
 */
export const fieldsOfClients = {
  'the fields of a browser': [
    'accept-encoding: gzip, deflate, br',
    'accept-language: en-US,en;q=0.9,de;q=0.8',
    'cache-control: no-cache',
    'pragma: no-cache',
    'priority: u=1, i',
    'sec-ch-ua: "Chromium";v="142", "Not_A Brand";v="99"',
    'sec-ch-ua-mobile: ?0',
    'sec-ch-ua-platform: "Windows"',
    'sec-fetch-dest: empty',
    'sec-fetch-mode: cors',
    'sec-fetch-site: same-origin',
  ],
  'the fields of a JavaScript client': [
    'accept-encoding: gzip, deflate, br',
    'content-type: application/json',
    'x-requested-with: XMLHttpRequest',
    'x-correlation-id: 7b1f9a52-0c3e-4d68-9e21-5f80c4a7d913',
    'baggage: release=1.0',
  ],
  'the fields of a Java client': [
    'accept-encoding: gzip, x-gzip, deflate',
    'cache-control: no-cache',
    'content-type: application/json;charset=UTF-8',
  ],
  'the fields of a Go client behind Zipkin': [
    'accept-encoding: gzip',
    'x-b3-traceid: 463ac35c9f6413ad48485a3953bb6124',
    'x-b3-spanid: a2fb4a1d1a96d312',
    'x-b3-sampled: 0',
  ],
  'the fields of a Python client': ['accept-encoding: gzip, deflate', 'cache-control: no-store'],
  'the fields of an app': [
    'accept-encoding: gzip',
    'accept-language: en-GB',
    'x-requested-with: com.example.cards',
    'x-app-version: 4.12.0',
    'x-platform: android',
  ],
  'the fields of a browser that opens a page': [
    'accept-encoding: gzip, deflate, br',
    'accept-language: ar,ja;q=0.5',
    'cache-control: max-age=0',
    'dnt: 1',
    'sec-fetch-dest: document',
    'sec-fetch-mode: navigate',
    'sec-fetch-site: none',
    'sec-gpc: 1',
  ],
}

const clients = Object.entries(fieldsOfClients).map(([name, lines]) => ({
  ...judged(name, inTurn(...lines.map(settingLine))),
  parts: lines.map((text) => field(text)),
}))

const closed = field('connection: close')
const fresh = judged('a connection of its own', unchanged, { connection: 'fresh' })

/** The levels for a connection in general, and for one whose answer other cases share. */
const anyConnection: Factor = ['connection', [null, closed, fresh]]
const shared: Factor = ['connection', [null, closed]]

/** The levels for a connection that an earlier request used. */
export const behind: Factor = [
  'connection behind',
  (['success', 'refusal'] as const).map((what) =>
    judged(`a ${what} before it on its connection`, unchanged, { connection: `behind a ${what}` }),
  ),
]

/** HTTP/1.0, for some gateways accept only HTTP/1.1: Envoy answers 426, uWebSockets 505. */
const http10: Factor = [
  'connection in HTTP/1.0',
  [judged('HTTP/1.0', inHttp10, { connection: 'fresh', transportMayRefuse: true })],
]

/** Conditions that apply only to a success (RFC 9110, 13.2.1 and 14.2). A refusal stays the same. */
const conditional = { weakness: 'implied', mayBePartial: true } as const

const conditions = [
  null,
  field('if-none-match: *', conditional),
  field('if-modified-since: Thu, 01 Jan 2037 00:00:00 GMT', conditional),
  field('range: bytes=0-3', conditional),
  field('if-modified-since: yesterday', { ...conditional, fieldMayBeRefused: true }),
]

const unknownEndpoint = { also: [refusalOf('1010')] }

/**
 * Fields that gateways use to route, count or identify clients. Never added to a request that would be served, because a shared cache
 * might keep the answer.
 */
function routing({ seed, wrongKey }: ClientInput): readonly Condition[] {
  const path = `/api/${randomSegment(seed, 'x-original-url')}`
  const requestId = line('x-request-id: 7b1f9a52-0c3e')
  const session = `session=${wrongKey}; authenticated=true`
  return [
    // Gateways that know tokens or sessions refuse these themselves.
    judged('an invented token in authorization', setting('authorization', `Bearer ${wrongKey}`), byTransport),
    field('x-forwarded-for: 192.0.2.17'),
    judged('an invented cookie', setting('cookie', session), byTransport),
    judged('x-request-id twice', adding(requestId, requestId)),
    judged('x-original-url: /api/zz…', setting('x-original-url', path), unknownEndpoint),
    field('x-http-method-override: HEAD', byTransport),
    judged('x-rewrite-url: /api/zz…', setting('x-rewrite-url', path), unknownEndpoint),
  ]
}

/** An invented credential where a service may look for the absent field. The service may then answer as it does to a wrong credential. */
function invented(what: 'key' | 'secret', { wrongKey, wrongSecret }: ClientInput): readonly Condition[] {
  const [value, absent, spelled] =
    what === 'key' ? [wrongKey, 'x-api-key', 'api_key'] : [wrongSecret, 'x-secret-key', 'secret_key']
  const encoded = encodeURIComponent(value)
  const pair = Buffer.from(`${wrongKey}:${wrongSecret}`).toString('base64')
  const inQuery = (name: string) => query(`an invented ${what} in ?${name}=`, `${name}=${encoded}`)
  const inField = (name: string, how: string, text: string) =>
    judged(`an invented ${what} in ${how}`, setting(name, text), byTransport)
  const underscored = absent.replaceAll('-', '_')
  return [
    inField('authorization', 'authorization: Bearer', `Bearer ${value}`),
    inQuery(spelled),
    inField('cookie', 'a cookie', `${spelled}=${encoded}; ${absent}=${encoded}`),
    inQuery(absent),
    // Some CGI-like servers, such as Puma and php -S, take it for the same name.
    judged(underscored, setting(underscored, value), { weakness: 'warning' }),
    inField('authorization', 'authorization: Basic', `Basic ${pair}`),
    ...(what === 'key' ? ['apikey', 'key'] : ['secret', 'apisecret']).map(inQuery),
  ]
}

/** Fields in requests from web pages, never added to a request that is served. A gateway may refuse an unknown origin. */
const browsers = [
  field('origin: https://conformance.invalid', byTransport),
  field('x-requested-with: XMLHttpRequest'),
].flatMap((one) => [one, null])

/** The factors for a flaw, in the order in which their conditions are applied. */
export function factorsOf({ name, base, connection }: Flaw, input: ClientInput): readonly Factor[] {
  // Frameworks send pages to browsers, which is strictly a breach, but only a warning in a gate.
  const pages = input.pagesAreBreaches ? {} : ({ weakness: 'warning' } as const)
  const accepts = [
    judged('accept left out', without('accept')),
    field('accept: */*'),
    field('accept: application/json, text/plain, */*'),
    field('accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', pages),
    field('accept: text/html, application/json;q=0.9', pages),
    field('accept: Application/JSON', { weakness: 'implied' }),
  ]
  // Half of all rows have no query.
  const queries = [
    query('?_=17', '_=17'),
    query('?callback=x', 'callback=x', pages),
    query('a bare ?', ''),
    // Frameworks that choose a format by it may not know this one (1010).
    query('?format=xml', 'format=xml', { ...unknownEndpoint, ...pages }),
    query('?debug=true', 'debug=true'),
  ].flatMap((one) => [null, one])
  const absent = base === 'api-key-absent' ? 'key' : base === 'secret-key-absent' ? 'secret' : null
  const [token = null, ...others] = routing(input)
  // If a credential is absent, a token is one of the places in which to look for it.
  const places = absent ? invented(absent, input) : [null, token]
  return [
    ['client', [null, ...clients]],
    connection,
    ['accept', [null, ...accepts]],
    orNone('accept-language', ['de', 'en-US', 'fr-FR', 'ar']),
    orNone('accept-encoding', ['gzip', 'br', 'identity', 'deflate']),
    ['condition', conditions],
    // A query that is known to be invalid is left as it is.
    ...(base === 'input-invalid' ? [] : [['query', queries] as const]),
    ...(name === 'valid' ? [] : [['elsewhere', [...places, ...others], absent !== null] as const]),
    ...(base.endsWith('-absent') ? [['browser', browsers, true] as const] : []),
  ]
}

/** Every condition, with a unique name. */
export function everyCondition(input: ClientInput) {
  const behindAnother = { ...flaw('api-key-absent'), connection: behind }
  const flaws = [flaw('version-unsupported'), behindAnother, flaw('secret-key-absent')]
  const factors = [...flaws.flatMap((one) => factorsOf(one, input)), http10]
  const all = factors.flatMap(([, levels]) => levels.flatMap((level) => level ?? []))
  return [...new Map(all.map((condition) => [condition.says, condition])).values()]
}

/** Whether the condition may change the answer to a flawed request. */
export function isExcuse({ also, fieldMayBeRefused, transportMayRefuse, widens }: Condition) {
  return [fieldMayBeRefused, transportMayRefuse, widens].includes(true) || also !== undefined
}

/** The states of each of the three required fields. */
const states = ['valid', 'absent', 'blank', 'wrong'] as const

/** The change that leads a field to a state. */
function toState(state: (typeof states)[number], name: RequiredField, value: string) {
  if (state === 'valid') return unchanged
  return state === 'absent' ? without(name) : setting(name, state === 'blank' ? '' : value)
}

/** A combination of states. */
export type Cell = (typeof cells)[number]

/** All 64 combinations of {valid, absent, blank, wrong} for the key, secret and version. */
export const cells = states.flatMap((key) =>
  states.flatMap((secret) =>
    states.map((version) => ({
      /** Its name in case names, which never changes. */
      name: `key-${key}-secret-${secret}-version-${version}` as const,
      /** The number of flawed fields. */
      flaws: [key, secret, version].filter((state) => state !== 'valid').length,
      /** Puts the three fields of a request into these states. */
      change: (values: Pick<ClientInput, 'wrongKey' | 'wrongSecret' | 'unsupportedVersion'>) =>
        inTurn(
          toState(key, 'x-api-key', values.wrongKey),
          toState(secret, 'x-secret-key', values.wrongSecret),
          toState(version, 'x-version', values.unsupportedVersion),
        ),
    })),
  ),
)

/** The cells with more than one flawed field. */
export const multiFlawedCells = cells.filter(({ flaws }) => flaws > 1)

/** A flaw, with the number of its rows, and of the first of them, which a gate sends. */
type Flaw = ReturnType<typeof flaw>

/** The flaw of a base. Its name, or that of a variant of it, is not part of any name in reports; `valid` is no flaw. */
export function flaw(base: Base, rows = 10, telling = 3, name: string = base) {
  return { name, base, change: unchanged, connection: anyConnection, rows, telling }
}

/** Each flaw crossed with conditions; a row takes one level of each factor. Further rows, which a gate leaves out, follow an earlier request or use HTTP/1.0. */
export function flawedRows(input: ClientInput): readonly CaseClass[] {
  const { target, furtherBases } = input
  const exchanged = inTurn(setting('x-api-key', target.secretKey), setting('x-secret-key', target.apiKey))
  // If a credential is absent, there are more places in which to look for it.
  const certain = bases
    .slice(1)
    .map((base) => flaw(base, base.endsWith('key-absent') ? 14 : 10, base === 'api-key-absent' ? 4 : 3))
  const flaws = [
    ...certain,
    ...furtherBases.map((base) => flaw(base, 10, 2)),
    // Gateways log the field in which the secret is then sent.
    { ...flaw('valid', 2, 1, 'exchanged'), change: exchanged },
  ]
  const ofCells = multiFlawedCells.map(({ name, change }): Flaw => {
    return { ...flaw('valid', 1, 1, name), change: change(input), connection: shared }
  })
  const further = (of: readonly Flaw[], connection: Factor, how: string, rows: number) =>
    of.map((one) => ({ ...one, name: `${one.name} ${how}`, connection, rows, telling: 0 }))
  const following = further(flaws, behind, 'behind', 2)
  const plainer = further(certain, http10, 'in HTTP/1.0', 1)
  return [
    rowsOf('conditions', flaws, input, 'three rows find most of what ten find'),
    rowsOf('conditions-of-cells', ofCells, input, 'other rules send them anyway'),
    { ...rowsOf('conditions-behind', following, input, 'authentication/not-cached sends them'), requests: 2 },
    rowsOf('conditions-in-http-1-0', plainer, input, 'few clients use it'),
  ]
}

/** The valid request under conditions, of which at most one may change the answer. */
export function servedRows(input: ClientInput) {
  return rowsOf('conditions-served', [flaw('valid', 24, 2)], input, 'refusals meet them more often')
}

/** Crosses flaws with conditions. A gate sends only the most telling rows, for this reason. */
function rowsOf(name: string, flaws: readonly Flaw[], input: ClientInput, because: string) {
  const rows = flaws.flatMap((one) => {
    const factors = factorsOf(one, input)
    return Array.from({ length: one.rows }, (_, row) => ({ one, row, factors, isLate: row >= one.telling }))
  })
  const all = rows.toSorted((a, b) => Number(a.isLate) - Number(b.isLate) || a.row - b.row)
  const always = all.filter(({ isLate }) => !isLate).length
  const cases = all.map(({ one, row, factors }) =>
    droppable(() => conditionsOf(one, factors, row, input.seed)).map((kept) => underConditions(one, kept)),
  )
  return caseClass(name, { always, because }, cases)
}

/** The number of rows in which each query occurs once. The first rows keep their query; the next rows keep their range request. */
const eachQuery = 10

/** The levels for a row. The next row takes the next levels, starting from a level that the seed determines for each flaw and factor. */
function conditionsOf({ name: of }: Flaw, factors: readonly Factor[], row: number, seed: number) {
  const levels = factors.flatMap(([name, all, isRanked = false]) => {
    const shift = isRanked ? 0 : seededNumber(seed, `${name}:${of}`, all.length)
    return all[(row + shift) % all.length] ?? []
  })
  const has = (excuse: 'widens' | 'mayBePartial') => levels.some((each) => each[excuse])
  if (of !== 'valid' || !has('widens') || !has('mayBePartial')) return levels
  const dropped = Math.floor(row / eachQuery) % 2 === 0 ? 'mayBePartial' : 'widens'
  return levels.filter((each) => !each[dropped])
}

function underConditions({ name, base, change }: Flaw, all: readonly Condition[]) {
  const warning = all.find(({ weakness }) => weakness === 'warning')
  const merged: Partial<MutatedRequest> = Object.assign({}, ...all, warning)
  const tolerated = membersNamed(merged, name === 'valid' ? ['fieldMayBeRefused', 'mayBePartial'] : [])
  const isExcused = tolerated.mayBePartial || all.some(isExcuse)
  const { says, apply, transportMayRefuse } = together(all, ', ')
  return judged(`with ${says || 'nothing besides'}`, inTurn(change, apply), {
    base,
    conditions: all.map((one) => one.says),
    also: all.flatMap(({ also = [] }) => also),
    // A flaw has its own code. A service that refuses a malformed field first says so without a code, or with the code for invalid input.
    transportMayRefuse: transportMayRefuse || (name !== 'valid' && merged.fieldMayBeRefused === true),
    ...tolerated,
    ...(isExcused && { excused: true }),
    ...membersNamed(merged, ['weakness', 'connection']),
  })
}

/** All these changes to one request, which the transport may refuse if it may refuse any. */
function together(all: readonly MutatedRequest[], separator: string) {
  const transportMayRefuse = all.some((one) => one.transportMayRefuse)
  const says = all.map((one) => one.says).join(separator)
  return judged(says, inTurn(...all.map(({ apply }) => apply)), { transportMayRefuse })
}

type State = MutatedRequest | null

/** Combined flaws in the key, secret, version and endpoint, with irrelevant variations; mostly two or more, shrinking to none. Total weight 16. */
export function combinedFlawClasses(input: ClientInput) {
  const { target, wrongKey, wrongSecret, unsupportedVersion } = input
  const key = oneOf(statesOf('x-api-key', [wrongKey, target.secretKey], input))
  const secret = oneOf(statesOf('x-secret-key', [wrongSecret, target.apiKey], input))
  const wrongVersion = (value: string) => wrong('x-version', value, value)
  const listed = [null, wrongVersion(unsupportedVersion), ...missing('x-version'), wrongVersion('-1')]
  // Versions with nine digits do not shrink, because they are equivalent.
  const nineDigits = fc.noShrink(fc.integer({ min: 100_000_000, max: 999_999_999 }))
  const version = fc
    .tuple(fc.nat(listed.length), nineDigits)
    .map(([index, number]) => [...listed, wrongVersion(String(number))][index] ?? null)
  const because = 'authentication/no-bypass sends each combination of plainer flaws'
  const flawedIn = (name: string, weight: number, ...flaws: readonly Arbitrary<State>[]) =>
    caseClass(name, { weight, because }, [fc.tuple(...flaws, ...variations).map(combined)])
  return [
    flawedIn('key-and-secret', 5, ...key, ...secret),
    flawedIn('key-secret-and-version', 5, ...key, ...secret, version),
    flawedIn('key-and-version', 3, ...key, version),
    flawedIn('secret-and-version', 3, ...secret, version),
  ]
}

function combined(all: readonly State[]) {
  const flaws = all.filter((state) => state !== null)
  const made = together(flaws, '; ')
  return { ...made, says: made.says || 'nothing wrong' }
}

const inUpperCase = renaming((name) => name.toUpperCase())
const inTitleCase = renaming((name) => name.replaceAll(/(?<=^|-)./g, (letter) => letter.toUpperCase()))

/** Irrelevant variations. Null is the plain state. Every fourth request goes to an unknown path, where any flaw may be answered with 1010. */
const variations: readonly Arbitrary<State>[] = [
  fc
    .tuple(fc.nat(3), unknownSegments)
    .map(([one, segment]) =>
      one === 3 ? judged('to the unknown path /api/zz…', to(`/api/${segment}`)) : null,
    ),
  ...[
    // Plainest first, in an order that never changes.
    [1, 3, 4, 2, 0].map((at) => {
      const names = orders[at] ?? []
      return judged(`in the order ${names.join(', ')}`, ordered(names))
    }),
    [judged('names in upper case', inUpperCase), judged('names in title case', inTitleCase)],
    [judged('no accept', without('accept'))],
  ].flatMap((some) => oneOf([null, ...some])),
]

function wrong(name: RequiredField, value: string | Secret, says: string, traits = {}) {
  return judged(`${name}: ${says}`, setting(name, value), traits)
}

function missing(name: RequiredField) {
  return [
    judged(`no ${name}`, without(name)),
    wrong(name, '', 'empty'),
    wrong(name, ' ', 'a space'),
    wrong(name, '\t', 'a tab', byTransport),
    ...writings.map((write) => judged(`${write(name)} instead of ${name}`, renamed(name, write(name)))),
  ]
}

/** The states of a credential: valid, the plainest flaws, and near misses. */
function statesOf(name: CredentialField, of: readonly (string | Secret)[], { target, second }: ClientInput) {
  const near = nearMisses(credentialOf(target, name), false).filter(({ mayEqual }) => !mayEqual)
  const issued = [target, second ?? target].map((client) => credentialOf(client, name).reveal())
  return [
    null,
    ...[...of, ...near.map(({ value }) => value)]
      .filter((value) => !issued.includes(trimOws(valueOf({ name, value }))))
      .map((value) => wrong(name, value, typeof value === 'string' ? 'invented' : value.name)),
    ...missing(name),
  ]
}
