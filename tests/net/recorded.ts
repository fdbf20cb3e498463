/** What a gate against a subject came to, as far as it is the same every time. */
export interface Recorded {
  readonly subject: string
  readonly code: number | null
  /** Status of each rule, by id. */
  readonly rules: Readonly<Record<string, string>>
  /** `rule fingerprint case`, sorted. */
  readonly findings: readonly string[]
  /** The bytes that arrived, cut behind each head, sorted. */
  readonly requests: readonly string[]
  /** What was printed and written, by name, without dates, addresses and durations. */
  readonly reports: Readonly<Record<string, string>>
}

/** A difference between two recordings of a subject: where, and as text what. */
export interface Difference {
  /** `exit code`, `rule <id>`, `findings`, `requests` or `report <name>`. */
  readonly part: string
  readonly text: string
}

/** All differences between two recordings of the same subject. */
export function differencesOf(before: Recorded, after: Recorded): readonly Difference[] {
  return [
    ...(before.code === after.code ? [] : [{ part: 'exit code', text: `${before.code} → ${after.code}` }]),
    ...differing(before.rules, after.rules, (id, one, other) => ({
      part: `rule ${id}`,
      text: `${one ?? 'absent'} → ${other ?? 'absent'}`,
    })),
    ...ofLists('findings', before.findings, after.findings),
    ...ofLists('requests', before.requests, after.requests),
    ...differing(before.reports, after.reports, (name, one, other) => ({
      part: `report ${name}`,
      text: linesOf(one?.split('\n') ?? [], other?.split('\n') ?? []),
    })),
  ]
}

function differing(
  before: Readonly<Record<string, string>>,
  after: Readonly<Record<string, string>>,
  as: (name: string, one: string | undefined, other: string | undefined) => Difference,
): readonly Difference[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  return names
    .filter((name) => before[name] !== after[name])
    .map((name) => as(name, before[name], after[name]))
}

function ofLists(part: string, before: readonly string[], after: readonly string[]): readonly Difference[] {
  const text = linesOf(before, after)
  return text === '' ? [] : [{ part, text }]
}

/** At most so many lines of a difference are shown. */
const mostLines = 12

/** What one list holds more often than the other, whatever the order. */
function linesOf(before: readonly string[], after: readonly string[]): string {
  const more = new Map<string, number>()
  for (const line of after) more.set(line, (more.get(line) ?? 0) + 1)
  for (const line of before) more.set(line, (more.get(line) ?? 0) - 1)
  const changed = [...more].filter(([, count]) => count !== 0)
  const shown = changed
    .slice(0, mostLines)
    .map(([line, count]) => `${count > 0 ? '+' : '-'}${Math.abs(count)} ${line.slice(0, 400)}`)
  const left = changed.length - shown.length
  return [...shown, ...(left > 0 ? [`… and ${left} more`] : [])].join('\n')
}
