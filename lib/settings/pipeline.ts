import { createRequire } from 'node:module'

type Variables = Readonly<Record<string, string | undefined>>

/**
 * A condition in `ci-info` that identifies a vendor's environment: a variable that is set, a list of conditions that must all hold, or an
 * object. An object with `env` requires that this variable contains `includes`, or is in `any`. `any` alone requires at least one of its
 * variables to be set. Any other object requires its variables to have the given values.
 */
export type PipelineCondition =
  | string
  | PipelineCondition[]
  | Readonly<Record<string, string | readonly string[]>>

/** Variables set by several vendors, as listed in `ci-info`, except `RUN_ID`, which looks like one of our settings. */
export const genericNames: readonly string[] =
  'CI BUILD_ID BUILD_NUMBER CI_APP_ID CI_BUILD_ID CI_BUILD_NUMBER CI_NAME CONTINUOUS_INTEGRATION'.split(' ')

/** The vendors in `ci-info`. Uses only its data, because its code reads the process environment when it is loaded. */
export function knownVendors(): readonly Readonly<{ name: string; env: PipelineCondition }>[] {
  return createRequire(import.meta.url)('ci-info/vendors.json')
}

/**
 * Describes the evidence that an environment is a pipeline, which is the vendor or a variable that is set; null if there is none.
 * `CI=false` and `CI=0` do not hide a vendor, because Azure, TeamCity, CodeBuild and Bamboo do not set `CI`.
 */
export function pipelineOf(env: Variables) {
  const vendor = knownVendors().find((known) => isMet(known.env, env))
  if (vendor !== undefined) return vendor.name
  if (['false', '0'].includes(env['CI']?.trim().toLowerCase() ?? '')) return null
  const name = genericNames.find((variable) => isSet(env[variable]))
  return name === undefined ? null : `${name} is set`
}

function isMet(condition: PipelineCondition, env: Variables): boolean {
  if (typeof condition === 'string') return isSet(env[condition])
  if (Array.isArray(condition)) return condition.every((part) => isMet(part, env))
  const { env: name, any, includes, ...values } = condition
  const several = [any ?? []].flat()
  if (typeof name === 'string') {
    const value = env[name] ?? ''
    const isIncluded = typeof includes !== 'string' || value.includes(includes)
    return isSet(value) && isIncluded && (any === undefined || several.includes(value))
  }
  const isOneSet = any === undefined || several.some((variable) => isSet(env[variable]))
  return isOneSet && Object.entries(values).every(([key, value]) => env[key] === value)
}

/** Whether a variable is set. An empty one is not. */
export function isSet(value: string | undefined) {
  return value !== undefined && value.trim() !== ''
}
