import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { expect, test } from 'vitest'
import { genericNames, knownVendors, pipelineOf, type PipelineCondition } from './pipeline.ts'

type Variables = Readonly<Record<string, string>>

/** An environment that meets a condition. */
function environmentOf(condition: PipelineCondition): Variables {
  if (typeof condition === 'string') return { [condition]: '1' }
  if (Array.isArray(condition)) return Object.assign({}, ...condition.map(environmentOf))
  const { env, any, includes, ...values } = condition
  if (typeof env === 'string') return { [env]: [includes ?? any ?? '1'].flat()[0] ?? '' }
  const [first] = [any ?? []].flat()
  const fixed = Object.entries(values).map(([name, value]) => [name, String(value)])
  return { ...(first === undefined ? {} : { [first]: '1' }), ...Object.fromEntries(fixed) }
}

const vendors = knownVendors()

const environments = vendors.map(({ name, env }) => [name, environmentOf(env)] as const)
test.each(environments)('%s is detected from %o, even with CI=false', (name, env) => {
  const found = [env, { CI: 'false', ...env }, { ...env, PATH: '/bin' }].map(pipelineOf)
  expect(found).toEqual([name, name, name])
})

test('no vendor is detected if its variables are empty or only partly set', () => {
  const parts = vendors.flatMap(({ env }) => {
    const whole = Object.keys(environmentOf(env))
    return whole.map((name) => ({ ...environmentOf(env), [name]: ' ', CI: 'false' }))
  })

  expect(parts.filter((env) => pipelineOf(env) !== null)).toEqual([])
  expect(parts.length).toBeGreaterThan(vendors.length)
})

test('every condition has a known form', () => {
  const keys = vendors.flatMap(({ env }) => (typeof env === 'object' ? Object.keys(env) : []))

  const words = keys.filter((key) => key === key.toLowerCase() && !/^\d+$/.test(key))
  expect(new Set(words)).toEqual(new Set(['any', 'env', 'includes']))
})
test.each(genericNames.map((name) => [name]))('pipeline detection recognizes %s', (name) => {
  expect([pipelineOf({ [name]: 'x' }), pipelineOf({ [name]: '' })]).toEqual([`${name} is set`, null])
})

test('pipeline detection checks every name in ci-info except RUN_ID', async () => {
  const code = await readFile(createRequire(import.meta.url).resolve('ci-info'), 'utf8')
  const [, asked = ''] = /exports\.isCI = !!\(([^]*?)\n\)/.exec(code) ?? []
  const names = [...asked.matchAll(/\benv\.(\w+)/g)].map(([, name = '']) => name)

  expect(new Set(names)).toEqual(new Set([...genericNames, 'RUN_ID']))
})

test.each<readonly [Variables, string | null]>([
  [{ RUN_ID: '7' }, null],
  [{}, null],
  [{ CI: 'false' }, null],
  [{ CI: ' FALSE ' }, null],
  [{ CI: '0' }, null],
  [{ CI: 'false', BUILD_NUMBER: '7' }, null],
  [{ CI: '', BUILD_NUMBER: '7' }, 'BUILD_NUMBER is set'],
  [{ CI: 'true' }, 'CI is set'],
  [{ CI: '0', TF_BUILD: 'True' }, 'Azure Pipelines'],
])('pipeline detection given %o, returns %j', (env, expected) => {
  expect(pipelineOf(env)).toBe(expected)
})
