import { statuses, type Verdict, type VerdictRule } from '../../lib/verdict/verdict.ts'
import { digestOf } from './wire.ts'

/** Marks a field that differs between identical runs. */
const unstable = '~'

/**
 * Kind and name of the service; the exit code; every rule that did not pass, by status, with the fingerprints of its findings, or a
 * digest of more than four; the number of requests, and a digest of their numbers by rule, client and purpose; a digest of the bytes.
 */
const fields = ['of', 'exit', 'rules', 'requests', 'bytes'] as const

/** A short summary of a run that changes with every decision of the engine. */
export type GoldenLine = Readonly<Record<(typeof fields)[number], string>>

/** The line of a run. */
export function lineOf(of: string, code: number | null, verdict: Verdict | null, bytes: string): GoldenLine {
  return { of, exit: String(code), rules: rulesOf(verdict), requests: requestsOf(verdict), bytes }
}

function rulesOf(verdict: Verdict | null): string {
  const told = statuses
    .filter((status) => status !== 'passed')
    .map((status) => {
      const rules = (verdict?.rules ?? []).filter((rule) => rule.status === status)
      return rules.length === 0 ? '' : `${status}: ${few(rules.map(ruleOf))}`
    })
  return told.filter((text) => text !== '').join('; ')
}

function ruleOf({ id, findings }: VerdictRule): string {
  return [id, few(findings.map(({ fingerprint }) => fingerprint).toSorted())].join(' ').trimEnd()
}

/** All items; if there are many, their number and a digest. */
function few(all: readonly string[]): string {
  return all.length > 4 ? `${all.length} with ${digestOf(all.join(' '))}` : all.join(' ')
}

function requestsOf(verdict: Verdict | null): string {
  if (verdict === null) return 'none'
  const { sent, retried, confirming, byRule, byClient = {} } = verdict.requests
  const sorted = (counts: Readonly<Record<string, number>>): unknown =>
    Object.entries(counts).toSorted(([one], [other]) => (one < other ? -1 : 1))
  return `${sent} ${digestOf(JSON.stringify([retried, confirming, sorted(byRule), sorted(byClient)]))}`
}

/** The lines as stored, with fields separated by tabs. */
export const textOf = (lines: readonly GoldenLine[]): string =>
  lines.map((line) => `${fields.map((field) => line[field]).join('\t')}\n`).join('')

/** The stored lines by service. */
export function linesIn(text: string): ReadonlyMap<string, GoldenLine> {
  const lines = text.split('\n').filter((line) => line !== '')
  return new Map(
    lines.map((line) => {
      const values = line.split('\t')
      return [values[0] ?? '', lineWith((_, at) => values[at] ?? '')]
    }),
  )
}

/** The common part of two runs against one service. Differing fields are marked as unstable. */
export function common(one: GoldenLine, other: GoldenLine): GoldenLine {
  return lineWith((field) => (one[field] === other[field] ? one[field] : unstable))
}

function lineWith(valueOf: (field: keyof GoldenLine, at: number) => string): GoldenLine {
  const [of = '', exit = '', rules = '', requests = '', bytes = ''] = fields.map(valueOf)
  return { of, exit, rules, requests, bytes }
}

/** A sentence for each field in which a run differs from the stored line. */
export function differences(kept: GoldenLine, now: GoldenLine): readonly string[] {
  return fields
    .filter((field) => kept[field] !== unstable && kept[field] !== now[field])
    .map((field) => `${now.of}: ${field}: ${kept[field]} → ${now[field]}`)
}
