import { responseFields, type Exchange } from '../http/exchange.ts'
import { answeredBy, isSuccess } from './answered.ts'
import { holds, type Judgement } from './judge.ts'

/**
 * Directives that keep a shared cache from serving an answer to others without validation. A qualified directive
 * (`private="set-cookie"`) counts for the whole answer.
 */
const restraining = ['private', 'no-store', 'no-cache'] as const

const credentials = ['x-api-key', 'x-secret-key'] as const

/**
 * Judges whether a success obtained with credentials is offered to shared caches, which do not know the credentials; null for other
 * answers. Source: RFC 9111, 4.1 and 5.2.2.
 */
export function noSharedCache(exchange: Exchange): Judgement | null {
  const { request, response } = exchange
  const answered = answeredBy(response)
  const carriesCredentials = request.fields.some(({ name }) => isOneOf(credentials, name))
  if (request.method !== 'GET' || !carriesCredentials || !isSuccess(answered)) return null

  const directives = directivesOf(responseFields(response, 'cache-control').join(','))
  const offered = directives === null ? null : offeredBy(directives)
  if (offered === null || variesOnCredentials(exchange)) return holds
  return {
    kind: 'violates',
    breach: {
      allowed: [],
      answered,
      difference: 'offered to shared caches',
      summary: `answered ${response.status} with cache-control: ${offered}, and neither private, no-store, no-cache nor vary on the credentials: a shared cache may give it to others (RFC 9111, 4.1 and 5.2.2)`,
    },
  }
}

/** Directives by their lower-case names, with all their arguments as written. */
type Directives = ReadonlyMap<string, readonly string[]>

/** The directive that lets a shared cache serve an answer for some time, or null. `s-maxage` overrides `max-age`. */
function offeredBy(directives: Directives): string | null {
  if (restraining.some((name) => directives.has(name))) return null
  const name = directives.has('s-maxage') ? 's-maxage' : 'max-age'
  const [seconds, ...others] = new Set(directives.get(name)?.map(secondsIn))
  return seconds === undefined || others.length > 0 || !(seconds > 0) ? null : `${name}=${seconds}`
}

/** The number of seconds in an argument, given as a token or quoted; NaN if malformed. */
function secondsIn(argument: string): number {
  const [, seconds] = /^"?(\d+)"?$/.exec(argument) ?? []
  return seconds === undefined ? Number.NaN : Number(seconds)
}

/** A directive with its argument, or nothing, up to a comma outside quotation marks. Source: RFC 9110, 5.6.1 and 5.6.4. */
const member = /[ \t]*(?:([!#$%&'*+.^`|~\w-]+)(?:=("(?:[^"\\]|\\.)*"|[^",]*?))?)?[ \t]*(?:,|$)/y

/** The directives in a field, or null if any is malformed, because parsers then read the rest differently. */
function directivesOf(value: string): Directives | null {
  const directives = new Map<string, string[]>()
  member.lastIndex = 0
  while (member.lastIndex < value.length) {
    const found = member.exec(value)
    if (found === null) return null
    const [, name, argument = ''] = found
    if (name === undefined) continue
    directives.set(name.toLowerCase(), [...(directives.get(name.toLowerCase()) ?? []), argument])
  }
  return directives
}

function variesOnCredentials({ response }: Exchange): boolean {
  const names = responseFields(response, 'vary')
    .join(',')
    .split(/[\s,;"]+/)
  return names.some((name) => name === '*' || isOneOf(credentials, name))
}

function isOneOf(names: readonly string[], name: string): boolean {
  return names.includes(name.toLowerCase())
}
