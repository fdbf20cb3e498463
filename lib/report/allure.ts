import { randomUUID } from 'node:crypto'
import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { LabelName, Severity, Stage, Status, type Label, type TestResult } from 'allure-js-commons'
import type { ReporterConfig } from 'allure-js-commons/sdk/reporter'
import type { ShownExchange } from '../judge/record.ts'
import { allureCategories, allureEnvironment, allureExecutor } from './allure-about.ts'
import { allureEntries, type AllureEntry, type AllureStatus } from './allure-entries.ts'
import { allureExchange, exchangeType } from './allure-exchange.ts'
import type { FindingStep } from './allure-findings.ts'
import { jsonText } from '../verdict/json-text.ts'
import type { Verdict } from '../verdict/verdict.ts'

/** What Allure's own writer needs to write a verdict. */
export interface AllureWriting {
  /** For Allure's reporter: where to write, and how each result is put right before it is written. */
  readonly config: ReporterConfig & { readonly resultsDir: string }
  /** The names of all results. */
  readonly names: readonly string[]
}

/**
 * How Allure's results in this folder come to say what the verdict says. A result belongs to the rule whose id its name begins with;
 * exchanges become files beside the results. The environment is that of the process, for the build's address.
 */
export function allureWriting(
  verdict: Verdict,
  resultsDir: string,
  env: Readonly<Record<string, string | undefined>>,
): AllureWriting {
  const entries = allureEntries(verdict)
  const files = new Files(resultsDir)
  const executor = allureExecutor(env)
  if (executor !== null) files.write('executor.json', jsonText(executor))

  return {
    config: {
      resultsDir,
      environmentInfo: allureEnvironment(verdict),
      categories: allureCategories(),
      listeners: [
        {
          beforeTestResultWrite: (result) => {
            const entry = entries.find(({ id }) => result.name?.startsWith(`${id}: `))
            if (entry !== undefined) putRight(result, entry, files)
          },
        },
      ],
    },
    names: entries.map(({ name }) => name),
  }
}

/** Files beside the results, each whole or not there. Allure's writer flushes each to the disk, which takes longer than all else. */
class Files {
  readonly #folder: string

  constructor(folder: string) {
    this.#folder = folder
  }

  write(name: string, text: string): void {
    mkdirSync(this.#folder, { recursive: true })
    const temporary = join(this.#folder, `.${randomUUID()}.tmp`)
    writeFileSync(temporary, text)
    renameSync(temporary, join(this.#folder, name))
  }
}

/** What a machine, a path or another tool's opinion would put into a result, and what is labelled here. */
const replaced = new Set<string>([
  LabelName.HOST,
  LabelName.THREAD,
  LabelName.PACKAGE,
  LabelName.ALLURE_ID,
  '_fallbackTestCaseId',
  LabelName.PARENT_SUITE,
  LabelName.SUITE,
  LabelName.SUB_SUITE,
  LabelName.FRAMEWORK,
  LabelName.LANGUAGE,
  LabelName.EPIC,
  LabelName.FEATURE,
  LabelName.STORY,
  LabelName.SEVERITY,
])

function putRight(result: TestResult, entry: AllureEntry, files: Files): void {
  const { id, name, area, description, sample, steps, message } = entry
  const attach = attachTo(result.uuid, files)

  result.name = name
  result.testCaseId = id
  result.fullName = id
  result.historyId = id
  result.parameters = []
  result.titlePath = [area]
  result.labels = [...result.labels.filter((label) => !replaced.has(label.name)), ...labelsOf(entry)]
  result.description = description
  result.status = statusValues[entry.status]
  result.stage = Stage.FINISHED
  result.statusDetails = message === null ? {} : { message }
  result.steps = steps.map((step) => stepResult(step, attach))
  result.attachments = sample === null ? [] : [attach('an exchange that was judged', sample)]
}

const statusValues: Readonly<Record<AllureStatus, Status>> = {
  passed: Status.PASSED,
  failed: Status.FAILED,
  broken: Status.BROKEN,
  skipped: Status.SKIPPED,
}

const severityValues: Readonly<Record<AllureEntry['severity'], Severity>> = {
  critical: Severity.CRITICAL,
  normal: Severity.NORMAL,
  minor: Severity.MINOR,
  trivial: Severity.TRIVIAL,
}

function labelsOf({ id, area, story, severity, tags }: AllureEntry): readonly Label[] {
  return [
    { name: LabelName.FRAMEWORK, value: 'vitest' },
    { name: LabelName.EPIC, value: area },
    { name: LabelName.FEATURE, value: id },
    { name: LabelName.STORY, value: story },
    { name: LabelName.SUITE, value: area },
    { name: LabelName.SEVERITY, value: severityValues[severity] },
    ...tags.map((value) => ({ name: LabelName.TAG, value })),
  ]
}

type Attach = (name: string, exchange: ShownExchange) => TestResult['attachments'][number]

function attachTo(uuid: string, files: Files): Attach {
  let count = 0
  return (name, exchange) => {
    count += 1
    const source = `${uuid}-${count}-attachment.httpexchange`
    files.write(source, jsonText(allureExchange(exchange)))
    return { name, type: exchangeType, source }
  }
}

const stepStatuses: Readonly<Record<FindingStep['word'], Status>> = {
  violation: Status.FAILED,
  error: Status.FAILED,
  warning: Status.PASSED,
  waived: Status.SKIPPED,
  more: Status.SKIPPED,
}

function stepResult(
  { word, name, facts, exchange }: FindingStep,
  attach: Attach,
): TestResult['steps'][number] {
  return {
    name,
    status: stepStatuses[word],
    statusDetails: {},
    stage: Stage.FINISHED,
    steps: [],
    attachments: exchange === null ? [] : [attach('the exchange', exchange)],
    parameters: facts.map(([label, value]) => ({ name: label, value })),
  }
}
