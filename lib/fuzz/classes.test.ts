import { isDeepStrictEqual } from 'node:util'
import { describe, expect, test } from 'vitest'
import { fieldsOf, valueOf, type Field, type Request } from '../http/request.ts'
import { allowed } from '../judge/allowed.ts'
import { Secret } from '../redact/secret.ts'
import { isRuleId } from '../specification/rules.ts'
import { requiredFields, unknownSegment } from '../specification/endpoints.ts'
import type { CaseClass, GeneratorInput, MutatedRequest } from './case-class.ts'
import { caseClasses, headerLineClasses, oddValueClasses } from './case-classes.ts'
import { combinedFlawClasses } from './combined-flaws.ts'
import {
  baseOf,
  casesOf,
  inGate,
  inputOf,
  inputs,
  knownOf,
  sentBy,
  sentOf,
  type Sent,
} from './testing/requests.ts'

type Claim = readonly [title: string, holds: (one: Sent, parts: readonly string[]) => boolean]

const input = inputOf('ak_live_7Qm2vXk1Rb84TzNe', 'sk_live_hK0pYw5sJd93LmQc')
const rules: Readonly<Record<string, (input: GeneratorInput) => readonly CaseClass[]>> = {
  'header lines': headerLineClasses,
  paths: caseClasses['fuzz/path'],
  queries: caseClasses['fuzz/query'],
  'combined flaws': combinedFlawClasses,
}
const generated = Object.entries(caseClasses).flatMap(([rule, classesOf]) =>
  isRuleId(rule) ? [{ rule, classesOf }] : [],
)
const given = Object.entries(rules).flatMap(([rule, classesOf]) =>
  Object.entries(inputs).map(([about, of]) => {
    const count = rule === 'paths' || rule === 'queries' ? 2_000 : 600
    return { rule, about, of, count, all: sentBy(classesOf(of), of, count), classList: classesOf(of) }
  }),
)

const ofAll: readonly Claim[] = [
  [
    'hold what is made from a credential as a secret',
    (one, parts) => !one.request.fields.some(isOpenIn(one.input, parts)),
  ],
  ['say what was done, briefly', ({ says }) => says !== '' && says.length <= 300],
  ['say no part of a credential', ({ says }, parts) => !parts.some((part) => says.includes(part))],
  ['take the raw route where no client sends them', ({ request }) => isRaw(request) === needsRaw(request)],
  [
    'go to an unknown path exactly where they are raw or oversized',
    (one) => (isRaw(one.request) || one.request.target.length > 2_000) === (one.toUnknownPath === true),
  ],
  [
    'may be refused by the transport at an unknown path',
    (one) => one.toUnknownPath !== true || (unknownSegment.test(segmentOf(one)) && one.transportMayRefuse),
  ],
  ['are percent-encoded or excused', (one) => one.transportMayRefuse || isEncoded(one)],
  [
    'are judged by the oracle, or against a list of answers where a field is repeated',
    (one) => one.treatment !== 'oracle' || hasRepeated(one.request) === (one.allowed !== undefined),
  ],
  [
    'hold no valid credentials where nobody must be served',
    (one) => one.treatment !== 'refused' || !isOfTarget(one),
  ],
]

const ofRule: Readonly<Record<string, readonly Claim[]>> = {
  'header lines': [
    [
      'keep names, values and facts of the required fields where they must change no outcome',
      (one) => !equivalent.has(classOf(one)) || keepsFields(one),
    ],
    [
      'are absent to the oracle under a similar name',
      (one) => !one.name.startsWith('look-alike') || lacksOne(one),
    ],
  ],
  paths: [
    ['stay below /api/', ({ request }) => request.target.startsWith('/api/')],
    ['are unlike the known one', (one) => pathOf(one.request) !== one.input.path],
    [
      'are refused with 1010, and with 1030 for an unknown query, where no service has them',
      (one) => !isUnknown(one) || codesOf(one) === (one.request.target.includes('?') ? '1010 1030' : '1010'),
    ],
    [
      'ask for the folder of the known one as strangers',
      (one) => !isFolder(one) || one.treatment === 'refused',
    ],
    [
      'may be refused by the transport where a segment is longer than some servers take',
      (one) => classOf(one) !== 'unknown-path-long' || one.transportMayRefuse === hasLongSegment(one),
    ],
    [
      'may exist, or redirect, where they nearly are the known one',
      (one) =>
        !one.name.startsWith('near') || (one.facts.endpoint === 'uncertain' && one.mayRedirect === true),
    ],
    ['hold nothing that firewalls refuse', ({ request }) => !firewalled.test(pathOf(request))],
    [
      'hold a backslash only where the transport may refuse it',
      (one) => one.transportMayRefuse || !/%5c/i.test(pathOf(one.request)),
    ],
    ['double a slash unjudged', (one) => one.treatment !== 'oracle' || !pathOf(one.request).includes('//')],
  ],
  queries: [
    ['are valid or invalid input alone', (one) => one.toUnknownPath === true || codesOf(one) === '2xx 1030'],
    ['are said in a line', ({ says }) => says.length < 140],
    ['keep the query of the endpoint', (one) => one.toUnknownPath === true || keepsQuery(one)],
    ['choose no method', ({ request }) => !/[?&](?:_?method|debug)=/i.test(request.target)],
    [
      'name a format or a function only to observe it',
      (one) => one.treatment === 'observed' || !/[?&](?:callback|jsonp|format)=/i.test(one.request.target),
    ],
    ['reach for no prototype', ({ request }) => !/(?:__proto__|constructor)(?:%5B|\.)/i.test(request.target)],
    ['hold no number that firewalls know by heart', ({ request }) => !knownNumbers.test(request.target)],
  ],
}
const firewalled = /%2f|%00|%0[ad]|;|\/\.|\.\.|~|\\|\.(?:php|git|env)/i
const knownNumbers =
  /=(?:-?2147483648|2147483647|-2147483649|429496729[56]|1e309|2\.225073858507\d+e-308|-?0000\d+)$/

describe.each(given)('$rule for $about', ({ rule, of, count, all, classList }) => {
  test.each([...ofAll, ...(ofRule[rule] ?? [])])('%s', (_, holds) => {
    const parts = partsOf(of)
    expect(all.filter((one) => !holds(one, parts)).map(({ name, says }) => `${name}: ${says}`)).toEqual([])
  })

  test('are the same again, and others for another root seed', () => {
    const seeded = (seed: number): unknown => sentBy(classList, of, count, seed).map(shown)
    expect(seeded(1)).toEqual(all.map(shown))
    expect(all.map(({ drawn }) => shown(sentOf(drawn, of)))).toEqual(all.map(shown))
    expect(seeded(2)).not.toEqual(seeded(1))
  })

  test('have stable names of their own', () => {
    const names = classList.map(({ name }) => name)
    expect(new Set(names).size).toBe(names.length)
    for (const name of names) expect(name).toMatch(/^[a-z0-9]+(?:-[a-z0-9]+)*$/)
  })
})

test.each(given.filter(({ rule }) => rule === 'paths'))(
  'paths for $about come to all of their kinds',
  (one) => {
    const segments = one.all.filter(isUnknown).map(segmentOf)
    const long = one.all.filter((sent) => classOf(sent) === 'unknown-path-long')

    expect(new Set(segments).size).toBe(segments.length)
    expect(one.all.some(isFolder)).toBe(one.of.path.split('/').length > 3)
    expect(new Set(long.map(({ transportMayRefuse }) => transportMayRefuse))).toEqual(new Set([true, false]))
  },
)

test.each(generated)('$rule sends every class within 200 cases', ({ classesOf }) => {
  for (const of of Object.values(inputs)) {
    const sent = new Set(casesOf(classesOf(of), 200).map(({ of: name }) => name))
    expect(classesOf(of).filter(({ name }) => !sent.has(name))).toEqual([])
  }
})

test('each class is judged, and left out of a gate, as it is written down', async () => {
  const [, of = input] = Object.values(inputs)
  const lines = generated.flatMap(({ rule, classesOf }) => {
    const classes = classesOf(of)
    const cases = casesOf(classes, 2_000)
    const inGates = new Set(inGate(rule, classes).map(({ name }) => name))
    return classes.map(({ name }) => {
      const ways = new Set(cases.filter((one) => one.of === name).map(({ mutated }) => wayOf(mutated)))
      const judged = [...ways].toSorted().join('; ')
      return { name, way: `${rule}, ${inGates.has(name) ? judged : `not in a gate: ${judged}`}` }
    })
  })
  const namesOf = (way: string): readonly string[] =>
    lines.flatMap((one) => (one.way === way ? [one.name] : []))
  const written = [...new Set(lines.map(({ way }) => way))].map(
    (way) => `${way}: ${namesOf(way).join(', ')}\n`,
  )

  await expect(written.join('')).toMatchFileSnapshot('testing/every-class.txt')
})

/** T where the transport, a gateway or a firewall may refuse it by itself. */
function wayOf(one: MutatedRequest): string {
  return [
    one.treatment,
    ...(one.transportMayRefuse ? ['T'] : []),
    ...(one.mayRedirect === true ? ['may redirect'] : []),
    ...(one.toUnknownPath === true ? ['to an unknown path'] : []),
  ].join(', ')
}

test.each([
  ['fuzz/api-key', caseClasses['fuzz/api-key'], 20, 23],
  ['fuzz/secret-key', caseClasses['fuzz/secret-key'], 20, 23],
  ['fuzz/version', caseClasses['fuzz/version'], 20, 20],
  ['fuzz/headers', headerLineClasses, 6, 16],
  ['fuzz/headers', oddValueClasses, 8, 10],
  ['fuzz/path', caseClasses['fuzz/path'], 15, 22],
  ['fuzz/query', caseClasses['fuzz/query'], 19, 24],
  ['fuzz/combined-flaws', caseClasses['fuzz/combined-flaws'], 2, 19],
] as const)('classes of %s come to their weight in a gate and in all', (rule, classesOf, gate, whole) => {
  const sumOf = (list: readonly CaseClass[]): number => list.reduce((sum, { weight }) => sum + weight, 0)

  expect([sumOf(inGate(rule, classesOf(input))), sumOf(classesOf(input))]).toEqual([gate, whole])
})

/** Sequences of six characters of the target's credentials. */
function partsOf({ target }: GeneratorInput): readonly string[] {
  return [target.apiKey, target.secretKey].flatMap((secret) => {
    const text = secret.reveal()
    return Array.from({ length: text.length - 5 }, (_, at) => text.slice(at, at + 6))
  })
}

function isOpenIn(of: GeneratorInput, parts: readonly string[]): (field: Field) => boolean {
  return ({ value }) => {
    if (value instanceof Secret) return false
    const rest = value.replaceAll(of.wrongKey, '').replaceAll(of.wrongSecret, '')
    return parts.some((part) => rest.includes(part))
  }
}

function isRaw({ route }: Request): boolean {
  return route === 'raw'
}

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
  return /^(?:[\w.~/?&=-]|%[0-9a-f]{2})*$/i.test(rest) && isUtf8(target)
}

function isUtf8(target: string): boolean {
  try {
    decodeURIComponent(target)
    return true
  } catch {
    return false
  }
}

function hasRepeated(request: Request): boolean {
  return requiredFields.some((name) => fieldsOf(request, name).length > 1)
}

function pathOf({ target }: Request): string {
  return target.split('?')[0] ?? ''
}

function segmentOf({ request }: Sent): string {
  return request.target.split(/[/?]/)[2] ?? ''
}

function classOf({ drawn }: Sent): string {
  return drawn.of
}

const equivalent = new Set([
  'name-case',
  'field-order',
  'unrelated-fields',
  'many-unrelated-fields',
  'parameter-order',
])

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

function isOfTarget({ facts }: Sent): boolean {
  return facts.apiKey === 'valid' && facts.secretKey === 'valid'
}

function isUnknown({ name }: Sent): boolean {
  return name.startsWith('unknown')
}

function isFolder({ request, input: { path } }: Sent): boolean {
  return pathOf(request) === path.slice(0, path.lastIndexOf('/'))
}

function hasLongSegment({ request }: Sent): boolean {
  return request.target.split('/').some((segment) => segment.length > 255)
}

function codesOf({ facts }: Sent): string {
  return allowed(facts)
    .map(({ status, errorCode }) => errorCode ?? status)
    .join(' ')
}

function keepsQuery({ request, input: { path, query } }: Sent): boolean {
  return request.target.startsWith(query === null ? `${path}?` : `${path}?${query}&`)
}

function shown({ name, says, treatment, base, request }: Sent): unknown {
  return [name, says, treatment, base, request.target, request.fields.map((one) => [one.name, valueOf(one)])]
}
