import { constants } from 'node:fs'
import { chmod, lstat, mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { packageFolder } from '../../settings/package-version.ts'
import { describeIssues } from '../../settings/issue.ts'
import { errorText, printable } from '../../text/printable.ts'
import type { Texts } from '../../settings/setting-table.ts'
import { readTextFile, sizeLimits } from '../../settings/user-file.ts'
import type { ExitCode } from '../../verdict/verdict.ts'
import type { Console } from './console.ts'
import { envText } from './env-text.ts'
import { askBesides, askedSettings, givenTexts, issuesOf, pipelines, type InitFlags } from './init-answers.ts'
import { nextCommand, packageFile } from './next-command.ts'
import { providerRequest } from './provider-request.ts'

const ignored = ['.env', 'reports/']

/** Writes the files that a user begins with; never replaces one. Asks for what no flag and no variable gives, if it can. */
export async function initCommand(console: Console, flags: InitFlags): Promise<ExitCode> {
  try {
    const given = givenTexts(flags, console.env)
    const issues = issuesOf(given)
    if (issues.length > 0) {
      console.err(describeIssues(issues, 'nothing was written'))
      return 2
    }
    const answers = console.canAsk
      ? await askBesides(given, flags, console)
      : { texts: given, ci: flags.ci ?? '' }
    if (answers === null)
      throw new InitError('nothing was written: the questions were left without an answer')
    const { texts, ci } = answers
    for (const line of await writeFiles(texts, ci === '' ? null : ci, console))
      console.out(`${printable(line)}\n`)
    console.out(`\n${nextSteps(ci !== '', console.cwd)}`)
    return 0
  } catch (error) {
    if (!(error instanceof InitError)) throw error
    console.err(`${printable(error.message)}\n`)
    return 2
  }
}

function nextSteps(hasPipeline: boolean, cwd: string): string {
  const ofPipeline = `The pipeline does not read .env. Give it what it needs as variables and secrets: its file says which.

`
  return `${hasPipeline ? ofPipeline : ''}Fill in what is empty in .env: ${printable(packageFile('docs/settings.md', cwd))} explains each setting,
and ${printable(packageFile('.env.example', cwd))} lists them all. Then check the settings and the connection:

  ${printable(nextCommand(['doctor'], cwd))}
`
}

/** What was not written, and why, in a sentence. */
class InitError extends Error {
  override readonly name = 'InitError'
}

/** Writes each file that is not there, the list of ignored ones first, and tells what became of each. */
async function writeFiles(texts: Texts, ci: string | null, { cwd }: Console): Promise<readonly string[]> {
  const env = envText(texts, askedSettings, packageFile('.env.example', cwd))
  const request = { baseUrl: texts.TARGET_BASE_URL ?? null, label: texts.TARGET_LABEL ?? null }
  const { from, to } = pipelines[ci ?? ''] ?? { from: '', to: '.' }
  const names = ['.gitignore', '.env', 'provider-request.md', to]
  await refuseLinks(cwd, names)
  const lines = [await ignore(cwd)]
  const write = async (name: string, text: string, about: string): Promise<void> => {
    lines.push(await written(resolve(cwd, name), { name, text, about }))
  }
  await write('.env', env, 'your settings; only you may read it')
  await write('provider-request.md', await providerRequest(request), aboutRequest)
  const about = `the pipeline; ${packageFile('docs/pipelines.md', cwd)} says what it needs`
  if (ci !== null) await write(to, await ofPackage(`docs/ci/${from}`), about)
  return lines
}

const aboutRequest = 'a text to send to the provider: it asks for clients with known behaviour'

/** A link could lead a secret, or a line of ours, to any file of the user. */
async function refuseLinks(cwd: string, names: readonly string[]): Promise<void> {
  const folders = names.flatMap((name) => name.split('/').map((_, index, parts) => parts.slice(0, index + 1)))
  for (const name of new Set(folders.map((parts) => parts.join('/')))) {
    const stats = await lstat(resolve(cwd, name)).catch(() => null)
    if (stats?.isSymbolicLink() !== true) continue
    throw new InitError(
      `nothing was written: ${resolve(cwd, name)} is a symbolic link, and init follows none; remove it, or run init in another folder`,
    )
  }
}

async function ofPackage(name: string): Promise<string> {
  return readFile(join(packageFolder(), name), 'utf8')
}

async function written(
  file: string,
  { name, text, about }: Readonly<Record<'name' | 'text' | 'about', string>>,
): Promise<string> {
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

const { O_WRONLY, O_APPEND, O_CREAT, O_NOFOLLOW } = constants
/** As `a`, but through no link. Windows has no such flag. */
const appending = O_WRONLY | O_APPEND | O_CREAT | (O_NOFOLLOW ?? 0)

/** Adds what must not be checked in to `.gitignore`; changes nothing else there. */
async function ignore(cwd: string): Promise<string> {
  const file = resolve(cwd, '.gitignore')
  const read = await readTextFile(file, sizeLimits.lines)
  if (read.kind === 'unreadable') throw new InitError(`nothing was written: ${file} is ${read.why}`)
  const text = read.kind === 'text' ? read.text : ''
  // `/reports`, `**/reports/` and `reports/*` cover it as well.
  const bare = (line: string): string => line.trim().replaceAll(/^(?:\*\*)?\/|\/?\**$/g, '')
  const lines = new Set(text.split('\n').map(bare))
  const missing = ignored.filter((name) => !lines.has(bare(name)))
  if (missing.length === 0) return `left   .gitignore: it names ${listed(ignored)} already`
  const gap = text === '' || text.endsWith('\n') ? '' : '\n'
  try {
    await writeFile(file, `${gap}${missing.map((name) => `${name}\n`).join('')}`, { flag: appending })
  } catch (error) {
    throw notWritten(file, error)
  }
  return `${read.kind === 'text' ? 'added ' : 'wrote '} .gitignore: ${listed(missing)}`
}

function listed(names: readonly string[]): string {
  return [names.slice(0, -1).join(', '), ...names.slice(-1)].filter((part) => part !== '').join(' and ')
}

function notWritten(file: string, error: unknown): InitError {
  return new InitError(
    `${file} cannot be written: ${errorText(error)}; run init in a folder that you may write to. What was written before stays.`,
  )
}
