import { describe, expect, it } from 'vitest'
import { caseClass, judged } from '../../fuzz/case-class.ts'
import { setting } from '../../fuzz/request-changes.ts'
import { succeeds } from '../../judge/judge.ts'
import { answer, exchange, served } from '../../judge/testing/exchanges.ts'
import { temporaryFolder } from '../../settings/testing/read.ts'
import { ruleOf } from '../../specification/rules.ts'
import { contextOf } from '../testing/contexts.ts'
import { example, type SuiteRule, type Untestable } from './cases.ts'
import { area, fuzzed, onEachEndpoint, onEveryAnswer, rule, type CasesOf, type OwnRule } from './rule.ts'
import { oncePerEndpoint, oncePerRun, type SuiteContext } from './suite-context.ts'

const cards = { method: 'GET', path: '/api/cards/all', versions: [1] }
const cwd = temporaryFolder({ 'endpoints.json': JSON.stringify([cards]) })
const own: OwnRule = { id: 'acme/own', level: 'documented', section: 'ours', says: 'a rule of the user' }

const contextWith = (replayed?: string, env: Readonly<Record<string, string>> = {}): Promise<SuiteContext> =>
  contextOf(
    { TARGET_ENDPOINTS: 'endpoints.json', ...env },
    { cwd, ...(replayed === undefined ? {} : { replayed }) },
  )
const context = await contextWith()

const both: CasesOf = onEachEndpoint(({ request }) => [
  example('plain', request, succeeds()),
  example('other', request.with('x-more', '1'), succeeds()),
])

/** The names of the cases that a rule makes, or why it has none. */
function madeBy(casesOf: CasesOf, of: SuiteContext): readonly string[] | Untestable {
  const work = rule(own, casesOf).work(of)
  if ('untested' in work) return work
  return [...(work.kind === 'cases' ? work.cases : work.cases())].map(({ name }) => name)
}

it("a rule takes its entry from the catalogue, and a user's rule contains its entry", () => {
  const { id, ...entry } = own
  const ofCatalogue = { id: 'quota/exhausted', entry: ruleOf('quota/exhausted') }

  expect(rule('quota/exhausted', () => [])).toMatchObject(ofCatalogue)
  expect(rule(own, () => [])).toMatchObject({ id, entry: { ...entry, phase: 'together' } })
  expect(fuzzed({ ...own, phase: 'last' }, () => [])).toMatchObject({
    id,
    entry: { ...entry, phase: 'last' },
  })
  expect(area('Ours', [])).toEqual({ title: 'Ours', rules: [] })
})

const ofCards = ['plain@GET-/api/cards/all', 'other@GET-/api/cards/all'] as const

it.each<[string, CasesOf, string | undefined, readonly string[] | Untestable]>([
  ['has cases for every endpoint, named after the endpoint', both, undefined, ['plain', 'other', ...ofCards]],
  [
    'gives the reason if it has no cases',
    () => ({ untested: 'no client' }),
    undefined,
    { untested: 'no client' },
  ],
  ['has only the replayed case', both, ofCards[1], [ofCards[1]]],
  ['has no case by another name', both, 'another', { untested: 'no case is called another' }],
  // A rule that sums up the whole run has no cases but is still judged.
  ['without cases has none in a replay', () => [], 'another', []],
])('a rule %s', async (_, casesOf, replayed, made) => {
  expect(madeBy(casesOf, await contextWith(replayed))).toEqual(made)
})

describe('a rule with generated cases', () => {
  const made = caseClass('own', { weight: 1 }, [judged('a field more', setting('x-more', '1'))])

  it('draws them from its classes', () => {
    const work = fuzzed(own, () => [made]).work(context)

    expect(
      'cases' in work && Array.from(work.kind === 'generated' ? work.cases() : [], ({ name }) => name)[0],
    ).toBe('own.0')
  })

  it.each([
    ['a missing list', undefined, 'undefined'],
    ['a class outside a list', made, 'an object'],
    ['a list with an empty place', [made, null], 'null'],
    ['a list with a string', [made, 'own'], 'a text'],
    ['a list with an object that draws nothing', [made, { name: 'own' }], 'an object'],
  ])('refuses %s', (_, given, told) => {
    // Values from JavaScript have no types.
    const unfit: SuiteRule = Reflect.apply(fuzzed, null, [own, () => given])

    expect(() => unfit.work(context)).toThrow(`a list of classes, made with caseClass(), instead of ${told}`)
  })
})

describe('a rule for every answer', () => {
  const id = 'conventions/json-response'
  const casesIn = async (only: string) => {
    const work = onEveryAnswer(id).work(await contextWith(undefined, { RUN_ONLY: only }))
    return !('untested' in work) && work.kind === 'cases' ? work.cases : []
  }
  const credentials = [
    'api-key-absent',
    'secret-key-absent',
    'version-absent',
    'api-key-wrong',
    'secret-key-wrong',
  ]
  const eachFlaw = ['valid', ...credentials, 'version-unsupported', 'endpoint-unknown']

  it.each([
    ['sends nothing in a whole run', '', []],
    ['sends nothing if another rule does', `${id},authentication/api-key-missing`, []],
    ['sends a plain request and one with each flaw if it runs alone', id, eachFlaw],
    ['sends the same requests together with rules of its kind', `${id},errors/body-shape`, eachFlaw],
  ])('%s', async (_, only, names) => {
    expect((await casesIn(only)).map(({ name }) => name)).toEqual(names)
  })

  it('judges each answer by itself', async () => {
    const [plain] = await casesIn(id)
    const judge = plain?.kind === 'example' ? plain.check.judge : () => null

    expect(judge(exchange(served))).toMatchObject({ kind: 'holds' })
    expect(judge(exchange(answer(400, '<html>')))).toMatchObject({ kind: 'violates' })
  })
})

describe('a value that rules share', () => {
  it('is made once for each run or each of its endpoints', async () => {
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
})
