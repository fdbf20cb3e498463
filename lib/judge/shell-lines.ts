import { type Field, type Request, trimOws, valueOf } from '../http/request.ts'
import { isRuleId, type RuleId } from '../spec/rules.ts'

/** A text between single quotes, as every POSIX-like shell takes it. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}

/** A text as one word of bash, bytes that are not printable ASCII as octal escapes: `'caf'$'\303\251'`. It holds no NUL. */
export function bashWord(text: string): string {
  const runs = text.split(/([^\x20-\x7e]+)/).filter((run) => run !== '')
  const words = runs.map((run) => (/^[\x20-\x7e]/.test(run) ? quoted(run) : `$'${octal(run)}'`))
  return words.length > 0 ? words.join('') : "''"
}

/** Printable ASCII as it stands between double quotes. Where a user types, `!` recalls a former line even there. */
export function inDoubleQuotes(text: string): string {
  return text.replaceAll(/["$`\\]/g, String.raw`\$&`).replaceAll('!', `"'!'"`)
}

/** Every character as the escape of its byte: `\342\200\213`. */
function octal(text: string): string {
  return Array.from(text, (one) => `\\${one.charCodeAt(0).toString(8).padStart(3, '0')}`).join('')
}

/** What a curl line needs besides the request. */
interface CurlOptions {
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

/** What the public name of a case says. */
export interface CaseName {
  readonly rule: RuleId
  readonly seed: number
  /** The case's name within the rule, with the way of shrinking behind it. */
  readonly case: string
}

/** The line that sends a case again, for a shell; `flags` are the words that it needs besides. */
export function replayLine(name: string, flags: readonly string[] = []): string {
  return ['npx card-switch-conformance replay', quoted(name), ...flags.map(word)].join(' ')
}

/** Quoted where a shell would read it in another way. */
function word(text: string): string {
  return /^[\w%+,./:@-]+$/.test(text) ? text : quoted(text)
}

/** Reads the public name of a case, `rule:seed:case[:shrink path]`; null where it is none. */
export function parseCaseName(text: string): CaseName | null {
  const parsed = /^(?<rule>[^:]+):(?<seed>\d{1,16}):(?<name>.+)$/s.exec(text)?.groups
  const { rule = '', seed = '', name = '' } = parsed ?? {}
  if (!isRuleId(rule) || !Number.isSafeInteger(Number(seed))) return null
  return { rule, seed: Number(seed), case: name }
}
