import { seededNumber } from '../../lib/fuzz/seeded.ts'
import { answeredBy, isServed } from '../../lib/judge/answered.ts'
import { answersOneOf, type Judgement } from '../../lib/judge/judge.ts'
import { scenario, type Case, type JudgedExchange, type Scenario } from '../../lib/run/plan/cases.ts'
import type { SuiteContext } from '../../lib/run/plan/suite-context.ts'

const unknown = { status: 400, errorCode: '1010' } as const
/** The numbers of digits in the versions, used in turn. */
const digits = [3, 4, 5, 6] as const

/** Random versions of three to six digits. Any one of them may exist, but all of them can exist only if the version selects nothing. */
export function randomVersions(context: SuiteContext): readonly Case[] {
  const { list, seed, byProfile, documented } = context
  const because = 'only a service that serves all of them breaks the rule'
  const versions = Array.from({ length: byProfile({ all: 12, gate: 0, because }) }, (_, at) => {
    const least = 10 ** ((digits[at % digits.length] ?? 3) - 1)
    return String(least + seededNumber(seed, `random-version:${at}`, 9 * least))
  })
  const requests = versions
    .filter((version) => version !== list.version)
    .map((version) => list.request.with('x-version', version))
  if (requests.length === 0) return []

  const play: Scenario['play'] = async (stage) => {
    const judged: JudgedExchange[] = []
    for (const request of requests) judged.push(await stage.judge(request, answersOneOf(documented(request))))
    return judged.every(({ exchange }) => isServed(exchange)) ? judged.map(servedLikeAll) : judged
  }
  return [scenario('random-versions', requests.length, play)]
}

function servedLikeAll(one: JudgedExchange, at: number, all: readonly JudgedExchange[]): JudgedExchange {
  const { response } = one.exchange
  const summary = `answered ${response.status} under each of ${all.length} random versions: a version selects nothing, where 400 / 1010 is documented for versions that do not exist`
  const judgement: Judgement = {
    kind: 'violates',
    breach: {
      allowed: [unknown],
      answered: answeredBy(response),
      difference: 'every random version is served',
      summary,
      implied: true,
    },
  }
  return at === 0 ? { ...one, judgement } : one
}
