import { describeAllowed } from '../../judge/answered.ts'
import { isIntermittent, type Finding, type ShownExchange } from '../../judge/record.ts'
import { firstOf } from '../../text/members.ts'
import { counted, duration, printable, unicodeEscapes, unprintable, beginning } from '../../text/printable.ts'
import { gotOf, hasStatus, withCodeNames } from '../../verdict/cause-sentence.ts'
import type { VerdictRule } from '../../verdict/verdict.ts'

/** White space that looks like a space; ordinary spaces within a value are kept. */
const lookAlikes = /[\u00A0\u1680\u2000-\u200A\u202F\u205F\u3000]/g
const ends = /^ +| +$/g

/** ASCII only, because many fonts lack characters such as U+2420 and show them all alike. */
const space = String.raw`\u0020`

/**
 * Escapes invisible white space, that is, spaces at the ends of a value and characters that look like a space. `printable` escapes tabs and
 * other invisible characters.
 */
export function visible(value: string) {
  return value.replace(ends, (spaces) => space.repeat(spaces.length)).replace(lookAlikes, unicodeEscapes)
}

const escapes: readonly (readonly [pattern: RegExp, says: string])[] = [
  [ends, `${space} is a space at an end of a value`],
  [/\t/, String.raw`\t is a tab`],
  [/[\r\n]/, String.raw`\r and \n are line ends`],
  [
    new RegExp(`(?![\t\r\n])${unprintable.source}|${lookAlikes.source}`, 'u'),
    String.raw`\u and a code in hexadecimal is a character that cannot be seen`,
  ],
]

/** Explains the escapes in these fields; null if there are none. */
export function legendOf(fields: readonly (readonly [name: string, value: string])[]) {
  const met = escapes.filter(([pattern]) => fields.flat().some((text) => text.search(pattern) >= 0))
  return met.length === 0 ? null : met.map(([, says]) => says).join('; ')
}

/** Maximum length of a line that can be copied, in characters. */
const longestCopy = 4_000

/** A finding as shown in reports. */
export type FindingView = ReturnType<typeof findingView>

/** A labelled value. */
export type Fact = Readonly<{ label: string; value: string }>

/** Labelled values, without those that are null. */
export function factsOf(values: Readonly<Record<string, string | null>>): readonly Fact[] {
  return Object.entries(values).flatMap(([label, value]) => (value === null ? [] : [{ label, value }]))
}

/** A command to copy, or a sentence that explains why there is none. */
export type CommandLine = Readonly<{ text: string; copied: boolean }>

const longestField = 600
const longestBody = 600
const longestGot = 60
const mostFields = 40
/** Maximum number of further cases per finding. */
const mostExamples = 3

/** Truncates text of unknown origin and makes it safe to display. */
export function shownText(text: string, longest = longestField) {
  return beginning(visible(text), longest)
}

/**
 * A finding as text: the expected and actual answers, the request, how often it occurred, and the commands that send it again.
 * Contains no credentials, and is safe to print on a terminal or write to a log. `says` is the rule's sentence, which is used if
 * no answer is documented.
 */
export function findingText(finding: Finding, { says = 'see the rule' }: { readonly says?: string } = {}) {
  const status = finding.warning === true ? 'warned' : 'failed'
  const lines = findingLines(findingView(finding, { id: '', status, says }))
  return lines.map(printable).join('\n')
}

/** A finding in a rule, as shown in reports. */
export function findingView(
  finding: Finding,
  rule: { readonly id: string } & Pick<VerdictRule, 'status' | 'says'>,
) {
  const { exchange, curl, replay, trace, examples, waived } = finding
  const { request, response } = exchange
  const { url, headers, body = '', bodyCut = 0 } = request
  const isExact = (text: string) => shownText(text) === text && printable(text) === text
  const fields = [[request.method, url], ...headers, ...(response?.headers ?? [])] as const
  const theirs = (response?.headers ?? []).filter(([name]) => requestId.test(name))
  const facts: readonly Fact[] = [
    { label: 'case', value: shownText(finding.case) },
    ...(trace === undefined ? [] : [{ label: 'trace', value: shownText(trace.id) }]),
    ...theirs.map(([name, value]) => ({ label: 'their id', value: `${name}: ${shownText(value, 100)}` })),
    ...examples.slice(0, mostExamples).map((one) => ({
      label: 'also',
      value: `${shownText(one.case)}: ${shownText(one.summary, 100)}`,
    })),
  ]
  const state = finding.warning === true || rule.status === 'warned' ? 'warned' : 'failed'
  return {
    /** The finding itself, for machine-readable reports. */
    of: finding,
    rule: rule.id,
    state: waived === undefined ? state : 'waived',
    summary: withCodeNames(shownText(finding.summary)),
    ...expectation(finding, rule),
    /** The request, in separate lines for method and URL, header fields, and body. */
    sent: sentLines(request),
    /** The answer in the same format; empty if there is none. */
    answer: answerLines(response),
    /** How long it took to get the answer: `3 ms`. */
    took: duration(Math.round(exchange.durationMs)),
    /** Explains the escape sequences in the request and the answer. */
    legend: legendOf(fields.slice(0, 2 * mostFields)),
    /** `2 of 3, intermittent; seen 4 times`. */
    often: `${finding.reproduced}${isIntermittent(finding) ? ', intermittent' : ''}; seen ${finding.count === 1 ? 'once' : `${finding.count} times`}`,
    /** Case, trace IDs and further cases. */
    facts,
    fingerprint: beginning(finding.fingerprint, 200),
    /** Whether `sent` is the exact request, that is, nothing has been escaped or truncated. */
    isExact: [url, ...headers.flat()].every(isExact) && bodyCut === 0 && bodyLines(body).join('\n') === body,
    /** The command that sends it again. */
    replay: replay === null ? noReplay : lineOf(replay),
    curl: curl === null ? null : lineOf(curl),
    /** The reason given in the waiver that covers it. */
    agreed: waived === undefined ? null : shownText(waived),
  } as const
}

const noReplay: CommandLine = {
  text: 'it was seen across the whole run, so no single case can be sent again',
  copied: false,
}

/** An escaped or shortened line would differ from what was sent. */
function lineOf(text: string): CommandLine {
  return text.length <= longestCopy && printable(text) === text
    ? { text, copied: true }
    : { text: 'it cannot be shown in full: see verdict.json', copied: false }
}

/**
 * The expected and actual status and code: `404 with HTML`, `401 / 1006 (invalid api key)`, `no answer`. If these are as documented, the sentences of the
 * rule and the finding are used instead.
 */
function expectation(finding: Finding, { says }: Pick<VerdictRule, 'says'>) {
  const { allowed, answered, shapes, summary } = finding
  if (shapes !== undefined) return { expected: shownText(shapes.before), got: shownText(shapes.after) }
  const isAllowed =
    answered !== null &&
    allowed.some((one) => one.errorCode === answered.errorCode && hasStatus(one, answered.status))
  if (allowed.length === 0 || isAllowed)
    return { expected: shownText(says), got: withCodeNames(shownText(summary)) }
  const got = withCodeNames(shownText(gotOf(finding), longestGot))
  return { expected: withCodeNames(describeAllowed(allowed)), got }
}

/** A request in separate lines for method and URL, header fields, and body. */
export function sentLines(request: ShownExchange['request']): readonly string[] {
  const { method, url, headers, body, bodyCut } = request
  return [
    `${method} ${shownText(url)}`,
    ...fieldLines(headers),
    ...(body === undefined ? [] : ['', ...bodyLines(body, bodyCut)]),
  ]
}

/** An answer in the same format; empty if there is none. */
export function answerLines(response: ShownExchange['response']): readonly string[] {
  if (response === null) return []
  const { status, reason, headers, trailers = [], body, bodyCut } = response
  return [
    reason === undefined ? `${status}` : `${status} ${shownText(reason)}`,
    ...fieldLines(headers),
    ...(body === '' && bodyCut === 0 ? [] : ['', ...bodyLines(body, bodyCut)]),
    ...(trailers.length === 0 ? [] : ['', ...fieldLines(trailers)]),
  ]
}

function fieldLines(fields: ShownExchange['request']['headers']) {
  const lines = fields.map(([name, value]) => `${shownText(name)}: ${shownText(value)}`)
  return firstOf(lines, mostFields, (hidden) => `… (${counted(hidden, 'more field')})`)
}

function bodyLines(body: string, cut = 0) {
  return beginning(visible(body), longestBody, cut).split('\n')
}

/** Response header fields in which services, gateways and CDNs put a request ID, so that the request can be found in their logs. */
const requestId = /request-?id|correlation-id|trace|^(?:cf-ray|x-amz-cf-id|x-azure-ref|x-vercel-id)$/i

/** A finding as lines of plain text: the problem, followed by one labelled value per line. */
export function findingLines(finding: FindingView): readonly string[] {
  const { summary, expected, got, often, agreed, fingerprint, replay, curl, legend } = finding
  const rows = [
    ...factsOf({ expected, got, reproduced: often }),
    ...finding.facts,
    ...factsOf({ waived: agreed, legend, fingerprint, replay: replay.text }),
    ...(curl?.copied === true ? [{ label: 'curl', value: curl.text }] : []),
    ...labelled('sent', finding.sent),
    ...labelled('answered', finding.answer),
  ]
  return [summary, ...rows.map(({ label, value }) => `  ${label.padEnd(12)}${value}`)]
}

/** Lines as labelled values. Only the first has the label. */
export function labelled(label: string, lines: readonly string[]): readonly Fact[] {
  return lines.map((value, place) => ({ label: place === 0 ? label : '', value }))
}
