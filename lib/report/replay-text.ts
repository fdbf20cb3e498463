import type { Replayed, ShownExchange } from '../judge/record.ts'
import { beginning } from '../settings/printable.ts'
import type { Fact, Item, Section } from './document.ts'
import { terminalText, type Rendering } from './render/terminal.ts'
import { legendOf, visible } from './visible.ts'
import { plural } from './words.ts'

/** Outcome of repeating a case. */
interface ReplayOutcome extends Replayed {
  readonly baseUrl: string
  /** Why something could not be judged. */
  readonly unjudged: readonly string[]
}

const longestBody = 1_000
const longestField = 200

/** Describes what was sent and answered, and whether it is allowed, for a terminal. */
export function replayText(
  { baseUrl, exchanges, found, unjudged }: ReplayOutcome,
  rendering: Rendering,
): string {
  const title = `Sent ${plural(exchanges.length, 'request')} of the case again, to ${baseUrl}`
  const sections: readonly Section[] = [
    { id: 'sent', title, blocks: [] },
    ...exchanges.map((one): Section => ({
      id: 'exchange',
      blocks: [{ kind: 'facts', facts: factsOf(one) }],
    })),
    { id: 'outcome', blocks: [{ kind: 'list', items: outcomeItems(found, unjudged) }] },
  ]
  return terminalText(sections, rendering)
}

function factsOf({ request, response, durationMs }: ShownExchange): readonly Fact[] {
  const legend = legendOf([[request.method, request.url], ...request.headers])
  return [
    { label: 'sent', value: `${request.method} ${visible(request.url)}` },
    ...request.headers.map(fieldFact),
    ...(request.body === undefined
      ? []
      : [{ label: '', value: beginning(visible(request.body), longestBody, request.bodyCut) }]),
    ...(legend === null ? [] : [{ label: 'legend', value: legend }]),
    ...(response === null
      ? [{ label: 'answered', value: 'nothing: the connection was closed' }]
      : [
          { label: 'answered', value: `${response.status} after ${durationMs} ms` },
          ...response.headers.map(fieldFact),
          { label: '', value: beginning(response.body, longestBody) },
        ]),
  ]
}

function fieldFact([name, value]: readonly [string, string]): Fact {
  return { label: '', value: `${visible(name)}: ${beginning(visible(value), longestField)}` }
}

function outcomeItems(found: Replayed['found'], unjudged: readonly string[]): readonly Item[] {
  if (found.length > 0) {
    return found.map(({ rule, finding }) => ({ status: 'failed', text: `${rule}: ${finding.summary}` }))
  }
  if (unjudged.length > 0) {
    return unjudged.map((because) => ({ status: 'inconclusive', text: because }))
  }
  return [{ status: 'passed', text: 'what came is allowed' }]
}
