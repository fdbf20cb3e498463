import { randomUUID } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isIntermittent, type RuleStatus } from '../../judge/record.ts'
import { jsonText } from '../../text/json.ts'
import { beginning, unicodeEscapes } from '../../text/printable.ts'
import { folderError } from '../folder/reports-folder.ts'
import { testCases } from '../render/junit.ts'
import { prose } from '../render/summary.ts'
import type { View } from '../view.ts'

/** An Allure result (`TestResult`), without the random name of its file. Importing Allure's enums would load thirty files. */
export type AllureResult = ReturnType<typeof allureResults>[number]

/** Allure has no inconclusive status: a rule without a result has neither passed nor failed. */
const statuses = {
  passed: 'passed',
  failure: 'failed',
  error: 'broken',
  skipped: 'skipped',
} as const

const severities = {
  documented: 'critical',
  implied: 'normal',
  requested: 'minor',
  expectation: 'trivial',
}

const longestDescription = 1_000

/** The Allure results for a verdict. `attach` stores the text of findings and returns the name of its file. */
export function allureResults(view: View, attach: (text: string) => string) {
  const start = Date.parse(view.of.startedAt)
  return testCases(view).map(({ id, area, story, outcome, message, output, ms, rule }) => {
    const status: RuleStatus = rule?.status ?? 'failed'
    // Allure's lists show only names, so a status that Allure lacks is part of the name.
    const mark = status === 'passed' || status === 'failed' ? '' : ` [${status}]`
    const about = rule === null ? '' : ` (${rule.section}). ${rule.level}; ${rule.answers} judged.`
    const isRare = rule?.findings.some(({ of }) => isIntermittent(of)) === true
    const tags = rule === null ? [] : [rule.level, rule.status, ...(isRare ? ['intermittent'] : [])]
    const severity = rule === null ? 'critical' : severities[rule.level]
    const labels = {
      framework: 'vitest',
      epic: area,
      feature: id,
      story,
      suite: area,
      severity,
    }
    const named = [...Object.entries(labels), ...tags.map((tag) => ['tag', tag] as const)]
    return {
      name: `${id}: ${story}${mark}`,
      status: status === 'inconclusive' ? 'broken' : statuses[outcome],
      // Allure reads this as Markdown.
      description: prose(beginning(`${story}${about}`, longestDescription)),
      labels: named.map(([name, value]) => ({ name, value })),
      testCaseId: id,
      fullName: id,
      historyId: id,
      titlePath: [area],
      statusDetails: message === null ? {} : { message },
      stage: 'finished',
      start,
      stop: start + ms,
      parameters: [],
      links: [],
      steps: [],
      attachments: output === '' ? [] : [{ name: 'findings', type: 'text/plain', source: attach(output) }],
    }
  })
}

/** Writes the Allure results for a verdict; by default, all of them. Throws ReportsFolderError. */
export function writeAllureResults(view: View, reportsDir: string, results?: Iterable<AllureResult>) {
  const folder = join(reportsDir, 'allure-results')
  try {
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'environment.properties'), properties(view.properties))
    for (const result of results ?? allureResults(view, attachTo(folder))) {
      const uuid = randomUUID()
      writeFileSync(join(folder, `${uuid}-result.json`), jsonText({ uuid, ...result }))
    }
  } catch (error) {
    throw folderError(folder, error)
  }
}

/** Returns a function that writes an attachment to the results folder. */
export function attachTo(folder: string): (text: string) => string {
  return (text) => {
    const source = `${randomUUID()}-attachment.txt`
    writeFileSync(join(folder, source), text)
    return source
  }
}

/** The text of a Java properties file. */
export function properties(values: Readonly<Record<string, string | undefined>>) {
  return Object.entries(values)
    .map(
      ([name, value = '']) =>
        `${escaped(name).replaceAll(/[ :=#!]/g, '\\$&')}=${escaped(value).replace(/^ /, '\\ ')}\n`,
    )
    .join('')
}

function escaped(text: string) {
  return text.replaceAll('\\', '\\\\').replaceAll(/[^ -~]/g, unicodeEscapes)
}
