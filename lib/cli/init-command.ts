import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { packageFolder } from '../engine/package-version.ts'
import { parseBaseUrl } from '../settings/base-url.ts'
import { describeIssues, type SettingIssue } from '../settings/issue.ts'
import { errorText, printable } from '../settings/printable.ts'
import { settingNamed, settingTable, type Texts } from '../settings/setting-table.ts'
import { checkTexts } from '../settings/sources.ts'
import { readTextFile, sizeLimits } from '../settings/user-file.ts'
import { utcDay } from '../settings/waivers.ts'
import type { ExitCode } from '../verdict/verdict.ts'
import type { Console } from './console.ts'
import { envText } from './env-text.ts'
import { nextCommand, packageFile } from './next-command.ts'
import { providerRequest } from './provider-request.ts'
import { terminalQuestions, Unanswered, type Ask } from './questions.ts'

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

const waiversFile = 'conformance-waivers.json'
const endpointsFile = 'conformance-endpoints.json'
const ignored = ['.env', 'reports/']

/** Writes the files that a user begins with; never replaces one. Asks for what no flag and no variable gives, if it can. */
export async function initCommand(flags: InitFlags, console: Console): Promise<ExitCode> {
  const questions = console.canAsk ? terminalQuestions() : null
  try {
    const { texts, ci } = await answers(flags, console.env, questions?.ask ?? null)
    const issues = issuesOf(texts)
    if (issues.length > 0) {
      console.err(describeIssues(issues).replace('nothing was sent', 'nothing was written'))
      return 2
    }
    for (const line of await writeFiles(texts, ci, console)) console.out(`${printable(line)}\n`)
  } catch (error) {
    if (error instanceof Unanswered)
      console.err('nothing was written: the questions were left without an answer\n')
    else if (error instanceof InitError) console.err(`${printable(error.message)}\n`)
    else throw error
    return 2
  } finally {
    questions?.end()
  }
  console.out(`\nFill in what is empty in .env: ${printable(packageFile('docs/settings.md', console.cwd))} explains each setting,
and ${printable(packageFile('.env.example', console.cwd))} lists them all. Then check the settings and the connection:

  ${printable(nextCommand(['doctor'], console.cwd))}
`)
  return 0
}

/** What was not written, and why, in a sentence. */
class InitError extends Error {
  override readonly name = 'InitError'
}

interface Answers {
  readonly texts: Texts
  readonly ci: string | null
}

async function answers(flags: InitFlags, env: Console['env'], ask: Ask | null): Promise<Answers> {
  const known = (name: string, flag?: string): string => flag ?? env[name]?.trim() ?? ''
  const asked = async (name: string, flag: string | undefined, question: string): Promise<string> => {
    const given = known(name, flag)
    if (given !== '' || flag !== undefined || ask === null) return given
    return ask(question, { hidden: settingNamed(name)?.secret === true })
  }
  const texts = {
    ...credentialsIn(env),
    TARGET_BASE_URL: await asked('TARGET_BASE_URL', flags.baseUrl, 'Address of the service: '),
    TARGET_LABEL: await asked(
      'TARGET_LABEL',
      flags.label,
      'What is judged (vendor, build), for the reports: ',
    ),
    TARGET_API_KEY: await asked('TARGET_API_KEY', undefined, 'API key of a permitted client (not shown): '),
    TARGET_SECRET_KEY: await asked('TARGET_SECRET_KEY', undefined, 'Its secret key (not shown): '),
    RUN_PROFILE: await asked('RUN_PROFILE', flags.profile, 'Profile (gate, acceptance or nightly) [gate]: '),
  }
  const names = Object.keys(pipelines).join(', ')
  const ci = flags.ci ?? (ask === null ? '' : await ask(`Pipeline to write a file for (${names}) [none]: `))
  if (ci !== '' && !Object.hasOwn(pipelines, ci)) {
    throw new InitError(`nothing was written: the pipeline is one of ${names}, and not ${JSON.stringify(ci)}`)
  }
  const given = Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== ''))
  return { texts: given, ci: ci === '' ? null : ci }
}

function credentialsIn(env: Console['env']): Texts {
  const found = settingTable
    .filter(({ kind }) => kind === 'credential')
    .map(({ name }) => [name, env[name] ?? ''])
  return Object.fromEntries(found.filter(([, text]) => text?.trim() !== ''))
}

function issuesOf(texts: Texts): readonly SettingIssue[] {
  const { TARGET_BASE_URL: address = 'embedded' } = texts
  const ofAddress = address === 'embedded' ? [] : parseBaseUrl(address).issues
  const others = checkTexts(texts).issues.map((one) =>
    settingNamed(one.setting)?.secret === true ? { ...one, given: 'a value that is not shown' } : one,
  )
  return [...ofAddress, ...others]
}

/** Writes each file that is not there, the list of ignored ones first, and tells what became of each. */
async function writeFiles(
  texts: Texts,
  ci: string | null,
  { cwd, now }: Console,
): Promise<readonly string[]> {
  const prepared = { TARGET_ENDPOINTS: endpointsFile, RUN_WAIVERS: waiversFile }
  const env = envText(await ofPackage('.env.example'), texts, prepared)
  if (env === null) {
    throw new InitError(
      'nothing was written: no env file can hold a value with all three kinds of quotes and a #',
    )
  }
  const request = { baseUrl: texts.TARGET_BASE_URL ?? null, label: texts.TARGET_LABEL ?? null }
  const lines = [
    await ignore(cwd),
    await written(cwd, '.env', env, 'your settings; only you may read it'),
    await written(
      cwd,
      waiversFile,
      exampleWaivers(now()),
      'an example of agreed exceptions; RUN_WAIVERS in .env makes it active',
    ),
    await written(
      cwd,
      endpointsFile,
      exampleEndpoints,
      'an example of further endpoints; TARGET_ENDPOINTS in .env makes it active',
    ),
    await written(
      cwd,
      'provider-request.md',
      providerRequest(request),
      'a text to send to the provider: it asks for clients with known behaviour',
    ),
  ]
  if (ci === null) return lines
  const { from, to } = pipelines[ci] ?? { from: '', to: '' }
  const about = `the pipeline; ${packageFile('docs/pipelines.md', cwd)} says what it needs`
  return [...lines, await written(cwd, to, await ofPackage(`docs/ci/${from}`), about)]
}

async function ofPackage(name: string): Promise<string> {
  return readFile(join(packageFolder(), name), 'utf8')
}

async function written(cwd: string, name: string, text: string, about: string): Promise<string> {
  const file = resolve(cwd, name)
  try {
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, text, { flag: 'wx', mode: name === '.env' ? 0o600 : 0o666 })
    if (name === '.env') await chmod(file, 0o600)
    return `wrote  ${name}: ${about}`
  } catch (error) {
    const { code, syscall }: { code?: unknown; syscall?: unknown } = Object(error)
    if (code === 'EEXIST' && syscall === 'open') return `left   ${name}: it is there already`
    throw notWritten(file, error)
  }
}

/** Adds what must not be checked in to `.gitignore`; changes nothing else there. */
async function ignore(cwd: string): Promise<string> {
  const file = resolve(cwd, '.gitignore')
  const read = await readTextFile(file, sizeLimits.lines)
  if (read.kind === 'unreadable') throw new InitError(`nothing was written: ${file} is ${read.why}`)
  const text = read.kind === 'text' ? read.text : ''
  const lines = text.split(/\r?\n/).map((line) => line.trim().replace(/^\//, ''))
  const missing = ignored.filter((name) => !lines.includes(name) && !lines.includes(name.replace(/\/$/, '')))
  if (missing.length === 0) return 'left   .gitignore: it names .env and reports/ already'
  const gap = text === '' || text.endsWith('\n') ? '' : '\n'
  try {
    await writeFile(file, `${gap}${missing.map((name) => `${name}\n`).join('')}`, { flag: 'a' })
  } catch (error) {
    throw notWritten(file, error)
  }
  return `${read.kind === 'text' ? 'added ' : 'wrote '} .gitignore: ${missing.join(' and ')}`
}

function notWritten(file: string, error: unknown): InitError {
  return new InitError(
    `${file} cannot be written: ${errorText(error)}; run init in a folder that you may write to. What was written before stays.`,
  )
}

function exampleWaivers(now: Date): string {
  const entry = {
    rule: 'conventions/json-content-type',
    reason: 'An example: say why this is accepted, and until when',
    owner: 'who answers for it',
    expires: utcDay(now, 30),
  }
  return `${JSON.stringify([entry], null, 2)}\n`
}

const exampleEndpoints = `${JSON.stringify(
  [
    {
      method: 'GET',
      path: '/api/customizations/list',
      versions: [1],
      success: { type: ['object', 'array'] },
    },
  ],
  null,
  2,
)}\n`
