import { sameShape } from '../../lib/fuzz/seeded.ts'
import { responseFields, type Exchange } from '../../lib/http/exchange.ts'
import { answeredBy, isServed } from '../../lib/judge/answered.ts'
import { answers, neverSucceeds, violates, type Check } from '../../lib/judge/judge.ts'
import { Secret, type Credentials } from '../../lib/redact/secret.ts'
import { countByClient, flawedRequests, scenario, wrongKey, wrongSecret } from '../../lib/run/plan/cases.ts'
import type { Case, JudgedExchange, Scenario } from '../../lib/run/plan/cases.ts'
import type { SuiteContext, TestRequest } from '../../lib/run/plan/suite-context.ts'

const keyInvalid = answers({ status: 401, errorCode: '1006' })
const secretInvalid = answers({ status: 401, errorCode: '1007' })
const lastFlaw = 'secret-key-wrong'

/** Cases that test the memory of caches, sessions, counters and instances, late in the run. Each case runs alone, wrong secrets last. */
export function leftBehind(context: SuiteContext): readonly Case[] {
  const isAsked = context.byProfile({
    all: true,
    gate: false,
    because:
      'caches and sessions rarely fail, a gate runs often, and more than thirty guesses may lock the client',
  })
  if (!isAsked) return []
  const many = onManyConnections(context)
  const isGuess = ({ name }: Case): boolean => /^(?:api|secret)-key-wrong-/.test(name)
  return [
    sentBack(context),
    ...headThenGet(context),
    ...many.filter((one) => !isGuess(one)),
    // More than thirty guesses with nothing valid in between. The last must be refused in the same way as the first.
    sameGuessTwice(context),
    ...many.filter(isGuess),
  ]
}

/** Values that a success returned, sent back without credentials and with wrong ones, and its `x-request-id` with a wrong secret. */
function sentBack(context: SuiteContext): Case {
  const { list, target, seed } = context
  const named = list.request.with('x-request-id', `conformance-${seed}`)
  const wrong = named.with('x-secret-key', wrongSecret(context))
  const play: Scenario['play'] = async (stage) => {
    const same = stage.connection()
    const another = stage.connection()
    const success = await stage.served(named, same)
    const judged = [success]
    for (const connection of [same, another]) judged.push(await stage.judge(wrong, secretInvalid, connection))
    const handed = handedOut(success.exchange, target)
    const wrongKeyed = list.request.with('x-api-key', wrongKey(context))
    const returned = [
      ...handed.flatMap((one) => flawedWith(one, context)),
      ...handed.filter(({ field }) => field === 'if-none-match').map(({ back }) => back(wrongKeyed)),
    ]
    for (const request of returned)
      for (const connection of [same, another]) {
        const exchange = await stage.attempt(request, connection)
        if (exchange === null) continue
        const judgement = refusedIn(context, request).judge(exchange)
        judged.push({ request, exchange, judgement })
      }
    return judged
  }
  return late('sent-back', [named, wrong, wrong], list.request, play)
}

/** The request without the key, without both credentials and, last, with a wrong secret. */
function flawedWith({ back }: HandedOut, context: SuiteContext): readonly TestRequest[] {
  const { request } = context.list
  return [
    back(request.without('x-api-key')),
    back(request.without('x-api-key', 'x-secret-key')),
    back(request.with('x-secret-key', wrongSecret(context))),
  ]
}

/** Requires an answer that is neither a success nor a 304. */
function refusedIn({ documented }: SuiteContext, request: TestRequest): Check {
  const { allowed, judge } = neverSucceeds(documented(request))
  return {
    allowed,
    judge: (exchange) =>
      exchange.response.status === 304 ? violates(allowed, answeredBy(exchange.response)) : judge(exchange),
  }
}

/** HEAD with valid credentials, followed by GET with a wrong secret. */
function headThenGet(context: SuiteContext): readonly Case[] {
  const { list } = context
  if (list.method !== 'GET') return []
  const head = list.request.method('HEAD').trait({ observed: true, transportMayRefuse: true })
  const wrong = list.request.with('x-secret-key', wrongSecret(context))
  const play: Scenario['play'] = async (stage) => {
    const same = stage.connection()
    const another = stage.connection()
    await stage.attempt(head, same)
    return [await stage.judge(wrong, secretInvalid, same), await stage.judge(wrong, secretInvalid, another)]
  }
  return [late('head-then-get', [head, wrong, wrong], list.request, play)]
}

/** A new key and a new secret, each sent twice in a row on one connection. They follow a success, so that no health check is due. */
function sameGuessTwice({ list, target, seed }: SuiteContext): Case {
  const guess = (text: string): string => sameShape(text, seed, 'guess')
  const key = list.request.with('x-api-key', guess(target.apiKey.reveal()))
  const secret = list.request.with('x-secret-key', guess(target.secretKey.reveal()))
  const play: Scenario['play'] = async (stage) => {
    await stage.served(list.request)
    const connection = stage.connection()
    return [
      await stage.judge(key, keyInvalid, connection),
      await stage.judge(key, keyInvalid, connection),
      await stage.judge(secret, secretInvalid, connection),
      await stage.judge(secret, secretInvalid, connection),
    ]
  }
  return late('same-guess-twice', [list.request, key, key, secret, secret], list.request, play)
}

/** Each documented refusal on separate connections, one after another, because one of several instances may run a different release. */
function onManyConnections(context: SuiteContext): readonly Scenario[] {
  const { list } = context
  return flawedRequests(context, list)
    .filter(({ of }) => of !== 'endpoint')
    .toSorted((a, b) => Number(a.name === lastFlaw) - Number(b.name === lastFlaw))
    .map(({ of, name, request, check }) => {
      // A client and its input are checked after the parts that all requests pass.
      const usual = of === 'client' || of === 'input' ? 4 : 12
      const requests = Array.from({ length: name === lastFlaw ? 15 : usual }, () => request)
      const play: Scenario['play'] = async (stage) => {
        const judged: JudgedExchange[] = []
        for (const one of requests) {
          const connection = stage.connection()
          judged.push(await stage.judge(one, check, connection))
          await connection.close()
        }
        return judged
      }
      return late(`${name}-on-many-connections`, requests, list.request, play)
    })
}

/** Plays late. A wrong refusal counts only if the client is still served, because a lockout may cause any answer. */
function late(
  name: string,
  requests: readonly TestRequest[],
  plain: TestRequest,
  play: Scenario['play'],
): Scenario {
  const unlessLocked: Scenario['play'] = async (stage) => {
    const judged = await play(stage)
    const wrong = judged.filter(({ judgement }) => judgement.kind === 'violates')
    if (wrong.some(({ exchange }) => !isServed(exchange))) await stage.served(plain)
    return judged
  }
  return scenario(name, requests.length, unlessLocked, { byClient: countByClient(requests), last: true })
}

/** A value that a success returned, with the field in which to send it back. */
type HandedOut = Readonly<{
  field: string
  /** Adds the returned values to a request. */
  back: (request: TestRequest) => TestRequest
}>

/** The values that a success returned, as a client would send them back: all cookies, the entity tag and each token, also as a bearer token. */
export function handedOut({ response }: Exchange, target: Credentials): readonly HandedOut[] {
  const cookies = responseFields(response, 'set-cookie').flatMap((value) => pairOf(value))
  const tags = responseFields(response, 'etag').slice(0, 1)
  const tokens = response.fields.filter(([name, value]) => isToken(name, value))
  const all: readonly (readonly [field: string, what: string, value: string])[] = [
    ...(cookies.length === 0 ? [] : [['cookie', 'the cookies', cookies.join('; ')] as const]),
    ...tags.map((tag) => ['if-none-match', 'the entity tag', tag] as const),
    ...tokens.flatMap(([name, value]) => {
      const field = name.toLowerCase()
      const bearer = ['authorization', 'a token', `Bearer ${value}`] as const
      return [[field, 'a token', value] as const, ...(field === 'authorization' ? [] : [bearer])]
    }),
  ]
  const own = [target.apiKey.reveal(), target.secretKey.reveal()]
  return all
    .filter(([, , value]) => !own.some((one) => value.includes(one)))
    .map(([field, what, value]) => {
      const secret = new Secret(`${what} of a success`, value)
      // A gateway may refuse a session or token by itself.
      return { field, back: (request) => request.with(field, secret).trait({ transportMayRefuse: true }) }
    })
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
