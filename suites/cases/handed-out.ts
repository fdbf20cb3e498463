import type { TestRequest } from '../../lib/engine/plan/test-request.ts'
import { responseFields, type Exchange } from '../../lib/http/exchange.ts'
import { Secret, type Credentials } from '../../lib/redact/secret.ts'

/** Gives a request what a success handed out. */
export type Returned = (request: TestRequest) => TestRequest

/** What a success handed out, each as a client would send it back: its cookies together, its entity tag, each token. */
export function handedOut({ response }: Exchange, target: Credentials): readonly Returned[] {
  const cookies = responseFields(response, 'set-cookie').flatMap((value) => pairOf(value))
  const [tag] = responseFields(response, 'etag')
  const tokens = response.fields.filter(([name, value]) => isToken(name, value))
  const all = [
    ...(cookies.length === 0 ? [] : [returned('cookie', 'the cookies', cookies.join('; '))]),
    ...(tag === undefined ? [] : [ofTag(tag)]),
    ...tokens.flatMap(([name, value]) => tokenBack(name.toLowerCase(), value)),
  ]
  const own = [target.apiKey.reveal(), target.secretKey.reveal()]
  return all.filter(({ value }) => !own.some((one) => value.includes(one))).map(({ back }) => back)
}

/** Gives back the entity tag of a success; null if it has none. */
export function tagOf({ response }: Exchange): Returned | null {
  const [tag] = responseFields(response, 'etag')
  return tag === undefined ? null : ofTag(tag).back
}

interface HandedOut {
  readonly value: string
  readonly back: Returned
}

function returned(field: string, what: string, value: string): HandedOut {
  const secret = new Secret(`${what} of a success`, value)
  // A gateway may refuse a session or token by itself.
  return { value, back: (request) => request.with(field, secret).trait({ transportMayRefuse: true }) }
}

function ofTag(tag: string): HandedOut {
  return returned('if-none-match', 'the entity tag', tag)
}

/** A token under its own name, and as a bearer's. */
function tokenBack(name: string, value: string): readonly HandedOut[] {
  if (name === 'authorization') return [returned(name, 'a token', value)]
  return [returned(name, 'a token', value), returned('authorization', 'a token', `Bearer ${value}`)]
}

/** The pair of a cookie that is not deleted. */
function pairOf(cookie: string): readonly string[] {
  const [pair = ''] = cookie.split(';')
  return /^[!#$%&'*+\-.^_`|~\w]+=[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]+$/.test(pair.trim())
    ? [pair.trim()]
    : []
}

const tokenWords: ReadonlySet<string> = new Set([
  'auth',
  'authorization',
  'jwt',
  'session',
  'ticket',
  'token',
])

/** Whether a field hands out a token: a word of its name says so, and its value is opaque. */
function isToken(name: string, value: string): boolean {
  const isNamedSo = name
    .toLowerCase()
    .split(/[-_]/)
    .some((word) => tokenWords.has(word))
  return isNamedSo && /^(?:Bearer )?[\w.~+/=-]{12,}$/.test(value)
}
