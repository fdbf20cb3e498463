import { answeredBy, isServed, describeAnswered } from '../lib/judge/answered.ts'
import { succeeds, withHint, type Judgement } from '../lib/judge/judge.ts'
import { judgeLasting, judgeUse, type QuotaJudgement } from '../lib/judge/quota-walk.ts'
import { area, NoAnswer, trouble, noAnswer, rule, scenario } from '../lib/run/plan/cases.ts'
import type { PreconditionBreach, Scenario, Stage, Untestable } from '../lib/run/plan/cases.ts'
import type { SuiteContext } from '../lib/run/plan/suite-context.ts'
import {
  quotaClients,
  refusedForQuota,
  stayRefusedForQuota,
  type QuotaClient,
} from './cases/quota-clients.ts'

export const quota = area('Quota', [
  rule('quota/exhausted', (context) =>
    forEachClient(context, (client) => {
      const play = judgedOnce(client, async (stage) => {
        const ended = await client.useUp(stage).then(() => null, endOf)
        if (ended !== null && client.walk.turns.length === 0) throw ended
        const isFresh = context.replayed === null
        const used = judgeUse(client.walk.turns, { ...quotaOf(client), isFresh })
        if (ended !== null && used.judgement.kind !== 'violates') throw ended
        if (!isFresh && used.judgement.kind === 'holds') refuseSpent(client)
        return used
      })
      const { requests, ...shared } = client.cost('quota/exhausted', 0)
      return scenario(client.name, requests, play, shared)
    }),
  ),

  rule('quota/stays-exhausted', (context) =>
    forEachClient(context, (client) => {
      const play = judgedOnce(client, async (stage) => {
        await usedUp(client, stage)
        const ended = await stayRefusedForQuota(client, context, stage).then(() => null, endOf)
        const lasting = judgeLasting(client.walk.turns, { quota: client.quota, whose: client.setting })
        if (ended !== null && lasting.judgement.kind !== 'violates') throw ended
        return lasting
      })
      const sent = refusedForQuota(client, context)
      const { requests, ...shared } = client.cost('quota/stays-exhausted', sent.length)
      const provides = sent.filter((request) => request !== client.request)
      return scenario(client.name, requests, play, { ...shared, provides })
    }),
  ),

  rule('quota/per-client', (context) =>
    forEachClient(context, (client) => {
      const { list, byProfile } = context
      const isSecondAsked = byProfile({
        all: true,
        gate: true,
        essential: false,
        because: 'one client is enough to show a common quota',
      })
      const isAskedAtTheEnd = byProfile({
        all: true,
        gate: true,
        essential: false,
        because: 'they were sent at the time of the first 1020',
      })
      const others = [list.request, ...(isSecondAsked ? list.of('second') : [])]
      // Clients that were served before get one more request when the first 1020 arrives.
      const times = isAskedAtTheEnd ? 3 : 2
      const play: Scenario['play'] = async (stage) => {
        const before = await Promise.all(others.map((other) => stage.servedKnown(other)))
        await usedUp(client, stage)

        // The client itself sends one more request after the first 1020.
        if (!isAskedAtTheEnd) return before
        const again = others.map((other) => other.trait({ asksForQuota: true, plain: false }))
        return [...before, ...(await Promise.all(again.map((other) => stage.judge(other, succeeds()))))]
      }
      const { requests, wants, byClient } = client.cost('quota/per-client', 0)
      const ofOthers = times * others.length
      const all = { least: requests.least + ofOthers, most: requests.most + ofOthers }
      return scenario(client.name, all, play, {
        wants: [...others, ...wants],
        byClient: {
          ...byClient,
          target: times,
          ...(others.length > 1 ? { second: times } : {}),
        },
      })
    }),
  ),
])

/** Plays part of the walk. A quota can be used up only once a day, so a request that got a success is not sent again. */
function judgedOnce(client: QuotaClient, judge: (stage: Stage) => Promise<QuotaJudgement>): Scenario['play'] {
  let first: QuotaJudgement | null = null
  return async (stage) => {
    const { request } = client
    const given = first === null ? await judge(stage) : await judgedAgain(client, first, stage)
    first ??= given
    return [
      {
        request,
        exchange: given.about,
        judgement: hinted(given.judgement, client),
      },
    ]
  }
}

/** Uses further refusals to see whether an odd answer recurs. */
async function judgedAgain(
  client: QuotaClient,
  { judgement, about }: QuotaJudgement,
  stage: Stage,
): Promise<QuotaJudgement> {
  if (judgement.kind === 'violates' && isServed(about)) throw trouble('a quota is used up once a day')
  const { walk, request, setting: whose } = client
  const from = walk.turns.length
  for (let asked = 0; asked < 2; asked += 1) await walk.alone(stage, { request })
  return judgeLasting(walk.turns.slice(from), { quota: client.quota, whose })
}

/** Uses up the quota. Throws `trouble` if the client is not refused because of it. */
async function usedUp(client: QuotaClient, stage: Stage): Promise<void> {
  await client.useUp(stage)
  const { walk, request, setting } = client
  if (walk.turns.some(({ answers }) => answers.some(({ kind }) => kind === 'refused'))) return
  const { judgement, about } = judgeUse(walk.turns, quotaOf(client))
  if (judgement.kind !== 'violates') throw trouble(`${setting} is not exhausted today`)
  const follows: PreconditionBreach = {
    rule: 'quota/exhausted',
    request,
    breach: judgement.breach,
  }
  const answered = describeAnswered(answeredBy(about.response))
  throw trouble(`${setting} was answered ${answered} where 429 / 1020 is documented (see quota/exhausted)`, {
    follows: [follows],
  })
}

/** Refuses to repeat a reported run that has used up the quota, because a repetition can show the breach only on a different day. */
function refuseSpent({ quota: declared, setting, walk }: QuotaClient): void {
  if (declared === null || walk.served >= declared) return
  throw trouble(`the quota of ${setting} was used up before: replay the case after its reset`)
}

function quotaOf({ quota: declared, setting, noReset }: QuotaClient): Parameters<typeof judgeUse>[1] {
  return { quota: declared, whose: setting, noReset: noReset() }
}

/** The error that ended part of the walk. The answers that came before it are still judged. */
function endOf(error: unknown): NoAnswer {
  const end = noAnswer(error)
  if (!end.leavesOpen) throw error
  return end
}

function forEachClient(
  context: SuiteContext,
  make: (client: QuotaClient) => Scenario,
): readonly Scenario[] | Untestable {
  const clients = quotaClients(context)
  if (clients.length > 0) return clients.map(make)
  return {
    untested:
      'neither FIXTURE_EXHAUSTED_API_KEY and FIXTURE_EXHAUSTED_SECRET_KEY nor FIXTURE_DISPOSABLE_API_KEY and FIXTURE_DISPOSABLE_SECRET_KEY are given',
  }
}

function hinted(judgement: Judgement, { quota: declared, setting }: QuotaClient): Judgement {
  if (judgement.kind !== 'violates') return judgement
  const hint =
    declared === null ? `${setting} is not set up as described` : 'FIXTURE_DISPOSABLE_QUOTA is wrong'
  return { kind: 'violates', breach: withHint(judgement.breach, hint) }
}
