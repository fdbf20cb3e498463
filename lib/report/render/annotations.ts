import type { Cause } from '../../explain/causes.ts'
import { beginning, printable } from '../../text/printable.ts'
import { isPartial, partsOf, type Verdict } from '../../verdict/verdict.ts'
import { appendProblem, appendText } from '../folder/append-text.ts'
import { withCodeNames } from '../model/codes.ts'
import { troubleGrade, troubleSentence } from '../../verdict/retries.ts'
import { exampleOf, extentOf } from '../model/cause-text.ts'
import { findingFacts } from '../model/finding-facts.ts'
import { headlineWord, notJudgedText, otherReasons, verdictSentence, waiverNotes } from '../model/headline.ts'
import { bounded } from './markdown.ts'
import { isCopyable, visible } from '../../text/visible.ts'

/** GitHub's limit for one kind and step. */
const mostOfKind = 10
const longestTitle = 200
const longestMessage = 2_000

interface Note {
  readonly title: string
  readonly message: string
  /** Behind the message, and never cut: a line to copy. */
  readonly again?: string
}

/**
 * Workflow commands of GitHub for a verdict, one per line: an error for each cause of a violation and for a run without a verdict;
 * warnings for causes that only warn and for waivers to look at; a notice for a partial verdict, or one with exceptions or endpoints
 * that were not judged. Gravest first, at most ten of a kind, the last counting the rest; no error where the exit code is 0. No text
 * can end its line or begin a command.
 */
export function annotations(verdict: Verdict): readonly string[] {
  const isRed = verdict.exitCode !== 0
  const { causes } = verdict
  const violations = isRed ? causes.filter(({ warning }) => !warning) : []
  const others = causes.filter((cause) => !violations.includes(cause))
  const stops = isRed && (verdict.verdict !== 'nonconformant' || violations.length === 0)
  const outcome = stops || otherReasons(verdict).length > 0 ? [outcomeOf(verdict)] : []
  const errors = [...(stops ? outcome : []), ...violations.map((cause) => causeNote(cause, verdict))]
  const warnings = [
    ...(stops ? [] : outcome),
    ...troubleNotes(verdict),
    ...waiverNotes(verdict).map(({ kind, says }) => ({ title: `waiver: ${kind}`, message: says })),
    ...others.map((cause) => causeNote(cause, verdict)),
  ]
  return [...lines('error', errors), ...lines('warning', warnings), ...lines('notice', qualified(verdict))]
}

/** Why a run came to no verdict, or what it left open besides its violations. */
function outcomeOf(verdict: Verdict): Note {
  const reasons = otherReasons(verdict)
  const word = verdict.verdict === 'error' ? 'error' : 'incomplete'
  return {
    title: `conformance: ${isPartial(verdict) ? 'partial, ' : ''}${word}`,
    message: reasons.length === 0 ? verdictSentence(verdict) : reasons.join('; '),
  }
}

/** What a pipeline's colour and its violated rules do not show. */
function qualified(verdict: Verdict): readonly Note[] {
  const headline = headlineWord(verdict)
  const claimsAll = verdict.verdict !== 'conformant' || notJudgedText(verdict.target) === null
  if (headline === verdict.verdict && claimsAll) return []
  const parts = partsOf(verdict)
  const part = parts.length === 0 ? '' : ` (${parts.join('; ')})`
  return [{ title: `conformance: ${headline}`, message: `${verdictSentence(verdict)}${part}` }]
}

/** Retries that warn; too many for a verdict are a reason of its own. */
function troubleNotes({ requests }: Verdict): readonly Note[] {
  const message = troubleSentence(requests)
  if (message === null || troubleGrade(requests) !== 'warned') return []
  return [{ title: 'conformance: requests without an answer', message }]
}

const extent = { body: 200, field: 100, detail: 'short' } as const
const longestFact = 600
/** Between the facts of a cause, which hold commas and semicolons. */
const gap = ' | '
/** Rules named per cause. */
const named = 3

/** A cause: how grave, of how many rules, and the example that shows it, with the line that sends it again. */
function causeNote(cause: Cause, verdict: Verdict): Note {
  const { sentence, severity } = cause
  const found = exampleOf(cause, verdict.rules)
  const replay = found?.finding.replay ?? null
  return {
    title: withCodeNames(visible(sentence)),
    message: [
      `severity ${severity}`,
      extentOf(cause, verdict.rules, named),
      ...(found === null ? [] : shownFacts(found)),
    ].join(gap),
    ...(replay === null ? {} : { again: isCopyable(replay) ? replay : 'see verdict.json' }),
  }
}

const shown = ['sent', 'documented', 'answered', 'reproduced'] as const

/** What was sent, documented and answered; the documented answer with its section of the specification. */
function shownFacts({ finding, rule }: NonNullable<ReturnType<typeof exampleOf>>): readonly string[] {
  const facts = findingFacts(finding, extent, rule)
  return shown.flatMap((wanted) => {
    const fact = facts.find(({ kind }) => kind === wanted)
    return fact === undefined ? [] : [`${fact.label} ${beginning(fact.value, longestFact)}`]
  })
}

function lines(kind: 'error' | 'warning' | 'notice', notes: readonly Note[]): readonly string[] {
  if (notes.length <= mostOfKind) return notes.map((note) => line(kind, note))
  const others = notes.slice(mostOfKind - 1)
  const rest = {
    title: `conformance: ${others.length} more, see summary.md`,
    message: [...new Set(others.map(({ title }) => title))].join('; '),
  }
  return [...notes.slice(0, mostOfKind - 1), rest].map((note) => line(kind, note))
}

function line(kind: string, { title, message, again }: Note): string {
  const name = data(beginning(title, longestTitle)).replaceAll(':', '%3A').replaceAll(',', '%2C')
  const copied = again === undefined ? '' : `${gap}again: ${again}`
  return `::${kind} title=${name}::${data(`${beginning(message, longestMessage)}${copied}`)}`
}

/** Escapes for GitHub; characters that could end the line were made visible before. */
function data(text: string): string {
  return printable(text).replaceAll('%', '%25')
}

/**
 * Keeps GitHub from taking anything in a text for a command; `token` must not be guessable. Source: Workflow commands for GitHub
 * Actions, stopping and starting.
 */
export function withoutCommands(text: string, token: string): string {
  return `::stop-commands::${token}\n${text.endsWith('\n') ? text : `${text}\n`}::${token}::\n`
}

/** GitHub's limit for the summary of a step, in bytes. */
const mostBytes = 1024 * 1024
/** A summary cut shorter is useless. */
const leastRoom = 4_096

/** Appends to GitHub's summary file of a step, within its limit; returns why it could not, or null. */
export async function appendStepSummary(file: string, markdown: string): Promise<string | null> {
  try {
    let isFull = false
    await appendText({ file }, (_, size) => {
      const text = `${size === 0 ? '' : '\n'}${markdown}`
      const room = mostBytes - size
      isFull = room < leastRoom && Buffer.byteLength(text) > room
      return isFull ? '' : bounded(text, room)
    })
    return isFull ? `the summary was not added to ${file} (GITHUB_STEP_SUMMARY): it is full` : null
  } catch (error) {
    return `the summary cannot be added to ${file} (GITHUB_STEP_SUMMARY): ${appendProblem(error)}`
  }
}
