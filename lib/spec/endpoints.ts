/** An endpoint of the service, as far as it is shown. Source: Endpoints. */
export interface Endpoint {
  readonly method: string
  /** The path below the base address, from `/api/`. */
  readonly path: string
  /** The version under which requests name it. */
  readonly version: string
}

/** The path of the one endpoint that the specification shows. */
export const listPath = '/api/customizations/list'

/** The version that the specification calls the default. Source: Versioning. */
export const defaultVersion = '1'

/** The headers that every request carries. Source: Authentication. */
export const requiredFields = ['x-api-key', 'x-secret-key', 'x-version'] as const

/** The name of one of the three required headers. */
export type RequiredField = (typeof requiredFields)[number]

/**
 * A first segment below `/api/` that no service has: long, random, and begun so that it is known again. All other paths may be
 * endpoints that the specification does not show.
 */
export const unknownSegment = /^zz[a-z]{14}$/
