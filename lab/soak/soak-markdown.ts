import type { ProfileName } from '../../lib/settings/profiles.ts'

/** How often a profile found a service that is wrong now and then. */
export interface Detection {
  readonly profile: ProfileName
  readonly runs: number
  readonly found: number
  /** On average. */
  readonly requests: number
  /** The exit codes of the runs that did not find it. */
  readonly otherEnds: readonly (number | null)[]
}

/** The contents of `reports/soak.json`. */
export interface Soak {
  /** The day on which it was measured, as 2026-11-22. */
  readonly date: string
  readonly conformant: {
    readonly gates: number
    /** A sentence for each gate that did not end in 0. */
    readonly wrong: readonly string[]
    readonly requests: number
    readonly seconds: number
  }
  readonly detection: readonly Detection[]
}

/** The page `docs/soak.md`. */
export function soakMarkdown({ date, conformant, detection }: Soak): string {
  const { gates, wrong, requests, seconds } = conformant
  const rows = detection.map(
    (one) =>
      `| \`${one.profile}\` | ${one.runs} | ${one.requests.toLocaleString('en')} | ${one.found} (${Math.round((100 * one.found) / one.runs)} %) | ${one.otherEnds.join(', ') || '–'} |`,
  )
  return `# Gates in a row

\`npm run lab -- soak --detection\` wrote this page on ${date}.

## A conformant service behind a bad network

Two in a hundred connections are reset before an answer, and every answer waits for up to 50 ms. ${gates} gates, one
after the other, sent ${requests.toLocaleString('en')} requests in ${seconds.toLocaleString('en')} s. ${gates - wrong.length} of ${gates} ended in exit 0.

${wrong.map((sentence) => `- ${sentence}\n`).join('')}
## The same service, wrong in one answer of a hundred

Any answer may be replaced by an undocumented 500. How often each profile ends in exit 1:

| profile | runs | requests a run | found | other exits |
| --- | --- | --- | --- | --- |
${rows.join('\n')}
`
}
