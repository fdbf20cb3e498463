import { beforeAll, describe, expect, it } from 'vitest'
import { suites } from '../../../suites/index.ts'
import { caseClass, judged, listed, type CaseClass, type MutatedRequest } from '../../generate/case-class.ts'
import { caseClasses } from '../../generate/case-classes.ts'
import { setting, to } from '../../generate/request-changes.ts'
import { valueOf } from '../../http/request.ts'
import { exchange, refused, served } from '../../judge/testing/exchanges.ts'
import { read, settingsOf, target, temporaryFolder } from '../../settings/testing/read.ts'
import type { GeneratedCase, Property } from './cases.ts'
import { cellRow, generatorInputOf, propertyOf } from './fuzz.ts'
import { suiteContext, type SuiteContext } from './suite-context.ts'

const cards = { method: 'GET', path: '/api/cards/all', versions: [1], invalidQuery: 'page=x' }
const cwd = temporaryFolder({ 'endpoints.json': JSON.stringify([cards]) })

async function contextOf(
  env: Readonly<Record<string, string>> = {},
  replayed: string | null = null,
): Promise<SuiteContext> {
  const given = { ...target, TARGET_ENDPOINTS: 'endpoints.json', RUN_PROFILE: 'nightly', ...env }
  const settings = settingsOf(await read(given, { cwd }))
  return suiteContext(settings, 'card-switch-conformance/test', {
    replayed: replayed === null ? null : { rule: 'acme/own', case: replayed },
  })
}

let context: SuiteContext
beforeAll(async () => {
  context = await contextOf({ RUN_FUZZ_CASES: '10' })
})

const change = judged('a field more', setting('x-more', '1'))

function propertyIn(of: SuiteContext, classes: readonly CaseClass[]): Property {
  const property = propertyOf('acme/own', () => classes, of)
  if ('untested' in property) throw new Error(property.untested)
  return property
}

/** The case that a change of the list endpoint's request becomes. */
function caseOf(more: Partial<MutatedRequest>, of: SuiteContext = context): GeneratedCase {
  const [one] = propertyIn(of, [caseClass('own', { weight: 1 }, [{ ...change, ...more }])]).cases()
  if (one === undefined) throw new Error('a case is drawn')
  return one
}

describe('the generated cases of a rule', () => {
  const pairs = caseClass('pairs', { weight: 1, requests: 2 }, [change])
  const fixed = caseClass('fixed', listed, [change, change])
  const endless: CaseClass = { ...pairs, name: 'endless', nth: pairs.nth }
  Reflect.deleteProperty(endless, 'count')

  it('are as many as they say, go to each endpoint, and cost what they say', () => {
    const property = propertyIn(context, [fixed, pairs, endless])
    const cases = [...property.cases()]
    const ofPairs = cases.filter(({ of }) => of !== 'fixed')

    expect(property.kind).toBe('generated')
    expect(cases.map(({ name }) => name).filter((name) => name.startsWith('fixed'))).toEqual([
      'fixed.0',
      'fixed.1',
      'fixed.0@GET-/api/cards/all',
      'fixed.1@GET-/api/cards/all',
    ])
    expect(cases).toHaveLength(12)
    expect([property.size, property.requests]).toEqual([12, 12 + ofPairs.length])
    expect(property.endpoints).toEqual(['GET /api/customizations/list', 'GET /api/cards/all'])
    expect(property.classes?.slice(0, 3)).toEqual(['fixed', 'pairs', 'endless'])
  })

  it('name conditions that rows are sent under, and never one that only excuses', () => {
    const names = propertyIn(context, [pairs]).conditions?.map(({ name }) => name)

    expect(names).toContain('accept-language: de')
    expect(
      propertyIn(context, [pairs]).conditions?.every(({ isSent, needs }) => isSent && needs.length === 0),
    ).toBe(true)
    expect(new Set(names).size).toBe(names?.length)
  })

  it('are none where none were asked for', async () => {
    expect(propertyOf('acme/own', () => [pairs], await contextOf({ RUN_FUZZ_CASES: '0' }))).toEqual({
      untested: 'no generated cases were asked for (RUN_FUZZ_CASES is 0)',
    })
  })

  it('are listed for the list endpoint alone in a gate', async () => {
    const gate = await contextOf({ RUN_PROFILE: 'gate', RUN_FUZZ_CASES: '4' })
    const property = propertyOf('fuzz/api-key', caseClasses['fuzz/api-key'], gate)
    const names = 'untested' in property ? [] : Array.from(property.cases(), ({ name }) => name)
    const ofOther = names.filter((name) => name.includes('@'))

    expect(ofOther).toHaveLength(2)
    expect(names.length - ofOther.length).toBeGreaterThan(2)
  })
})

describe('a case that is sent again by its name', () => {
  const classes = [caseClass('own', { weight: 1 }, [change, { ...change, says: 'another' }])]

  it.each(['own.1', 'own.1@GET-/api/cards/all'])('is the same one, and gets no simpler: %s', async (name) => {
    const property = propertyIn(await contextOf({}, name), classes)
    const cases = [...property.cases()]
    const inRun = [...propertyIn(context, classes).cases()].find((one) => one.name === name)

    expect([property.kind, property.size, property.requests]).toEqual(['generated', 1, 1])
    expect(cases.map((one) => [one.name, one.says, one.request.hash])).toEqual([
      [name, 'another', inRun?.request.hash],
    ])
    expect(cases.flatMap((one) => [...one.simpler()])).toEqual([])
  })

  it.each(['own.1@GET-/api/other', 'other.1', 'own', ''])('is none by another name: %s', async (name) => {
    expect(propertyOf('acme/own', () => classes, await contextOf({}, name))).toEqual({
      untested: `no case is called ${name}`,
    })
  })
})

describe('what a change asks for', () => {
  it('by default is a plain request with it, on any connection, judged by the oracle', () => {
    const { request, alone, lead, before, says } = caseOf({})
    const { plain, observed, mayRedirect, fieldMayBeRefused, described, endpoint, ...others } = request.traits

    expect(request.request).toEqual(change.apply(context.list.request.request))
    expect({ plain, observed, mayRedirect, fieldMayBeRefused, described, endpoint }).toEqual({
      plain: false,
      observed: false,
      mayRedirect: false,
      fieldMayBeRefused: false,
      described: false,
      endpoint: 'GET /api/customizations/list',
    })
    expect(others).toEqual({ client: 'target', transportMayRefuse: false, asksForQuota: false })
    expect([alone, lead, before, says]).toEqual([false, undefined, null, 'a field more'])
  })

  it.each<[keyof MutatedRequest, Partial<MutatedRequest>, object]>([
    ['treatment', { treatment: 'observed' }, { observed: true }],
    ['treatment', { treatment: 'refused' }, { observed: true }],
    ['transportMayRefuse', { transportMayRefuse: true }, { transportMayRefuse: true }],
    ['mayRedirect', { mayRedirect: true }, { mayRedirect: true }],
    ['fieldMayBeRefused', { fieldMayBeRefused: true }, { fieldMayBeRefused: true }],
    ['mayBePartial', { mayBePartial: true }, { mayBePartial: true }],
    ['conditions', { conditions: ['a'] }, { conditions: ['a'] }],
    ['excused', { excused: true }, { excused: true }],
    ['weakness', { conditions: ['a'], weakness: 'implied' }, { weakness: 'implied' }],
    ['described', { described: { file: 'e.json', number: 1, says: 'too long' } }, { described: true }],
  ])('goes with the request: %s', (_, more, traits) => {
    expect(caseOf(more).request.traits).toMatchObject(traits)
  })

  it('says nothing of a weakness without conditions', () => {
    expect(caseOf({ weakness: 'implied' }).request.traits).not.toHaveProperty('weakness')
  })

  it('an unknown path, where it is alone: another one for each case', () => {
    const { request, alone } = caseOf({ toUnknownPath: true })
    const classes = [caseClass('own', { weight: 1 }, [{ ...change, toUnknownPath: true }])]
    const [first, second] = [...propertyIn(context, classes).cases()]

    expect(first?.request.request.target).not.toBe(second?.request.request.target)
    expect(request.request.target).toMatch(/^\/api\/zz[a-z]{14}$/)
    expect(request.traits.endpoint).toBe('an unknown path under /api/')
    expect(alone).toBe(true)
  })

  it.each([
    ['/api/zzabcdefghijklmn/list?a=b', 'an unknown path under /api/'],
    ['/api/zzabc', 'GET /api/customizations/list'],
  ])('a path of its own: %s is told as %s', (path, endpoint) => {
    expect(caseOf({ apply: to(path) }).request.traits.endpoint).toBe(endpoint)
  })

  it('a request with a flaw, which is told', () => {
    const { request, says } = caseOf({ base: 'version-absent' })

    expect(request.request.fields.map(({ name }) => name)).not.toContain('x-version')
    expect(says).toMatch(/^a field more, .*version/)
  })

  it.each([
    ['behind a success', 'valid', { 'x-version': '1' }],
    ['behind a refusal', 'valid', {}],
    ['behind a refusal', 'version-absent', { 'x-version': '2147483647' }],
    ['fresh', 'valid', null],
  ] as const)('a connection of its own: %s of %s', (connection, base, version) => {
    const { alone, lead } = caseOf({ connection, base })
    const fields = lead?.request.fields.filter(({ name }) => name === 'x-version')

    expect(alone).toBe(true)
    expect(
      fields === undefined ? null : Object.fromEntries(fields.map(({ name, value }) => [name, value])),
    ).toEqual(version)
  })

  it('a paired request before it, by which it is judged', () => {
    const pairedRequest = { relation: 'same-outcome', apply: setting('x-paired', '1') } as const
    const { before, check } = caseOf({ pairedRequest })
    const judge = check(exchange(refused(400, '1030'))).judge

    expect(before?.request).toEqual(pairedRequest.apply(context.list.request.request))
    expect(judge(exchange(refused(400, '1030'))).kind).toBe('holds')
    expect(judge(exchange(served)).kind).toBe('violates')
  })

  it('a note of what came of it', () => {
    const noted: string[][] = []
    const notes = {
      observe: () => undefined,
      note: (...one: [string, string, string]) => void noted.push(one),
    }
    const { observe } = caseOf({ observe: { id: 'duplicates', as: 'valid first' } })
    observe(notes, 'connection closed')
    observe(notes, '401 / 1006')
    caseOf({}).observe(notes, 'connection closed')

    expect(noted).toEqual([
      ['duplicates', 'valid first', 'connection closed'],
      ['duplicates', 'valid first', '401 / 1006'],
    ])
  })
})

describe('long credentials', () => {
  /** A key with which the plain request's header lines have this size, in bytes. */
  const keyFor = (size: number): string => {
    const { fields } = context.list.request.request
    const others = fields.reduce((sum, field) => sum + field.name.length + valueOf(field).length + 4, 0)
    return 'k'.repeat(size - others + target.TARGET_API_KEY.length)
  }
  const mostOf = (size: number): Partial<MutatedRequest> => ({ apply: setting('x-more', 'a'.repeat(size)) })

  it.each([
    [1_024, 7_000, false],
    [1_025, 7_000, true],
    [1_025, 6 * 1_024 - 1_025 - 10, false],
    [1_025, 6 * 1_024 - 1_025 - 9, true],
  ])(
    'of a request of %i bytes and %i more make a case one that any server may refuse: %s',
    async (size, more, isOversized) => {
      const { request, alone } = caseOf(mostOf(more), await contextOf({ TARGET_API_KEY: keyFor(size) }))

      expect(request.traits.transportMayRefuse).toBe(isOversized)
      expect(alone).toBe(isOversized)
      expect(request.request.target.startsWith('/api/zz')).toBe(isOversized)
    },
  )
})

describe('what generators know of the target', () => {
  it('is which requests with one flaw can be sent', async () => {
    const { list, endpoints } = context
    const [, other = list] = endpoints

    expect(generatorInputOf(context, list).furtherBases).toEqual(['endpoint-unknown'])
    expect(generatorInputOf(context, other).furtherBases).toEqual(['endpoint-unknown', 'input-invalid'])
  })

  it('is a wrong key and a wrong secret of the shape of the right ones, other ones for each seed', async () => {
    const of = async (seed: string): Promise<readonly string[]> => {
      const input = generatorInputOf(await contextOf({ RUN_SEED: seed }), context.list)
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

  it('is the case of combined flaws in its place, for each endpoint', async () => {
    const cells = names(await contextOf())

    expect(cells).toEqual([
      undefined,
      'conditions-of-cells.0',
      'conditions-of-cells.1',
      undefined,
      undefined,
      'conditions-of-cells.0@GET-/api/cards/all',
      'conditions-of-cells.1@GET-/api/cards/all',
      undefined,
    ])
  })

  it.each([{ RUN_FUZZ_CASES: '0' }, { RUN_ONLY: 'authentication/*' }])(
    'is none where no combined flaws are sent: %j',
    async (env) => {
      expect(new Set(names(await contextOf(env)))).toEqual(new Set([undefined]))
    },
  )

  it('is none where another case is sent again', async () => {
    expect(new Set(names(await contextOf({}, 'own.1')))).toEqual(new Set([undefined]))
  })

  it('is sent by the rule of combined flaws, too', async () => {
    const of = await contextOf()
    const rule = suites.flatMap(({ rules }) => rules).find(({ id }) => id === 'fuzz/combined-flaws')
    const work = rule?.work(of)
    const cases = work !== undefined && 'cases' in work && work.kind === 'generated' ? [...work.cases()] : []
    const hashes = cases.map(({ request }) => request.hash)

    expect(hashes).toContain(cellRow(of, of.list, 0)?.request.hash)
  })
})
