import type { RuleStatus } from '../../judge/record.ts'
import { parseJsonBytes } from '../../verdict/read-verdict.ts'
import type { Verdict } from '../../verdict/verdict.ts'
import { attachmentText, properties } from '../allure/allure.ts'
import { allureResults, type Attach } from '../allure/results.ts'
import { allureEnvironment, type Status } from '../allure/run.ts'
import { junitXml } from '../junit.ts'
import { metricsText } from '../metrics.ts'
import { htmlPage } from '../page/html-page.ts'
import { summaryMarkdown } from '../summaries.ts'
import { fieldOf, fileNames, inQuotes, type BundleFile } from './files.ts'

/** Reports that only say what the verdict says, but for what they take from the history. */
export const comparedReports = ['index.html', 'junit.xml', 'metrics.prom', 'summary.md'] as const

/** Reports of a run besides its verdict, as they were found. */
interface FoundReports {
  readonly reports: readonly BundleFile[]
  readonly allure: readonly BundleFile[]
}

const differs = `does not say what "${fileNames.verdict}" says`

/** Which reports beside a verdict do not fit it, in sentences. Only statuses of Allure's results are compared if another version made the run. */
export function reportMistakes(
  verdict: Verdict,
  { reports, allure }: FoundReports,
  suite: string,
): readonly string[] {
  const isOurs = verdict.suite.version === suite
  const wrong = isOurs ? reports.filter((file) => !saysSo(file, verdict)) : []
  return [
    ...wrong.map(({ name }) => `${inQuotes(name)} ${differs}`),
    ...allureMistakes(verdict, allure, suite),
  ]
}

function saysSo({ name, content }: BundleFile, verdict: Verdict): boolean {
  const found = content.toString()
  switch (name) {
    case 'junit.xml':
      return found === junitXml(verdict)
    case 'metrics.prom':
      return found === metricsText(verdict)
    case 'summary.md':
      return found === summaryMarkdown(verdict)
    default:
      return found === htmlPage(verdict)
  }
}

/** Statuses of Allure that say no more than one of ours; vitest's reporter skips what could not be judged. */
const fitting: Readonly<Record<RuleStatus, readonly Status[]>> = {
  passed: ['passed'],
  warned: ['passed'],
  failed: ['failed', 'broken'],
  waived: ['skipped'],
  untested: ['skipped'],
  inconclusive: ['broken', 'skipped'],
}

interface FoundResult {
  readonly file: string
  readonly id: string
  readonly status: string
  readonly value: object
  /** Whether it is one of the program's, which can be made again; vitest's reporter names tests otherwise. */
  readonly isOwn: boolean
}

/** Which of Allure's results do not fit the verdict, in sentences; results that name no rule say nothing of it. */
export function allureMistakes(
  verdict: Verdict,
  files: readonly BundleFile[],
  suite: string,
): readonly string[] {
  const found = files.flatMap(resultIn)
  const statuses = new Map<string, RuleStatus>(verdict.rules.map(({ id, status }) => [id, status]))
  const about = found.flatMap(({ file, id, status }): readonly string[] => {
    const due = statuses.get(id)
    if (due === undefined || fitting[due].some((one) => one === status)) return []
    return [`${inQuotes(file)} says ${status} of ${id}, where "${fileNames.verdict}" says ${due}`]
  })
  const own = found.filter(({ isOwn }) => isOwn)
  const isOurs = own.length > 0 && verdict.suite.version === suite
  return about.length > 0 || !isOurs ? about : ownMistakes(verdict, own, files)
}

function resultIn({ name: file, content }: BundleFile): readonly FoundResult[] {
  const value = file.endsWith('-result.json') ? parseJsonBytes(content) : null
  const [name, fullName, status, history] = ['name', 'fullName', 'status', 'historyId'].map((field) =>
    fieldOf(value, field),
  )
  if (typeof value !== 'object' || value === null || typeof name !== 'string') return []
  const id = name.split(': ')[0] ?? ''
  return [{ file, id, status: String(status), value, isOwn: fullName === id && history === id }]
}

/** Compares the program's own results with those of the verdict, each with what is attached to it. */
function ownMistakes(
  verdict: Verdict,
  own: readonly FoundResult[],
  files: readonly BundleFile[],
): readonly string[] {
  const attached: Attach = (name, exchange) =>
    exchange === null
      ? []
      : [{ name, type: 'application/vnd.allure.http+json', source: attachmentText(exchange) }]
  const due = new Map(allureResults(verdict, attached).map((result) => [result.fullName, textOf(result)]))
  const contents = new Map(files.map(({ name, content }) => [name, content.toString()]))
  const inPlace = ({ value }: FoundResult): string =>
    textOf(value).replaceAll(
      /"source":"([\w.-]+)"/g,
      (_, source: string) => `"source":${JSON.stringify(contents.get(`allure-results/${source}`) ?? '')}`,
    )
  const wrong = own.filter((one) => due.get(one.id) !== inPlace(one))
  const missing = [...due.keys()].filter((id) => !own.some((one) => one.id === id))
  const environment = contents.get('allure-results/environment.properties')
  const isOtherRun = environment !== undefined && environment !== properties(allureEnvironment(verdict))
  return [
    ...wrong.map(({ file }) => `${inQuotes(file)} ${differs}`),
    ...missing.map((id) => `"allure-results/" has no result of ${inQuotes(String(id))}`),
    ...(isOtherRun ? [`"allure-results/environment.properties" ${differs}`] : []),
  ]
}

function textOf(value: object): string {
  const { uuid: _, ...rest }: { readonly uuid?: unknown } = value
  return JSON.stringify(rest)
}
