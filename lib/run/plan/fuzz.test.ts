import { describe, expect, it } from 'vitest'
import { type CaseClass, type MutatedRequest, caseClass, judged } from '../../fuzz/case-class.ts'
import { caseClasses } from '../../fuzz/case-classes.ts'
import { type RequestChange, setting, to, unchanged, without } from '../../fuzz/request-changes.ts'
import { type Response, valueOf } from '../../http/exchange.ts'
import { type Breach, succeeds } from '../../judge/judge.ts'
import { answer, exchange, refused, served } from '../../judge/testing/exchanges.ts'
import { read, settingsOf, target, temporaryFolder } from '../../settings/testing/read.ts'
import { ruleOf } from '../../specification/rules.ts'
import { contextOf } from '../testing/contexts.ts'
import { area, example, onEachEndpoint, onEveryAnswer, rule } from './cases.ts'
import type { CasesOf, Example, OwnRule, Property, SuiteRule, Untestable } from './cases.ts'
import { cellRow, checkAfter, fuzzed, generatorInputOf, propertyOf } from './fuzz.ts'
import { oncePerEndpoint, oncePerRun, type SuiteContext, suiteContext } from './suite-context.ts'

const listed = { always: 0 } as const

const cards = { method: 'GET', path: '/api/cards/all', versions: [1], invalidQuery: 'page=x' }
const cwd = temporaryFolder({ 'endpoints.json': JSON.stringify([cards]) })

const contextWith = (env: Readonly<Record<string, string>> = {}, replayed: string | null = null) =>
  contextOf({ TARGET_ENDPOINTS: 'endpoints.json', RUN_PROFILE: 'nightly', ...env }, { cwd, replayed })
const context = await contextWith({ RUN_FUZZ_CASES: '10' })

const furtherField = judged('a field more', setting('x-more', '1'))

function propertyIn(of: SuiteContext, classes: readonly CaseClass[]): Property {
  const property = propertyOf('acme/own', () => classes, of)
  if ('untested' in property) throw new Error(property.untested)
  return property
}

/** The case made from a change of the list endpoint's request. */
function caseOf(more: Partial<MutatedRequest>, of: SuiteContext = context): Example {
  const [one] = propertyIn(of, [caseClass('own', { weight: 1 }, [{ ...furtherField, ...more }])]).cases()
  if (one === undefined) throw new Error('no case was drawn')
  return one
}

describe('the generated cases of a rule', () => {
  const pairs = caseClass('pairs', { weight: 1, requests: 2 }, [furtherField])
  const fixed = caseClass('fixed', listed, [furtherField, furtherField])
  const endless: CaseClass = { ...pairs, name: 'endless', nth: pairs.nth }
  Reflect.deleteProperty(endless, 'count')

  it('go to each endpoint, and match their declared number and cost', () => {
    const property = propertyIn(context, [fixed, pairs, endless])
    const names = Array.from(property.cases(), ({ name }) => name)
    const ofFixed = ['fixed.0', 'fixed.1', 'fixed.0@GET-/api/cards/all', 'fixed.1@GET-/api/cards/all']

    expect(names.filter((name) => name.startsWith('fixed'))).toEqual(ofFixed)
    expect([names.length, property.size]).toEqual([12, 12])
    expect(property.requests).toBe(12 + names.length - ofFixed.length)
    expect(property.endpoints).toEqual(['GET /api/customizations/list', 'GET /api/cards/all'])
  })

  it('name each condition of sent rows once, but no condition that only excuses', () => {
    const { conditions = [] } = propertyIn(context, [pairs])

    expect(conditions).toContain('accept-language: de')
    expect(conditions).not.toContain('?_=17')
    expect(new Set(conditions).size).toBe(conditions.length)
  })

  it('are untested if none were requested', async () => {
    const untested = 'no generated cases were requested (RUN_FUZZ_CASES is 0)'
    const of = await contextWith({ RUN_FUZZ_CASES: '0' })
    expect(propertyOf('acme/own', () => [pairs], of)).toEqual({ untested })
  })

  it('are listed only for the list endpoint in a gate', async () => {
    const gate = await contextWith({ RUN_PROFILE: 'gate', RUN_FUZZ_CASES: '4' })
    const property = propertyOf('fuzz/secret-key', caseClasses['fuzz/secret-key'], gate)
    const names = 'untested' in property ? [] : Array.from(property.cases(), ({ name }) => name)
    const ofOther = names.filter((name) => name.includes('@'))

    expect(ofOther).toHaveLength(2)
    expect(names.length - ofOther.length).toBeGreaterThan(2)
  })
})

describe('a case that is replayed by its name', () => {
  const classes = [caseClass('own', { weight: 1 }, [furtherField, { ...furtherField, says: 'another' }])]

  it.each(['own.1', 'own.1@GET-/api/cards/all'])('is the same and is not simplified: %s', async (name) => {
    const property = propertyIn(await contextWith({}, name), classes)
    const cases = [...property.cases()]
    const inRun = [...propertyIn(context, classes).cases()].find((one) => one.name === name)

    expect([property.size, property.requests]).toEqual([1, 1])
    const expected = [name, 'another', inRun?.request.hash]
    expect(cases.map((one) => [one.name, one.says, one.request.hash])).toEqual([expected])
    expect(cases.flatMap((one) => [...(one.simpler?.() ?? [])])).toEqual([])
  })

  it.each(['own.1@GET-/api/other', 'other.1', 'own', ''])('does not exist as %s', async (name) => {
    const made = propertyOf('acme/own', () => classes, await contextWith({}, name))
    expect(made).toEqual({ untested: `no case is called ${name}` })
  })
})

describe('a generated change', () => {
  it('by default makes a plain request with the change, on any connection, judged by the oracle', () => {
    const { request, alone, lead, pair, says } = caseOf({})
    const { traits } = context.list.request

    expect(request.request).toEqual(furtherField.apply(context.list.request.request))
    const none = { plain: false, observed: false, described: false }
    expect(request.traits).toEqual({ ...traits, ...none })
    expect([alone, lead, pair, says]).toEqual([undefined, undefined, undefined, 'a field more'])
  })

  const unknownPath = { endpoint: 'an unknown path under /api/' }
  it.each<[string, Partial<MutatedRequest>, object]>([
    ['that it is observed', { treatment: 'observed' }, { observed: true }],
    ['that it is refused', { treatment: 'refused' }, { observed: true }],
    ['that the transport may refuse it', { transportMayRefuse: true }, { transportMayRefuse: true }],
    ['that it may be redirected', { mayRedirect: true }, { mayRedirect: true }],
    ['that its field may be refused', { fieldMayBeRefused: true }, { fieldMayBeRefused: true }],
    ['that it may be partial', { mayBePartial: true }, { mayBePartial: true }],
    ['its conditions', { conditions: ['a'] }, { conditions: ['a'] }],
    ['that it is excused', { excused: true }, { excused: true }],
    ['its weakness', { conditions: ['a'], weakness: 'implied' }, { weakness: 'implied' }],
    ['that it is described', { described: { file: 'e.json', number: 1, says: 'long' } }, { described: true }],
    ['a path that does not exist', { apply: to('/api/zzabcdefghijklmn/list?a=b') }, unknownPath],
    ['a path that looks unknown', { apply: to('/api/zzabc') }, { endpoint: 'GET /api/customizations/list' }],
  ])('keeps in the traits of its request %s', (_, more, traits) => {
    expect(caseOf(more).request.traits).toMatchObject(traits)
  })

  it('has no weakness without conditions', () => {
    expect(caseOf({ weakness: 'implied' }).request.traits).not.toHaveProperty('weakness')
  })

  it('may use an unknown path, which is sent alone and differs for each case', () => {
    const classes = [caseClass('own', { weight: 1 }, [{ ...furtherField, toUnknownPath: true }])]
    const [first, second] = [...propertyIn(context, classes).cases()]

    expect(first?.request.request.target).not.toBe(second?.request.request.target)
    expect(first?.request.request.target).toMatch(/^\/api\/zz[a-z]{14}$/)
    expect(first).toMatchObject({ alone: true, request: { traits: unknownPath } })
  })

  it('may use a request with a flaw, which is named', () => {
    const { request, says } = caseOf({ base: 'version-absent' })

    expect(request.request.fields.map(({ name }) => name)).not.toContain('x-version')
    expect(says).toMatch(/^a field more, .*version/)
  })

  it.each([
    ['behind a success', 'valid', ['1']],
    ['behind a refusal', 'valid', []],
    ['behind a refusal', 'version-absent', ['2147483647']],
    ['fresh', 'valid', undefined],
  ] as const)('may use a separate connection: %s of %s, after version %o', (connection, base, versions) => {
    const { alone, lead } = caseOf({ connection, base })
    const sent = lead?.request.fields.filter(({ name }) => name === 'x-version').map(({ value }) => value)

    expect([alone, sent]).toEqual([true, versions])
  })

  it('may be judged by a paired request that is sent first', () => {
    const pairedRequest = { relation: 'same-outcome', apply: setting('x-paired', '1') } as const
    const { pair } = caseOf({ pairedRequest })
    const judge = pair?.check(exchange(refused(400, '1030'))).judge

    expect(pair?.request.request).toEqual(pairedRequest.apply(context.list.request.request))
    const kinds = [refused(400, '1030'), served].map((one) => judge?.(exchange(one)).kind)
    expect(kinds).toEqual(['holds', 'violates'])
  })

  it('may note its outcome', () => {
    const observe = { id: 'duplicates', as: 'valid first' }

    expect([{ observe }, {}].map((more) => caseOf(more).observe)).toEqual([observe, undefined])
  })
})

it.each([
  [1_024, 7_000, false],
  [1_025, 7_000, true],
  [1_025, 6 * 1_024 - 1_025 - 10, false],
  [1_025, 6 * 1_024 - 1_025 - 9, true],
])('any server may refuse a request of %i bytes and %i more: %s', async (size, more, isOversized) => {
  const lines = context.list.request.request.fields.map((field) => `${field.name}: ${valueOf(field)}\r\n`)
  const others = lines.join('').length - target.TARGET_API_KEY.length
  const of = await contextWith({ TARGET_API_KEY: 'k'.repeat(size - others) })
  const { request, alone } = caseOf({ apply: setting('x-more', 'a'.repeat(more)) }, of)

  expect([request.traits.transportMayRefuse, alone === true]).toEqual([isOversized, isOversized])
  expect(request.request.target.startsWith('/api/zz')).toBe(isOversized)
})

it('the input of generators names the requests with one flaw that can be sent', async () => {
  const { list, endpoints } = context
  const [, other = list] = endpoints

  expect(generatorInputOf(context, list).furtherBases).toEqual(['endpoint-unknown'])
  expect(generatorInputOf(context, other).furtherBases).toEqual(['endpoint-unknown', 'input-invalid'])
})

it('the input of generators has a wrong key and a wrong secret shaped like the right ones, different for each seed', async () => {
  const of = async (seed: string): Promise<readonly string[]> => {
    const input = generatorInputOf(await contextWith({ RUN_SEED: seed }), context.list)
    return [input.wrongKey, input.wrongSecret]
  }
  const [one, other] = [await of('1'), await of('2')]

  expect(new Set([...one, ...other, target.TARGET_API_KEY, target.TARGET_SECRET_KEY]).size).toBe(6)
  expect(one[0]).toMatch(/^[a-z]{3}-[a-z\d]{16}$/)
})

describe('the row of a cell', () => {
  const names = (of: SuiteContext): readonly (string | undefined)[] =>
    of.endpoints.flatMap((endpoint) => [-1, 0, 1, 1_000].map((at) => cellRow(of, endpoint, at)?.name))

  it('is the case at this place in fuzz/combined-flaws, for each endpoint', async () => {
    const of = await contextWith()
    const rowsOf = (label: string) => [0, 1].map((at) => `conditions-of-cells.${at}${label}`)
    const rows = ['', '@GET-/api/cards/all'].flatMap((label) => [undefined, ...rowsOf(label), undefined])
    const id = 'fuzz/combined-flaws'
    const property = propertyOf(id, caseClasses[id], of)
    const cases = 'untested' in property ? [] : [...property.cases()]

    expect(names(of)).toEqual(rows)
    expect(cases.map(({ request }) => request.hash)).toContain(cellRow(of, of.list, 0)?.request.hash)
  })

  it('does not exist if no combined flaws are sent', async () => {
    for (const env of [{ RUN_FUZZ_CASES: '0' }, { RUN_ONLY: 'authentication/*' }])
      expect(names(await contextWith(env))).toEqual(Array(8).fill(undefined))
    expect(names(await contextWith({}, 'own.1'))).toEqual(Array(8).fill(undefined))
  })
})

const own: OwnRule = { id: 'acme/own', level: 'documented', section: 'ours', says: 'a rule of the user' }

const both: CasesOf = onEachEndpoint(({ request }) => {
  return [example('plain', request, succeeds()), example('other', request.with('x-more', '1'), succeeds())]
})

/** The names of the cases that a rule makes, or why it has none. */
function madeBy(casesOf: CasesOf, of: SuiteContext): readonly string[] | Untestable {
  const work = rule(own, casesOf).work(of)
  if ('untested' in work) return work
  return Array.from('length' in work ? work : work.cases(), ({ name }) => name)
}

it("a rule takes its entry from the catalogue, and a user's rule contains its entry", () => {
  const { id, ...entry } = own
  const ofCatalogue = { id: 'quota/exhausted', entry: ruleOf('quota/exhausted') }

  expect(rule('quota/exhausted', () => [])).toMatchObject(ofCatalogue)
  expect(rule(own, () => [])).toMatchObject({ id, entry: { ...entry, phase: 'together' } })
  const last = { ...own, phase: 'last' } as const
  expect(fuzzed(last, () => [])).toMatchObject({ id, entry: { ...entry, phase: 'last' } })
  expect(area('Ours', [])).toEqual({ title: 'Ours', rules: [] })
})

const ofCards = ['plain@GET-/api/cards/all', 'other@GET-/api/cards/all'] as const

it.each<[string, CasesOf, string | null, readonly string[] | Untestable]>([
  ['has cases for every endpoint, named after the endpoint', both, null, ['plain', 'other', ...ofCards]],
  ['gives a reason for no cases', () => ({ untested: 'no client' }), null, { untested: 'no client' }],
  ['has only the replayed case', both, ofCards[1], [ofCards[1]]],
  ['has no case by another name', both, 'another', { untested: 'no case is called another' }],
  // A rule that sums up the whole run has no cases but is still judged.
  ['without cases has none in a replay', () => [], 'another', []],
])('a rule %s', async (_, casesOf, replayed, made) => {
  expect(madeBy(casesOf, await contextWith({}, replayed))).toEqual(made)
})

const ofOwn = caseClass('own', { weight: 1 }, [judged('a field more', setting('x-more', '1'))])

it.each([
  ['a list with a string', [ofOwn, 'own'], 'a text'],
  ['a list with an object that draws nothing', [ofOwn, { name: 'own' }], 'an object'],
])('a rule with generated cases refuses %s', (_, given, told) => {
  // Values from JavaScript have no types.
  const unfit: SuiteRule = Reflect.apply(fuzzed, null, [own, () => given])

  expect(() => unfit.work(context)).toThrow(`a list of classes, made with caseClass(), instead of ${told}`)
})

describe('a rule for every answer', () => {
  const id = 'conventions/json-response'
  const casesIn = async (only: string) => {
    const work = onEveryAnswer(id).work(await contextWith({ RUN_PROFILE: 'gate', RUN_ONLY: only }))
    return 'length' in work ? work : []
  }
  const absent = ['api-key-absent', 'secret-key-absent', 'version-absent']
  const wrong = ['api-key-wrong', 'secret-key-wrong', 'version-unsupported', 'endpoint-unknown']
  const eachFlaw = ['valid', ...absent, ...wrong]

  it.each([
    ['sends nothing in a whole run', '', []],
    ['sends nothing if another rule does', `${id},authentication/api-key-missing`, []],
    ['sends a plain request and one with each flaw if it runs alone', id, eachFlaw],
    ['sends the same requests together with rules of its kind', `${id},errors/body-shape`, eachFlaw],
  ])('%s', async (_, only, names) => {
    expect((await casesIn(only)).map(({ name }) => name)).toEqual(names)
  })

  it('judges each answer by itself', async () => {
    const [first] = await casesIn(id)
    const judge = first?.kind === 'example' ? first.check.judge : () => null

    expect(judge(exchange(served))).toMatchObject({ kind: 'holds' })
    expect(judge(exchange(answer(400, '<html>')))).toMatchObject({ kind: 'violates' })
  })
})

it('a request to an unknown endpoint may have a path below it', () => {
  expect(context.unknownEndpoint('one', '/list').request.target).toMatch(/^\/api\/zz[a-z]{14}\/list$/)
})

it('a value that rules share is made once for each run or each of its endpoints', async () => {
  let made = 0
  const ofRun = oncePerRun(() => (made += 1))
  const ofEndpoint = oncePerEndpoint(({ label }) => `${label} ${(made += 1)}`)
  const other = await contextWith()

  expect([ofRun(context), ofRun(context), ofRun(other), ofRun(other)]).toEqual([1, 1, 2, 2])
  const first = context.endpoints.map((one) => ofEndpoint(one, context))
  expect(first).toEqual(['GET /api/customizations/list 3', 'GET /api/cards/all 4'])
  expect(context.endpoints.map((one) => ofEndpoint(one, context))).toEqual(first)
  expect(ofEndpoint({ ...context.list, label: 'another' }, context)).toBe('another 5')
})

const plainContext = suiteContext(settingsOf(await read(target)))
const key = target.TARGET_API_KEY

/** A change of the plain request, how it is treated, and the answer to its paired request. */
type Sent = readonly [apply: RequestChange, more?: Partial<MutatedRequest>, before?: Response]

/** The breach in an answer to this, or null. */
function breachOf(response: Response, [apply, more = {}, before]: Sent): Breach | null {
  const request = apply(plainContext.list.request.request)
  const mutated: MutatedRequest = { says: '', apply, treatment: 'oracle', transportMayRefuse: false, ...more }
  const check = checkAfter(mutated, request, plainContext)(before === undefined ? null : exchange(before))
  const judgement = check.judge(exchange(response, request))
  if (judgement.kind === 'unclear') throw new Error(judgement.because)
  return judgement.kind === 'violates' ? judgement.breach : null
}

const all = (...changes: readonly RequestChange[]): RequestChange => {
  return (request) => changes.reduce((changed, change) => change(changed), request)
}
const [noKey, noSecret, noVersion] = [refused(400, '1001'), refused(400, '1002'), refused(400, '1003')]
const missing = [noKey, noSecret, noVersion]
const [unknown, invalid] = [refused(400, '1010'), refused(400, '1030')]
const [badKey, badSecret, nobody] = [refused(401, '1006'), refused(401, '1007'), refused(401, '1012')]
const [broken, notFound, precondition] = [answer(500, ''), answer(404, ''), answer(412, '')]
const notModified = answer(304, '')
const page = answer(200, '<html>', { fields: [['content-type', 'text/html']] })
const moved = answer(301, '', { fields: [['location', '/api/customizations/list']] })
const noRange = answer(416, '')
const partOfJson = answer(206, { customizations: [] })
const part = answer(206, '{"cu')

const keyOf = (value: string) => setting('x-api-key', value)
const wrongKey = keyOf('zz')
const wrongSecret = setting('x-secret-key', 'nobodys')
const unsupported = setting('x-version', '2147483647')
const tab = keyOf(`\t${key}`)
const nowhere = to('/api/zzabcdefghijklmn')
const nearMiss = to('/api/customizations/list/')
const utf8 = keyOf(`${key}\xc3\xa9`)
const latin = keyOf(`${key}\xff`)

const mayRefuse = { transportMayRefuse: true }
const also = { also: [{ status: 400, errorCode: '1010' }] } as const
const partial = { mayBePartial: true } as const
const oddField = { fieldMayBeRefused: true } as const
const pairedRequest = { relation: 'invented-credential', apply: unchanged } as const
const paired = { transportMayRefuse: true, pairedRequest }
const letIn = all(keyOf(`a\xc2\x9f${key}`), nowhere)
const noRefusals = [answer(401, { error_code: '1006' }), refused(400, '1006'), answer(400, '<html>')]
const unfit = [unknown, ...noRefusals, answer(403, { message: 'no' }), broken]
const refusals = [answer(400, ''), precondition, invalid]
// A control character, a folded line, a bare CR, an oversized line.
const oddKeys = [`${key.slice(0, 4)}\x01${key.slice(4)}`, 'x'.repeat(8_192)]
const oddFields = [setting('x-secret-key', 'a\r\n b'), setting('x-version', '1\r2')]
const malformedIsAbsent = 'with a malformed field may count as without it'
const oddLines = [...oddKeys.map(keyOf), ...oddFields].map((one) => all(one, nowhere))

/** A request, its acceptable answers, and its unacceptable ones. */
type Row = [string, Sent, readonly Response[], readonly Response[]]
const pair = (before: Response): Sent => [letIn, paired, before]

it.each<Row>([
  ['is not judged if it is observed', [wrongKey, { treatment: 'observed' }], [served, broken], []],
  ['must not be served if treated as refused', [wrongKey, { treatment: 'refused' }], [notFound], [served]],
  ['is judged by the oracle', [wrongKey], [badKey], [notFound, noKey]],
  ['may be redirected for a near miss of its path', [nearMiss, { mayRedirect: true }], [moved], []],
  ['may not be redirected for any other path', [nearMiss], [], [moved]],
  // All servers strip a leading space, but not all a leading tab; many keep white space after a value.
  ['with a tab before its key may be served', [tab], [served, badKey], [badSecret, noKey, broken]],
  ['with a space before its key is served', [keyOf(` ${key}`)], [served], [badKey]],
  ['with a space behind it may be served', [keyOf(`${key} `)], [served, badKey], [badSecret, noKey, broken]],
  ['with a tab and a wrong secret is not served', [all(tab, wrongSecret)], [badSecret, nobody], [served]],
  ['with a space after it may be served', [setting('x-version', '1 ')], [served, unknown], [noVersion]],
  ['with a non-ASCII key may count as having no key', [utf8], [noKey, badKey], [served, noSecret]],
  ['with a non-ASCII secret may count as without', [setting('x-secret-key', 'a\xff')], [noSecret], [served]],
  ['with a non-ASCII accept-language is valid', [setting('accept-language', '\xc3\xa9')], [served], [noKey]],
  ['that the transport may refuse may be blocked with a page', [latin, mayRefuse], [page, invalid], [served]],
  ['may not be blocked with a page by default', [latin], [], [page]],
  ...[badKey, noKey, invalid].map((one): Row => ['is refused like its pair', pair(one), [one], [unknown]]),
  ['may be refused unlike its pair', pair(badKey), [invalid, noKey, answer(431, '')], [broken]],
  // A pair that was looked up first, or refused by the transport, proves nothing.
  ...unfit.map((one): Row => ['may reach an endpoint, unlike its pair', pair(one), [unknown], []]),
  ['may reach an endpoint if its pair got no answer', [letIn, paired], [unknown], []],
  ...oddLines.map((odd): Row => [malformedIsAbsent, [odd, mayRefuse], missing, [nobody, served]]),
  ['may get an additional answer', [without('x-api-key'), also], [unknown, noKey], [noSecret, served]],
  ['may not get an additional answer by default', [without('x-api-key')], [], [unknown]],
  ['may be served in part', [unchanged, partial], [served, part, notModified, noRange], [precondition]],
  ['may not be served in part by default', [unchanged], [served], [notModified]],
  ['may be refused because of a field', [unchanged, oddField], [served, notModified, ...refusals], [broken]],
  ['is not accepted because of a malformed field', [wrongKey, oddField], [badKey], [served]],
])('a request %s', (_, sent, fine, wrong) => {
  for (const response of fine) expect(breachOf(response, sent), JSON.stringify(response)).toBeNull()
  for (const response of wrong) expect(breachOf(response, sent), JSON.stringify(response)).not.toBeNull()
})

const described = { file: 'endpoints.json', number: 2, says: 'limit below 1' }
const forbidden = { described, allowed: [{ status: 400, errorCode: '1030' }] } as const
const input = 'not as the endpoints file describes the input'
const stripped = keyOf(`${key}\xa0`)
const once = { summary: expect.stringMatching(/^answered 404.* where 400 \/ 1001 is documented$/) }
const again = { also: [{ status: 400, errorCode: '1001' }] } as const
const where = 'where 401 / 1006 or 400 / 1001 or 400 / 1030 is documented'
const invented = 'the same with an invented credential is answered 401 / 1006'
const inWrongOrder = { against: 'order', summary: `answered 400 / 1010 ${where}; ${invented}` } as const
const ofFile = 'input of endpoints.json (entry 2: limit below 1), which it'
const toForbidden = `${ofFile} forbids (400 / 1030 is documented), or the file is wrong`
const toAllowed = `${ofFile} allows, or the file is wrong`
const served200 = `answered 200 with JSON to ${toForbidden}`
const notForbidden = { difference: `${input}: forbidden and served`, summary: served200 }
const refused400 = `answered 400 / 1030 to ${toAllowed}`
const notAllowed = { difference: `${input}: allowed and refused`, summary: refused400 }

it.each<[string, Response, Sent, Partial<Breach>]>([
  ['names each documented answer once', notFound, [without('x-api-key'), again], once],
  ['names no other answer', notFound, [without('x-api-key')], once],
  ['is a warning for a strippable byte', served, [stripped, { mayBeStripped: true }], { warning: true }],
  ['is blamed on the order of checks if only the order is wrong', unknown, pair(badKey), inWrongOrder],
  ['names the endpoints file that forbids what is served', served, [unchanged, forbidden], notForbidden],
  ['names the endpoints file that allows what is refused', invalid, [unchanged, { described }], notAllowed],
])('a breach %s', (_, response, sent, breach) => {
  expect(breachOf(response, sent)).toMatchObject(breach)
})

it.each<[string, Response, Sent, keyof Breach]>([
  ['is not a warning for a byte that no server strips', served, [stripped], 'warning'],
  ['is not blamed on the order after another failure', broken, pair(badKey), 'against'],
])('a breach %s', (_, response, sent, name) => {
  expect(Object.keys(breachOf(response, sent) ?? { [name]: 'no breach' })).not.toContain(name)
})

it.each<[string, Response, Partial<MutatedRequest>]>([
  ['another refusal', badKey, forbidden],
  ['an incomplete error object', answer(400, { error_code: '1030' }), { described }],
  ['a success with undescribed input', served, { allowed: forbidden.allowed }],
])('a breach names no endpoints file for %s', (_, response, more) => {
  expect(breachOf(response, [unchanged, more])?.summary).toMatch(/^(?!.*input of endpoints.json)/)
})

// The condition makes the breach only implied, or a warning.
it.each<[string, boolean, Sent[0], readonly Response[]]>([
  ['a wrong code, form or status', true, wrongSecret, [badKey, answer(401, '<html>'), broken]],
  ['a part or a page for a wrong secret', true, wrongSecret, [part, partOfJson, answer(200, '<html>')]],
  ['the list or a 304 for a wrong secret', false, wrongSecret, [served, notModified]],
  ['a 304 for a wrong secret and version', false, all(unsupported, wrongSecret), [notModified]],
  ['a 304 if a success is allowed', true, unchanged, [notModified]],
  ['a 304 with a tab, which may be stripped', true, tab, [notModified]],
  ['a 304 if only the version is wrong', true, unsupported, [notModified]],
  ['the list if only the version is wrong', false, unsupported, [served]],
])('a breach is weakened by a condition for %s: %s', (_, isWeak, apply, responses) => {
  for (const response of responses) {
    expect(breachOf(response, [apply])).toMatchObject({ allowed: expect.anything() })
    expect(breachOf(response, [apply])).not.toHaveProperty('implied')
    for (const weakness of ['implied', 'warning'] as const)
      expect(Object.hasOwn(breachOf(response, [apply, { weakness }]) ?? {}, weakness)).toBe(isWeak)
  }
})
