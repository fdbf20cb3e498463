import type { Field, Request } from '../http/request.ts'
import { Secret } from '../http/secret.ts'

/** What a curl line needs besides the request. */
export interface CurlOptions {
  readonly baseUrl: string
  /** The path of the file with the private authority, or null. */
  readonly caFile: string | null
}

/**
 * The request as a line for a POSIX-like shell, credentials as variables named as the settings are; null where curl, or a
 * shell, cannot say it. What curl would send by itself (accept, user-agent) is left out unless the request has it.
 */
export function curlLine(request: Request, { baseUrl, caFile }: CurlOptions): string | null {
  const fields = request.fields.map(fieldArgument)
  if (fields.includes(null)) return null

  const given = new Set(request.fields.map(({ name }) => name.toLowerCase()))
  const unsent = ['accept', 'user-agent'].filter((name) => !given.has(name)).map((name) => `-H '${name}:'`)
  const method =
    request.method === 'GET' ? [] : request.method === 'HEAD' ? ['--head'] : ['-X', request.method]

  return [
    'curl --http1.1 --path-as-is --globoff -sSi',
    ...method,
    ...(caFile === null ? [] : ['--cacert', quoted(caFile)]),
    ...fields,
    ...unsent,
    quoted(`${baseUrl}${request.target}`),
  ].join(' ')
}

/** `-H 'name: value'`; an empty value is written with a semicolon, as curl wants it. */
function fieldArgument({ name, value }: Field): string | null {
  if (value instanceof Secret) return value.shell === null ? null : `-H "${name}: ${value.shell}"`
  if (value.trim() === '') return `-H ${quoted(`${name};`)}`
  return /^[\x20-\x7e]*$/.test(value) ? `-H ${quoted(`${name}: ${value}`)}` : null
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}
