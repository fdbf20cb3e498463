import { describe, expect, it } from 'vitest'
import type { Untestable, Work } from '../lib/run/plan/cases.ts'
import { plan } from '../lib/run/plan/plan.ts'
import type { SuiteContext } from '../lib/run/plan/suite-context.ts'
import { contextOf, fixtures } from '../lib/run/testing/contexts.ts'
import { temporaryFolder } from '../lib/settings/testing/read.ts'
import type { RuleId } from '../lib/specification/rules.ts'
import { suites } from './index.ts'

const query = { type: 'object', properties: { limit: { type: 'integer', minimum: 1, maximum: 100 } } }
const endpoints = [
  { method: 'GET', path: '/api/customizations/list', versions: [1], query },
  { method: 'GET', path: '/api/cards/all', versions: [1, 2], invalidQuery: 'page=x' },
  { method: 'GET', path: '/api/cards/described', versions: [1], query },
]
const cwd = temporaryFolder({ 'endpoints.json': JSON.stringify(endpoints) })
const quotaClients = fixtures('EXHAUSTED', 'DISPOSABLE')
const everyClient = { ...fixtures('SECOND', 'NO_CUSTOMER', 'INACTIVE', 'UNAUTHORIZED'), ...quotaClients }

type Env = Readonly<Record<string, string>>
type Names = ReadonlyMap<RuleId, readonly string[]>

/** The case names of each rule, in order, with every client configured; empty for rules that cannot be tested. */
async function sentWith(env: Env, more: Partial<SuiteContext> = {}): Promise<Names> {
  const given = { ...everyClient, FIXTURE_INVALID_QUERY: 'limit=abc', ...env }
  const context = { ...(await contextOf(given, { cwd })), ...more }
  const namesOf = (made: Work | Untestable): readonly string[] => {
    if ('untested' in made) return []
    return Array.from('length' in made ? made : made.cases(), ({ name }) => name)
  }
  const rules = suites.flatMap((area) => area.rules)
  return new Map(rules.map(({ id, work }) => [id, namesOf(work(context))]))
}

const withEndpoints = { TARGET_ENDPOINTS: 'endpoints.json' }

it.each(['gate', 'acceptance'])(
  'the listed cases of %s have the reviewed names, in order',
  async (RUN_PROFILE) => {
    const sent = await sentWith({ ...withEndpoints, RUN_PROFILE })
    const listed = [...sent].filter(([rule]) => !rule.startsWith('fuzz/'))
    const lines = listed.flatMap(([rule, names]) => [rule, ...names.map((name) => `  ${name}`), ''])

    await expect(lines.join('\n')).toMatchFileSnapshot(`../tests/golden/cases/${RUN_PROFILE}.txt`)
  },
)

it('a small budget is spent on the rules that find the most faults', async () => {
  const { settings } = await contextOf({ RUN_MAX_REQUESTS: '8' })
  const served = plan(settings, suites).filter(({ allotted }) => allotted > 0)

  const conventions = ['conventions/accept-optional', 'conventions/header-case-insensitive']
  expect(served.map(({ id }) => id)).toEqual([...conventions, 'input/invalid-parameters'])
})

describe.each([{}, withEndpoints])('with %o', async (env) => {
  const gate = await sentWith({ ...env, RUN_PROFILE: 'gate' })

  const profiles = ['gate', 'acceptance', 'nightly']

  it.each(profiles)('an essential %s sends one case per rule, as a gate does', async (RUN_PROFILE) => {
    const essential = await sentWith({ ...env, RUN_PROFILE, RUN_ESSENTIAL: 'true' })
    for (const [rule, names] of gate) {
      const sent = essential.get(rule) ?? []
      expect(sent, rule).toHaveLength(Math.min(1, names.length))
      expect(names, rule).toEqual(expect.arrayContaining([...sent]))
    }
  })
})
