import { parseBaseUrl } from '../../settings/base-url.ts'
import { credentialIssues } from '../../settings/read-clients.ts'
import { credentialSearch, exposedCredentials, hideSecrets } from '../../settings/hide-secrets.ts'
import { didYouMean, issue, type SettingIssue } from '../../settings/issue.ts'
import { meant } from '../../text/nearest.ts'
import { settingNamed, settingTable, type SettingName, type Texts } from '../../settings/setting-table.ts'
import { checkTexts, credentialsOfSource } from '../../settings/sources.ts'
import type { Console } from './console.ts'
import { isWritable } from './env-text.ts'
import type { Question } from './questions.ts'

/** The flags of `init`. Credentials have none: they come from the environment. */
export interface InitFlags {
  readonly baseUrl?: string
  readonly label?: string
  readonly profile?: string
  readonly ci?: string
}

/** Pipelines that `init` writes a file for: their file in docs/ci, and where it belongs. */
export const pipelines: Readonly<Record<string, { readonly from: string; readonly to: string }>> = {
  github: { from: 'github-gate.yml', to: '.github/workflows/conformance.yml' },
  gitlab: { from: 'gitlab-ci.yml', to: '.gitlab-ci.yml' },
  jenkins: { from: 'Jenkinsfile', to: 'Jenkinsfile' },
}

/** What init writes into its files. */
interface Answers {
  readonly texts: Texts
  /** Empty for no pipeline. */
  readonly ci: string
}

/** Settings that flags and environment give; empty ones are left out. */
export function givenTexts({ baseUrl, label, profile }: InitFlags, env: Console['env']): Texts {
  const known = (name: SettingName, flag?: string) => [name, flag ?? env[name]?.trim() ?? '']
  const texts = [
    known('TARGET_BASE_URL', baseUrl),
    known('TARGET_LABEL', label),
    known('RUN_PROFILE', profile),
  ].filter(([, text]) => text !== '')
  return { ...credentialsIn(env), ...Object.fromEntries(texts) }
}

/** Asks for what was not given; no answer leaves a setting empty. Null if the user left. */
export async function askBesides(given: Texts, flags: InitFlags, console: Console): Promise<Answers | null> {
  const isGiven = ({ name, flag }: SettingQuestion): boolean =>
    given[name] !== undefined || (flag !== null && flags[flag] !== undefined)
  const open = settingQuestions.filter((one) => !isGiven(one))
  if (open.length === 0 && flags.ci !== undefined) return { texts: given, ci: flags.ci }

  const { terminalQuestions } = await import('./questions.ts')
  const { ask, end } = terminalQuestions()
  try {
    console.out(`${introduction}\n`)
    let texts = given
    for (const { name, text } of open) {
      const hidden = settingNamed(name)?.secret === true
      const answer = await ask({ text, hidden, wrong: (typed) => wrongIn(name, typed) })
      if (answer === null) return null
      if (answer !== '') texts = { ...texts, [name]: answer }
    }
    const ci = flags.ci ?? (await ask(pipelineQuestion))
    return ci === null ? null : { texts, ci }
  } finally {
    end()
  }
}

const introduction =
  'Enter alone leaves a setting empty, to be filled in later. Ctrl-C ends, and writes nothing.\n'

interface SettingQuestion {
  readonly name: SettingName
  readonly flag: 'baseUrl' | 'label' | 'profile' | null
  readonly text: string
}

const settingQuestions: readonly SettingQuestion[] = [
  { name: 'TARGET_BASE_URL', flag: 'baseUrl', text: 'Address of the service:' },
  { name: 'TARGET_LABEL', flag: 'label', text: 'What is judged, the same every day (vendor, environment):' },
  { name: 'TARGET_API_KEY', flag: null, text: 'API key of a permitted client (not shown):' },
  { name: 'TARGET_SECRET_KEY', flag: null, text: 'Its secret key (not shown):' },
  { name: 'RUN_PROFILE', flag: 'profile', text: 'Profile (gate, acceptance or nightly) [gate]:' },
]

/** Settings that `init` asks for. */
export const askedSettings = settingQuestions.map(({ name }) => name)

const pipelineNames = Object.keys(pipelines)

const pipelineQuestion: Question = {
  text: `Pipeline to write a file for (${pipelineNames.join(', ')}) [none]:`,
  hidden: false,
  wrong: (answer) => {
    const expected = `one of ${pipelineNames.join(', ')}, or nothing`
    const hint = didYouMean(meant(answer, pipelineNames))
    return answer === '' || pipelineNames.includes(answer) ? [] : linesOf({ expected, hint })
  },
}

/** Lines on what is wrong with an answer. */
function wrongIn(name: SettingName, answer: string): readonly string[] {
  return answer === '' ? [] : issuesOf({ [name]: answer }).flatMap(linesOf)
}

function linesOf({ expected, hint }: Pick<SettingIssue, 'expected' | 'hint'>): readonly string[] {
  return [`expected  ${expected}`, ...(hint === null ? [] : [`hint      ${hint}`])]
}

function credentialsIn(env: Console['env']): Texts {
  const found = settingTable
    .filter(({ kind }) => kind === 'credential')
    .map(({ name }) => [name, env[name] ?? ''])
  return Object.fromEntries(found.filter(([, text]) => text?.trim() !== ''))
}

/** Issues of settings that init would write; none shows a secret. */
export function issuesOf(texts: Texts): readonly SettingIssue[] {
  const { TARGET_BASE_URL: address = 'embedded' } = texts
  const ofAddress = address === 'embedded' ? [] : parseBaseUrl(address).issues
  const given = settingTable.flatMap(({ name, kind }) => {
    const text = texts[name]
    return text === undefined ? [] : [{ name, text, isCredential: kind === 'credential' }]
  })
  const credentials = given.filter(({ isCredential }) => isCredential)
  const ofCredentials = credentials.flatMap(({ name, text }) => credentialIssues(name, text))
  const unwritable = given
    .filter(({ text }) => !isWritable(text))
    .map(({ name, text }) => issue(name, { given: text, expected: writable }))
  const search = credentialSearch(credentialsOfSource(texts))
  const leaks = exposedCredentials(texts, search)
  const issues = [...ofAddress, ...checkTexts(texts).issues, ...ofCredentials, ...unwritable, ...leaks]
  return hideSecrets(issues, search, texts)
}

const writable = 'a value that an env file can hold: not all three kinds of quotes, and a # besides'
