import { valueOf } from './request.ts'
import type { Field, Request } from './request.ts'

/** The fields that are the transport's own business on a kept connection. */
const reserved: ReadonlySet<string> = new Set(['transfer-encoding', 'keep-alive', 'upgrade', 'expect'])
/** The fields that may be there once at most. */
const single: ReadonlySet<string> = new Set(['host', 'content-length'])

/**
 * Why the pool cannot send a request, or null. `path` is its target below the prefix of the base URL. Asked before
 * anything is dispatched: a connection of undici's pool that refused a request by itself is never used again. Never quotes
 * a value.
 */
export function whyNotPooled({ method, fields }: Request, path: string): string | null {
  if (!isToken(method) || method === 'CONNECT') return 'its method is none that HTTP clients send'
  if (!path.startsWith('/')) return 'its target does not begin with a slash'
  if (/[^\x21-\xff]/.test(path))
    return 'its target holds white space, a control character or one above U+00FF'

  const names = new Set<string>()
  for (const field of fields) {
    const name = field.name.toLowerCase()
    const why =
      single.has(name) && names.has(name)
        ? 'is there more than once'
        : (whyNotName(field) ?? whyNotValue(field))
    if (why !== null) return `its field ${JSON.stringify(field.name)} ${why}`
    names.add(name)
  }
  return null
}

function whyNotName({ name }: Field): string | null {
  if (!isToken(name)) return 'has a name that is no token'
  return reserved.has(name.toLowerCase()) ? "is the transport's own" : null
}

function whyNotValue(field: Field): string | null {
  const value = valueOf(field)
  if (/[^\t\x20-\x7e\x80-\xff]/.test(value)) return 'has a value with a control character or one above U+00FF'

  const name = field.name.toLowerCase()
  if (name === 'content-length' && !/^\d+$/.test(value)) return 'has a value that is no number'
  if (name === 'connection' && !value.split(',').every((option) => isToken(option.trim())))
    return 'has a value that is no list of names'
  return null
}

function isToken(text: string): boolean {
  return /^[!#$%&'*+\-.^_`|~\w]+$/.test(text)
}
