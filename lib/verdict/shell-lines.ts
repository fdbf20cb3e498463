import { trimOws, valueOf, type Field, type Request } from '../http/request.ts'
import { specCatalogue, type Catalogue, type RuleId } from '../specification/rules.ts'

/** Text in single quotes, for any POSIX-like shell. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}

/** Text as a single bash word, with octal escapes for bytes that are not printable ASCII: `'caf'$'\303\251'`. The text must not contain NUL. */
export function bashWord(text: string): string {
  const runs = text.split(/([^\x20-\x7e]+)/).filter((run) => run !== '')
  const words = runs.map((run) => (/^[\x20-\x7e]/.test(run) ? quoted(run) : `$'${octal(run)}'`))
  return words.length > 0 ? words.join('') : "''"
}

/** Escapes printable ASCII for use inside double quotes. An interactive shell expands `!` even there. */
export function inDoubleQuotes(text: string): string {
  return text.replaceAll(/["$`\\]/g, String.raw`\$&`).replaceAll('!', `"'!'"`)
}

function octal(text: string): string {
  return Array.from(text, (one) => `\\${one.charCodeAt(0).toString(8).padStart(3, '0')}`).join('')
}

/** The parts of a curl command in addition to the request. */
interface CurlOptions {
  readonly baseUrl: string
  /** The private certificate authority, or null. The command contains the name of the setting rather than of the file. The same is true of a client certificate. */
  readonly ca?: object | null
  readonly clientCertificate?: object | null
}

/** The request as a curl command for bash, with credentials as variables; null if curl cannot send it or if a value is derived from a credential. */
export function curlLine(
  request: Request,
  { baseUrl, ca = null, clientCertificate = null }: CurlOptions,
): string | null {
  if (request.route === 'raw' || !isSayableTarget(request.target)) return null
  const fields = request.fields.map(fieldArgument)
  if (fields.includes(null)) return null

  const { body } = request
  const given = new Set(request.fields.map(({ name }) => name.toLowerCase()))
  // If there is a body, curl adds its own content type and, for long bodies, `expect`.
  const added = ['accept', 'user-agent', ...(body === undefined ? [] : ['content-type', 'expect'])]
  const unsent = added.filter((name) => !given.has(name)).map((name) => `-H '${name}:'`)
  // Our connection pool sends the same field to keep its connections open.
  const kept = given.has('connection') ? [] : [`-H 'connection: keep-alive'`]
  const method =
    request.method === 'GET' ? [] : request.method === 'HEAD' ? ['--head'] : ['-X', request.method]

  return [
    'curl --http1.1 --path-as-is --globoff -sSi',
    ...method,
    ...(ca === null ? [] : ['--cacert "$RUN_CA_FILE"']),
    ...(clientCertificate === null ? [] : ['--cert "$RUN_CERT_FILE" --key "$RUN_KEY_FILE"']),
    ...fields,
    ...unsent,
    ...kept,
    ...(body === undefined ? [] : ['--data-raw', bashWord(Buffer.from(body).toString('latin1'))]),
    quoted(`${baseUrl}${request.target}`),
  ].join(' ')
}

/** Whether curl can send a target unchanged. It drops fragments, escapes bytes outside ASCII, and rejects white space. */
function isSayableTarget(target: string): boolean {
  return /^\/[\x21-\x7e]*$/.test(target) && !target.includes('#')
}

/** `-H 'name: value'`; for an empty value, curl expects a semicolon. */
function fieldArgument(field: Field): string | null {
  const { name, value } = field
  if (!/^[!#$%&'*+\-.^_`|~\w]+$/.test(name) || !/^[\t\x20-\x7e\x80-\xff]*$/.test(valueOf(field))) return null
  if (trimOws(valueOf(field)) === '') return `-H ${quoted(`${name};`)}`
  if (typeof value === 'string') return `-H ${bashWord(`${name}: ${value}`)}`

  return value.variable === null ? null : `-H "${inDoubleQuotes(name)}: $${value.variable}"`
}

/** The parts of a case's public name. */
interface CaseName {
  readonly rule: RuleId
  readonly seed: number
  /** The name of the case within its rule, followed by the shrink path. */
  readonly case: string
  /** Set if the case was found by comparison with the baseline. */
  readonly againstBaseline?: true
}

/** The shell command that sends a case again, with additional `flags`. It never installs a package by name. */
export function replayLine(name: string, flags: readonly string[] = []): string {
  return ['npx --no -- card-switch-conformance replay', quoted(name), ...flags.map(word)].join(' ')
}

/** Number of repetitions for an intermittent case. With 95 % confidence, 20 repetitions reveal a fault that occurs in one of seven answers. */
const timesIfIntermittent = 20

/** A replay command that repeats its case often enough to reveal an intermittent fault. */
export function repeatedly(line: string): string {
  return `${line} --times ${timesIfIntermittent}`
}

/** Quotes a word if a shell would otherwise interpret it. */
function word(text: string): string {
  return /^[\w%+,./:@-]+$/.test(text) ? text : quoted(text)
}

/** A finding from the comparison with the baseline is named after the comparison and the case that revealed it: `comparison:case`. */
const comparison = /^tolerance\/no-breaking-change:\d+:compared:(?<shownBy>.+)$/s

/** Parses the public name of a case, `rule:seed:case[:shrink path]`; null for any other text. */
export function parseCaseName(text: string, catalogue: Catalogue = specCatalogue): CaseName | null {
  const { shownBy } = comparison.exec(text)?.groups ?? {}
  if (shownBy !== undefined) {
    const shown = parseCaseName(shownBy, catalogue)
    return shown === null ? null : { ...shown, againstBaseline: true }
  }
  const parsed = /^(?<rule>[^:]+):(?<seed>\d{1,16}):(?<name>.+)$/s.exec(text)?.groups
  const { rule: id, seed = '', name = '' } = parsed ?? {}
  const rule = [...catalogue.keys()].find((known) => known === id)
  if (rule === undefined || !Number.isSafeInteger(Number(seed))) return null
  return { rule, seed: Number(seed), case: name }
}
