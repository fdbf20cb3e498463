import { trimOws, valueOf, type Field, type Request } from '../http/exchange.ts'
import { specCatalogue, type Catalogue } from '../specification/rules.ts'

/** Text in single quotes, for any POSIX-like shell. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}

/** Text as a single bash word, with octal escapes for bytes that are not printable ASCII: `'caf'$'\303\251'`. The text must not contain NUL. */
export function bashWord(text: string): string {
  const runs = text.split(/([^\x20-\x7e]+)/).filter((run) => run !== '')
  const octal = (byte: string): string => `\\${byte.charCodeAt(0).toString(8).padStart(3, '0')}`
  const words = runs.map((run) =>
    /^[\x20-\x7e]/.test(run) ? quoted(run) : `$'${Array.from(run, octal).join('')}'`,
  )
  return words.length > 0 ? words.join('') : "''"
}

/** Escapes printable ASCII for use inside double quotes. An interactive shell expands `!` even there. */
export function inDoubleQuotes(text: string): string {
  return text.replaceAll(/["$`\\]/g, String.raw`\$&`).replaceAll('!', `"'!'"`)
}

/**
 * The request as a curl command for bash, with credentials as variables; null if curl cannot send it or if a value is derived from
 * a credential. Certificates are given by the names of their settings rather than of their files.
 */
export function curlLine(
  request: Request,
  given: { readonly baseUrl: string } & Partial<Record<'ca' | 'clientCertificate', object | null>>,
): string | null {
  // curl drops fragments, escapes bytes outside ASCII, and rejects white space.
  if (request.route === 'raw' || !/^\/[\x21\x22\x24-\x7e]*$/.test(request.target)) return null
  const fields = request.fields.map(fieldArgument)
  if (fields.includes(null)) return null

  const { body } = request
  const { baseUrl, ca = null, clientCertificate = null } = given
  const names = new Set(request.fields.map(({ name }) => name.toLowerCase()))
  // If there is a body, curl adds its own content type and, for long bodies, `expect`.
  const added = ['accept', 'user-agent', ...(body === undefined ? [] : ['content-type', 'expect'])]
  const unsent = added.filter((name) => !names.has(name)).map((name) => `-H '${name}:'`)
  // Our connection pool sends the same field to keep its connections open.
  const kept = names.has('connection') ? [] : [`-H 'connection: keep-alive'`]
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

/** `-H 'name: value'`; for an empty value, curl expects a semicolon. */
function fieldArgument(field: Field) {
  const { name, value } = field
  if (!/^[!#$%&'*+\-.^_`|~\w]+$/.test(name) || !/^[\t\x20-\x7e\x80-\xff]*$/.test(valueOf(field))) return null
  if (trimOws(valueOf(field)) === '') return `-H ${quoted(`${name};`)}`
  if (typeof value === 'string') return `-H ${bashWord(`${name}: ${value}`)}`

  return value.variable === null ? null : `-H "${inDoubleQuotes(name)}: $${value.variable}"`
}

/** The shell command that sends a case again, with additional `flags`. It never installs a package by name. */
export function replayLine(name: string, flags: readonly string[] = []): string {
  const words = flags.map((flag) => (/^[\w%+,./:@-]+$/.test(flag) ? flag : quoted(flag)))
  return ['npx --no -- card-switch-conformance replay', quoted(name), ...words].join(' ')
}

/** A replay command for an intermittent case. With 95 % confidence, 20 repetitions reveal a fault that occurs in one of seven answers. */
export function repeatedly(line: string): string {
  return `${line} --times 20`
}

/** A finding from the comparison with the baseline is named after the comparison and the case that revealed it: `comparison:case`. */
const comparison = /^tolerance\/no-breaking-change:\d+:compared:(.+)$/s

/**
 * Parses the public name of a case, `rule:seed:case[:shrink path]`; null for any other text. The case found by a comparison with
 * the baseline has `againstBaseline`.
 */
export function parseCaseName(text: string, catalogue: Catalogue = specCatalogue) {
  const [, shownBy = text] = comparison.exec(text) ?? []
  const [, id, seed = '', name = ''] = /^([^:]+):(\d{1,16}):(.+)$/s.exec(shownBy) ?? []
  const rule = [...catalogue.keys()].find((known) => known === id)
  if (rule === undefined || !Number.isSafeInteger(Number(seed))) return null
  const found = shownBy === text ? {} : { againstBaseline: true as const }
  return { rule, seed: Number(seed), case: name, ...found }
}
