import { describe, expect, it } from 'vitest'
import { suites } from '../../../suites/index.ts'
import { caseClass, judged, type CaseClass, type MutatedRequest } from '../../fuzz/case-class.ts'
import { caseClasses } from '../../fuzz/case-classes.ts'
import { setting, to } from '../../fuzz/request-changes.ts'
import { valueOf } from '../../http/request.ts'
import { exchange, refused, served } from '../../judge/testing/exchanges.ts'
import { target, temporaryFolder } from '../../settings/testing/read.ts'
import { contextOf } from '../testing/contexts.ts'
import type { Example, Property } from './cases.ts'
import { cellRow, generatorInputOf, propertyOf } from './fuzz.ts'
import type { SuiteContext } from './suite-context.ts'

const listed = { always: 0 } as const

const cards = { method: 'GET', path: '/api/cards/all', versions: [1], invalidQuery: 'page=x' }
const cwd = temporaryFolder({ 'endpoints.json': JSON.stringify([cards]) })

const contextWith = (env: Readonly<Record<string, string>> = {}, replayed: string | null = null) =>
  contextOf({ TARGET_ENDPOINTS: 'endpoints.json', RUN_PROFILE: 'nightly', ...env }, { cwd, replayed })
const context = await contextWith({ RUN_FUZZ_CASES: '10' })

const change = judged('a field more', setting('x-more', '1'))

function propertyIn(of: SuiteContext, classes: readonly CaseClass[]): Property {
  const property = propertyOf('acme/own', () => classes, of)
  if ('untested' in property) throw new Error(property.untested)
  return property
}

/** The case made from a change of the list endpoint's request. */
function caseOf(more: Partial<MutatedRequest>, of: SuiteContext = context): Example {
  const [one] = propertyIn(of, [caseClass('own', { weight: 1 }, [{ ...change, ...more }])]).cases()
  if (one === undefined) throw new Error('no case was drawn')
  return one
}

describe('the generated cases of a rule', () => {
  const pairs = caseClass('pairs', { weight: 1, requests: 2 }, [change])
  const fixed = caseClass('fixed', listed, [change, change])
  const endless: CaseClass = { ...pairs, name: 'endless', nth: pairs.nth }
  Reflect.deleteProperty(endless, 'count')

  it('go to each endpoint, and match their declared number and cost', () => {
    const property = propertyIn(context, [fixed, pairs, endless])
    const names = Array.from(property.cases(), ({ name }) => name)
    const ofFixed = ['fixed.0', 'fixed.1', 'fixed.0@GET-/api/cards/all', 'fixed.1@GET-/api/cards/all']

    expect(names.filter((name) => name.startsWith('fixed'))).toEqual(ofFixed)
    expect([property.kind, names.length]).toEqual(['generated', 12])
    expect([property.size, property.requests]).toEqual([12, 12 + names.length - ofFixed.length])
    expect(property.endpoints).toEqual(['GET /api/customizations/list', 'GET /api/cards/all'])
  })

  it('name each condition of sent rows once, but no condition that only excuses', () => {
    const { conditions = [] } = propertyIn(context, [pairs])
    const names = conditions.map(({ name }) => name)

    expect(names).toContain('accept-language: de')
    expect(conditions.every(({ isSent, needs }) => isSent && needs.length === 0)).toBe(true)
    expect(new Set(names).size).toBe(names.length)
  })

  it('are untested if none were requested', async () => {
    expect(propertyOf('acme/own', () => [pairs], await contextWith({ RUN_FUZZ_CASES: '0' }))).toEqual({
      untested: 'no generated cases were requested (RUN_FUZZ_CASES is 0)',
    })
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
  const classes = [caseClass('own', { weight: 1 }, [change, { ...change, says: 'another' }])]

  it.each(['own.1', 'own.1@GET-/api/cards/all'])('is the same and is not simplified: %s', async (name) => {
    const property = propertyIn(await contextWith({}, name), classes)
    const cases = [...property.cases()]
    const inRun = [...propertyIn(context, classes).cases()].find((one) => one.name === name)

    expect([property.kind, property.size, property.requests]).toEqual(['generated', 1, 1])
    expect(cases.map((one) => [one.name, one.says, one.request.hash])).toEqual([
      [name, 'another', inRun?.request.hash],
    ])
    expect(cases.flatMap((one) => [...(one.simpler?.() ?? [])])).toEqual([])
  })

  it.each(['own.1@GET-/api/other', 'other.1', 'own', ''])(
    'does not exist under another name: %s',
    async (name) => {
      expect(propertyOf('acme/own', () => classes, await contextWith({}, name))).toEqual({
        untested: `no case is called ${name}`,
      })
    },
  )
})

describe('a generated change', () => {
  it('by default makes a plain request with the change, on any connection, judged by the oracle', () => {
    const { request, alone, lead, pair, says } = caseOf({})
    const { traits } = context.list.request

    expect(request.request).toEqual(change.apply(context.list.request.request))
    expect(request.traits).toEqual({ ...traits, plain: false, fieldMayBeRefused: false, described: false })
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
    [
      'a path that only looks unknown',
      { apply: to('/api/zzabc') },
      { endpoint: 'GET /api/customizations/list' },
    ],
  ])('keeps in the traits of its request %s', (_, more, traits) => {
    expect(caseOf(more).request.traits).toMatchObject(traits)
  })

  it('has no weakness without conditions', () => {
    expect(caseOf({ weakness: 'implied' }).request.traits).not.toHaveProperty('weakness')
  })

  it('may use an unknown path, which is sent alone and differs for each case', () => {
    const classes = [caseClass('own', { weight: 1 }, [{ ...change, toUnknownPath: true }])]
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
    expect([refused(400, '1030'), served].map((one) => judge?.(exchange(one)).kind)).toEqual([
      'holds',
      'violates',
    ])
  })

  it('may note its outcome', () => {
    const noted: string[][] = []
    const note = (...one: [string, string, string]) => void noted.push(one)
    for (const more of [{ observe: { id: 'duplicates', as: 'valid first' } }, {}])
      caseOf(more).observe?.({ observe: () => undefined, note }, '401 / 1006')

    expect(noted).toEqual([['duplicates', 'valid first', '401 / 1006']])
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

describe('the input of generators', () => {
  it('names the requests with one flaw that can be sent', async () => {
    const { list, endpoints } = context
    const [, other = list] = endpoints

    expect(generatorInputOf(context, list).furtherBases).toEqual(['endpoint-unknown'])
    expect(generatorInputOf(context, other).furtherBases).toEqual(['endpoint-unknown', 'input-invalid'])
  })

  it('has a wrong key and a wrong secret shaped like the right ones, different for each seed', async () => {
    const of = async (seed: string): Promise<readonly string[]> => {
      const input = generatorInputOf(await contextWith({ RUN_SEED: seed }), context.list)
      return [input.wrongKey, input.wrongSecret]
    }
    const [one, other] = [await of('1'), await of('2')]

    expect(await of('1')).toEqual(one)
    expect(new Set([...one, ...other, target.TARGET_API_KEY, target.TARGET_SECRET_KEY]).size).toBe(6)
    expect(one[0]).toMatch(/^[a-z]{3}-[a-z\d]{16}$/)
  })
})

describe('the row of a cell', () => {
  const names = (of: SuiteContext): readonly (string | undefined)[] =>
    of.endpoints.flatMap((endpoint) => [-1, 0, 1, 1_000].map((at) => cellRow(of, endpoint, at)?.name))

  it('is the case at this place in fuzz/combined-flaws, for each endpoint', async () => {
    const of = await contextWith()
    const rows = ['', '@GET-/api/cards/all'].map((label) =>
      [0, 1].map((at) => `conditions-of-cells.${at}${label}`),
    )
    const rule = suites.flatMap(({ rules }) => rules).find(({ id }) => id === 'fuzz/combined-flaws')
    const work = rule?.work(of)
    const cases = work !== undefined && 'cases' in work && work.kind === 'generated' ? [...work.cases()] : []

    expect(names(of)).toEqual(rows.flatMap((ofEndpoint) => [undefined, ...ofEndpoint, undefined]))
    expect(cases.map(({ request }) => request.hash)).toContain(cellRow(of, of.list, 0)?.request.hash)
  })

  it.each<[Readonly<Record<string, string>>, string?]>([
    [{ RUN_FUZZ_CASES: '0' }],
    [{ RUN_ONLY: 'authentication/*' }],
    [{}, 'own.1'],
  ])('does not exist if no combined flaws are sent: %j %s', async (env, replayed) => {
    expect(names(await contextWith(env, replayed))).toEqual(Array(8).fill(undefined))
  })
})
