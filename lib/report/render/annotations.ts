import { beginning, printable } from '../../text/printable.ts'
import { isPartial } from '../../verdict/verdict.ts'
import { appendProblem, appendText } from '../folder/reports-folder.ts'
import type { CauseView } from '../model/cause-view.ts'
import type { View } from '../view.ts'
import { bounded } from './summary.ts'

/** GitHub's limit per kind of annotation and step. */
const mostOfKind = 10
const longestTitle = 200
const longestMessage = 2_000

/** A title, and lines shown one below the other. */
type Note = ReturnType<typeof note>

/**
 * GitHub workflow commands for a verdict, one per line, worded as on the page. There is an error for each problem and for a run
 * without a verdict; a warning for each cause that only warns and for each waiver to review; and a notice for a verdict that is
 * partial, is about the embedded service, or has exceptions or unjudged endpoints. They are listed by severity, at most ten of
 * each kind, and the last one counts the rest. There are no errors if the exit code is 0. No text can end its line or begin a
 * command.
 */
export function annotations(view: View): readonly string[] {
  const { of, causes, cautions, alarms, reasons, stops } = view
  const part = isPartial(of) ? 'partial, ' : ''
  const problems = of.exitCode === 0 ? [] : view.problems
  const others = causes.filter((cause) => cause.status !== 'waived' && !problems.includes(cause))
  const ending = `${part}${of.verdict === 'error' ? 'error' : 'incomplete'}`
  const hasOutcome = stops || reasons.length > 0
  const outcome = hasOutcome ? [note(ending, reasons.length === 0 ? [view.sentence] : reasons)] : []
  const errors = [...(stops ? outcome : []), ...problems.map(causeNote)]
  const warnings = [
    ...(stops ? [] : outcome),
    ...alarms.map((text) => note('a waiver to review', [text])),
    ...others.map(causeNote),
  ]
  // Facts that neither the pipeline's colour nor the violated rules show.
  const isQualified = view.word !== of.verdict || (of.verdict === 'conformant' && cautions.length > 0)
  const embedded = view.notice === null ? [] : [view.notice]
  const notices =
    isQualified || embedded.length > 0 ? [note(view.word, [...embedded, view.sentence, ...cautions])] : []
  return [...commands('error', errors), ...commands('warning', warnings), ...commands('notice', notices)]
}

function note(what: string, lines: readonly string[]) {
  return { title: `conformance: ${what}`, lines: lines.map((line) => beginning(line, longestMessage)) }
}

const longestFact = 600

/** The command to copy comes last and is never truncated. */
function causeNote({ title, expected, got, named, findings }: CauseView): Note {
  const [wanted, came] = [expected, got].map((text) => beginning(text, longestFact))
  const facts = [`Expected: ${wanted}`, `Got: ${came}`, named]
  return { title, lines: [...facts, ...findings.slice(0, 1).map(({ replay }) => `Replay: ${replay.text}`)] }
}

function commands(kind: 'error' | 'warning' | 'notice', notes: readonly Note[]) {
  if (notes.length <= mostOfKind) return notes.map((one) => command(kind, one))
  const others = notes.slice(mostOfKind - 1)
  const rest = note(`${others.length} more, see summary.md`, [...new Set(others.map(({ title }) => title))])
  return [...notes.slice(0, mostOfKind - 1), rest].map((one) => command(kind, one))
}

function command(kind: string, { title, lines }: Note) {
  const name = data(beginning(title, longestTitle)).replaceAll(':', '%3A').replaceAll(',', '%2C')
  return `::${kind} title=${name}::${lines.map(data).join('%0A')}`
}

/** Escapes text for GitHub. Characters that could end the line have already been replaced by visible escapes. */
function data(text: string) {
  return printable(text).replaceAll('%', '%25')
}

/**
 * Keeps GitHub from executing commands in text. `token` must not be guessable. Source: Workflow commands for GitHub Actions,
 * stopping and starting.
 */
export function withoutCommands(text: string, token: string) {
  return `::stop-commands::${token}\n${text.endsWith('\n') ? text : `${text}\n`}::${token}::\n`
}

/** GitHub's limit for the summary of a step, in bytes. */
const mostBytes = 1024 * 1024
/** Minimum useful length of a truncated summary, in bytes. */
const leastRoom = 4_096

/** Appends to GitHub's summary file for a step, within its limit. Returns why this failed, or null. */
export async function appendStepSummary(file: string, markdown: string) {
  try {
    let isFull = false
    await appendText(file, (_, size) => {
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
