import { nearMisses } from '../../lib/generate/near-misses.ts'
import type { Credentials } from '../../lib/redact/secret.ts'
import { answers, answersOneOf, neverSucceeds, type Check } from '../../lib/judge/judge.ts'
import { allowed } from '../../lib/judge/allowed.ts'
import { factsOf } from '../../lib/judge/facts.ts'
import { scenario, type Case, type JudgedExchange, type Untestable } from '../../lib/engine/cases.ts'
import { clientSetting } from '../../lib/engine/quota.ts'
import type { TestRequest } from '../../lib/engine/test-request.ts'
import { Inconclusive } from '../../lib/engine/errors.ts'
import type { Refusal } from '../../lib/spec/answers.ts'
import { refusedClients as permanentlyRefused, wrongSecret } from '../../lib/suite/flawed-requests.ts'
import type { SuiteContext } from '../../lib/engine/suite-context.ts'

/**
 * The clients that are refused for what they are, each with something else wrong besides: a plain request before and after shows that
 * nothing else has changed, as by a lock or by the reset of a quota.
 */
export function refusedClients(context: SuiteContext): readonly Case[] | Untestable {
  const clients = refusedOf(context)
  if (clients.length === 0) {
    return {
      untested:
        'none of FIXTURE_NO_CUSTOMER_…, FIXTURE_INACTIVE_…, FIXTURE_UNAUTHORIZED_… and FIXTURE_EXHAUSTED_… is given',
    }
  }
  return clients.map((client) => {
    const variations = variationsOf(client, context)
    return scenario(client.name, variations.length + 2, async (stage) => {
      const plain = answers(client.refusal)
      const asBefore = async (): Promise<boolean> =>
        plain.judge(await stage.send(client.request)).kind === 'holds'
      if (!(await asBefore())) throw new Inconclusive(`${client.setting} is not refused as such a client`)

      const judged: JudgedExchange[] = []
      for (const { stimulus, check } of variations) judged.push(await stage.judge(stimulus, check))
      if (await asBefore()) return judged
      throw new Inconclusive(
        `${client.setting} is answered otherwise afterwards: it may have been locked, or its quota reset`,
      )
    })
  })
}

interface RefusedClient {
  readonly name: string
  /** How sentences call it. */
  readonly setting: string
  readonly credentials: Credentials
  /** Its plain request, and how that is refused. */
  readonly request: TestRequest
  readonly refusal: Refusal
}

function refusedOf({ list, fixtures }: SuiteContext): readonly RefusedClient[] {
  const named = [
    ...permanentlyRefused,
    { client: 'exhausted', name: 'client-exhausted', refusal: { status: 429, errorCode: '1020' } },
  ] as const
  return named.flatMap(({ client, name, refusal }) => {
    const credentials = fixtures[client]
    if (credentials === null) return []
    const request = list.as(client, credentials).trait({ asksForQuota: client === 'exhausted' })
    return [{ name, setting: clientSetting(client), credentials, request, refusal }]
  })
}

interface Variation {
  readonly stimulus: TestRequest
  readonly check: Check
}

/** Three wrong secrets at the most: more might lock the client. */
function variationsOf({ request, credentials }: RefusedClient, context: SuiteContext): readonly Variation[] {
  const { fixtures, exhaustive, knowledge, list, target } = context
  const byOracle = (stimulus: TestRequest): Variation => ({
    stimulus,
    check: answersOneOf(allowed(factsOf(stimulus.request, knowledge))),
  })
  const nearly = nearMisses(credentials.secretKey, false).find(
    ({ name, mayEqual }) => name === 'last-changed' && !mayEqual,
  )
  const observed = request.with('accept', 'text/html').trait({ observed: true })

  const inGate = [
    request.with('x-secret-key', wrongSecret(context)),
    request.with('x-version', fixtures.unsupportedVersion),
    request.withQuery('x=1'),
  ]
  const beyond = [
    request.without('x-secret-key'),
    request.with('x-secret-key', ''),
    request.without('x-version'),
    request.without('accept'),
    request.to(context.unknownEndpoint('refused clients').request.target, 'an unknown path under /api/'),
    ...(list.invalidQuery === null ? [] : [request.to(`${list.path}?${list.invalidQuery}`)]),
    request.with('x-secret-key', target.secretKey),
    ...(nearly === undefined ? [] : [request.with('x-secret-key', nearly.value)]),
  ]
  if (!exhaustive) return inGate.map(byOracle)
  return [
    ...[...inGate, ...beyond].map(byOracle),
    { stimulus: observed, check: neverSucceeds(allowed(factsOf(observed.request, knowledge))) },
  ]
}
