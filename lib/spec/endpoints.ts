/** A documented endpoint. Source: Endpoints. */
export interface Endpoint {
  readonly method: string
  /** The path below the base address, from `/api/`. */
  readonly path: string
  /** The version that requests for it name. */
  readonly version: string
}

/** The only endpoint path that the specification shows. */
export const listPath = '/api/customizations/list'

/** The default version. Source: Versioning. */
export const defaultVersion = '1'

/** The headers that every request must carry. Source: Authentication. */
export const requiredFields = ['x-api-key', 'x-secret-key', 'x-version'] as const

/** The name of a required header. */
export type RequiredField = (typeof requiredFields)[number]

/** The required header of this name, in any letter case; null for another name. */
export function requiredFieldNamed(name: string): RequiredField | null {
  for (const field of requiredFields) {
    if (name === field || (name.length === field.length && name.toLowerCase() === field)) return field
  }
  return null
}

/** A random first segment below `/api/` that no service has, recognizable. Any other path may be an undocumented endpoint. */
export const unknownSegment = /^zz[a-z]{14}$/
