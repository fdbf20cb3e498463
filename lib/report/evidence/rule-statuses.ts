import type { RuleStatus } from '../../judge/record.ts'
import { parseJsonBytes } from '../../verdict/read-verdict.ts'
import { countedRules } from '../../verdict/counted-rules.ts'
import type { Verdict } from '../../verdict/verdict.ts'
import { fieldOf, fileNames, inQuotes } from './files.ts'

/** What reports say of a rule that has a status. */
const fitting: Readonly<Record<RuleStatus, Readonly<Record<'junit' | 'allure', string>>>> = {
  passed: { junit: 'passed', allure: 'passed' },
  warned: { junit: 'passed', allure: 'passed' },
  failed: { junit: 'failure', allure: 'failed' },
  waived: { junit: 'skipped', allure: 'skipped' },
  untested: { junit: 'skipped', allure: 'skipped' },
  inconclusive: { junit: 'skipped', allure: 'broken' },
}

/** What a file says of a rule. */
interface Said {
  readonly file: string
  readonly id: string
  readonly status: string
}

/** Which rules have another status in JUnit or Allure than in the verdict, or none, in sentences. Results of other tests say nothing of it. */
export function statusMistakes({ rules }: Verdict, files: ReadonlyMap<string, Buffer>): readonly string[] {
  const junit = junitStatuses(files.get(fileNames.junit) ?? Buffer.of())
  const ids = new Set<string>(rules.map(({ id }) => id))
  const allure = [...files].flatMap((file) => allureStatus(...file)).filter(({ id }) => ids.has(id))
  return countedRules(rules).flatMap((rule) => [
    ...mistakesOf(rule, 'junit', junit),
    // A run that did not judge leaves none.
    ...(allure.length === 0 ? [] : mistakesOf(rule, 'allure', allure)),
  ])
}

const places = { junit: fileNames.junit, allure: 'allure-results/' } as const

function mistakesOf(
  { id, status }: Verdict['rules'][number],
  kind: keyof typeof places,
  all: readonly Said[],
): readonly string[] {
  const about = all.filter((one) => one.id === id)
  if (about.length === 0) return [`"${places[kind]}" says nothing of ${inQuotes(id)}`]
  return about
    .filter((one) => fitting[status][kind] !== one.status)
    .map(
      (one) =>
        `${inQuotes(one.file)} says ${inQuotes(one.status)} of ${inQuotes(id)}, where "${fileNames.verdict}" says "${status}"`,
    )
}

/** Statuses in the JUnit file of a run; nothing in one with comments or the like, which our writer never makes. */
function junitStatuses(bytes: Buffer): readonly Said[] {
  const text = bytes.toString()
  if (text.includes('<!')) return []
  const cases = text.matchAll(/<testcase name="([^":]*): [^"]*"[^>]*?(?:\/>|>([^]*?)<\/testcase>)/g)
  return Array.from(cases, ([, id = '', content = '']) => {
    const status = /<(failure|error|skipped)\b/.exec(content)?.[1] ?? 'passed'
    return { file: fileNames.junit, id, status }
  })
}

/** Version of the suite that made the reports again, as JUnit's properties say it, or null. */
export function madeAgainIn(junit: Buffer): string | null {
  return /<property name="madeAgainBy" value="([^"]*)"/.exec(junit.toString())?.[1] ?? null
}

function allureStatus(file: string, content: Buffer): readonly Said[] {
  if (!file.endsWith('-result.json')) return []
  const value = parseJsonBytes(content)
  const [name, status] = ['name', 'status'].map((field) => fieldOf(value, field))
  return typeof name === 'string' ? [{ file, id: name.split(': ')[0] ?? '', status: String(status) }] : []
}
