import { type Field, type Request, trimOws, valueOf } from '../http/request.ts'
import { bashWord, inDoubleQuotes, quoted } from './bash.ts'

/** What a curl line needs besides the request. */
export interface CurlOptions {
  readonly baseUrl: string
  /** The path of the file with the private authority, or null. */
  readonly caFile: string | null
}

/**
 * The request as a line for bash, credentials as variables named as the settings are. Null where curl cannot say it, or where
 * a value was made from a credential: replay sends these. What curl would send by itself (accept, user-agent) is left out
 * unless the request has it.
 */
export function curlLine(request: Request, { baseUrl, caFile }: CurlOptions): string | null {
  if (request.route === 'raw' || !isSayableTarget(request.target)) return null
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

/** curl leaves a fragment out, escapes bytes beyond ASCII, and refuses white space. */
function isSayableTarget(target: string): boolean {
  return /^\/[\x21-\x7e]*$/.test(target) && !target.includes('#')
}

/** `-H 'name: value'`; an empty value is written with a semicolon, as curl wants it. */
function fieldArgument(field: Field): string | null {
  const { name, value } = field
  if (!/^[!#$%&'*+\-.^_`|~\w]+$/.test(name) || !/^[\t\x20-\x7e\x80-\xff]*$/.test(valueOf(field))) return null
  if (trimOws(valueOf(field)) === '') return `-H ${quoted(`${name};`)}`
  if (typeof value === 'string') return `-H ${bashWord(`${name}: ${value}`)}`

  return value.variable === null ? null : `-H "${inDoubleQuotes(name)}: $${value.variable}"`
}
