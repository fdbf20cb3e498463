import type { RuleStatus } from '../../judge/record.ts'
import { profiles } from '../../settings/profiles.ts'
import { firstOf } from '../../text/members.ts'
import { andMore, capitalised, plural, beginning, printable } from '../../text/printable.ts'
import { listedNames, type CauseView } from '../model/cause-view.ts'
import type { Fact } from '../model/finding-view.ts'
import type { View } from '../view.ts'

/** The meaning of a line, which determines its colour. */
export type Tone = 'plain' | 'strong' | 'good' | 'warning' | 'bad' | 'faint'

/** A line for a terminal before it is wrapped, coloured and escaped. */
export type Line = Readonly<{
  text: string
  tone?: Tone
  indent?: number
  /** Text in front of the line. Wrapped lines are indented by its width. */
  label?: string
  /** Never wrapped, because it is meant to be copied. */
  whole?: boolean
}>

/** Options for rendering on a terminal. */
export type Rendering = Readonly<{ colour: boolean; width: number }>

const codes: Readonly<Record<Exclude<Tone, 'plain'>, number>> = {
  strong: 1,
  faint: 2,
  bad: 31,
  good: 32,
  warning: 33,
}

const narrowest = 40
const usual = 80
const leastRoom = 20
const labelWidth = 12

export const blank: Line = { text: '' }

const marks: Readonly<Record<RuleStatus, readonly [mark: string, tone: Tone]>> = {
  passed: ['✓ ', 'good'],
  warned: ['! ', 'warning'],
  failed: ['✗ ', 'bad'],
  waived: ['~ ', 'plain'],
  inconclusive: ['? ', 'plain'],
  untested: ['? ', 'plain'],
}

/** A line with the mark of a status. */
export function marked(status: RuleStatus, text: string): Line {
  const [label, tone] = marks[status]
  // The mark alone does not show which of the two statuses it is.
  return { text: label === '? ' ? `${status}: ${text}` : text, label, tone }
}

/** Labelled values, one per line. */
export function factLines(facts: readonly Fact[], indent = 0): readonly Line[] {
  return facts.map(({ label, value }) => ({
    text: value,
    label: label.padEnd(labelWidth),
    indent,
  }))
}

/** A list in which each item begins with a dash. */
export function listLines(texts: readonly string[], indent = 0): readonly Line[] {
  return texts.map((text) => ({ text, label: '- ', indent }))
}

/** Groups of lines, separated by blank lines. */
export function apart(groups: readonly (readonly Line[])[]): readonly Line[] {
  return groups
    .filter(({ length }) => length > 0)
    .flatMap((lines, at) => (at === 0 ? lines : [blank, ...lines]))
}

/**
 * Renders lines for a terminal. Prose is wrapped, but commands to copy are not. All text passes through {@link printable}, so
 * newlines and colour codes are the only control characters.
 */
export function terminalText(lines: readonly Line[], { colour, width: given }: Rendering) {
  const width = Number.isFinite(given) ? Math.max(narrowest, Math.floor(given)) : usual
  const text = lines.flatMap((line) => {
    const wrapped = layOut(line, width)
    return colour ? wrapped.map((one) => painted(one, line.tone ?? 'plain')) : wrapped
  })
  return `${text.join('\n')}\n`
}

/** Number of rows that lines take up at a given width. The terminal itself breaks lines that are not wrapped. */
function heightOf(lines: readonly Line[], width: number) {
  const rows = lines.flatMap((line) => layOut(line, width)).map((text) => Math.ceil(text.length / width))
  return rows.reduce((sum, count) => sum + Math.max(1, count), 0)
}

function layOut({ text, indent = 0, label = '', whole = false }: Line, width: number) {
  const first = `${' '.repeat(indent)}${printable(label)}`
  const next = ' '.repeat(first.length)
  const safe = printable(text)
  const pieces = whole ? [safe] : wrap(safe, Math.max(leastRoom, width - first.length))

  return pieces.map((piece, index) => `${index === 0 ? first : next}${piece}`.trimEnd())
}

/** Breaks lines at spaces, or inside a word that is longer than the width. Preserves runs of spaces. */
function wrap(text: string, room: number) {
  const characters = Array.from(text)
  const pieces: string[] = []
  let start = 0
  while (characters.length - start > room) {
    const space = characters.lastIndexOf(' ', start + room)
    const end = space > start ? space : start + room
    pieces.push(characters.slice(start, end).join(''))
    start = space > start ? end + 1 : end
  }
  return [...pieces, characters.slice(start).join('')]
}

function painted(text: string, tone: Tone) {
  return tone === 'plain' || text === '' ? text : `\u001B[${codes[tone]}m${text}\u001B[0m`
}

/** Maximum number of lines for a verdict with no problems or just one, on a terminal with 100 columns. */
const mostRows = { green: 6, red: 12 } as const
const columns = 100
/** Maximum number of causes with full details, and of warnings and waived causes named. */
const mostListed = { problems: 10, others: 5, alarms: 60 } as const
const longestValue = 84
const longestCost = '99,999 requests in 99 min 59 s'

/**
 * A verdict for a terminal: the word and the target, the counts, each problem with the expected and actual answers and a replay
 * command, the reason if there is no verdict, and the exit code.
 */
export function terminalSummary(
  view: View,
  { reportsDir, ...rendering }: Rendering & { readonly reportsDir: string | null },
) {
  const { problems, of } = view
  const reservations = view.cautions.length + view.alarms.length + view.waivers.length
  const isBrief = of.connection === undefined && view.word === 'conformant' && reservations === 0
  const isAcceptance = of.profile === 'acceptance'
  const tone: Tone = view.look === 'passed' ? 'good' : view.look === 'failed' ? 'bad' : 'warning'
  const title = `${view.word.toUpperCase()}: ${view.subject}, profile ${view.profile}`
  const digest: Line = { text: `SHA-256 of verdict.json: ${view.digest ?? ''}`, whole: true }
  const exit: Line = { text: view.exit, tone }
  const since: Line = { text: capitalised(view.since ?? '') }
  // Gate and acceptance runs use a fixed seed unless another is given.
  const isUsual = of.seed === profiles.gate.seed(new Date(0))
  const [, , requests = '', ...more] = view.line
  const others = more.slice(isUsual ? 1 : 0)
  const countsWith = (cost: string) => ({ text: `${view.counts}; ${[cost, ...others].join(', ')}` })
  const linesWith = (cost: string) => [
    { text: isBrief ? beginning(title, /\S{80}/.test(title) ? 85 : 160) : title, tone },
    ...(view.notice === null ? [] : [{ text: view.notice, tone: 'warning' as const }]),
    ...(view.rules.length === 0 || view.isEmpty ? [] : [countsWith(cost)]),
    ...view.cautions.map((text) => ({ text, tone: 'warning' })),
    ...(isBrief ? calm(view, title.length > columns) : details(view)),
    ...(view.since === null ? [] : [since]),
    exit,
    ...(reportsDir === null ? [] : [{ text: `reports: ${reportsDir}`, whole: true }]),
    ...(view.digest !== null && (isAcceptance || !isBrief) ? [digest] : []),
  ]
  // The line that is easiest to do without comes first. The duration of a run must not affect which lines are left out.
  const spare = isBrief || problems.length === 1 ? [...(isAcceptance ? [] : [digest]), exit, since] : []
  const left = new Set<Line>()
  const kept = (cost: string) => linesWith(cost).filter((line) => !left.has(line))
  const most = mostRows[problems.length === 0 ? 'green' : 'red']
  for (const line of spare) if (heightOf(kept(longestCost), columns) > most) left.add(line)
  return terminalText(kept(requests), rendering)
}

/** Warnings, and what untested rules need, on one line. */
function calm({ causes, notJudged, notice }: View, isLong: boolean) {
  const rules = notJudged.flatMap((need) => need.rules)
  const named = notJudged.flatMap(({ because }) => because.match(setting) ?? [])
  const settings = new Set(named.map((name) => name.replace(/_(?:(?:API|SECRET)_KEY)?$/, '_…')))
  const needs = settings.size === 0 ? '' : `; needed: ${[...settings].join(', ')}`
  const warned = causes.length === 0 ? '' : `${plural(causes.length, 'warning')}, see summary.md.`
  const open = rules.length === 0 ? '' : `${plural(rules.length, 'rule')} not tested${needs}.`
  const left = `${warned} ${open}`.trim()
  return left === '' ? [] : [{ text: beginning(left, isLong || notice !== null ? 70 : 2 * longestValue) }]
}

const setting = /\b(?:FIXTURE|RUN|TARGET)_[A-Z_]+|--profile acceptance/g

function details(view: View) {
  const { causes, problems, notJudged, alarms, reasons } = view
  const others = causes.filter(({ status }) => status !== 'failed')
  const hidden = problems.length - mostListed.problems
  const warned = others.filter(({ status }) => status === 'warned')
  const shown = problems.length > 0 ? others.filter(({ status }) => status === 'waived') : others
  const unjudged = notJudged.filter(() => problems.length === 0 && !view.isEmpty)
  const toReview = firstOf(alarms, mostListed.alarms, (count) => `${andMore(count)}, see verdict.json`)
  const more: Line = { text: `${plural(hidden, 'more problem')}: see index.html`, tone: 'bad' }
  const warnings = { text: `${plural(warned.length, 'warning')}: see summary.md` }
  return [
    ...apart(problems.slice(0, mostListed.problems).map(problemLines)),
    ...shown.slice(0, mostListed.others).flatMap((cause) => otherLines(cause, problems.length > 0)),
    ...view.excepted.slice(0, mostListed.others).map((text) => marked('waived', text)),
    ...toReview.map((text) => marked('warned', text)),
    ...(hidden > 0 ? [more] : []),
    ...(problems.length > 0 && warned.length > 0 ? [warnings] : []),
    ...unjudged.map(({ title, rules }) => ({ text: `${title} (${listedNames(rules, 3)})` })),
    ...reasons
      .filter((reason) => !unjudged.some(({ because }) => reason.endsWith(because)))
      .map((reason) => ({ text: view.isEmpty ? reason : `- ${reason}` })),
  ]
}

function problemLines(cause: CauseView) {
  const count = cause.breaks.replace(/^Breaks /, '')
  // As many names as fit on the line.
  const broken = [3, 2, 1]
    .map((shown) => `${count}: ${listedNames(cause.broken, shown)}`)
    .find((text, place) => text.length <= longestValue || place === 2)
  const facts = [
    { label: 'expected', value: beginning(cause.expected, longestValue) },
    { label: 'got', value: beginning(cause.got, longestValue) },
    { label: 'breaks', value: broken ?? count },
  ]
  const replay = cause.findings
    .slice(0, 1)
    .flatMap(({ replay: { text, copied } }) =>
      factLines([{ label: 'replay', value: text }], 4).map((line) => ({ ...line, whole: copied })),
    )
  return [marked('failed', cause.title), ...factLines(facts, 4), ...replay]
}

/** A cause next to the problems, on one line if there are any. */
function otherLines({ status, sentence, agreed }: CauseView, isBrief: boolean) {
  if (isBrief) return [marked(status, beginning(sentence, longestValue - 24))]
  return [marked(status, sentence), ...agreed.map((reason) => ({ text: `Agreed: ${reason}`, indent: 4 }))]
}
