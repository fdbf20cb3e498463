/** A documented endpoint. Source: Endpoints. */
export type Endpoint = Readonly<{
  method: string
  /** The path under the base address, starting with `/api/`. */
  path: string
  /** The version that requests to it specify. */
  version: string
}>

/** A part of a request, described as a JSON Schema (draft-07) with an example. */
export interface Described<Value = unknown> {
  readonly schema: object
  /** Undefined if unknown, in which case nothing is sent. */
  readonly example?: Value
}

/** The input of an endpoint in the user's endpoints file, and its place there. */
export type DescribedInput = Readonly<{
  /** The endpoints file as given, and the number of the entry in it, starting at 1. */
  file: string
  number: number
  /** The path with its parameters, such as `/api/cards/{cardId}`. */
  template: string
  pathParameters: Readonly<Record<string, Described<string | number | boolean>>>
  /** The schema of an object with a property for each parameter, or null. */
  query: object | null
  /** The JSON that a request carries, or null. Every endpoint that gets requests has an example. It is required by default. */
  body: (Described & { readonly required?: boolean }) | null
}>

/** A path with its parameters replaced by these texts, percent-encoded. */
export function filledPath(template: string, texts: Readonly<Record<string, string>>) {
  return template.replaceAll(/\{([^}]*)\}/g, (_, name: string) => encodeURIComponent(texts[name] ?? ''))
}

/** Methods without side effects. Their requests have no body. */
export const sideEffectFree: readonly string[] = ['GET', 'HEAD', 'OPTIONS']

/** Whether the suite may send requests to an endpoint: its method has no side effects, or the endpoints file allows it. */
export function maySend({ method, fuzz }: Readonly<{ method: string; fuzz: boolean }>) {
  return fuzz || sideEffectFree.includes(method)
}

/** The only endpoint path that the specification mentions. */
export const listPath = '/api/customizations/list'

/** The default version. Source: Versioning. */
export const defaultVersion = '1'

/** The headers that every request must carry. Source: Authentication. */
export const requiredFields = ['x-api-key', 'x-secret-key', 'x-version'] as const

/** The name of a required header. */
export type RequiredField = (typeof requiredFields)[number]
