import type { Category, EnvironmentInfo, ExecutorInfo } from 'allure-js-commons/sdk'
import { Status } from 'allure-js-commons'
import { embeddedNotice } from './embedded-notice.ts'
import { askedAddress, headlineWord } from './headline.ts'
import { printable } from '../settings/printable.ts'
import type { Verdict } from '../verdict/verdict.ts'

/** What Allure shows beside the results: the target, and how it was judged. Null in a verdict means nothing to show. */
export function allureEnvironment(verdict: Verdict): EnvironmentInfo {
  const { target, connection, selection, requests } = verdict
  const facts: readonly (readonly [string, string | number | boolean | null])[] = [
    ['notice', target.embedded ? embeddedNotice : null],
    ['verdict', `${headlineWord(verdict)} (exit ${verdict.exitCode})`],
    ['target', target.baseUrl ?? 'none'],
    ['asked', askedAddress(target)],
    ['label', target.label],
    ['proxy', connection?.proxy ?? null],
    [
      'certificate authorities',
      connection === undefined || connection.caFiles.length === 0 ? null : connection.caFiles.join(', '),
    ],
    ['version', target.version],
    ['profile', verdict.profile],
    ['strict', verdict.strict],
    ['seed', verdict.seed],
    ['fuzz cases', verdict.fuzzCases],
    ['only', selection.only?.join(',') ?? null],
    ['requests', `${requests.sent} of ${requests.budget}`],
    ['suite version', verdict.suite.version],
    ['started', verdict.startedAt],
    ['not covered', verdict.notCovered.join('; ')],
  ]
  return Object.fromEntries(
    facts.flatMap(([name, value]) => (value === null ? [] : [[name, printable(`${value}`)]])),
  )
}

/** By what Allure sorts what is not simply passed. Some versions match a whole message, hence the ends. */
export function allureCategories(): Category[] {
  return [
    category('Violations', [Status.FAILED], 'violation'),
    category('Warnings', [Status.PASSED], 'warned'),
    category('Not judged', [Status.BROKEN, Status.SKIPPED], 'inconclusive|untested|incomplete'),
    category('Waived', [Status.SKIPPED], 'waived|waivers'),
    category('Errors of the suite or its files', [Status.FAILED, Status.BROKEN], 'error'),
  ]
}

function category(name: string, matchedStatuses: Status[], words: string): Category {
  return { name, matchedStatuses, messageRegex: String.raw`^(?:${words}): [\s\S]*` }
}

type Variables = Readonly<Record<string, string | undefined>>

/** The build that ran the suite, by the variables of GitHub, GitLab or Jenkins; null elsewhere. */
export function allureExecutor(env: Variables): ExecutorInfo | null {
  if (env['GITHUB_ACTIONS'] === 'true') {
    const { GITHUB_SERVER_URL: server = '', GITHUB_REPOSITORY: repository = '' } = env
    const { GITHUB_RUN_ID: run = '', GITHUB_RUN_NUMBER: number, GITHUB_WORKFLOW: name } = env
    return executor('github', 'GitHub Actions', {
      name,
      number,
      url: `${server}/${repository}/actions/runs/${run}`,
    })
  }
  if (env['GITLAB_CI'] === 'true') {
    const { CI_JOB_NAME: name, CI_PIPELINE_IID: number, CI_JOB_URL: url } = env
    return executor('gitlab', 'GitLab CI', { name, number, url })
  }
  if ((env['JENKINS_URL'] ?? '') !== '') {
    const { JOB_NAME: name, BUILD_NUMBER: number, BUILD_URL: url } = env
    return executor('jenkins', 'Jenkins', { name, number, url })
  }
  return null
}

interface Build {
  readonly name: string | undefined
  readonly number: string | undefined
  readonly url: string | undefined
}

function executor(type: string, name: string, build: Build): ExecutorInfo {
  const { number = '', url = '' } = build
  const buildName = [build.name ?? '', number === '' ? '' : `#${number}`]
    .filter((part) => part !== '')
    .join(' ')
  return {
    type,
    name,
    ...(buildName === '' ? {} : { buildName: printable(buildName) }),
    ...(/^\d{1,15}$/.test(number) ? { buildOrder: Number(number) } : {}),
    ...(isPlainAddress(url) ? { buildUrl: new URL(url).href } : {}),
  }
}

/** An address that may be linked to: of the web, and without credentials. */
function isPlainAddress(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, username, password } = new URL(text)
  return /^https?:$/.test(protocol) && username === '' && password === ''
}
