import fc, { type Arbitrary } from 'fast-check'
import { type Request, trimOws, valueOf } from '../../http/exchange.ts'
import { factsOf } from '../../judge/facts.ts'
import type { KnownClient } from '../../judge/target-model.ts'
import { Secret, type CredentialField, type Credentials } from '../../redact/secret.ts'
import { whole, profileChoice } from '../../run/plan/suite-context.ts'
import { listEndpoint } from '../../run/testing/contexts.ts'
import { refusedClients, type Facts } from '../../specification/flaws.ts'
import type { SpecRuleId } from '../../specification/rules.ts'
import { draw, schedule } from '../case-class.ts'
import type { Base, CaseClass, Drawn, GeneratorInput, MutatedRequest } from '../case-class.ts'
import { inTurn, setting, to, unchanged, without, withQuery, type RequestChange } from '../request-changes.ts'
import { sameShape } from '../seeded.ts'

const uuid = '3f2a9c0d-1e4b-5a67-89ab-cdef01234567'
const ofOneLetter = { query: 'q=%27', path: '/api/x' }
/** Inputs that differ in every property that generators use, keyed by that property. */
export const inputs: Readonly<Record<string, GeneratorInput>> = {
  'an opaque key, a UUID as secret': inputOf('ak_live_7Qm2vXk1Rb84TzNe', uuid),
  'base64, a query, a second client': inputOf('QWxhZGRpbjpvcGVuIHNlc2FtZQ==', 'b3BlbiBzZXNhbWUgbm93IQ==', {
    query: 'page=1&filter[]=a&to=3',
    path: '/api/cards/%C3%A9tages/items',
    second: credentials('FIXTURE_SECOND', 'c2Vjb25kIGNsaWVudCBoZXJl', 'YW5vdGhlciBzZWNyZXQ='),
    servedVersion: '3',
    unsupportedVersion: '2147483646',
  }),
  'punctuation, a one-letter path': inputOf('"$`\\;!*#%&/()=?', "'-._:,+~|<>{}[]^@", ofOneLetter),
}

/** An input with these credentials for the target. */
export function inputOf(key: string, secret: string, more: Partial<GeneratorInput> = {}): GeneratorInput {
  const clients = { target: credentials('TARGET', key, secret), second: null }
  const wrongKey = sameShape(key, 1, 'wrong-key')
  const wrongSecret = sameShape(secret, 1, 'wrong-secret')
  const versions = { servedVersion: '1', unsupportedVersion: '2147483647' }
  const endpoint = { path: listEndpoint.path, query: null, described: null }
  const ofRun = { furtherBases: [], endpoints: 1, seed: 1, pagesAreBreaches: true }
  return { ...clients, wrongKey, wrongSecret, ...versions, ...endpoint, ...ofRun, ...more }
}

function credentials(client: string, key: string, secret: string): Credentials {
  const secretKey = new Secret(`${client}_SECRET_KEY`, secret)
  return { apiKey: new Secret(`${client}_API_KEY`, key), secretKey }
}

/** Refused clients, keyed by the base made from them. */
export const refused: ReadonlyMap<Base, KnownClient> = new Map(
  refusedClients.map(({ name, client }) => {
    const own = credentials(`FIXTURE_${client}`, `key-of-${client}`, `secret-of-${client}`)
    return [name, { name: client, credentials: own }]
  }),
)

/** Requests with one certain flaw that only some settings allow to be sent. */
export const moreBases: readonly Base[] = ['endpoint-unknown', 'input-invalid', ...refused.keys()]

/** A plain valid request. */
export function plain({ target, servedVersion, path, query }: GeneratorInput): Request {
  return {
    method: 'GET',
    target: query === null ? path : `${path}?${query}`,
    fields: [
      { name: 'x-api-key', value: target.apiKey },
      { name: 'x-secret-key', value: target.secretKey },
      { name: 'x-version', value: servedVersion },
      { name: 'accept', value: 'application/json' },
      { name: 'user-agent', value: 'card-switch-conformance/1' },
    ],
  }
}

/** The source of a generated case: its base, at an unknown path if requested. */
export function baseOf(input: GeneratorInput, { base, toUnknownPath }: MutatedRequest): Request {
  const flaw = flawOf(base ?? 'valid', input)
  return inTurn(flaw, toUnknownPath === true ? to('/api/zzabcdefghijklmn') : unchanged)(plain(input))
}

/** The request of a generated case. */
export const requestOf = (input: GeneratorInput, mutated: MutatedRequest): Request =>
  mutated.apply(baseOf(input, mutated))

const invalidQuery = 'limit=abc'

function flawOf(base: Base, input: GeneratorInput): RequestChange {
  const { apiKey, secretKey } = refused.get(base)?.credentials ?? {}
  if (apiKey !== undefined && secretKey !== undefined)
    return inTurn(setting('x-api-key', apiKey), setting('x-secret-key', secretKey))
  const changes: Partial<Record<Base, RequestChange>> = {
    valid: unchanged,
    'api-key-absent': without('x-api-key'),
    'secret-key-absent': without('x-secret-key'),
    'version-absent': without('x-version'),
    'api-key-wrong': setting('x-api-key', input.wrongKey),
    'secret-key-wrong': setting('x-secret-key', input.wrongSecret),
    'version-unsupported': setting('x-version', input.unsupportedVersion),
    'endpoint-unknown': to('/api/zzabcdefghijklmn'),
    'input-invalid': withQuery(invalidQuery),
  }
  const change = changes[base]
  if (change === undefined) throw new RangeError(`no input here has ${base}`)
  return change
}

/** The facts that the oracle reads from a request. */
export function knownOf(request: Request, input: GeneratorInput): Facts {
  const { target, second, path, query, servedVersion, unsupportedVersion } = input
  const beginning = query === null ? '' : `${query}&`
  const others = second === null ? [] : [{ name: 'second', credentials: second } as const]
  const invalid = `${beginning}${invalidQuery}`
  return factsOf(request, {
    clients: [{ name: 'target', credentials: target }, ...others, ...refused.values()],
    endpoints: [{ ...listEndpoint, path, version: servedVersion, query, invalidQuery: invalid }],
    unsupportedVersion,
  })
}

/** The first `count` cases of these classes as a run draws them, drawn lazily, so that a search stops at its first hit. */
export function* drawnOf(classList: readonly CaseClass[], count: number, seed: number): Generator<Drawn> {
  for (const place of schedule(whole(classList), count)) yield draw(place, seed, 'fuzz/tests')
}

/** The class name of a drawn case. */
export const classOfDrawn = ({ name }: Pick<Drawn, 'name'>): string => name.split('.', 1)[0] ?? ''

/** A drawn case with its request and facts. */
export type Sent = ReturnType<typeof sentOf>

/** The first `count` cases of these classes, as sent. */
export const sentBy = (classList: readonly CaseClass[], input: GeneratorInput, count: number, seed = 1) =>
  Array.from(drawnOf(classList, count, seed), (drawn): Sent => sentOf(drawn, input))

export function sentOf(drawn: Drawn, input: GeneratorInput) {
  const { name, mutated } = drawn
  const request = requestOf(input, mutated)
  const known = { ...mutated, name, drawn, input, request }
  let facts: Facts | undefined
  return {
    ...known,
    get facts(): Facts {
      return (facts ??= knownOf(request, input))
    },
  }
}

/** The classes of a rule that a gate of 20 cases covers. */
export function inGate(rule: SpecRuleId, classList: readonly CaseClass[]): readonly CaseClass[] {
  const gate = profileChoice({ profile: 'gate', essential: false }, false)
  const { classes } = gate.draws(classList, { count: 20, isList: true })
  return classes.filter(({ always = 0, weight }) => always + weight > 0)
}

/** The simplest case with a property, found by shrinking as in a run. */
export function simplest(first: Drawn, holds: (mutated: MutatedRequest) => boolean): Drawn {
  for (const simpler of first.simpler()) {
    if (holds(simpler.mutated)) return simplest(simpler, holds)
  }
  return first
}

const letters = 'abcdefghijklmnopqrstuvwxyz'
const digits = '0123456789'

const of = (alphabet: string, minLength: number, maxLength: number): Arbitrary<string> =>
  fc.string({ unit: fc.constantFrom(...alphabet), minLength, maxLength, size: 'max' })

const bytes = fc.uint8Array({ minLength: 1, maxLength: 60 })

/** Credentials of every form that the settings accept. */
const anyCredential = fc.oneof(
  of(letters + letters.toUpperCase() + digits + '_-', 1, 200),
  of('0123456789abcdef', 8, 64),
  of('0123456789ABCDEF', 8, 64),
  fc.uuid(),
  bytes.map((some) => Buffer.from(some).toString('base64')),
  of(digits, 1, 40),
  of('!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~', 1, 40),
  of('aB 1', 1, 40).map((text) => `k${text}k`),
  fc.tuple(fc.constantFrom(...'aZ0x=-'), fc.integer({ min: 1, max: 200 })).map(([one, n]) => one.repeat(n)),
  of(letters + digits + '*%', 1, 1),
)

/** Inputs with any credentials. The second client may share one of them, or be a near miss of the first. */
export const anyInput: Arbitrary<GeneratorInput> = fc
  .record({
    apiKey: anyCredential,
    secretKey: anyCredential,
    servedVersion: fc.oneof(fc.constantFrom('0', '1', '12'), fc.nat(2 ** 31 - 3).map(String)),
    second: fc.constantFrom('none', 'near', 'shares-key', 'shares-secret'),
  })
  .map(({ apiKey, secretKey, servedVersion, second }) => {
    const other = {
      apiKey: new Secret('SECOND_API_KEY', second === 'shares-key' ? apiKey : `${apiKey}0`),
      secretKey: new Secret('SECOND_SECRET_KEY', second === 'shares-secret' ? secretKey : `${secretKey}x`),
    }
    const more = { servedVersion, unsupportedVersion: '2147483646' }
    return inputOf(apiKey, secretKey, { ...more, second: second === 'none' ? null : other })
  })

/** The value that arrives in a field of a drawn case, or null if the field is absent. */
export function arrivedIn(field: CredentialField | 'x-version', input: GeneratorInput, { mutated }: Drawn) {
  const found = requestOf(input, mutated).fields.find(({ name }) => name === field)
  return found === undefined ? null : trimOws(valueOf(found))
}
