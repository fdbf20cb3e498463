import { statuses, type Verdict, type VerdictWord } from '../../verdict/verdict.ts'
import { troubleGrade, troubleSentence } from '../../verdict/retries.ts'
import { listOf, paragraph, type Block, type Section, type Phrase, type Tone } from '../model/document.ts'
import {
  askedAddress,
  connectionTexts,
  embeddedNotice,
  exitMeaning,
  headlineWord,
  isGreen,
  namesOfTarget,
  notJudgedText,
  otherReasons,
  verdictSentence,
} from '../model/headline.ts'
import {
  notJudgedBriefly,
  notJudgedSection,
  notScoredSection,
  unjudgedEndpointsSection,
} from '../model/not-judged.ts'
import { powerSection, powerSentence } from '../model/power-sections.ts'
import { bounded, markdownText } from './markdown.ts'
import { judgedNothing, judgedText, shortSummary, whyNothing } from './short-summary.ts'
import { terminalText, type Rendering } from './terminal.ts'
import {
  areaSection,
  causeSection,
  notCoveredSection,
  otherWaiverSection,
  present,
  short,
} from '../model/sections.ts'
import { waivedSection, waiverSection } from '../model/waiver-sections.ts'
import { clientCounts, ruleCounts, statusCount } from '../model/rule-counts.ts'
import { countedRules } from '../../verdict/counted-rules.ts'
import { capitalised, duration } from '../../text/counts.ts'

/** Minimum width of the table of areas, in columns. */
const tableWidth = 76

/**
 * Verdict for a terminal: word and counts, areas, causes with exchange and replay line, what was not judged and why, and the
 * meaning of the exit code.
 */
export function terminalSummary(
  verdict: Verdict,
  {
    reportsDir,
    digest = null,
    news = null,
    ...rendering
  }: Rendering & {
    /** Null if no reports were written. */
    readonly reportsDir: string | null
    /** SHA-256 of `verdict.json`. */
    readonly digest?: string | null
    /** A sentence about the last run, if there was one. */
    readonly news?: string | null
  },
): string {
  const places = [
    ...(reportsDir === null ? [] : [whole(`reports: ${reportsDir}`)]),
    ...(digest === null ? [] : [whole(`SHA-256 of verdict.json: ${digest}`)]),
  ]
  const few = shortSummary(verdict, { news, places })
  if (few !== null) return terminalText([few], rendering)
  // Causes name the rules that are not green, and matter more than what was not judged.
  const hasCauses = verdict.causes.length > 0
  const hasViolations = verdict.causes.some(({ warning }) => !warning)
  const sections = present([
    verdict.target.embedded && verdict.rules.length > 0
      ? { id: 'notice', blocks: [paragraph(embeddedNotice, 'warning')] }
      : null,
    headlineSection(verdict),
    hasCauses ? null : areaSection(verdict, rendering.width < tableWidth ? 'lines' : 'table'),
    causeSection('Violations', verdict, { full: 1, repeatable: 3, most: 10, folds: false }),
    // Beside a violation, a warning is told in a line.
    causeSection('Warnings', verdict, { full: 0, repeatable: hasViolations ? 0 : 1, most: 5, folds: false }),
    waivedSection(verdict),
    notScoredSection(verdict),
    hasCauses ? null : notJudgedSection(verdict),
    briefly(verdict),
    waiverSection(verdict),
    {
      id: 'ending',
      blocks: [...ending(verdict, news), ...places],
    },
  ])
  return terminalText(sections, rendering)
}

const tones: Readonly<Record<VerdictWord, Tone>> = {
  conformant: 'good',
  nonconformant: 'bad',
  incomplete: 'warning',
  error: 'bad',
}

/** Only a verdict about all rules, without a waived breach of security, is good. */
function toneOf(verdict: Verdict): Tone {
  return isGreen(verdict) || verdict.verdict !== 'conformant' ? tones[verdict.verdict] : 'warning'
}

function headlineSection(verdict: Verdict): Section {
  const { target, rules, baseline, selection } = verdict
  const facts = [
    ruleCounts(rules),
    ...told(notJudgedText(target)),
    cost(verdict),
    ...told(powerSentence(verdict)),
    ...(selection.only === null ? [] : [`A part of the rules: only ${selection.only.join(', ')}`]),
    ...(selection.essential === true
      ? ['One case a rule (RUN_ESSENTIAL): all other cases are left out']
      : []),
    ...(baseline === undefined ? [] : [`Baseline ${baseline.did}: ${baseline.file}`]),
  ]
  return {
    id: 'headline',
    title: `${headlineWord(verdict).toUpperCase()}: ${judgedText(verdict)}`,
    tone: toneOf(verdict),
    blocks: [
      ...(rules.length === 0 ? [] : [...facts.map((text) => paragraph(text)), ...trouble(verdict)]),
      ...(verdict.verdict === 'error' ? reasonList(verdict.because) : []),
    ],
  }
}

function told(sentence: string | null): readonly string[] {
  return sentence === null ? [] : [short(capitalised(sentence))]
}

function trouble({ requests }: Verdict): readonly Block[] {
  const sentence = troubleSentence(requests)
  if (sentence === null) return []
  return [paragraph(sentence, troubleGrade(requests) === 'told' ? undefined : 'warning')]
}

function reasonList(reasons: readonly string[], before = ''): readonly Block[] {
  return listOf(reasons.map((reason) => ({ text: `${before}${short(reason)}` })))
}

function cost({ requests, durationMs, seed }: Verdict): string {
  const extra = [
    ...(requests.retried > 0 ? [`${requests.retried} retried`] : []),
    ...(requests.confirming > 0 ? [`${requests.confirming} to confirm`] : []),
  ]
  const detail = extra.length === 0 ? '' : ` (${extra.join(', ')})`
  const { byClient } = requests
  const quotas = byClient === undefined ? '' : `; of each daily quota at most: ${clientCounts(byClient)}`
  return `${requests.sent} of at most ${requests.budget} requests sent${detail}, ${duration(durationMs)}, seed ${seed}${quotas}`
}

/** Reasons without those of rules that stand under what was not judged. */
function untoldReasons(verdict: Verdict): readonly string[] {
  if (verdict.causes.length === 0) return otherReasons(verdict)
  const listed = verdict.rules.flatMap(({ status, because }) =>
    status === 'inconclusive' && because !== null ? [because] : [],
  )
  return otherReasons(verdict).filter((reason) => !listed.some((because) => reason.endsWith(because)))
}

/** A line or two; the reasons stay in `verdict.json`. Beside causes, what was not judged has no section of its own. */
function briefly(verdict: Verdict): Section | null {
  const { notCovered, rules, causes } = verdict
  const unjudged = causes.length === 0 ? null : notJudgedBriefly(verdict)
  if (notCovered.length === 0 || rules.length === 0) return null
  const subjects = notCovered.map((one) => (one.includes(': ') ? one.slice(0, one.lastIndexOf(': ')) : one))
  const said = causes.length > 0 ? `${subjects.length} subjects, see summary.md` : subjects.join('; ')
  return {
    id: 'not-covered',
    blocks: [
      ...(unjudged === null ? [] : [paragraph(unjudged)]),
      paragraph(`Not covered by any verdict: ${said}`, 'faint'),
    ],
  }
}

/** Reasons other than violations, and the end of the run. */
function ending(verdict: Verdict, news: string | null): readonly Block[] {
  const saidAbove = verdict.verdict === 'error'
  return [
    ...(saidAbove ? [] : reasonList(untoldReasons(verdict))),
    ...(news === null ? [] : [paragraph(news)]),
    paragraph(exitMeaning(verdict), toneOf(verdict)),
  ]
}

/** A line that is copied, and so not wrapped. */
function whole(text: string): Block {
  return { kind: 'text', text, whole: true }
}

/** GitHub's limit for a summary is 1 MiB. */
const mostBytes = 900_000
const markdownCauses = { full: 0, repeatable: 30, most: 30, folds: true }

/** `summary.md`, below 1 MiB: the verdict of this run alone. */
export function summaryMarkdown(verdict: Verdict): string {
  const sections = present([
    { id: 'target', title: addressTitle(verdict), blocks: [] },
    verdict.target.embedded ? { id: 'notice', blocks: [paragraph([{ strong: embeddedNotice }])] } : null,
    { id: 'verdict', blocks: verdictBlocks(verdict) },
  ])
  const details = judgedNothing(verdict)
    ? []
    : present([
        causeSection('Violations', verdict, markdownCauses),
        causeSection('Warnings', verdict, markdownCauses),
        waivedSection(verdict),
        waiverSection(verdict),
        notScoredSection(verdict),
        notJudgedSection(verdict),
        unjudgedEndpointsSection(verdict),
        otherWaiverSection(verdict, markdownCauses.repeatable),
        powerSection(verdict),
        notCoveredSection(verdict),
      ])
  const pages = [markdownText(sections, 2), ...(details.length === 0 ? [] : [markdownText(details, 3)])]
  return bounded(pages.join('\n'), mostBytes)
}

function addressTitle(verdict: Verdict): Phrase {
  const { target } = verdict
  const others = [...namesOfTarget(target), ...connectionTexts(verdict)].flatMap((text) => [
    ', ',
    short(text),
  ])
  const address = short(askedAddress(target))
  return ['Conformance of ', target.baseUrl === null ? 'no target' : { code: address }, ...others]
}

function verdictBlocks(verdict: Verdict): readonly Block[] {
  const { profile, strict, seed, requests, suite, rules } = verdict
  const isEmpty = judgedNothing(verdict)
  const counts = statuses.map((status) => `${statusCount(countedRules(rules), status)}`)
  const settings: Phrase = [
    `Profile ${profile}${strict ? ', strict' : ''}, seed `,
    { code: `${seed}` },
    `, ${requests.sent} of at most ${requests.budget} requests sent, suite ${suite.version}; ${exitMeaning(verdict)}.`,
  ]
  return [
    paragraph([{ strong: headlineWord(verdict).toUpperCase() }, `: ${verdictSentence(verdict)}.`]),
    ...(rules.length === 0 || isEmpty ? [] : [{ kind: 'table', head: statuses, rows: [counts] } as const]),
    ...(isEmpty
      ? listOf(whyNothing(verdict).map((text) => ({ text })))
      : reasonList(otherReasons(verdict), 'because: ')),
    paragraph(settings),
  ]
}
