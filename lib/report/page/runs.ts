import { changeKinds, changesBetween, type ChangeKind } from '../history/changes.ts'
import { runsComparedWith } from '../history/last-judged.ts'
import type { HistoryLine } from '../../verdict/history-line.ts'
import { listedNames } from '../model/cause-text.ts'
import { headlineWord } from '../model/headline.ts'
import { html, nothing, type Markup } from '../render/markup.ts'
import { bodyOf, tableOf } from '../render/parts.ts'
import { previousFolder } from '../folder/previous-run.ts'
import { short } from '../model/document.ts'
import { statuses } from '../../verdict/verdict.ts'
import { outcomes, statusCount } from '../model/rule-counts.ts'
import { countedRules } from '../../verdict/counted-rules.ts'
import { duration, grouped, moment } from '../../text/counts.ts'

/** Maximum runs shown: a month of nights. */
const mostRuns = 30
/** Maximum rules named per kind of change of a run. */
const mostNamed = 8

/** Last comparable runs of the same target, profile and part, oldest first, including this one. */
export function comparableRuns(
  earlier: readonly HistoryLine[],
  current: HistoryLine,
): readonly HistoryLine[] {
  return [current, ...runsComparedWith(earlier, current)].slice(0, mostRuns).toReversed()
}

/** Ledger of runs, newest first: date, with a link to its reports if it is this run or the one of that start, verdict, rules, latency, duration and what changed. */
export function ledger(runs: readonly HistoryLine[], keptStart: string | null): Markup {
  const rows = runs
    .map((run, index) => row(run, runs[index - 1] ?? null, linkOf(run, runs, keptStart)))
    .toReversed()
  const caption = runs.length === 1 ? 'This run' : `The last ${runs.length} runs, newest first`
  return tableOf('card runs stacked', [heads, bodyOf(rows)], caption)
}

const heads = ['Started', 'Verdict', 'Rules', 'p50', 'p95', 'Took', 'Changes since the run before']

/** Path of the report of a run from the page, or null if it is not kept. */
function linkOf(run: HistoryLine, runs: readonly HistoryLine[], keptStart: string | null): string | null {
  if (run === runs.at(-1)) return 'index.html'
  return run.startedAt === keptStart ? `${previousFolder}/index.html` : null
}

function row(run: HistoryLine, before: HistoryLine | null, link: string | null): Markup {
  const { startedAt, rules, latencyMs, durationMs, target } = run
  const when = html`<time datetime="${short(startedAt)}">${short(moment(startedAt))}</time>`
  const build = target.build === null ? nothing : html`<p class="faint">build ${short(target.build)}</p>`
  const cells = [
    headlineWord(run),
    html`${outcomes(countedRules(rules))}${proportion(countedRules(rules))}`,
    latencyMs === null ? 'none' : milliseconds(latencyMs.p50),
    latencyMs === null ? 'none' : milliseconds(latencyMs.p95),
    duration(durationMs),
    before === null ? 'the first that is shown' : changes(before, run),
  ]
  return html`<tr>
    <th scope="row">${link === null ? when : html`<a href="${link}">${when}</a>`}${build}</th>
    ${cells.map((cell, index) => html`<td data-label="${heads[index + 1] ?? ''}">${cell}</td>`)}
  </tr>`
}

/** Kinds of change in plain words. */
const kindWords: Readonly<Record<ChangeKind, string>> = {
  'newly failing': 'newly failing',
  worse: 'worse',
  vanished: 'no longer in the run',
  mended: 'passes again',
  better: 'better',
  appeared: 'new in the run',
  changed: 'came out otherwise',
  unchanged: 'unchanged',
}

function changes(before: HistoryLine, run: HistoryLine): Markup | string {
  const all = changesBetween(before, run)
  const told = changeKinds.flatMap((kind) => {
    const named = all.filter((one) => one.kind === kind).map(({ rule }) => short(rule))
    return named.length === 0
      ? []
      : [html`<p><strong>${kindWords[kind]}</strong>: ${listedNames(named, mostNamed)}</p>`]
  })
  return told.length === 0 ? 'none' : html`${told}`
}

/** Bar of rule counts by status; its words stand beside it. */
export function proportion(rules: Parameters<typeof statusCount>[0]): Markup {
  const shares = statuses.map((status) => (100 * statusCount(rules, status)) / Math.max(1, rules.length))
  const parts = statuses.map((status, index) => {
    const start = shares.slice(0, index).reduce((sum, share) => sum + share, 0)
    return html`<rect class="${status}" x="${start}" width="${shares[index] ?? 0}" height="1" />`
  })
  return html`<svg class="proportion" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">
    ${parts}
  </svg>`
}

function milliseconds(value: number): string {
  return `${grouped(Math.round(value * 10) / 10)} ms`
}

/** A line of a drawing: its name and its value in each run, null without one. */
interface Series {
  readonly name: string
  readonly of: (run: HistoryLine) => number | null
}

/** Latency and duration of runs, drawn from the first to the last. */
export function trends(runs: readonly HistoryLine[]): Markup {
  if (runs.length < 2) return nothing
  const latency = [
    { name: 'p50', of: ({ latencyMs }: HistoryLine) => latencyMs?.p50 ?? null },
    { name: 'p95', of: ({ latencyMs }: HistoryLine) => latencyMs?.p95 ?? null },
  ]
  const lasted = [{ name: 'took', of: ({ durationMs }: HistoryLine) => durationMs }]
  return html`${trend(`Latency in the last ${runs.length} runs`, runs, latency)}${trend(`Duration of the last ${runs.length} runs`, runs, lasted)}`
}

/** Height of a drawing, in the units of its width, which is 100. */
const height = 30

/** Drawing of values over runs, from zero to the greatest; the ledger has its numbers. */
function trend(title: string, runs: readonly HistoryLine[], series: readonly Series[]): Markup {
  const values = series.map(({ of }) => runs.map(of))
  const most = Math.max(0, ...values.flat().map((value) => value ?? 0))
  if (most === 0) return nothing
  const paths = values.map((line, index) => {
    const points = line.flatMap((value, place) =>
      value === null
        ? []
        : [`${((100 * place) / (runs.length - 1)).toFixed(1)},${(height * (1 - value / most)).toFixed(1)}`],
    )
    return html`<polyline
      class="line-${index}"
      points="${points.join(' ')}"
      vector-effect="non-scaling-stroke"
    />`
  })
  const names = series.map(({ name }, index) => html` <span class="key line-${index}">${name}</span>`)
  return html`<figure class="card trend">
    <figcaption>${title}${names}, at most ${duration(Math.ceil(most))}</figcaption>
    <svg viewBox="0 -1 100 ${height + 2}" preserveAspectRatio="none" aria-hidden="true">${paths}</svg>
    <p class="axis faint"><span>${dayOf(runs[0])}</span> <span>${dayOf(runs.at(-1))}</span></p>
  </figure>`
}

function dayOf(run: HistoryLine | undefined): string {
  return short(run?.startedAt.slice(0, 10) ?? '')
}
