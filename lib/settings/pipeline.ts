import { createRequire } from 'node:module'

type Variables = Readonly<Record<string, string | undefined>>

/**
 * What `ci-info` says of a vendor's environment: a variable that is set, several conditions that all hold, or an object. With `env` that
 * one variable is asked: that it holds `includes`, or is in `any`; `any` alone names variables of which one is set;
 * otherwise each key has this value.
 */
export type PipelineCondition =
  | string
  | PipelineCondition[]
  | Readonly<Record<string, string | readonly string[]>>

/** A vendor of pipelines, as `ci-info` lists it. */
export interface Vendor {
  readonly name: string
  readonly env: PipelineCondition
}

/** Variables of several vendors: those of `ci-info` but `RUN_ID`, whose name could be a setting of ours. */
export const genericNames: readonly string[] =
  'CI BUILD_ID BUILD_NUMBER CI_APP_ID CI_BUILD_ID CI_BUILD_NUMBER CI_NAME CONTINUOUS_INTEGRATION'.split(' ')

/** The vendors that `ci-info` lists. Only its data is used: its code asks the environment of the process, once. */
export function knownVendors(): readonly Vendor[] {
  return createRequire(import.meta.url)('ci-info/vendors.json')
}

/**
 * What shows that an environment is a pipeline's, in words: the vendor, or a variable that is set; null if nothing does. `CI=false` and
 * `CI=0` hide no vendor, since Azure, TeamCity, CodeBuild and Bamboo set no `CI`.
 */
export function pipelineOf(env: Variables): string | null {
  const vendor = knownVendors().find((one) => isMet(one.env, env))
  if (vendor !== undefined) return vendor.name
  if (['false', '0'].includes(env['CI']?.trim().toLowerCase() ?? '')) return null
  const name = genericNames.find((one) => isSet(env[one]))
  return name === undefined ? null : `${name} is set`
}

function isMet(condition: PipelineCondition, env: Variables): boolean {
  if (typeof condition === 'string') return isSet(env[condition])
  if (Array.isArray(condition)) return condition.every((one) => isMet(one, env))
  const { env: name, any = [], includes } = condition
  if (typeof name !== 'string') {
    const others = Object.entries(condition).filter(([key]) => key !== 'any')
    const isOneSet = !('any' in condition) || [any].flat().some((one) => isSet(env[one]))
    return isOneSet && others.every(([key, value]) => env[key] === value)
  }
  const value = env[name]
  if (!isSet(value)) return false
  if (typeof includes === 'string') return value.includes(includes)
  return any.length === 0 || [any].flat().includes(value)
}

function isSet(value: string | undefined): value is string {
  return value !== undefined && value.trim() !== ''
}
