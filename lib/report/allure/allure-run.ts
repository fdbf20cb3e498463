import type * as allure from 'allure-js-commons'
import type * as sdk from 'allure-js-commons/sdk'
import type { Finding } from '../../judge/record.ts'
import { beginning, printable } from '../../text/printable.ts'
import { groupBy, capitalised, plural } from '../../text/counts.ts'
import { runFacts, type RunFact } from '../model/headline.ts'
import type { View } from '../view.ts'

/** An Allure type with strings instead of enums, because importing the enums loads thirty files. */
export type Plain<Type> = Type extends string
  ? `${Type}`
  : Type extends object
    ? { [Key in keyof Type]: Plain<Type[Key]> }
    : Type

export type Status = `${allure.Status}`

type Category = Plain<sdk.Category>

/** Maximum number of causes that get a category. */
const mostCauses = 20
const longestSentence = 400

/** Returns a function that names the causes of a finding in a rule, as in `cause 1: A request without x-api-key: …`. */
export function causeNames(view: View): (rule: string, finding: Finding) => readonly string[] {
  const names = view.of.causes.map((_, place) => nameOf(view, place))
  const byCase = groupBy(
    view.of.causes.flatMap(({ cases, rules }, place) => cases.map((name) => ({ name, rules, place }))),
    ({ name }) => name,
  )
  return (rule, finding) => {
    const met = (byCase.get(finding.case) ?? []).filter(({ rules }) => rules.some((id) => id === rule))
    return [...new Set(met.map(({ place }) => names[place] ?? ''))]
  }
}

function nameOf({ causes }: View, place: number): string {
  return `cause ${place + 1}: ${printable(beginning(causes[place]?.sentence ?? '', longestSentence))}`
}

const renamed: Readonly<Record<string, string>> = {
  caFiles: 'certificate authorities',
  certFile: 'client certificate',
  fuzzCases: 'fuzz cases',
}

/** Allure's environment: the verdict and its causes, the target, and how the target was judged. */
export function allureEnvironment(view: View): sdk.EnvironmentInfo {
  const { of, notice, word } = view
  const named = of.causes.slice(0, mostCauses).map((_, place) => nameOf(view, place).split(/: (.*)/s))
  const facts: readonly RunFact[] = [
    ['notice', notice],
    ['verdict', `${word} (exit ${of.exitCode})`],
    ['causes', of.causes.length === 0 ? null : plural(of.causes.length, 'cause')],
    ...named.map(([title = '', sentence = '']) => [title, sentence] as const),
    ...runFacts(of),
    ['requests', `${of.requests.sent} of ${of.requests.budget}`],
    ['suite version', of.suite.version],
    ['started', of.startedAt],
    ['not covered', of.notCovered.join('; ')],
  ]
  return Object.fromEntries(
    facts.flatMap(([name, value]) =>
      value === null ? [] : [[renamed[name] ?? name, printable(`${value}`)]],
    ),
  )
}

/**
 * Categories for every result that is not a plain pass, by cause and then by kind. Some versions of Allure match whole messages,
 * hence the trailing wildcard.
 */
export function allureCategories(view: View): readonly Category[] {
  const causes = view.of.causes.slice(0, mostCauses).map(({ warning }, place): Category => ({
    name: capitalised(nameOf(view, place)),
    matchedStatuses: warning ? ['passed'] : ['failed', 'passed'],
    messageRegex: String.raw`^(?:violation|warned|error): (?:cause [^\n]*\n)*cause ${place + 1}: [\s\S]*`,
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

/** The build that ran the suite, from variables set by GitHub, GitLab or Jenkins; otherwise null. */
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

/** Whether a URL is safe to link to, that is, http or https without credentials. */
function isPlainAddress(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, username, password } = new URL(text)
  return /^https?:$/.test(protocol) && username === '' && password === ''
}
