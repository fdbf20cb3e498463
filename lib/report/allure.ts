import { join } from 'node:path'
import { LabelName, Status, type TestResult } from 'allure-js-commons'
import type { RuleResult } from '../judge/record.ts'
import { areaOf, ruleIds, ruleOf, type RuleId } from '../spec/rules.ts'

/** What allure-vitest is told: where to write, and how each result is put right before it is written. */
export function allureOptions(reportsDir: string, resultOf: (id: RuleId) => RuleResult | undefined) {
  return {
    resultsDir: join(reportsDir, 'allure-results'),
    listeners: [
      {
        beforeTestResultWrite: (result: TestResult): void => {
          const id = ruleIds.find((one) => result.name?.startsWith(`${one}: `))
          if (id !== undefined) putRight(result, id, resultOf(id))
        },
      },
    ],
  }
}

/** Stable ids by rule, labels by area and level, the status and the reason that the verdict has, and nothing of the machine. */
function putRight(result: TestResult, id: RuleId, settled: RuleResult | undefined): void {
  const { level, section } = ruleOf(id)
  const fromMachine = new Set<string>([
    LabelName.HOST,
    LabelName.THREAD,
    LabelName.PACKAGE,
    LabelName.ALLURE_ID,
  ])
  result.testCaseId = id
  result.historyId = id
  result.fullName = id
  result.titlePath = [areaOf(id)]
  result.labels = [
    ...result.labels.filter(({ name }) => !fromMachine.has(name)),
    { name: LabelName.EPIC, value: areaOf(id) },
    { name: LabelName.FEATURE, value: id },
    { name: LabelName.SEVERITY, value: level === 'documented' ? 'critical' : 'normal' },
    { name: LabelName.TAG, value: level },
  ]
  result.description = `${ruleOf(id).says} (${section})`
  if (settled === undefined) return

  result.status = statusOf(settled)
  result.statusDetails = { message: messageOf(settled) }
}

function statusOf({ status }: RuleResult): Status {
  if (status === 'failed') return Status.FAILED
  return status === 'passed' || status === 'warned' ? Status.PASSED : Status.SKIPPED
}

function messageOf({ status, because, findings }: RuleResult): string {
  const summaries = findings.map(({ summary, reproduced }) => `${summary} (${reproduced})`)
  return [status, ...(because === null ? [] : [because]), ...summaries].join('\n')
}
