import type * as allure from 'allure-js-commons'
import type * as sdk from 'allure-js-commons/sdk'
import type { Finding } from '../../judge/record.ts'
import { beginning, printable } from '../../text/printable.ts'
import { groupBy, capitalised } from '../../text/counts.ts'
import type { RuleId } from '../../specification/rules.ts'
import type { Verdict } from '../../verdict/verdict.ts'
import { countsOf } from '../model/cause-text.ts'
import { embeddedNotice, headlineWord } from '../model/headline.ts'
import { runFacts, type RunFact } from '../render/junit.ts'
import { visible } from '../../text/visible.ts'

/** A type of Allure with strings for its enumerations, whose values would load thirty files. */
export type Plain<Type> = Type extends string
  ? `${Type}`
  : Type extends object
    ? { [Key in keyof Type]: Plain<Type[Key]> }
    : Type

/** Allure's word for how a test ended. */
export type Status = `${allure.Status}`

type Category = Plain<sdk.Category>

/** A cause with the number before its sentence. */
interface NumberedCause {
  /** `cause 1` */
  readonly title: string
  /** `cause 1: A request without x-api-key: …` */
  readonly name: string
  readonly sentence: string
  readonly warning: boolean
}

const longestSentence = 400
/** Maximum causes with their own category. */
const mostCauses = 20

/** Causes of a verdict, gravest first, and of each finding. */
export interface NumberedCauses {
  readonly all: readonly NumberedCause[]
  /** Several causes only if the finding's case shows several. */
  readonly of: (rule: RuleId, finding: Finding) => readonly NumberedCause[]
}

/** Numbers the causes of a verdict. */
export function numberedCauses(verdict: Verdict): NumberedCauses {
  const shown = verdict.causes.flatMap(({ sentence, warning, rules, cases }, index) => {
    const title = `cause ${index + 1}`
    const text = printable(beginning(visible(sentence), longestSentence))
    const named = { title, name: `${title}: ${text}`, sentence: text, warning }
    return cases.map((name) => ({ name, rules, named }))
  })
  const byCase = groupBy(shown, ({ name }) => name)
  return {
    all: [...new Set(shown.map(({ named }) => named))],
    of: (rule, finding) => {
      const met = (byCase.get(finding.case) ?? []).filter(({ rules }) => rules.includes(rule))
      return [...new Set(met.map(({ named }) => named))]
    },
  }
}

const renamed: Readonly<Record<string, string>> = {
  caFiles: 'certificate authorities',
  certFile: 'client certificate',
  fuzzCases: 'fuzz cases',
}

/** Allure's environment: the verdict with its causes, the target, and how it was judged. */
export function allureEnvironment(verdict: Verdict): sdk.EnvironmentInfo {
  const { target, requests } = verdict
  const causes = verdict.causes
  const numbered = numberedCauses(verdict).all.slice(0, mostCauses)
  const facts: readonly RunFact[] = [
    ['notice', target.embedded ? embeddedNotice : null],
    ['verdict', `${headlineWord(verdict)} (exit ${verdict.exitCode})`],
    ['causes', causes.length === 0 ? null : countsOf(causes, verdict)],
    ...numbered.map(({ title, sentence }) => [title, sentence] as const),
    ...runFacts(verdict),
    ['requests', `${requests.sent} of ${requests.budget}`],
    ['suite version', verdict.suite.version],
    ['started', verdict.startedAt],
    ['not covered', verdict.notCovered.join('; ')],
  ]
  return Object.fromEntries(
    facts.flatMap(([name, value]) =>
      value === null ? [] : [[renamed[name] ?? name, printable(`${value}`)]],
    ),
  )
}

/** Categories for everything that did not simply pass: by cause, then by kind. Some versions match whole messages, hence the ends. */
export function allureCategories(verdict: Verdict): readonly Category[] {
  const causes = numberedCauses(verdict)
    .all.slice(0, mostCauses)
    .map(({ title, name, warning }): Category => ({
      name: capitalised(name),
      matchedStatuses: warning ? ['passed'] : ['failed', 'passed'],
      messageRegex: String.raw`^(?:violation|warned|error): (?:cause [^\n]*\n)*${title}: [\s\S]*`,
    }))
  return [
    ...causes,
    category('Violations', ['failed'], 'violation'),
    category('Warnings', ['passed'], 'warned'),
    category('Not judged', ['broken', 'skipped'], 'inconclusive|untested|incomplete'),
    category('Waived', ['skipped'], 'waived|waivers'),
    category('Errors of the suite or its files', ['failed', 'broken'], 'error'),
  ]
}

function category(name: string, matchedStatuses: Status[], words: string): Category {
  return { name, matchedStatuses, messageRegex: String.raw`^(?:${words}): [\s\S]*` }
}

/** The build that ran the suite, from the variables of GitHub, GitLab or Jenkins; otherwise null. */
export function allureExecutor(env: Readonly<Record<string, string | undefined>>): sdk.ExecutorInfo | null {
  if (env['GITHUB_ACTIONS'] === 'true') {
    const { GITHUB_SERVER_URL: server = '', GITHUB_REPOSITORY: repository = '' } = env
    const { GITHUB_RUN_ID: run = '', GITHUB_RUN_NUMBER: number = '', GITHUB_WORKFLOW: build = '' } = env
    const url = `${server}/${repository}/actions/runs/${run}`
    return executor({ type: 'github', name: 'GitHub Actions', build, number, url })
  }
  if (env['GITLAB_CI'] === 'true') {
    const { CI_JOB_NAME: build = '', CI_PIPELINE_IID: number = '', CI_JOB_URL: url = '' } = env
    return executor({ type: 'gitlab', name: 'GitLab CI', build, number, url })
  }
  if ((env['JENKINS_URL'] ?? '') !== '') {
    const { JOB_NAME: build = '', BUILD_NUMBER: number = '', BUILD_URL: url = '' } = env
    return executor({ type: 'jenkins', name: 'Jenkins', build, number, url })
  }
  return null
}

type Build = Readonly<Record<'type' | 'name' | 'build' | 'number' | 'url', string>>

function executor({ type, name, build, number, url }: Build): sdk.ExecutorInfo {
  const buildName = [build, number === '' ? '' : `#${number}`].filter((part) => part !== '').join(' ')
  return {
    type,
    name,
    ...(buildName === '' ? {} : { buildName: printable(buildName) }),
    ...(/^\d{1,15}$/.test(number) ? { buildOrder: Number(number) } : {}),
    ...(isPlainAddress(url) ? { buildUrl: new URL(url).href } : {}),
  }
}

/** Whether an address is safe to link to: of the web, without credentials. */
function isPlainAddress(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, username, password } = new URL(text)
  return /^https?:$/.test(protocol) && username === '' && password === ''
}
