import { answers } from '../../lib/judge/judge.ts'
import { judgeLasting } from '../../lib/judge/quota-walk.ts'
import type { Stage } from '../../lib/run/plan/cases.ts'
import { wrongSecret, type SuiteContext } from '../../lib/run/plan/suite-context.ts'
import type { TestRequest } from '../../lib/run/plan/test-request.ts'
import type { Refusal } from '../../lib/specification/answers.ts'
import { silenceMs, type QuotaClient, type QuotaRequest } from './quota-clients.ts'

/** A further request from a client whose quota is used up. */
interface Way extends Pick<QuotaRequest, 'request' | 'isOther'> {
  readonly silenceMs?: number
  readonly onNewConnection?: true
  /** The number of concurrent requests; one by default. */
  readonly copies?: number
}

/** For a request that may be refused for other reasons, only a success counts. */
const isOther = (): boolean => true

/** The maximum number of requests after a success, if no quota is declared, to see whether the quota was reset. */
const afterSuccess = 6

/** The time in milliseconds after which counters kept for one second are gone. */
const longSilenceMs = 1_500

/** Sends requests for a client with a used-up quota in every way, one after another, until a breach appears. */
export async function stayRefusedForQuota(
  client: QuotaClient,
  context: SuiteContext,
  stage: Stage,
): Promise<void> {
  const { walk, request, quota, setting: whose } = client
  const kind = (): string => judgeLasting(walk.turns, { quota, whose }).judgement.kind
  for (const { silenceMs: pauseMs = 0, onNewConnection, copies = 1, ...way } of waysOf(client, context)) {
    const connection = onNewConnection === true ? { connection: stage.connection() } : {}
    const asked = Array.from({ length: copies }, () => ({ ...way, ...connection }))
    const given = await walk.ask(stage, asked, pauseMs)
    if (given.some(({ kind: one }) => one === 'served') && quota !== null)
      await useUpAgain(client, quota, stage)
    if (kind() === 'violates') return
  }
  for (let asked = 0; asked < afterSuccess && kind() === 'unclear'; asked += 1)
    await walk.alone(stage, { request })
}

/** The requests that are sent if the client stays refused. */
export function refusedForQuota(client: QuotaClient, context: SuiteContext): readonly TestRequest[] {
  return waysOf(client, context).flatMap(({ request, copies = 1 }) =>
    Array.from({ length: copies }, () => request),
  )
}

/** After a success that a reset may explain, continues until the next refusal and sends once more, or until no reset explains it. */
async function useUpAgain({ walk, request }: QuotaClient, quota: number, stage: Stage): Promise<void> {
  for (let served = 1; served <= quota + 1; served += 1) {
    if ((await walk.alone(stage, { request }, served > quota ? silenceMs : 0)) === 'served') continue
    await walk.alone(stage, { request })
    return
  }
}

function waysOf(client: QuotaClient, context: SuiteContext): readonly Way[] {
  const { name, request } = client
  const { byProfile } = context
  const asked = byProfile({
    all: 20,
    gate: 3,
    essential: 1,
    because: 'a gate runs often, and a disposable client was already refused once',
  })
  const forms = formsOf(client, context, asked)
  if (name !== 'disposable-client') return forms

  const round = [...afterSilence(client), { request }]
  // Sent last, since it may lock the client out. Its own answer then proves nothing else.
  const wrong = request.with('x-secret-key', wrongSecret(context))
  return [
    ...forms,
    ...byProfile({ all: [...round, ...round], gate: [], because: 'a gate does not wait' }),
    ...byProfile({ all: [wrong, request, wrong, request], gate: [], because: 'it may lock the client' }).map(
      (one) => ({ request: one, isOther }),
    ),
  ]
}

/** Ways around a counter that is forgotten, locked while read, kept per connection or address, or that counts only GET. */
function afterSilence({ request }: QuotaClient): readonly Way[] {
  const tolerated = { transportMayRefuse: true, observed: true } as const
  return [
    { request, silenceMs },
    { request, copies: 4 },
    { request: request.method('HEAD').trait(tolerated), isOther },
    { request, onNewConnection: true },
    { request, onNewConnection: true },
    { request, onNewConnection: true },
    { request: request.with('x-forwarded-for', '192.0.2.77').trait(tolerated), isOther },
    { request: request.with('x-forwarded-for', '10.0.0.7').trait(tolerated), isOther },
    // Evaluated only if the request would be served (RFC 9110, 13.2.1).
    { request: request.with('if-none-match', '*') },
    { request, silenceMs: longSilenceMs },
  ]
}

/** Requests that no counter may attribute to another client or refund. */
function formsOf({ request }: QuotaClient, { list, fixtures }: SuiteContext, times: number): readonly Way[] {
  const plain: Way = { request }
  const or = (refusal: Refusal): Pick<Way, 'isOther'> => ({
    isOther: (exchange) => answers(refusal).judge(exchange).kind === 'holds',
  })
  const invalidInput = or({ status: 400, errorCode: '1030' })
  const { invalidQuery, path } = list
  const forms: readonly Way[] = [
    plain,
    { request: request.withQuery('x=1'), ...invalidInput },
    { request: request.without('accept') },
    plain,
    ...(invalidQuery === null
      ? []
      : [{ request: request.to(`${path}?${invalidQuery}`), ...invalidInput }, plain]),
    {
      request: request.with('x-version', fixtures.unsupportedVersion),
      ...or({ status: 400, errorCode: '1010' }),
    },
    plain,
    { request: request.with('accept', '*/*') },
  ]
  return Array.from({ length: times }, (_, index) => forms[index % forms.length] ?? plain)
}
