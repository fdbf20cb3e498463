import { describe, expect, it, onTestFinished } from 'vitest'
import type { Fault } from '../../lib/serve/reference/fault.ts'
import { faults as shippedFaults } from '../../lib/serve/reference/faults.ts'
import { variants as shippedVariants } from '../../lib/serve/reference/variants.ts'
import { ruleIds, ruleOf, type SpecRuleId } from '../../lib/specification/rules.ts'
import { faults } from './faults/all-faults.ts'
import { provenOtherwise } from './faults/proven-otherwise.ts'
import { findFault, findVariant } from './find.ts'
import { startService } from './start.ts'
import { variants } from './variants/all-variants.ts'

describe.each([
  ['fault', faults, /^[a-z]+(?:-[a-z\d]+)+$/, /^[A-Z][^\n]+\.$/, shippedFaults, 40, findFault],
  [
    'variant',
    variants,
    /^[a-z][a-z\d.]*(?:-[a-z\d.]+)*$/,
    /^[A-Z\d(].*\.$/,
    shippedVariants,
    20,
    findVariant,
  ],
] as const)('each %s', (kind, all, name, about, shipped, count, find) => {
  it('has a unique name in kebab case, and is described in one sentence', () => {
    expect(all.length).toBeGreaterThanOrEqual(70)
    expect(new Set(all.map((one) => one.name)).size).toBe(all.length)
    expect(all.filter((one) => !name.test(one.name) || !about.test(one.about))).toEqual([])
  })

  it('that ships is included, and found by its name', () => {
    expect(shipped.filter((one) => find(one.name).name !== one.name)).toEqual([])
    expect(shipped).toHaveLength(count)
    expect(() => find('list-nul')).toThrow(`unknown ${kind} "list-nul"`)
  })
})

const byNeeds = (needs: Fault['needs']): readonly Fault[] => faults.filter((fault) => fault.needs === needs)
const rulesOf = (needs: Fault['needs']): ReadonlySet<SpecRuleId> =>
  new Set(byNeeds(needs).flatMap(({ rules }) => rules))

it.each(ruleIds)('%s has at least three faults, or another proof', (rule) => {
  const isProvenOtherwise = Object.hasOwn(provenOtherwise, rule)
  const count = faults.filter(({ rules }) => rules.includes(rule)).length

  if (isProvenOtherwise) expect(count).toBe(0)
  else expect(count).toBeGreaterThanOrEqual(3)
})

it('every rule about the service has a fault that a plain run can find', () => {
  for (const id of ruleIds)
    expect(rulesOf(undefined).has(id), id).toBe(['documented', 'implied'].includes(ruleOf(id).level))
})

it('a fault needs only what reveals its rules', () => {
  expect([...rulesOf('baseline')]).toEqual(['tolerance/no-breaking-change'])
  expect(byNeeds('baseline').length).toBeGreaterThanOrEqual(6)
  expect([...rulesOf('endpoints-file')]).toEqual(['endpoints/list-succeeds'])
  expect(rulesOf('described-input').has('fuzz/query')).toBe(true)
  expect(byNeeds('described-input').length).toBeGreaterThanOrEqual(10)
})

it('variants need only settings for the target or for fixtures', () => {
  const settings = variants.flatMap((variant) => Object.keys(variant.settings ?? {}))

  expect(settings.filter((name) => !/^(?:TARGET|FIXTURE)_[A-Z_]+$/.test(name))).toEqual([])
})

const [called, list] = [{ error_code: '1006' }, { customizations: expect.any(Array) }]
it.each([
  ['gzip-unasked', 'missing-api-key-called-invalid', list, 401, called],
  ['order-reversed', 'missing-api-key-called-invalid', list, 401, called],
  ['errors-as-problems', 'missing-api-key-called-invalid', list, 401, called],
  ['path-prefix', 'missing-api-key-called-invalid', list, 401, called],
  ['early-hints', 'missing-api-key-called-invalid', list, 401, called],
  ['list-null', 'missing-api-key-code-is-a-number', null, 400, { error_code: 1001 }],
])('a service with the variant %s still has the fault %s', async (variant, fault, value, status, refusal) => {
  const service = await startService({ variant, faults: [fault] })
  const { baseUrl, clients } = service
  onTestFinished(() => service.close())
  const { apiKey, secretKey } = clients.permitted
  const ask = (headers: Readonly<Record<string, string>>): Promise<Response> =>
    fetch(`${baseUrl}/api/customizations/list`, {
      headers: { 'x-secret-key': secretKey, 'x-version': '1', ...headers },
    })
  const [served, refused] = [await ask({ 'x-api-key': apiKey }), await ask({})]

  expect([served.status, refused.status]).toEqual([200, status])
  expect([await served.json(), await refused.json()]).toMatchObject([value, refusal])
})
