import type { Replayed, ShownExchange } from '../judge/record.ts'
import { beginning } from '../settings/printable.ts'
import { plural } from './words.ts'
import { renderLines, type Line, type Rendering } from './render/terminal.ts'
import { legendOf, visible } from './visible.ts'

/** What sending a case again came to. */
export interface ReplayOutcome extends Replayed {
  readonly baseUrl: string
  /** Why something could not be judged. */
  readonly unjudged: readonly string[]
}

const longestBody = 1_000
const labelWidth = 10

/** What was sent, what came, and whether it is allowed, for a terminal. */
export function replayText(
  { baseUrl, exchanges, found, unjudged }: ReplayOutcome,
  rendering: Rendering,
): string {
  return renderLines(
    [
      {
        text: `Sent ${plural(exchanges.length, 'request')} of the case again, to ${baseUrl}`,
        tone: 'strong',
      },
      ...exchanges.flatMap(exchangeLines),
      { text: '' },
      ...outcomeLines(found, unjudged),
    ],
    rendering,
  )
}

function exchangeLines({ request, response, durationMs }: ShownExchange): readonly Line[] {
  return [
    { text: '' },
    labelled('sent', `${request.method} ${visible(request.url)}`),
    ...request.headers.map(([name, value]) =>
      labelled('', `${visible(name)}: ${beginning(visible(value), 200)}`),
    ),
    ...legendLines([[request.method, request.url], ...request.headers]),
    ...(response === null
      ? [labelled('answered', 'nothing: the connection was closed')]
      : [
          labelled('answered', `${response.status} after ${durationMs} ms`),
          ...response.headers.map(([name, value]) => labelled('', `${visible(name)}: ${visible(value)}`)),
          labelled('', beginning(response.body, longestBody)),
        ]),
  ]
}

function legendLines(fields: Parameters<typeof legendOf>[0]): readonly Line[] {
  const legend = legendOf(fields)
  return legend === null ? [] : [labelled('legend', legend)]
}

function outcomeLines(found: Replayed['found'], unjudged: readonly string[]): readonly Line[] {
  if (found.length > 0) {
    return found.map(({ rule, finding }) => ({
      label: '✗ ',
      text: `${rule}: ${finding.summary}`,
      tone: 'bad',
    }))
  }
  if (unjudged.length > 0) {
    return unjudged.map((because) => ({
      label: '? ',
      text: `could not be judged: ${because}`,
      tone: 'warning',
    }))
  }
  return [{ label: '✓ ', text: 'what came is allowed', tone: 'good' }]
}

function labelled(label: string, text: string): Line {
  return { indent: 2, label: label.padEnd(labelWidth), text }
}
