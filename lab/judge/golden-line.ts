import { statuses, type Verdict, type VerdictRule } from '../../lib/verdict/verdict.ts'
import { digestOf } from './wire.ts'

/** What a run came to, in a few words that change with each decision of the engine. */
export interface GoldenLine {
  /** Kind and name of the service. */
  readonly of: string
  readonly exit: string
  /** Every rule that did not pass, by status, with the fingerprints of its findings; of more than four a digest. */
  readonly rules: string
  /** How many were sent, and a digest of how many by rule, client and purpose. */
  readonly requests: string
  readonly bytes: string
}

/** Stands for what differs from run to run by itself. */
const unstable = '~'

const fields = ['of', 'exit', 'rules', 'requests', 'bytes'] as const

/** The line of a run. */
export function lineOf(of: string, code: number | null, verdict: Verdict | null, bytes: string): GoldenLine {
  return {
    of,
    exit: String(code),
    rules: rulesOf(verdict),
    requests: requestsOf(verdict),
    bytes,
  }
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

/** All of them, or where they are many how many, and a digest. */
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

/** The lines as they are kept, a tab between fields. */
export function textOf(lines: readonly GoldenLine[]): string {
  return lines.map((line) => `${fields.map((field) => line[field]).join('\t')}\n`).join('')
}

/** The lines that were kept, by what they are of. */
export function linesIn(text: string): ReadonlyMap<string, GoldenLine> {
  const lines = text.split('\n').filter((line) => line !== '')
  return new Map(
    lines.map((line) => {
      const [of = '', exit = '', rules = '', requests = '', bytes = ''] = line.split('\t')
      return [of, { of, exit, rules, requests, bytes }]
    }),
  )
}

/** What two runs against one service have in common; what differs is marked as unstable. */
export function common(one: GoldenLine, other: GoldenLine): GoldenLine {
  const both = (field: keyof GoldenLine): string => (one[field] === other[field] ? one[field] : unstable)
  return {
    of: one.of,
    exit: both('exit'),
    rules: both('rules'),
    requests: both('requests'),
    bytes: both('bytes'),
  }
}

/** In which fields a run differs from the line that was kept, as sentences. */
export function differences(kept: GoldenLine, now: GoldenLine): readonly string[] {
  return fields
    .filter((field) => kept[field] !== unstable && kept[field] !== now[field])
    .map((field) => `${now.of}: ${field}: ${kept[field]} → ${now[field]}`)
}
