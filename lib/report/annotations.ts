import { appendFile, stat } from 'node:fs/promises'
import { openFindings } from '../judge/causes.ts'
import { beginning, printable, errorText } from '../settings/printable.ts'
import { isPartial, partsOf, type Verdict, type VerdictRule } from '../verdict/verdict.ts'
import { groupByFingerprint } from './findings.ts'
import { headlineWord, otherReasons, verdictSentence, waiverNotes } from './headline.ts'
import { bounded } from './render/markdown.ts'
import { visible } from './visible.ts'
import { plural, sentenceOf } from './words.ts'

/** GitHub's limit for one kind and step. */
const mostOfKind = 10
const longestTitle = 200
const longestMessage = 1_000

interface Note {
  readonly title: string
  readonly message: string
}

/**
 * Workflow commands of GitHub for a verdict, one per line: errors for violated rules and for a run that failed; warnings for what
 * was not judged, for breaches that only warn, and for waivers to look at; a notice for a partial verdict or one with exceptions.
 * At most ten of a kind, the last counting the rest. No text can end its line or begin a command.
 */
export function annotations(verdict: Verdict): readonly string[] {
  const { rules } = verdict
  const failed = rules.filter(({ status }) => status === 'failed')
  const warned = rules.filter(({ status }) => status === 'warned')
  const reasons = otherReasons(verdict)
  const isError = verdict.verdict === 'error'
  const outcome = {
    title: `conformance: ${isPartial(verdict) ? 'partial, ' : ''}${isError ? 'error' : 'incomplete'}`,
    message: reasons.length === 0 ? verdictSentence(verdict) : reasons.join('; '),
  }
  const errors = [...(isError ? [outcome] : []), ...failed.map((rule) => breach(rule, 'is violated'))]
  const warnings = [
    ...(!isError && (reasons.length > 0 || verdict.verdict === 'incomplete') ? [outcome] : []),
    ...waiverNotes(verdict).map(({ kind, says }) => ({ title: `waiver: ${kind}`, message: says })),
    ...warned.map((rule) => breach(rule, 'warns')),
  ]
  return [...lines('error', errors), ...lines('warning', warnings), ...lines('notice', qualified(verdict))]
}

/** What a pipeline's colour and its violated rules do not show. */
function qualified(verdict: Verdict): readonly Note[] {
  const headline = headlineWord(verdict)
  if (headline === verdict.verdict) return []
  const parts = partsOf(verdict)
  const part = parts.length === 0 ? '' : ` (${parts.join('; ')})`
  return [{ title: `conformance: ${headline}`, message: `${verdictSentence(verdict)}${part}` }]
}

function breach(rule: VerdictRule, what: string): Note {
  const [first, ...others] = groupByFingerprint(openFindings(rule))
  const found = first === undefined ? '' : `: ${beginning(visible(first.summary), 400)} (${first.reproduced})`
  const more = others.length === 0 ? '' : `, and ${plural(others.length, 'further finding')}`
  const replay = first?.replay ?? null
  const again = replay === null ? '' : `; again: ${replay}`
  return { title: `${rule.id} ${what}`, message: `${sentenceOf(rule)}${found}${more}${again}` }
}

function lines(kind: 'error' | 'warning' | 'notice', notes: readonly Note[]): readonly string[] {
  if (notes.length <= mostOfKind) return notes.map((note) => line(kind, note))
  const others = notes.slice(mostOfKind - 1)
  const rest = {
    title: `conformance: ${others.length} more, see summary.md`,
    message: others.map(({ title }) => title).join('; '),
  }
  return [...notes.slice(0, mostOfKind - 1), rest].map((note) => line(kind, note))
}

function line(kind: string, { title, message }: Note): string {
  const name = data(beginning(title, longestTitle)).replaceAll(':', '%3A').replaceAll(',', '%2C')
  return `::${kind} title=${name}::${data(beginning(message, longestMessage))}`
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
    const { size } = await stat(file).catch(() => ({ size: 0 }))
    const text = `${size === 0 ? '' : '\n'}${markdown}`
    const room = mostBytes - size
    if (room < leastRoom && Buffer.byteLength(text) > room) {
      return `the summary was not added to ${file} (GITHUB_STEP_SUMMARY): it is full`
    }
    await appendFile(file, bounded(text, room))
    return null
  } catch (error) {
    return `the summary cannot be added to ${file} (GITHUB_STEP_SUMMARY): ${errorText(error)}`
  }
}
