import { responseFields, type Exchange } from '../../lib/http/exchange.ts'
import { Secret, type Credentials } from '../../lib/redact/secret.ts'
import type { TestRequest } from '../../lib/run/plan/test-request.ts'

/** A value that a success returned, with the field in which to send it back. */
export interface HandedOut {
  readonly field: string
  /** Adds the returned values to a request. */
  readonly back: (request: TestRequest) => TestRequest
}

/** The values that a success returned, as a client would send them back: all cookies, the entity tag and each token. */
export function handedOut({ response }: Exchange, target: Credentials): readonly HandedOut[] {
  const cookies = responseFields(response, 'set-cookie').flatMap((value) => pairOf(value))
  const tags = responseFields(response, 'etag').slice(0, 1)
  const tokens = response.fields.filter(([name, value]) => isToken(name, value))
  const all = [
    ...(cookies.length === 0 ? [] : [returned('cookie', 'the cookies', cookies.join('; '))]),
    ...tags.map((tag) => returned('if-none-match', 'the entity tag', tag)),
    ...tokens.flatMap(([name, value]) => tokenBack(name.toLowerCase(), value)),
  ]
  const own = [target.apiKey.reveal(), target.secretKey.reveal()]
  return all.filter(({ value }) => !own.some((one) => value.includes(one)))
}

interface Returned extends HandedOut {
  readonly value: string
}

function returned(field: string, what: string, value: string): Returned {
  const secret = new Secret(`${what} of a success`, value)
  // A gateway may refuse a session or token by itself.
  return { field, value, back: (request) => request.with(field, secret).trait({ transportMayRefuse: true }) }
}

/** A token under its own name, and as a bearer token. */
function tokenBack(name: string, value: string): readonly Returned[] {
  if (name === 'authorization') return [returned(name, 'a token', value)]
  return [returned(name, 'a token', value), returned('authorization', 'a token', `Bearer ${value}`)]
}

/** The name-value pair of a cookie that is not being deleted. */
function pairOf(cookie: string): readonly string[] {
  const [pair = ''] = cookie.split(';')
  return /^[!#$%&'*+\-.^_`|~\w]+=[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]+$/.test(pair.trim())
    ? [pair.trim()]
    : []
}

const tokenWords: ReadonlySet<string> = new Set('auth authorization jwt session ticket token'.split(' '))

/** Whether a field returns a token, that is, a word in its name says so and its value is opaque. */
function isToken(name: string, value: string): boolean {
  const isNamedSo = name
    .toLowerCase()
    .split(/[-_]/)
    .some((word) => tokenWords.has(word))
  return isNamedSo && /^(?:Bearer )?[\w.~+/=-]{12,}$/.test(value)
}
