import { randomSegment } from '../../lib/fuzz/seeded.ts'
import { responseFields, type Exchange, type MessageForm } from '../../lib/http/exchange.ts'
import { answeredBy, isServed, isTransportRefusal, describeAnswered } from '../../lib/judge/answered.ts'
import { answersOneOf, holds, sameOutcome, type Judgement } from '../../lib/judge/judge.ts'
import { NoAnswer, scenario, wrongKey } from '../../lib/run/plan/cases.ts'
import type { Case, JudgedExchange, Scenario, Untestable } from '../../lib/run/plan/cases.ts'
import type { SuiteContext, TestRequest } from '../../lib/run/plan/suite-context.ts'

const rule = 'conventions/http-messages'

/** Messages as framed by HTTP, on separate connections. Two requests in one segment come last. */
export function httpMessages(context: SuiteContext): readonly Case[] | Untestable {
  const isAsked = context.byProfile({
    all: false,
    gate: false,
    acceptance: true,
    because: 'servers and gateways frame messages, and they seldom change',
  })
  if (!isAsked) return { untested: 'its cases are sent only in an acceptance (--profile acceptance)' }
  const { maxRps } = context.settings.run
  // Both requests on a connection arrive in the same second.
  const mayFollow = maxRps === null || maxRps >= 2
  return [
    ...writtenOtherwise(context),
    ...closing(context),
    ...(mayFollow ? followed(context) : []),
    encodedLineEnd(context),
    ...inOldVersion(context),
    lengthOfHead(context),
    ...refusedCodings(context),
    ...(mayFollow ? pipelinedPairs(context) : []),
  ]
}

/** Header sections split into two segments, and without a space after the colons. The outcome must be the same. */
function writtenOtherwise(context: SuiteContext): readonly Case[] {
  const { list, seed, target } = context
  const [inValue, tight] = [
    ['cut-in-value', { cut: { behind: 'x-api-key: ', by: 3 } }],
    ['no-space', { isTight: true }],
  ] as const
  const forms: readonly (readonly [name: string, form: MessageForm])[] = [
    ['cut-in-name', { cut: { behind: 'x-secret', by: 0 } }],
    inValue,
    ['cut-in-line-end', { cut: { behind: 'x-api-key: ', by: target.apiKey.reveal().length + 1 } }],
    ['cut-before-empty-line', { cut: { behind: 'connection: close\r\n', by: 0 } }],
    tight,
  ]
  const nowhere = context.unknownEndpoint(rule)
  // A cache takes this for another URL, but a service may refuse the parameter.
  const uncached = list.request.withQuery(`_=${randomSegment(seed, rule)}`)
  return [
    ...forms.map(([name, form]) => sameAs(nowhere, name, form)),
    ...[inValue, tight].map(([name, form]) => sameAs(uncached, `${name}-of-list`, form)),
  ]
}

function sameAs(plain: TestRequest, name: string, form: MessageForm): Case {
  const written = plain.onRawSocket(form).trait({ transportMayRefuse: true })
  const play: Scenario['play'] = async (stage) => {
    const usual = await stage.known(plain)
    return judgedBy(written, await stage.attempt(written), (exchange) =>
      isTransportRefusal(exchange) ? holds : sameOutcome(usual, exchange),
    )
  }
  return scenario(name, 2, play, { wants: [plain] })
}

/** The four kinds of answers whose framing is checked: a success and a refusal, each to GET and HEAD. */
function framed(context: SuiteContext): readonly (readonly [name: string, request: TestRequest])[] {
  const { list } = context
  const head = { observed: true, transportMayRefuse: true }
  const success = list.request
  const refusal = context.unknownEndpoint(`${rule}:framed`)
  return [
    ['success', success.trait({ transportMayRefuse: true })],
    ['refusal', refusal.trait({ transportMayRefuse: true })],
    ['head-of-success', success.method('HEAD').trait(head)],
    ['head-of-refusal', refusal.method('HEAD').trait(head)],
  ]
}

/** Requests with `connection: close`, after which the connection must end right after the answer. */
function closing(context: SuiteContext): readonly Case[] {
  return framed(context).map(([name, request]) =>
    asked(`${name}-then-closing`, request.onRawSocket({ followedBy: 'closing' }), (exchange) => {
      const stray = nothingBehind(exchange)
      if (stray.kind === 'violates' || exchange.behind?.isClosed !== false) return stray
      return breach(
        exchange,
        'connection: close not heeded',
        'the connection stays open after an answer to a request with connection: close',
      )
    }),
  )
}

/** Requests on a persistent connection, on which the next answer must begin where the previous one ends. */
function followed(context: SuiteContext): readonly Case[] {
  const next = { request: context.unknownEndpoint(`${rule}:next`).request, isInSameSegment: false }
  return framed(context).map(([name, request]) =>
    asked(`${name}-then-request`, request.onRawSocket({ followedBy: next }), nothingBehind),
  )
}

function nothingBehind(exchange: Exchange): Judgement {
  const { strayBytes = 0 } = exchange.behind ?? {}
  if (strayBytes === 0) return holds
  const isHead = exchange.request.method === 'HEAD'
  return isHead
    ? breach(exchange, 'content behind HEAD', 'the answer to HEAD has content')
    : breach(exchange, 'bytes behind an answer', 'bytes that belong to no message follow the answer')
}

/** A path with an encoded line end followed by a field, which must not appear in the answer. */
function encodedLineEnd(context: SuiteContext): Case {
  const field = `x-${randomSegment(context.seed, `${rule}:field`)}`
  const request = context
    .unknownEndpoint(`${rule}:line-end`, `%0d%0a${field}:%201`)
    .onRawSocket({ followedBy: 'closing' })
    .trait({ observed: true, transportMayRefuse: true })
  return asked('encoded-line-end', request, (exchange) =>
    responseFields(exchange.response, field).length === 0
      ? holds
      : breach(
          exchange,
          'a field from the path',
          'an encoded line end of the path begins a field of the answer',
        ),
  )
}

/** Requests in HTTP/1.0, whose clients cannot read chunks (RFC 9112, 6.1). */
function inOldVersion(context: SuiteContext): readonly Case[] {
  return framed(context)
    .filter(([, { request }]) => request.method === 'GET')
    .map(([name, request]) =>
      asked(
        `${name}-in-http-1.0`,
        request.onRawSocket({ version: '1.0' }).trait({ observed: true }),
        (exchange) =>
          responseFields(exchange.response, 'transfer-encoding').length === 0
            ? holds
            : breach(exchange, 'chunks to HTTP/1.0', 'the answer to a request in HTTP/1.0 comes in chunks'),
      ),
    )
}

/**
 * The order in which GET and HEAD are sent as long as their lengths differ, at least the first three. A list that changes by itself, at
 * random or in every nth answer, does not give one length to every HEAD and another to every GET.
 */
const lengthOrder = 'GHGHGGHGHGGHG'

/** The `content-length` in an answer to HEAD, if present, must equal the one for GET (RFC 9110, 8.6). */
function lengthOfHead({ list, seed }: SuiteContext): Case {
  const get = list.request
    .with('accept-encoding', 'identity')
    .withQuery(`_=${randomSegment(seed, `${rule}:head`)}`)
  const head = get.method('HEAD').trait({ observed: true, transportMayRefuse: true })
  const play: Scenario['play'] = async (stage) => {
    const ofGet = new Set<string | undefined>()
    const ofHead = new Set<string | undefined>()
    let answer: Exchange | null = null
    for (const [at, method] of [...lengthOrder].entries()) {
      const exchange = method === 'G' ? await stage.send(get) : await stage.attempt(head)
      if (exchange?.response.status !== 200) return []
      const known = method === 'G' ? ofGet : ofHead
      known.add(responseFields(exchange.response, 'content-length')[0])
      if (method === 'H') answer = exchange
      const all = new Set([...ofGet, ...ofHead])
      const lengths = ofGet.size + ofHead.size
      if (at >= 2 && (all.size < 2 || lengths > 2 || all.has(undefined)))
        return judgedBy(head, answer, () => holds)
    }
    const says = `the answer to HEAD has content-length ${[...ofHead].join()}, the answer to GET ${[...ofGet].join()}`
    return judgedBy(head, answer, (exchange) => breach(exchange, 'another length for HEAD', says))
  }
  return scenario('content-length-of-head', 3, play)
}

/** A coding that the request refuses by its weight must not be used (RFC 9110, 12.5.3). */
function refusedCodings({ list }: SuiteContext): readonly Case[] {
  return ['gzip;q=0', 'identity;q=1, *;q=0'].map((weights, at) => {
    const request = list.request.with('accept-encoding', weights)
    return asked(`refused-coding-${at + 1}`, request, (exchange) => {
      const used = responseFields(exchange.response, 'content-encoding').filter((one) =>
        refuses(weights, one),
      )
      const says = `the content is in the coding ${used.join(', ').slice(0, 40)}, which accept-encoding: ${weights} refuses`
      return used.length === 0 ? holds : breach(exchange, 'refused coding', says)
    })
  })
}

function refuses(weights: string, coding: string): boolean {
  const name = coding.trim().toLowerCase()
  return name !== 'identity' && (weights.startsWith('identity') || name === 'gzip' || name === 'x-gzip')
}

/** A case made up of a request and any next request on its connection. */
function asked(name: string, request: TestRequest, judge: (exchange: Exchange) => Judgement): Case {
  const count = typeof request.request.form?.followedBy === 'object' ? 2 : 1
  return scenario(name, count, async (stage) => judgedBy(request, await stage.attempt(request), judge))
}

/** Judges nothing if the connection was closed before the answer. */
function judgedBy(
  request: TestRequest,
  exchange: Exchange | null,
  judge: (exchange: Exchange) => Judgement,
): readonly JudgedExchange[] {
  return exchange === null ? [] : [{ request, exchange, judgement: judge(exchange) }]
}

function breach({ response }: Exchange, difference: string, says: string): Judgement {
  const answered = answeredBy(response)
  const summary = `${says} (answered ${describeAnswered(answered)})`
  return { kind: 'violates', breach: { allowed: [], answered, difference, summary } }
}

/** Maximum number of pairs in a run, including confirmations. */
const mostPairs = 4

/** Two requests in one segment, the second without a valid key. It must never get a success, or the answer to the first. */
function pipelinedPairs(context: SuiteContext): readonly Case[] {
  const { list } = context
  let left = mostPairs
  const seconds = [
    ['pair-without-key', list.request.without('x-api-key')],
    ['pair-with-wrong-key', list.request.with('x-api-key', wrongKey(context))],
  ] as const
  return seconds.map(([name, second]) => {
    const pair = list.request
      .onRawSocket({ followedBy: { request: second.request, isInSameSegment: true } })
      .trait({ transportMayRefuse: true, observed: true })
    const play: Scenario['play'] = async (stage) => {
      if (left === 0)
        throw new NoAnswer('unavailable', `${mostPairs} pairs of requests were sent in this run`)
      left -= 1
      const first = await stage.attempt(pair)
      const response = first?.behind?.next ?? null
      if (first === null || response === null) return []
      const exchange = {
        request: second.request,
        response,
        durationMs: first.durationMs,
        reused: true,
      }
      // If the second request is also served by itself, that belongs to other rules.
      if (!isServed(exchange) || isServed(await stage.send(second))) return []
      const allowed = context.documented(second)
      const isExchanged = answersOneOf(allowed).judge(first).kind === 'holds'
      const [difference, says] = isExchanged
        ? ['answers exchanged', 'of two requests in one segment, each gets the answer to the other']
        : ['second request served', 'the second of two requests in one segment is served']
      const answered = answeredBy(response)
      const summary = `${says}: answered ${describeAnswered(answered)}`
      const judgement = { kind: 'violates', breach: { allowed, answered, difference, summary } } as const
      return [{ request: second, exchange, judgement }]
    }
    return scenario(name, 2, play, { last: true })
  })
}
