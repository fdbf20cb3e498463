import { describeAllowed } from '../../judge/answered.ts'
import type { Replayed, ShownExchange } from '../../judge/record.ts'
import type { Answer } from '../../specification/answers.ts'
import { counted, plural } from '../../text/printable.ts'
import { rateExcluded } from '../../verdict/power.ts'
import { answerLines, factsOf, labelled, sentLines, type Fact, legendOf } from '../model/finding-view.ts'
import { apart, factLines, marked, terminalText, type Line, type Rendering } from './terminal.ts'

type ReplayOutcome = Replayed &
  Readonly<{
    baseUrl: string
    /** Number of repetitions requested. */
    asked: number
  }>

/** Describes, for a terminal, what was sent and answered, and either whether the answer is allowed or how often it was wrong. */
export function replayText(outcome: ReplayOutcome, rendering: Rendering) {
  const { baseUrl, asked, times, sent } = outcome
  const often = asked === 1 ? '' : `, ${plural(times, 'time')}`
  const title = `Sent ${counted(sent, 'request')} of the case again${often}, to ${baseUrl}`
  const groups = [[strong(title)], ...exchangeGroups(outcome), outcomeLines(outcome)]
  return terminalText(apart(groups), rendering)
}

function strong(text: string): Line {
  return { text, tone: 'strong' }
}

/** The exchanges that broke a rule if the case has several, otherwise the first exchanges. If the case was repeated, only one of each is shown. */
function exchangeGroups({ asked, sent, exchanges, found }: ReplayOutcome): readonly (readonly Line[])[] {
  const most = asked === 1 ? Infinity : 1
  if (sent === 1 || found.length === 0) return groupsOf(exchanges.slice(0, most), sent, [])
  return found.flatMap(({ rule, finding, exchanges: broken }) => [
    [strong(`Broke ${rule}`)],
    ...groupsOf(broken.slice(0, most), finding.count, finding.allowed),
  ])
}

function groupsOf(
  exchanges: readonly ShownExchange[],
  all: number,
  allowed: readonly Answer[],
): readonly (readonly Line[])[] {
  const more = all - exchanges.length
  const shown = exchanges.map((one) => factLines(exchangeFacts(one, allowed)))
  if (more <= 0 || exchanges.length === 0) return shown
  return [...shown, [{ text: `… and ${counted(more, 'more request')}`, tone: 'faint' }]]
}

function exchangeFacts(
  { request, response, durationMs }: ShownExchange,
  allowed: readonly Answer[],
): readonly Fact[] {
  const [status = '', ...answer] = answerLines(response)
  return [
    ...labelled('sent', sentLines(request)),
    ...factsOf({
      legend: legendOf([[request.method, request.url], ...request.headers]),
      documented: allowed.length === 0 ? null : describeAllowed(allowed),
      answered: response === null ? 'nothing: the connection was closed' : `${status} after ${durationMs} ms`,
    }),
    ...labelled('', answer),
  ]
}

function outcomeLines({ asked, times, wrong, found, unjudged }: ReplayOutcome) {
  const isOnce = asked === 1
  const broken = found.map(({ rule, finding }) =>
    marked('failed', `${isOnce ? '' : `${finding.reproduced}: `}${rule}: ${finding.summary}`),
  )
  const left = unjudged.map((because) =>
    marked('inconclusive', `${isOnce ? '' : `ended after ${times} of ${asked}: `}${because}`),
  )
  if (wrong > 0)
    return [...(isOnce ? [] : [marked('failed', `wrong ${wrong} of ${times} times`)]), ...broken, ...left]
  if (isOnce) return left.length > 0 ? left : [marked('passed', 'the answer is allowed')]
  return [...(times === 0 ? [] : [notSeen(times)]), ...left]
}

/** Names the fault rate that this many correct answers exclude, rounded so that it never promises too much. */
function notSeen(times: number): Line {
  const rate = rateExcluded(times) ?? 1
  const every = Math.floor(1 / rate)
  const share = every > 1 ? `in one of ${every} answers` : `in ${Math.ceil(rate * 100)} % of the answers`
  return marked(
    'passed',
    `0 of ${times}: not seen. A fault ${share} shows in ${times} tries (95 % confidence)`,
  )
}
