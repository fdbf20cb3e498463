import { troubleGrade, troubleSentence } from '../../verdict/retries.ts'
import { isPartial, type Verdict } from '../../verdict/verdict.ts'
import { capitalised, duration, plural } from '../../text/counts.ts'
import { beginning } from '../../text/printable.ts'
import { visible } from '../../text/visible.ts'
import { isUnjudged } from '../history/changes.ts'
import { withCodeNames } from '../model/codes.ts'
import { paragraph, type Block, type Section, type Tone } from '../model/document.ts'
import {
  askedAddress,
  connectionTexts,
  embeddedNotice,
  exceptionCount,
  exitMeaning,
  headlineWord,
  inBrackets,
  otherReasons,
  waiverNotes,
} from '../model/headline.ts'
import { outcomes } from '../model/rule-counts.ts'
import { countedRules } from '../../verdict/counted-rules.ts'
import { short } from '../model/sections.ts'
import { linesOf } from './terminal.ts'

/** Size of a green verdict on a terminal. */
const most = { lines: 6, columns: 100 } as const

/** What a terminal says after a verdict. */
interface After {
  readonly news: string | null
  /** Paths and digests, which are never wrapped. */
  readonly places: readonly Block[]
}

/** A verdict that needs few lines: one about nothing, and a green one, of which the settings and the exit say all; null for any other. */
export function shortSummary(verdict: Verdict, after: After): Section | null {
  if (judgedNothing(verdict)) return nothingJudged(verdict, after)
  return isPlain(verdict) ? green(verdict, after) : null
}

/** Whether a run ended before any rule was judged. */
export function judgedNothing({ verdict, rules, because }: Verdict): boolean {
  const isEnded = because.some((reason) => reason.startsWith(endedEarly))
  return verdict === 'incomplete' && isEnded && rules.every(({ status }) => isUnjudged(status))
}

/** Why nothing could be judged, and what to do. */
export function whyNothing(verdict: Verdict): readonly string[] {
  const reasons = otherReasons(verdict).filter((reason) => reason.startsWith(endedEarly))
  return [
    ...reasons.map((reason) => withCodeNames(short(capitalised(reason.slice(endedEarly.length))))),
    // What ended the run from outside is no mistake in the settings.
    ...(reasons.some((reason) => reason.startsWith(`${endedEarly}the run `)) ? [] : [toDoctor]),
  ]
}

const endedEarly = 'the run ended early: '
const toDoctor = 'Run doctor with the same settings: it says what is wrong, and how to fix it.'

/** What is judged, as headlines of a terminal say it. */
export function judgedText(verdict: Verdict): string {
  const { target, profile, strict } = verdict
  const between = connectionTexts(verdict).map((text) => `, ${text}`)
  return `${askedAddress(target)}${inBrackets(target)}${between.join('')}, profile ${profile}${strict ? ', strict' : ''}`
}

function nothingJudged(verdict: Verdict, { places }: After): Section {
  return {
    id: 'headline',
    blocks: [
      paragraph(`${headlineWord(verdict).toUpperCase()}: ${judgedText(verdict)}`, 'warning'),
      ...whyNothing(verdict).map((text) => paragraph(text)),
      paragraph(exitMeaning(verdict), 'warning'),
      ...places,
    ],
  }
}

/** Conformant, about everything that was asked for, without an exception or a waiver to look at. */
function isPlain(verdict: Verdict): boolean {
  const { target } = verdict
  const isWhole = !isPartial(verdict) && target.notJudged.length === 0
  const isExcepted = exceptionCount(verdict) > 0 || waiverNotes(verdict).length > 0
  return verdict.verdict === 'conformant' && isWhole && !isExcepted
}

function green(verdict: Verdict, { news, places }: After): Section {
  const { target, requests, rules, baseline, profile, durationMs, seed } = verdict
  const trouble = troubleSentence(requests)
  const retried = trouble === null && requests.retried > 0 ? [`${requests.retried} retried`] : []
  const counts = [
    `${plural(requests.sent, 'request')} sent`,
    ...retried,
    duration(durationMs),
    `seed ${seed}`,
  ]
  const service = countedRules(rules)
  const others = [
    ...(target.embedded ? [paragraph(embeddedNotice, 'warning')] : []),
    paragraph(
      `${plural(service.length, 'rule')}: ${outcomes(service).replace(', 0 failed', '')}; ${counts.join(', ')}`,
    ),
  ]
  // The digest matters where a verdict is signed and sealed.
  const ending = [
    paragraph(exitMeaning(verdict), 'good'),
    ...places.slice(0, profile === 'acceptance' ? 2 : 1),
  ]
  const rest = [
    ...(trouble === null ? [] : [`; ${trouble}`]),
    ...(baseline === undefined ? [] : [`; baseline ${baseline.did}: ${baseline.file}`]),
  ].join('')
  const tone: Tone = troubleGrade(requests) === 'warned' ? 'warning' : 'good'
  const room = (blocks: readonly Block[]): number => most.lines - linesOf(blocks, most.columns)
  const left = leftOver(verdict)
  const title = cut(`${headlineWord(verdict).toUpperCase()}: ${judgedText(verdict)}`, {
    rest,
    lines: room([...others, ...ending.slice(1)]) - (left === '' || profile === 'acceptance' ? 0 : 1),
  })
  const lines = [paragraph(title, tone), ...others]
  const needs = left === '' ? [] : [paragraph(left)]
  // The word says that the exit code is 0, and what a rule needs is said nowhere else here.
  const last = room([...lines, ...needs, ...ending]) < 0 ? ending.slice(1) : ending
  const space = room([...lines, ...last])
  const told = space < 1 ? [] : needs.map(() => paragraph(cut(left, { rest: '', lines: space })))
  const body = [...lines, ...told]
  const isNewsFit = news !== null && room([...body, paragraph(news), ...last]) >= 0
  return { id: 'headline', blocks: [...body, ...(isNewsFit ? [paragraph(capitalised(news))] : []), ...last] }
}

/** Warnings, and the rules that were not tested, by what they need. */
function leftOver({ causes, rules }: Verdict): string {
  const service = countedRules(rules)
  const unjudged = service.filter(({ status }) => isUnjudged(status))
  return [
    ...(causes.length === 0 ? [] : [`${plural(causes.length, 'warning')}, see summary.md.`]),
    ...(unjudged.length === 0 ? [] : [`${plural(unjudged.length, 'rule')} not tested${needsOf(unjudged)}.`]),
  ].join(' ')
}

/** `; needed: RUN_BASELINE, FIXTURE_… (INACTIVE, EXHAUSTED)`: the settings and flags in the reasons why rules were not tested. */
function needsOf(rules: Verdict['rules']): string {
  const needs = rules.flatMap(({ because }) => (because ?? '').match(wanted) ?? [])
  const fixtures = needs.flatMap(
    (name) => /^FIXTURE_([A-Z_]+?)(?:_API_KEY|_SECRET_KEY|_ENDPOINT|_)?$/.exec(name)?.[1] ?? [],
  )
  const clients = fixtures.length === 0 ? [] : [`FIXTURE_… (${[...new Set(fixtures)].join(', ')})`]
  const all = [...new Set(needs.filter((name) => !name.startsWith('FIXTURE_'))), ...clients]
  return all.length === 0 ? '' : `; needed: ${all.join(', ')}`
}

const wanted = /\b(?:FIXTURE|RUN|TARGET)_[A-Z_]+|--profile acceptance/g

/** As much of a text as fits into lines, then of what follows it. */
function cut(text: string, { rest, lines }: { readonly rest: string; readonly lines: number }): string {
  const [safe, end] = [short(visible(text)), short(visible(rest))]
  const isFit = (whole: string): boolean => linesOf([paragraph(whole)], most.columns) <= Math.max(1, lines)
  let whole = `${safe}${end}`
  for (let length = safe.length; length > shortest && !isFit(whole); length -= 1)
    whole = `${beginning(safe, length)}${end}`
  for (let length = whole.length, all = whole; !isFit(whole); length -= 1) whole = beginning(all, length)
  return whole
}

/** Minimum length of what was judged, in characters, while what follows it can be cut. */
const shortest = 40
