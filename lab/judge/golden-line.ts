import { statuses, type Verdict, type VerdictRule } from '../../lib/verdict/verdict.ts'
import type { Left } from './expect.ts'
import type { Job } from './service.ts'
import { digestOf } from './wire.ts'

/** Marks a field that differs between identical runs. */
const unstable = '~'

/**
 * A short summary of a run that changes with every decision of the engine: kind and name of the service; the exit code; every rule
 * that did not pass, by status, with the fingerprints of its findings, or a digest of more than four; the number of requests, and a
 * digest of their numbers by rule, client and purpose; a digest of the bytes.
 */
const fields = ['of', 'exit', 'rules', 'requests', 'bytes'] as const
export type GoldenLine = Readonly<Record<(typeof fields)[number], string>>

/** The line of a run. */
export function lineOf(job: Job, { code, verdict }: Left, bytes: string): GoldenLine {
  const of = `${job.of} ${job.name}`
  return { of, exit: String(code), rules: rulesOf(verdict), requests: requestsOf(verdict), bytes }
}

function rulesOf(verdict: Verdict | null): string {
  const told = statuses.flatMap((status) => {
    const rules = (verdict?.rules ?? []).filter((rule) => rule.status === status)
    return rules.length === 0 || status === 'passed' ? [] : [`${status}: ${few(rules.map(ruleOf))}`]
  })
  return told.join('; ')
}

const ruleOf = ({ id, findings }: VerdictRule): string =>
  [id, few(findings.map(({ fingerprint }) => fingerprint).toSorted())].join(' ').trimEnd()

/** All items; if there are many, their number and a digest. */
const few = (all: readonly string[]): string =>
  all.length > 4 ? `${all.length} with ${digestOf(all.join(' '))}` : all.join(' ')

function requestsOf(verdict: Verdict | null): string {
  if (verdict === null) return 'none'
  const { sent, retried, confirming, byRule, byClient = {} } = verdict.requests
  const sorted = (counts: object) => Object.entries(counts).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return `${sent} ${digestOf(JSON.stringify([retried, confirming, sorted(byRule), sorted(byClient)]))}`
}

/** The common part of two runs against one service. Differing fields are marked as unstable. */
export function common(one: GoldenLine, other: GoldenLine): GoldenLine {
  const differing = fields.filter((field) => one[field] !== other[field])
  return { ...one, ...Object.fromEntries(differing.map((field) => [field, unstable])) }
}

/** A sentence for each field in which a run differs from the stored line. */
export function differences(kept: GoldenLine, now: GoldenLine): readonly string[] {
  return fields
    .filter((field) => kept[field] !== unstable && kept[field] !== now[field])
    .map((field) => `${now.of}: ${field}: ${kept[field]} → ${now[field]}`)
}
