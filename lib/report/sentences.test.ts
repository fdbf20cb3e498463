import { expect, test } from 'vitest'
import {
  errorVerdict,
  nonconformantVerdict,
  ruleWith,
  targetWith,
  verdictWith,
} from '../verdict/verdict.testing.ts'
import { packageVersion } from '../settings/package-version.ts'
import type { Verdict } from '../verdict/verdict.ts'
import { annotations } from './render/annotations.ts'
import { junitXml } from './render/junit.ts'
import { htmlPage } from './page/html-page.ts'
import { summaryMarkdown, terminalSummary } from './render/summaries.ts'

const passed = ruleWith('endpoints/list-succeeds')
const all = nonconformantVerdict()
const notCovered = ['card switches: not shown in the specification']
const waiver = { fingerprint: null, reason: 'agreed', owner: 'Kim', expires: '2027-01-31', expired: false }

/** Of few rules, so that a new rule changes no sentence. */
const verdicts: Readonly<Record<string, Verdict>> = {
  nonconformant: {
    ...all,
    rules: [passed, ...all.rules.filter(({ status }) => status !== 'passed')],
    waivers: [
      { ...waiver, rule: 'authentication/no-side-door', used: true },
      { ...waiver, rule: 'endpoints/list-succeeds', used: false },
    ],
  },
  conformant: verdictWith({
    rules: [passed],
    target: targetWith({ embedded: true, label: null, build: null }),
    selection: { only: ['endpoints/*'] },
  }),
  incomplete: verdictWith({
    verdict: 'incomplete',
    exitCode: 3,
    because: ['the service stopped answering', 'quota/exhausted must be tested in acceptance'],
    profile: 'acceptance',
    rules: [
      passed,
      ruleWith('errors/body-shape', {
        status: 'inconclusive',
        because: 'the connection was reset three times',
      }),
      ruleWith('quota/exhausted', { status: 'untested', because: 'needs FIXTURE_EXHAUSTED_API_KEY' }),
    ],
  }),
  error: errorVerdict(),
}

/** The words of a page, a line for each block that has any. */
function wordsOf(page: string): string {
  return page
    .replaceAll(/<(style|script|svg|title)\b.*?<\/\1>|<section class="legend".*?<\/section>/gs, '')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/<\/(?:p|li|tr|h\d|dd|div|summary|pre|section|header)>/g, '\n')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/ +/g, ' ')
    .replaceAll(/\s*\n\s*/g, '\n')
    .replaceAll(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)))
}

/** The lines that are said for the first time; a number stands for those between that were said before. */
function firstSaid(lines: readonly string[]): string {
  const said = new Set<string>()
  let repeated = 0
  const first = [...lines, null].flatMap((line) => {
    const isKnown = line !== null && line !== '' && said.has(line)
    const skipped = repeated === 0 ? [] : [`… ${repeated}`]
    repeated = isKnown ? repeated + 1 : 0
    if (line !== null) said.add(line)
    return line === null ? skipped : isKnown ? [] : [...skipped, line]
  })
  return `${first.join('\n')}\n`
}

test.each<readonly [string, (verdict: Verdict) => string]>([
  ['terminal', (verdict) => terminalSummary(verdict, { colour: false, width: 100, reportsDir: 'reports/' })],
  ['summary', summaryMarkdown],
  ['page', (verdict) => wordsOf(htmlPage(verdict))],
  ['junit', junitXml],
  ['annotations', (verdict) => annotations(verdict).join('\n')],
])('as %s, each verdict says what was reviewed', async (format, written) => {
  const lines = Object.entries(verdicts).flatMap(([name, verdict]) => [
    `=== ${name}`,
    ...written({ ...verdict, notCovered })
      .trim()
      .split('\n'),
  ])

  await expect(firstSaid(lines).replaceAll(packageVersion(), 'VERSION')).toMatchFileSnapshot(
    `testing/${format}.txt`,
  )
})
