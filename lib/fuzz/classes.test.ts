import { isUtf8 } from 'node:buffer'
import { hash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fieldsOf, valueOf, type Field, type Request } from '../http/exchange.ts'
import { allowed, certainFlaws, unknownSegment } from '../judge/facts.ts'
import { credentialOf, Secret, type CredentialField } from '../redact/secret.ts'
import { success } from '../specification/answers.ts'
import { requiredFields } from '../specification/endpoints.ts'
import { groupBy, memberNames } from '../text/members.ts'
import { forAll } from '../text/properties.testing.ts'
import type { CaseClass, GeneratorInput } from './case-class.ts'
import { caseClasses } from './case-classes.ts'
import { without } from './request-changes.ts'
import { nearPaths } from './targets.ts'
import { anyInput, arrivedIn, baseOf, classOfDrawn, drawnOf, inGate } from './testing/requests.ts'
import { inputOf, inputs, knownOf, sentBy, sentOf, type Sent } from './testing/requests.ts'

const input = inputOf('ak_live_7Qm2vXk1Rb84TzNe', 'sk_live_hK0pYw5sJd93LmQc')
const rules = memberNames(caseClasses).map((rule) => ({ rule, classesOf: caseClasses[rule] }))

/** Claims about cases by their titles; `kind` is the rule and the class, such as `fuzz/path near-path`. */
type Claims = Readonly<Record<string, (one: Sent, kind: string) => boolean>>

const around = /^fuzz\/(?:api-key|secret-key|version) white-space-(?!inside)/
const ofPowers = /=(?:-?2147483648|2147483647|-2147483649|429496729[56])$/
const ofLimits = /=(?:1e309|2\.225073858507\d+e-308|-?0000\d+)$/

/** Claims by the kinds that they are about. */
const claims: Readonly<Record<string, Claims>> = {
  '': {
    'says briefly what was done': ({ says }) => says !== '' && says.length <= 300,
    'may be refused by the transport on an unknown path': (one) =>
      one.toUnknownPath !== true || (unknownSegment.test(segmentOf(one)) && one.transportMayRefuse),
    'is judged by the oracle, or against a list of answers if a field is repeated': (one) =>
      one.treatment !== 'oracle' || hasRepeated(one.request) === (one.allowed !== undefined),
    'holds no credentials if refused': (one) => one.treatment !== 'refused' || !isOfTarget(one),
  },
  ' (?!conditions|byte-behind-key)': {
    'takes the raw route if no client can send it': ({ request }) => isRaw(request) === needsRaw(request),
  },
  [around.source]: { 'arrives as the valid value': isValid },
  '^fuzz/(?:api|secret)-key ': {
    'does not arrive as valid': (one, kind) => around.test(kind) || !isValid(one, kind),
    'must not be served, except with white space around the valid value': (one, kind) =>
      maySucceed(one) === (around.test(kind) && one.base === 'valid'),
    'is a secret if it is made from one, and its name says what was done': isSaid,
  },
  '^fuzz/version ': {
    'does not arrive as valid': (one, kind) => around.test(kind) || !isValid(one, kind),
    'is judged by the oracle': ({ treatment }) => treatment === 'oracle',
  },
  '^fuzz/(?:api-key|secret-key|version) ': {
    'changes only its field, in place': (one, kind) => {
      const field = fieldOf(kind)
      const before = baseOf(one.input, one.drawn.mutated)
      const whole = fieldsOf(one.request, field).length === 0 ? without(field)(before) : before
      return isDeepStrictEqual(others(one.request, field), others(whole, field))
    },
    'may be refused by the transport if it has bytes beyond ASCII or exceeds common limits': (one) =>
      one.transportMayRefuse || isUsual(one.request),
  },
  ' (?:control-character|control-character-at-end|line-break|oversized|version-.+)$': {
    'is never served': (one) => !maySucceed(one),
    'changes one value, which is a secret if it is made from one': changesOne,
  },
  ' (?:name-case|field-order|unrelated-fields|many-unrelated-fields|parameter-order)$': {
    'keeps the names, values and facts of the required fields, because the outcome must stay': keepsFields,
  },
  ' look-alike': { 'counts as absent for the oracle if the name is only similar': lacksOne },
  ' gateway-fields-of-strangers$': { 'is never served': (one) => !maySucceed(one) },
  ' (?:key|secret)-(?:secret-)?and-.+$': {
    'has a certain flaw if it names a flaw': ({ facts, says }) =>
      (certainFlaws(facts).length > 0 || facts.version === 'blank') ===
      /x-|unknown path/.test(says.replace(/in the order[^;]*/, '')),
  },

  '^fuzz/(?:path|query) ': { 'is encoded or excused': (one) => one.transportMayRefuse || isEncoded(one) },
  '^fuzz/path ': {
    'stays below /api/': ({ request }) => request.target.startsWith('/api/'),
    'differs from the known path': (one) => pathOf(one.request) !== one.input.path,
    'contains nothing that firewalls refuse': (one) =>
      !/%2f|%00|%0[ad]|;|\/\.|\.\.|~|\\|\.(?:php|git|env)/i.test(pathOf(one.request)) &&
      (one.transportMayRefuse || !/%5c/i.test(pathOf(one.request))) &&
      (one.treatment !== 'oracle' || !pathOf(one.request).includes('//')),
  },
  ' unknown-path': {
    'is refused with 1010, and with 1030 for an unknown query': (one) =>
      codesOf(one) === (one.request.target.includes('?') ? '1010 1030' : '1010'),
  },
  ' near-path': {
    'may exist': ({ facts }) => facts.endpoint === 'uncertain',
    'may redirect': ({ mayRedirect }) => mayRedirect === true,
  },

  '^fuzz/query ': {
    'can only be valid input or invalid input': (one) =>
      one.toUnknownPath === true || codesOf(one) === '2xx 1030',
    'is described in one line': ({ says }) => says.length < 140,
    "keeps the endpoint's query": (one) => one.toUnknownPath === true || keepsQuery(one),
    'names a format or a function only when it is observed': (one) =>
      one.treatment === 'observed' || !/[?&](?:callback|jsonp|format)=/i.test(one.request.target),
    'contains no number that firewalls know': ({ request: { target } }) =>
      !ofPowers.test(target) && !ofLimits.test(target),
  },
}

/** Claims about credentials that are unlikely to equal anything else. */
const ofRareCredentials: typeof claims = {
  ' two-wrong$': {
    'holds two values that belong to no client': ({ request, input: of }) => {
      const issued = [of.target, of.second ?? of.target].flatMap(textsOf)
      const all = requiredFields.map((name) => fieldsOf(request, name))
      const repeated = all.filter(({ length }) => length > 1).flat()
      return repeated.length === 2 && !repeated.some((one) => [...issued, of.servedVersion].includes(one))
    },
  },
  '': {
    'holds values made from a credential as secrets': ({ request, input: of }) =>
      !request.fields.some((field) => isOpen(field, of)),
    'quotes no credential': ({ says, input: of }) => !partsOf(of).some((part) => says.includes(part)),
  },
}

/** The claims about a kind, with their titles. */
function claimsOn(kind: string, among: typeof claims): readonly (readonly [string, Claims[string]])[] {
  const about = Object.entries(among).filter(([of]) => new RegExp(of).test(kind))
  return about.flatMap(([, all]) => Object.entries(all))
}

/** The claims that cases of a rule break, each with the first case that breaks it. */
function brokenBy(rule: string, all: readonly Sent[], more: typeof claims = {}): readonly string[] {
  const broken = new Map<string, string>()
  for (const [name, those] of groupBy(all, ({ drawn }) => classOfDrawn(drawn))) {
    const kind = `${rule} ${name}`
    for (const [title, holds] of [...claimsOn(kind, claims), ...claimsOn(kind, more)]) {
      const breaking = those.find((one) => !holds(one, kind))
      if (breaking !== undefined) broken.set(title, `${title}: not ${breaking.name}, ${breaking.says}`)
    }
  }
  return [...broken.values()]
}

describe.each(rules)('$rule', ({ rule, classesOf }) => {
  test.each(Object.entries(inputs))('generates cases that satisfy every claim for %s', (_, of) => {
    const all = sentBy(classesOf(of), of, 300)

    expect(all.length).toBeGreaterThanOrEqual(300)
    expect(brokenBy(rule, all, ofRareCredentials)).toEqual([])
  })

  test('generates cases that satisfy every claim for any credentials, version and second client', () => {
    forAll(anyInput, fc.integer(), (of, seed) => {
      expect(brokenBy(rule, sentBy(classesOf(of), of, 60, seed))).toEqual([])
    })
  })

  test('sends every class within 200 cases', () => {
    for (const of of Object.values(inputs)) {
      const sent = new Set(Array.from(drawnOf(classesOf(of), 200, 1), classOfDrawn))
      const missed = classesOf(of).filter(({ name, count }) => count !== 0 && !sent.has(name))
      expect(missed.map(({ name }) => name)).toEqual([])
    }
  })
})

test.each(rules)('$rule has its own classes for a target of the same shape', ({ classesOf }) => {
  const { target } = inputOf('ak_live_9Bv4qLp2Wd71SxGu', 'sk_live_zM3tRc8nFa06VbEy')
  const second = input.target

  expect(classesOf({ ...input, second })).not.toBe(classesOf({ ...input, target, second }))
})

test('every claim applies to at least one class', () => {
  const kinds = rules.flatMap(({ rule, classesOf }) => classesOf(input).map(({ name }) => `${rule} ${name}`))
  expect(Object.keys(claims).filter((of) => !kinds.some((kind) => new RegExp(of).test(kind)))).toEqual([])
})

// Users replay cases by name and seed: this file changes only with a release that says so.
test('every-class.txt records what each class draws, and which classes a gate leaves out', async () => {
  const [, of = input] = Object.values(inputs)
  const written = rules.flatMap(({ rule, classesOf }) => {
    const classes = classesOf(of).map(({ name }) => name)
    const inGates = new Set(inGate(rule, classesOf(of)).map(({ name }) => name))
    const digests = (all: readonly string[]) =>
      all.map((one) => `${one} ${digestOf(classesOf, one)}`).join(', ')
    return [
      `${rule}: ${digests(classes.filter((name) => inGates.has(name)))}\n`,
      `${rule}, not in a gate: ${digests(classes.filter((name) => !inGates.has(name)))}\n`,
    ]
  })

  await expect(written.join('')).toMatchFileSnapshot('testing/every-class.txt')
})

/**
 * A digest of the draws of a class for each input: names, descriptions, bytes, and simpler forms of the first
 * cases.
 */
function digestOf(classesOf: (of: GeneratorInput) => readonly CaseClass[], name: string): string {
  const drawn = Object.values(inputs).flatMap((of) => {
    const found = classesOf(of).filter((one) => one.name === name)
    return sentBy(found, of, 60).flatMap((one, at) => {
      const simpler = at < 3 ? [...one.drawn.simpler()].slice(0, 5) : []
      return [shown(one), ...simpler.map((drawnAgain) => shown(sentOf(drawnAgain, of)))]
    })
  })
  return hash('sha256', JSON.stringify(drawn)).slice(0, 6)
}

function shown({ input: of, request, drawn: { name, mutated } }: Sent): unknown {
  const paired = mutated.pairedRequest?.apply(baseOf(of, mutated))
  return [name, mutated, ...[request, paired].map(bytesOf)]
}

function bytesOf(request: Request | undefined): unknown {
  const fields = request?.fields.map((one) => [one.name, valueOf(one)])
  return request && [request.target, request.route, request.form, fields]
}

test('a class gives a reason if a gate sends fewer of its cases', () => {
  const all = rules.flatMap(({ classesOf }) => classesOf(input))

  expect(all.filter(({ always, because = '' }) => always !== undefined && because === '')).toEqual([])
})

test('the weights of the classes of a rule have the expected sums, in a gate and overall', () => {
  const sumOf = (list: readonly CaseClass[]): number => list.reduce((sum, { weight }) => sum + weight, 0)
  const sums = rules.map(({ rule, classesOf }) => {
    return `${rule} ${sumOf(inGate(rule, classesOf(input)))} ${sumOf(classesOf(input))}`
  })

  const ofFields = ['fuzz/api-key 20 23', 'fuzz/secret-key 20 23', 'fuzz/version 20 20']
  const ofOthers = ['fuzz/path 15 22', 'fuzz/query 19 24', 'fuzz/headers 14 26', 'fuzz/combined-flaws 2 19']
  expect(sums).toEqual([...ofFields, ...ofOthers])
  const odd = /^(?:version-|control-|line-break|byte-behind|oversized)/
  const oddValues = caseClasses['fuzz/headers'](input).filter(({ name }) => odd.test(name))
  expect([sumOf(inGate('fuzz/headers', oddValues)), sumOf(oddValues)]).toEqual([8, 10])
})

test('only parameters with a plain, unique name are reordered', () => {
  const of = { ...input, path: '/api/x', query: 'a=1&b[]=2&c=3&d=4&D=5' }

  expect(sentBy(named('parameter-order', of), of, 1)[0]?.request.target).toBe('/api/x?c=3&b[]=2&a=1&d=4&D=5')
})

const odd = '/api/cards/ /api/%C3%A9/a%20b /api/x/%2E%2Ea /api/cards/. /api/a.enx /api/a.phpx'

// Well formed, and without the names of files that firewalls guard.
const harmless = /^\/api\/(?!.*(?:\/\/|\/\.|\.\.|\.env|\.php$|%(?![0-9a-f]{2})))[^/.]/i
const everyPath = ['/api/customizations/list', '/api/x', ...odd.split(' ')]

test.each(everyPath)('near misses of the path %s differ, stay below /api/ and are harmless', (path) => {
  const paths = nearPaths(path).map(([, near]) => near)

  expect(new Set([path, ...paths]).size).toBe(paths.length + 1)
  for (const one of paths) expect(one).toMatch(harmless)
})

test('near misses double the last slash, and use unknown credentials if gateways refuse all other changes', () => {
  const of = { ...input, path: '/api/a/~x' }
  const classes = caseClasses['fuzz/path'](of).filter(({ name }) => /^near-path|^doubled/.test(name))
  const [doubled] = sentBy(classes.slice(2), of, 1)

  const counts = { 'near-path': 0, 'near-path-of-strangers': 2, 'doubled-slash': 1 }
  expect(classes.map(({ name, count }) => [name, count])).toEqual(Object.entries(counts))
  expect(doubled?.request.target).toBe('/api/a//~x')
})

test('invented values, including near misses, never belong to a client', () => {
  const near = { ...inputOf('ak0', 'secret'), wrongKey: 'ak' }
  const [wrong] = sentBy(named('two-wrong', near), near, 1)
  const second = { ...input, second: inputOf('ak_live_7Qm2vXk1Rb84TzN', 'sk_live_hK0pYw5sJd93LmQ').target }
  const all = sentBy(caseClasses['fuzz/combined-flaws'](second), second, 2_000)
  const values = all.flatMap(({ request }) => requiredFields.flatMap((name) => fieldsOf(request, name)))

  // A credential may be the wrong value with another digit.
  expect(wrong === undefined ? [] : fieldsOf(wrong.request, 'x-api-key')).toEqual(['ak', 'ak1'])
  expect(values.filter((value) => textsOf(second.second).includes(value))).toEqual([])
})

const named = (of: string, from: GeneratorInput) =>
  caseClasses['fuzz/headers'](from).filter(({ name }) => name === of)

const textsOf = ({ apiKey, secretKey }: GeneratorInput['target']) => [apiKey.reveal(), secretKey.reveal()]

/** Sequences of six characters of the target's credentials. */
const partsOf = ({ target }: GeneratorInput): readonly string[] =>
  textsOf(target).flatMap((text) => Array.from(text.slice(5), (_, at) => text.slice(at, at + 6)))

function isOpen({ value }: Field, of: GeneratorInput): boolean {
  if (value instanceof Secret) return false
  const rest = value.replaceAll(of.wrongKey, '').replaceAll(of.wrongSecret, '')
  return partsOf(of).some((part) => rest.includes(part))
}

function fieldOf(kind: string): CredentialField | 'x-version' {
  const [name] = kind.slice('fuzz/'.length).split(' ')
  return requiredFields.find((field) => field === `x-${name}`) ?? 'x-version'
}

function isValid({ input: of, drawn }: Sent, kind: string): boolean {
  const field = fieldOf(kind)
  const valid = field === 'x-version' ? of.servedVersion : credentialOf(of.target, field).reveal()
  return arrivedIn(field, of, drawn) === valid
}

const maySucceed = ({ facts }: Sent): boolean => allowed(facts).includes(success)

/** The other fields; if the field is present, also the order of all fields. */
function others({ fields: all }: Request, field: string): unknown {
  const order = all.some(({ name }) => name === field) ? all.map(({ name }) => name) : []
  return [order, all.filter(({ name }) => name !== field)]
}

function isSaid(one: Sent, kind: string): boolean {
  const field = fieldOf(kind)
  const value = one.request.fields.find(({ name }) => name === field)?.value
  if (value instanceof Secret) return one.name.startsWith('other-credential') || one.says === value.name
  return new RegExp(`(?: as|^no|^an empty) ${field}$|^${field} of [\\d,]+ characters?$`).test(one.says)
}

function isUsual({ fields: all }: Request): boolean {
  const size = all.reduce((sum, field) => sum + field.name.length + valueOf(field).length + 4, 0)
  return size < 6_000 && all.every((field) => /^[\t\x20-\x7e]*$/.test(valueOf(field)))
}

const changedBetween = (one: Request, other: Request): Request['fields'] =>
  one.fields.filter((field, at) => valueOf(field) !== valueOf(other.fields[at] ?? field))

function changesOne({ input: of, drawn, request, name }: Sent): boolean {
  const [field, ...more] = changedBetween(request, baseOf(of, drawn.mutated))
  const isInvented = /^(?:version-|oversized)/.test(name) || field?.name === 'x-version'
  return field !== undefined && more.length === 0 && field.value instanceof Secret === !isInvented
}

const isRaw = ({ route }: Request): boolean => route === 'raw'

function needsRaw({ target, fields }: Request): boolean {
  const isSent = (field: Field): boolean =>
    /^[\w!#$%&'*+.^`|~-]+$/.test(field.name) &&
    (field.name.toLowerCase() !== 'connection' || valueOf(field) === 'close') &&
    /^[\t\x20-\x7e\x80-\xff]*$/.test(valueOf(field))
  return !/^[!-\xff]+$/.test(target) || !fields.every(isSent)
}

function isEncoded({ request: { target }, input: of }: Sent): boolean {
  const own = (of.query ?? '').split('&')
  const rest = own.reduce((left, parameter) => left.replace(parameter, ''), target)
  const bytes = target.replaceAll(/%[0-9a-f]{2}/gi, (one) => String.fromCharCode(Number(`0x${one.slice(1)}`)))
  return /^(?:[\w.~/?&=-]|%[0-9a-f]{2})*$/i.test(rest) && isUtf8(Buffer.from(bytes, 'latin1'))
}

const hasRepeated = (sent: Request): boolean => requiredFields.some((name) => fieldsOf(sent, name).length > 1)

const pathOf = ({ target }: Request): string => target.split('?')[0] ?? ''

const segmentOf = ({ request }: Sent): string => request.target.split(/[/?]/)[2] ?? ''

function keepsFields(one: Sent): boolean {
  const kept = ({ fields }: Request): string =>
    fields
      .filter(({ name }) => requiredFields.some((required) => required === name.toLowerCase()))
      .map((field) => `${field.name.toLowerCase()}: ${valueOf(field)}`)
      .toSorted()
      .join('\n')
  const base = baseOf(one.input, one)
  const known = { ...knownOf(base, one.input), input: one.facts.input }
  return kept(one.request) === kept(base) && isDeepStrictEqual(one.facts, known)
}

/** Whether exactly one required field is absent, and the oracle judges it. */
function lacksOne({ facts, treatment }: Sent): boolean {
  const absent = [facts.apiKey, facts.secretKey, facts.version].filter((fact) => fact === 'absent')
  return absent.length === 1 && treatment === 'oracle'
}

const isOfTarget = ({ facts }: Sent): boolean => facts.apiKey === 'valid' && facts.secretKey === 'valid'

const codesOf = ({ facts }: Sent): string =>
  allowed(facts)
    .map((one) => one.errorCode ?? one.status)
    .join(' ')

const keepsQuery = ({ request, input: { path, query } }: Sent): boolean =>
  request.target.startsWith(query === null ? `${path}?` : `${path}?${query}&`)
