import { mayBan } from '../../lib/fuzz/case-class.ts'
import { isTransportRefusal } from '../../lib/judge/answered.ts'
import { outcomeOf } from '../../lib/judge/differences.ts'
import { answersOneOf } from '../../lib/judge/judge.ts'
import { scenario, type Case, type JudgedExchange } from '../../lib/run/plan/cases.ts'
import { wrongSecret, type SuiteContext } from '../../lib/run/plan/suite-context.ts'
import type { TestRequest } from '../../lib/run/plan/test-request.ts'
import type { NamedRequest } from './credentials.ts'

interface OtherClient {
  readonly name: string
  /** Its `user-agent`; null if it sends none. */
  readonly agent: string | null
}

/** One client of each kind comes first. Clients that firewalls often refuse come last. */
const clients: readonly OtherClient[] = [
  { name: 'okhttp', agent: 'okhttp/5.1.0' },
  { name: 'Java', agent: 'Java-http-client/21.0.8' },
  {
    name: 'Chrome on Windows',
    agent:
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36',
  },
  {
    name: 'Safari on iPhone',
    agent:
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_7 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Mobile/15E148 Safari/604.1',
  },
  {
    name: 'Firefox',
    agent: 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:144.0) Gecko/20100101 Firefox/144.0',
  },
  { name: 'axios', agent: 'axios/1.13.1' },
  { name: 'Go', agent: 'Go-http-client/1.1' },
  { name: 'Python', agent: 'python-requests/2.32.5' },
  { name: 'curl', agent: 'curl/8.16.0' },
  { name: 'no user-agent', agent: null },
]

/** Maximum number of wrong secrets. */
const wrongSecrets = 3

/** Requests in the name of other clients, in order: with valid credentials, without a key, and, for the first few clients, also with a wrong secret. */
export function askedAsOthers(context: SuiteContext): readonly NamedRequest[] {
  return clients.flatMap(({ name, agent }, at) => {
    const { request } = context.list
    const named = agent === null ? request.without('user-agent') : request.with('user-agent', agent)
    const plain = named.trait({ transportMayRefuse: true })
    const requests: readonly TestRequest[] = [
      plain,
      plain.without('x-api-key'),
      ...(at < wrongSecrets ? [plain.with('x-secret-key', wrongSecret(context))] : []),
    ]
    return requests.map((one) => ({ name, request: one }))
  })
}

/**
 * Sends requests in the name of other clients, because a service could recognize the suite by its name. Stops after the first
 * refusal by a firewall, which may ban the sender.
 */
export function otherClients(context: SuiteContext): readonly Case[] {
  const isAsked = context.byProfile({
    all: false,
    gate: false,
    acceptance: !context.settings.run.identify,
    because: `a vendor could recognize the suite by its name, which matters in an acceptance; ${mayBan}`,
  })
  if (!isAsked) return []
  let asked = askedAsOthers(context)
  const asOthers = scenario('as-other-clients', asked.length, async (stage) => {
    const judged: JudgedExchange[] = []
    for (const [at, { name, request }] of asked.entries()) {
      const exchange = await stage.attempt(request)
      if (exchange === null || isTransportRefusal(exchange)) {
        const outcome = exchange === null ? 'not answered' : outcomeOf(exchange)
        stage.observations.note('refused-user-agents', name, outcome)
        // The others are not sent when a breach is confirmed, either.
        asked = asked.slice(0, at)
        break
      }
      const judgement = answersOneOf(context.documented(request)).judge(exchange)
      judged.push({ request, exchange, judgement })
    }
    return judged
  })
  return [{ ...asOthers, last: true }]
}
