import { lstat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { Collected, issue, parsed, type Parsed, type SettingIssue } from './issue.ts'
import { pipelineOf } from './pipeline.ts'
import { settingNamed, settingTable, type SettingName } from './setting-table.ts'
import { readTextFile, sizeLimits } from './user-file.ts'

/** An env file and its variables. */
export interface EnvFile {
  /** Absolute. */
  readonly path: string
  /** `left-out` means that the file exists, but a pipeline reads only a file that the user named. */
  readonly state: 'read' | 'missing' | 'unreadable' | 'left-out'
  /** Evidence that this is a pipeline; null unless the file is left out. */
  readonly pipeline: string | null
  readonly variables: Variables
}

type Variables = Readonly<Record<string, string>>
type GivenVariables = Readonly<Record<string, string | undefined>>

interface Wanted {
  /** The file given with `--settings-file`; null means `.env`, if it exists. */
  readonly envFile: string | null
  readonly cwd: string
  readonly env: GivenVariables
}

/** Reads the file given with `--settings-file`, or `.env` in the working folder. */
export async function readEnvFile({ envFile: named, cwd, env }: Wanted): Promise<Parsed<EnvFile>> {
  const path = resolve(cwd, named ?? '.env')
  const nothing = { path, pipeline: null, variables: {} }
  if (named === null) {
    const isThere = (await lstat(path).catch(() => null)) !== null
    if (!isThere) return parsed({ ...nothing, state: 'missing' })
    // A pull request could add a .env that points the pipeline at another target.
    const pipeline = pipelineOf(env)
    if (pipeline !== null) return parsed({ ...nothing, state: 'left-out', pipeline })
  }
  const { text, why } = await readTextFile(path, sizeLimits.lines)
  if (text !== null) {
    const { parse } = await import('dotenv')
    const variables = parse(text)
    return { value: { ...nothing, variables, state: 'read' }, issues: misreadIn(text, variables) }
  }
  const unread = issue(named === null ? '.env' : '--settings-file', {
    given: named?.trim() === '' ? 'an empty value' : `${named ?? '.env'} (${why})`,
    expected: 'a readable text file (UTF-8) with lines such as TARGET_VERSION=1',
    hint:
      named === null ? 'settings are read from .env in the working folder; rename that file or folder' : null,
  })
  return parsed({ ...nothing, state: 'unreadable' }, unread)
}

/** Our settings that dotenv misreads: it keeps an unclosed quote or reads on to a later one, and a # ends an unquoted value. */
function misreadIn(text: string, variables: Variables): readonly SettingIssue[] {
  const ours = Object.entries(variables).filter(([name]) => settingNamed(secretOfFile(name) ?? name) !== null)
  return ours.flatMap(([name, value]) => {
    const isOpen = /^(["'`])(?!.*\1)|\n\s*(?:export\s+)?(?:TARGET|FIXTURE|RUN)_\w+\s*[=:]/s.test(value)
    if (isOpen) return [issue(name, unclosed)]
    const lines = text.matchAll(new RegExp(`^[ \\t]*(?:export[ \\t]+)?${name}[ \\t]*[=:][ \\t]*(.*)$`, 'gm'))
    const isCut = value !== '' && [...lines].some(([, rest = '']) => rest.startsWith(`${value}#`))
    return isCut ? [issue(name, cutShort)] : []
  })
}

const unclosed = {
  given: 'a value with an unclosed quote, in an env file',
  expected: 'the same quote at both ends of the value, or no quotes',
}
const cutShort = {
  given: 'an unquoted value with a #, in an env file',
  expected: 'quotes around a value with a #, or white space before a comment',
}

const secretNames = settingTable.filter(({ secret }) => secret).map(({ name }) => name)

/** Name of the variable that points to a secret's file. */
export function fileVariable(name: SettingName): string {
  return `${name}_FILE`
}

/** The secret whose file a variable names, or null. */
export function secretOfFile(name: string): SettingName | null {
  return secretNames.find((secret) => fileVariable(secret) === name) ?? null
}

/**
 * Returns a source of settings with secrets read from files, as named by variables such as `TARGET_API_KEY_FILE`, because container
 * platforms mount secrets as files. Drops the line ending after a secret.
 */
export async function withSecretFiles(source: GivenVariables, cwd: string): Promise<Parsed<GivenVariables>> {
  const found = new Collected()
  const whole: Record<string, string | undefined> = { ...source }
  for (const name of secretNames) {
    const path = source[fileVariable(name)]?.trim() ?? ''
    if (path !== '') whole[name] = found.take(await readSecret(name, path, { source, cwd }))
  }
  return { value: whole, issues: found.issues }
}

async function readSecret(
  name: SettingName,
  path: string,
  { source, cwd }: { readonly source: GivenVariables; readonly cwd: string },
): Promise<Parsed<string | undefined>> {
  const mistake = (given: string, expected: string) =>
    parsed(source[name], issue(fileVariable(name), { given, expected }))
  if ((source[name] ?? '').trim() !== '') return mistake(path, `${name} or ${fileVariable(name)}, not both`)
  const { text, why } = await readTextFile(resolve(cwd, path), sizeLimits.lines)
  const value = text?.replace(/\r?\n$/, '') ?? ''
  if (value.trim() !== '') return parsed(value)
  return mistake(
    `${path} (${why ?? 'an empty file'})`,
    `a readable text file that contains only the value of ${name}`,
  )
}
