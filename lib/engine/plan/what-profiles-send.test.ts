import { describe, expect, it } from 'vitest'
import { suites } from '../../../suites/index.ts'
import { filesIn, textOf } from '../../../tests/support/syntax.ts'
import { clientTable } from '../../settings/client-settings.ts'
import { temporaryFolder } from '../../settings/testing/read.ts'
import { ruleIds, type RuleId, type SpecRuleId } from '../../specification/rules.ts'
import type { SuiteContext } from './suite-context.ts'
import { contextOf } from '../testing/contexts.ts'
import type { RuleRow } from './profile-rows.ts'
import { sentByRule } from './what-profiles-send.ts'

const query = { type: 'object', properties: { limit: { type: 'integer', minimum: 1, maximum: 100 } } }
const endpoints = [
  { method: 'GET', path: '/api/customizations/list', versions: [1], query },
  { method: 'GET', path: '/api/cards/all', versions: [1, 2], invalidQuery: 'page=x' },
  { method: 'GET', path: '/api/cards/described', versions: [1], query },
]
const cwd = temporaryFolder({ 'endpoints.json': JSON.stringify(endpoints) })
const everyClient = Object.fromEntries(
  clientTable
    .filter(({ name }) => name !== 'target')
    .flatMap(({ name, apiKey, secretKey }) => [
      [apiKey, `key-${name}-Zx81`],
      [secretKey, `sec-${name}-Qw37`],
    ]),
)

const given = { ...everyClient, FIXTURE_INVALID_QUERY: 'limit=abc' }
const contextWith = (env: Readonly<Record<string, string>> = {}) => contextOf({ ...given, ...env }, { cwd })

const withEndpoints = { TARGET_ENDPOINTS: 'endpoints.json' }

/** The names of the cases of each rule, in order; none of rules that cannot be tested. */
function casesIn(context: SuiteContext): ReadonlyMap<RuleId, readonly string[]> {
  const all = suites.flatMap(({ rules }) => rules).map(({ id, work }) => [id, work(context)] as const)
  return new Map(
    all.map(([id, made]) => {
      const cases = 'untested' in made ? [] : made.kind === 'cases' ? made.cases : [...made.cases()]
      return [id, cases.map(({ name }) => name)]
    }),
  )
}

const rowsByRule = ruleIds.map((id): readonly [SpecRuleId, RuleRow] => [id, sentByRule[id]])

describe('the rows', () => {
  it('name as most telling a case that is sent first, and that would not be otherwise', async () => {
    const acceptance = await contextWith({ RUN_PROFILE: 'acceptance' })
    const sent = casesIn(acceptance)
    const unordered = casesIn({ ...acceptance, listed: (_, made) => made })
    const telling = rowsByRule.filter(([, { mostTelling }]) => mostTelling !== undefined)

    expect(telling).toHaveLength(5)
    for (const [rule, { mostTelling }] of telling) {
      expect(sent.get(rule)?.[0], rule).toBe(mostTelling)
      expect(unordered.get(rule)?.[0], rule).not.toBe(mostTelling)
    }
  })

  it('name cases that further endpoints have', async () => {
    const sent = casesIn(await contextWith({ RUN_PROFILE: 'acceptance', ...withEndpoints }))
    for (const [rule, { further = [] }] of rowsByRule) {
      const names = further.map((name) => `${name}@GET-/api/cards/all-(version-1)`)
      expect(sent.get(rule) ?? [], rule).toEqual(expect.arrayContaining(names))
    }
  })
})

describe.each([{}, withEndpoints])('with %o', async (env) => {
  // In a gate these stand for several cases of their kind.
  const together = ['debug-admin-and-identity-fields', 'address-cookie-and-query-with-a-wrong-secret']
  const bare = (name: string): string => name.replace(/@.*/, '')
  const gate = casesIn(await contextWith({ ...env, RUN_PROFILE: 'gate' }))

  it('a gate sends nothing that acceptance does not send, and less', async () => {
    const acceptance = casesIn(await contextWith({ ...env, RUN_PROFILE: 'acceptance' }))
    for (const [rule, names] of gate) {
      const known = [...(acceptance.get(rule) ?? []), ...together]
      expect(known, rule).toEqual(
        expect.arrayContaining(names.map((name) => (together.includes(bare(name)) ? bare(name) : name))),
      )
    }
    const count = (sent: ReadonlyMap<RuleId, readonly string[]>): number => [...sent.values()].flat().length
    expect(count(gate)).toBeLessThan(count(acceptance) / 3)
  })

  it.each(['gate', 'acceptance', 'nightly'])(
    'one case a rule is one, the same in %s as in a gate, which sends it, too',
    async (RUN_PROFILE) => {
      const essential = casesIn(await contextWith({ ...env, RUN_PROFILE, RUN_ESSENTIAL: 'true' }))
      for (const [rule, names] of gate) {
        const sent = essential.get(rule) ?? []
        expect(sent, rule).toHaveLength(Math.min(1, names.length))
        expect(names, rule).toEqual(expect.arrayContaining([...sent]))
      }
    },
  )
})

it("is the one place where what is sent follows from a profile's name", () => {
  const knowing = ['lib/engine', 'lib/fuzz', 'suites']
    .flatMap((folder) => filesIn(folder, '.ts'))
    .filter((file) => !/\.(?:test|testing)\.ts$|\/testing\//.test(file))
    .filter((file) => /'(?:gate|acceptance|nightly)'/.test(textOf(file)))

  expect(knowing).toEqual(['lib/engine/plan/profile-choice.ts'])
})
