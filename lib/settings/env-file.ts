import { lstat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { Collected, issue, parsed, type Parsed } from './issue.ts'
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
  /** Excludes misread settings. */
  readonly variables: Variables
  /** Raw values of misread settings; empty for a setting that is part of another value. */
  readonly misread: Variables
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
  const nothing = { path, pipeline: null, variables: {}, misread: {} }
  if (named === null) {
    const isThere = (await lstat(path).catch(() => null)) !== null
    if (!isThere) return parsed({ ...nothing, state: 'missing' })
    // A pull request could add a .env that points the pipeline at another target.
    const pipeline = pipelineOf(env)
    if (pipeline !== null) return parsed({ ...nothing, state: 'left-out', pipeline })
  }
  const { text, why } = await readTextFile(path, sizeLimits.lines)
  // The env parser searches for a setting from each empty line, so a hundred thousand empty lines would take a minute.
  if (text?.split(/\S+/).every((gap) => gap.length <= longestGap) === true) {
    const { value, issues } = await parseEnv(text, named ?? '.env')
    return { value: { ...nothing, ...value, state: 'read' }, issues }
  }

  const whyNot = why ?? `a file with more than ${longestGap} white-space characters in a row`
  const unread = issue(named === null ? '.env' : '--settings-file', {
    given: named?.trim() === '' ? 'an empty value' : `${named ?? '.env'} (${whyNot})`,
    expected: 'a readable text file (UTF-8) with lines such as TARGET_VERSION=1',
    hint:
      named === null ? 'settings are read from .env in the working folder; rename that file or folder' : null,
  })
  return parsed({ ...nothing, state: 'unreadable' }, unread)
}

const longestGap = 1_000

/** Parses an env file as dotenv does. Our settings that dotenv would misread become issues. */
export async function parseEnv(
  text: string,
  file: string,
): Promise<Parsed<Pick<EnvFile, 'variables' | 'misread'>>> {
  const { parse } = await import('dotenv')
  const read: Variables = parse(text)
  const lines = text.split(/\r\n?|\n/)
  const found = Object.entries(read)
    .filter(([name]) => settingNamed(name) !== null || secretOfFile(name) !== null)
    .flatMap(([name, value]) => {
      const at = lines.findLastIndex((line) => assignmentIn(line)?.name === name)
      // Without a closing quote, dotenv keeps the quote in the value, or reads on to a quote on a later line.
      const swallowed = value
        .split('\n')
        .slice(1)
        .map((line) => assignmentIn(line)?.name ?? '')
      const others = swallowed.filter((setting) => settingNamed(setting) !== null)
      const isOpen = others.length > 0 || (/^['"`]/.test(value) && !value.includes(value.charAt(0), 1))
      const wrong = isOpen ? openQuote(others) : isCutShort(value, lines[at] ?? '') ? cutShort : null
      if (wrong === null) return []
      return [
        {
          names: [name, ...others],
          issue: issue(name, { ...wrong, given: `${wrong.given}, in line ${at + 1} of ${file}` }),
        },
      ]
    })
  // In a value with an unclosed quote, the secret follows the quote.
  const misread = Object.fromEntries(
    found.flatMap(({ names }) => names.map((name) => [name, (read[name] ?? '').replace(/^['"`]/, '')])),
  )
  const variables = Object.fromEntries(Object.entries(read).filter(([name]) => !Object.hasOwn(misread, name)))
  return { value: { variables, misread }, issues: found.map((entry) => entry.issue) }
}

function openQuote(others: readonly string[]) {
  return {
    given: 'an unclosed quote',
    expected: 'the same quote at both ends of the value, or no quotes',
    hint:
      others.length === 0
        ? 'put a value that contains a quote between quotes of another kind: ", \' or `'
        : `its value would include the settings in the lines after it: ${others.join(', ')}`,
  }
}

const cutShort = {
  given: 'an unquoted value with a #',
  expected: 'in an env file, quotes around a value with a #, or white space before a comment',
  hint: 'without quotes, the value ends before the #',
}

/** An unquoted # starts a comment, even inside a key or an address. */
function isCutShort(value: string, line: string): boolean {
  const [before = '', ...after] = (assignmentIn(line)?.rest ?? '').split('#')
  return after.length > 0 && value !== '' && before === value
}

function assignmentIn(line: string): { readonly name: string; readonly rest: string } | null {
  const [, name, rest = ''] = /^\s*(?:export\s+)?([\w.-]+)(?:\s*=|:\s)\s*(.*)$/.exec(line) ?? []
  return name === undefined ? null : { name, rest }
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
