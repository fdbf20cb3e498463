import { nearMisses } from '../../lib/fuzz/mutated-value.ts'
import type { Exchange } from '../../lib/http/exchange.ts'
import { isServed } from '../../lib/judge/answered.ts'
import { answers, answersOneOf, neverSucceeds, type Check } from '../../lib/judge/judge.ts'
import type { Secret } from '../../lib/redact/secret.ts'
import {
  type Case,
  type JudgedExchange,
  trouble,
  notServed,
  type PreconditionBreach,
  scenario,
  type Scenario,
  type Untestable,
  wrongSecret,
} from '../../lib/run/plan/cases.ts'
import { settingsOfClient, type SuiteContext, type TestRequest } from '../../lib/run/plan/suite-context.ts'
import { refusedClients } from '../../lib/specification/flaws.ts'
import type { SpecRuleId } from '../../lib/specification/rules.ts'

const refused = [
  ...refusedClients,
  {
    client: 'exhausted',
    name: 'client-exhausted',
    rule: 'quota/exhausted',
    refusal: { status: 429, errorCode: '1020' },
  },
] as const

/** Refused clients, each with an additional flaw. Plain requests before and after show that no lockout or quota reset interfered. */
export function stayRefused(context: SuiteContext): readonly Case[] | Untestable {
  const { fixtures, list } = context
  const cases = refused.flatMap(({ client, name, rule, refusal }) => {
    const credentials = fixtures[client]
    if (credentials === null) return []
    return list.of(client).map((made) => {
      const request = made.trait({ asksForQuota: client === 'exhausted' })
      const variations = variationsOf(request, credentials.secretKey, context)
      const plain = { request, check: answers(refusal), rule }
      return refusedAlways(name, `the client of ${credentials.apiKey.name}`, plain, variations)
    })
  })
  if (cases.length > 0) return cases
  const settings = refused.map(({ client }) => settingsOfClient(client))
  return { untested: `none of ${settings.slice(0, -1).join(', ')} and ${settings.at(-1)} is given` }
}

type Variation = Readonly<{
  /** Whether a different rule may have sent it before. */
  isKnown?: boolean
  request: TestRequest
  check: Check
}>

function refusedAlways(
  name: string,
  setting: string,
  plain: Variation & { readonly rule: SpecRuleId },
  variations: readonly Variation[],
): Case {
  // If an exhausted client is served, nothing is broken, because its quota may have been reset.
  const breachIn = (exchange: Exchange): readonly PreconditionBreach[] =>
    plain.rule === 'quota/exhausted' && isServed(exchange)
      ? []
      : notServed({ request: plain.request, exchange }, plain.check, plain.rule)
  const play: Scenario['play'] = async (stage) => {
    const before = await stage.judgeKnown(plain.request, plain.check)
    if (before.judgement.kind !== 'holds')
      throw trouble(`${setting} is not refused as expected`, {
        follows: breachIn(before.exchange),
      })

    const judged: JudgedExchange[] = []
    // Sent on one connection, which may remember what was refused or accepted before.
    const connection = stage.connection()
    for (const { request, check, isKnown } of variations)
      judged.push(
        await (isKnown === true ? stage.judgeKnown(request, check) : stage.judge(request, check, connection)),
      )
    const last = await stage.judge(plain.request, plain.check, connection)
    const after = last.exchange
    if (last.judgement.kind === 'holds') return judged
    if (isServed(after) && plain.rule !== 'quota/exhausted') return [...judged, last]
    throw trouble(
      `${setting} gets a different answer afterwards: it may have been locked, or its quota reset`,
      { follows: breachIn(after) },
    )
  }
  const known = variations.filter(({ isKnown }) => isKnown === true).map(({ request }) => request)
  return scenario(name, variations.length + 2, play, {
    wants: [plain.request, ...known],
    byClient: { [plain.request.traits.client]: variations.length + 2 },
  })
}

/** At most three wrong secrets, because more might lock the client out. */
function variationsOf(request: TestRequest, secretKey: Secret, context: SuiteContext): readonly Variation[] {
  const { fixtures, documented, list, target, unknownEndpoint } = context
  const { invalidQuery, path } = list
  const byOracle = (one: TestRequest) => ({ request: one, check: answersOneOf(documented(one)) })
  const ownQuery = context.byProfile({
    all: true,
    gate: false,
    because: 'a different rule may have sent it: that answer counts',
  })
  const nearly = nearMisses(secretKey, false).filter(
    ({ name, mayEqual }) => name === 'last-changed' && !mayEqual,
  )
  const unknownPath = unknownEndpoint('refused clients').request.target
  const observed = request.with('accept', 'text/html').trait({ observed: true })
  const withWrongSecret = byOracle(request.with('x-secret-key', wrongSecret(context)))
  const few: readonly Variation[] = [
    withWrongSecret,
    byOracle(request.with('x-version', fixtures.unsupportedVersion)),
    { ...byOracle(request.withQuery('x=1')), isKnown: !ownQuery },
  ]
  const more: readonly Variation[] = [
    byOracle(request.without('x-secret-key')),
    byOracle(request.with('x-secret-key', '')),
    byOracle(request.without('x-version')),
    byOracle(request.without('accept')),
    byOracle(request.to(unknownPath, 'an unknown path under /api/')),
    ...(invalidQuery === null ? [] : [byOracle(request.to(`${path}?${invalidQuery}`))]),
    byOracle(request.with('x-secret-key', target.secretKey)),
    ...nearly.slice(0, 1).map(({ value }) => byOracle(request.with('x-secret-key', value))),
    { request: observed, check: neverSucceeds(documented(observed)) },
  ]
  return context.byProfile({
    all: [...few, ...more],
    gate: few,
    essential: [withWrongSecret],
    because: 'each is a request from a client that may be locked',
  })
}
