import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { passwordsIn, secretsIn } from './connection-settings.ts'
import { didYouMean, issue, parsed, type Parsed, type SettingIssue } from './issue.ts'
import { shardsIn } from './no-shards.ts'
import { fileVariable, withSecretFiles } from './secret-files.ts'
import {
  readInto,
  settingMeantBy,
  settingNamed,
  settingTable,
  type Checked,
  type Setting,
  type Texts,
} from './setting-table.ts'
import { readTextFile, sizeLimits, type TextFile } from './user-file.ts'

/** Sources of the settings. */
export interface SettingsInput {
  readonly env: Variables
  /** By setting name; `true` for a flag without an argument. */
  readonly flags: Readonly<Record<string, string>>
  /** File of `--env-file`; null reads `.env`, if there is one. */
  readonly envFile: string | null
  /** Base of relative paths. */
  readonly cwd: string
  readonly now: Date
}

type Variables = Readonly<Record<string, string | undefined>>

/** All given settings, before checks. */
export interface Sources {
  /** Never empty, except a base URL from an empty flag. */
  readonly texts: Texts
  /** False if the env file or the file of a secret could not be read: then nothing may be reported as missing. */
  readonly complete: boolean
  readonly envFile: EnvFile
  readonly fileTexts: Texts
  /** Every secret in any source, used or not, so that none is printed. */
  readonly secrets: readonly string[]
  /** Secrets that give access: all but a proxy's user name. */
  readonly credentials: readonly string[]
  readonly issues: readonly SettingIssue[]
}

/** An env file and its variables. */
interface EnvFile {
  /** Absolute. */
  readonly path: string
  /** `left-out`: exists, but a pipeline reads only a named file. */
  readonly state: 'read' | 'missing' | 'unreadable' | 'left-out'
  readonly variables: Readonly<Record<string, string>>
}

/** Reads the settings from flags, environment and env file; the first one given wins. */
export async function readSources(input: SettingsInput): Promise<Sources> {
  const { flags } = input
  const { value: envFile, issues } = await readEnvFile(input)
  const read = await Promise.all(
    [input.env, envFile.variables].map((source) => withSecretFiles(source, input.cwd)),
  )
  const named = read.map(({ value }) => value)
  const unread = read.flatMap((one) => one.issues)
  const sources = [flagsOf(flags), ...named]

  // An empty --base-url "$STAGING" must not fall back to another address.
  const isEmptyAddress = flags['TARGET_BASE_URL']?.trim() === ''

  return {
    texts: { ...textsOf(sources), ...(isEmptyAddress ? { TARGET_BASE_URL: '' } : {}) },
    fileTexts: textsOf([envFile.variables]),
    complete: envFile.state !== 'unreadable' && unread.length === 0,
    envFile,
    secrets: sources.flatMap((source) => secretsOfSource(source, secretsIn)),
    credentials: sources.flatMap((source) => secretsOfSource(source, passwordsIn)),
    issues: [
      ...issues,
      ...unread,
      ...(named.some((source) => source[tlsSwitch]?.trim() === '0') ? [unverified] : []),
      ...shardsIn(named),
      ...misspelt(named),
    ],
  }
}

/** Notices about an env file that was not read; `instead` says what to do. */
export function envFileNotices({ state }: Pick<EnvFile, 'state'>, instead: string): readonly string[] {
  return state === 'left-out'
    ? [`CI is set, so .env in this folder is not read, since a pull request could change it; ${instead}`]
    : []
}

/** Names the places searched for settings, for users who gave one elsewhere. */
export function placesSearched({ envFile }: Pick<Sources, 'envFile'>): string {
  return `looked for among the flags, in the environment and in ${envFile.path} (${stateWords[envFile.state]})`
}

const stateWords: Readonly<Record<EnvFile['state'], string>> = {
  read: 'a file that exists',
  missing: 'a file that does not exist',
  unreadable: 'a file that cannot be read',
  'left-out': 'a file that exists, and is not read since CI is set: --env-file .env reads it',
}

/** Reads the file of `--env-file`, or `.env` in the working folder. */
async function readEnvFile({ envFile: named, cwd, env }: SettingsInput): Promise<Parsed<EnvFile>> {
  const path = resolve(cwd, named ?? '.env')
  const withoutLines = (state: EnvFile['state']): EnvFile => ({ path, state, variables: {} })
  // A pull request could add a .env that points the pipeline elsewhere.
  if (named === null && isPipeline(env)) {
    const isThere = await stat(path).then(
      () => true,
      () => false,
    )
    return parsed(withoutLines(isThere ? 'left-out' : 'missing'))
  }
  const file = withoutGaps(await readTextFile(path, sizeLimits.lines))
  if (file.kind === 'text') {
    const { parse } = await import('dotenv')
    const value = { path, state: 'read', variables: parse(file.text) } as const
    return { value, issues: cutShort(file.text) }
  }
  if (file.kind === 'missing' && named === null) return parsed(withoutLines('missing'))

  const unread = issue(named === null ? '.env' : '--env-file', {
    given: `${named ?? '.env'} (${file.why})`,
    expected: 'a readable text file (UTF-8) with lines such as TARGET_VERSION=1',
    hint: named === null ? 'settings are read from .env in the working folder; rename what is there' : null,
  })
  return parsed(withoutLines('unreadable'), unread)
}

function isPipeline(env: Variables): boolean {
  return !['', 'false', '0'].includes(env['CI']?.trim().toLowerCase() ?? '')
}

/** The env parser searches for a setting from each empty line: a hundred thousand of them would take a minute. */
function withoutGaps(file: TextFile): TextFile {
  const hasGap = file.kind === 'text' && file.text.split(/\S+/).some((gap) => gap.length > longestGap)
  const why = `a file with more than ${longestGap} white-space characters in a row, so it is no env file`
  return hasGap ? { kind: 'unreadable', why } : file
}

const longestGap = 1_000

// An unquoted value with a # directly after another character.
const unquotedHash = /^\s*(?:export\s+)?([A-Za-z_]\w*)\s*=[^\S\r\n]*[^\s'"`#][^\r\n#]*(?<=[^\s#])#/gm

/** Settings that dotenv would cut: an unquoted # begins a comment, even inside a key or an address. */
function cutShort(text: string): readonly SettingIssue[] {
  const expected = 'in an env file, quotes around a value that holds a #, or white space before a comment'
  return [...text.matchAll(unquotedHash)]
    .flatMap(([, name]) => settingNamed(name ?? '') ?? [])
    .map(({ name }) => {
      const hint = `without quotes everything from the # on is dropped; write ${name}='…'`
      return issue(name, { expected, hint })
    })
}

const tlsSwitch = 'NODE_TLS_REJECT_UNAUTHORIZED'

/** Without verification, anybody on the way could pose as the target and read the credentials. */
const unverified = issue(tlsSwitch, {
  given: '0',
  expected: 'not set: certificates are verified, so that no other service is judged or sees the credentials',
  hint: 'name the file of a private certificate authority in RUN_CA_FILE (--ca-file)',
})

/** Issues for misspelt names with a value in any source; the value is not used. */
function misspelt(sources: readonly Variables[]): readonly SettingIssue[] {
  const names = sources.flatMap((source) =>
    Object.keys(source).filter((name) => holdsSomething(source[name])),
  )
  const expected = 'the name of a setting; there is none of this name, so its value would be ignored'
  return [...new Set(names)].flatMap((name) => {
    const hint = didYouMean(meantBy(name))
    return hint === null ? [] : [issue(name, { expected, hint })]
  })
}

/** The setting, or the variable for the file of a secret, that a misspelt name probably means. */
function meantBy(name: string): string | null {
  const secret = /^(.+)_FILE$/i.exec(name)?.[1]
  const meant = secret === undefined ? null : settingMeantBy(secret)
  const isSecret = meant !== null && settingNamed(meant)?.secret === true
  return isSecret ? fileVariable(meant) : settingMeantBy(name)
}

/** Flags of settings that have one; a secret never comes from the command line. */
function flagsOf(flags: Variables): Variables {
  return Object.fromEntries(Object.entries(flags).filter(([name]) => settingNamed(name)?.flag !== null))
}

function textsOf(sources: readonly Variables[]): Texts {
  return Object.fromEntries(
    settingTable.flatMap((setting) => {
      const text = textOf(setting, sources)
      return text === null ? [] : [[setting.name, text] as const]
    }),
  )
}

function textOf({ name, kind }: Setting, sources: readonly Variables[]): string | null {
  const names = name === 'HTTPS_PROXY' || name === 'NO_PROXY' ? [name, name.toLowerCase()] : [name]
  const text = sources.flatMap((source) => names.map((one) => source[one])).find(holdsSomething)
  if (text === undefined) return null
  return untouched.has(kind) ? text : text.trim()
}

// Settings in which surrounding white space is part of the value, or its own issue.
const untouched: ReadonlySet<Setting['kind']> = new Set(['credential', 'query', 'endpoint', 'path', 'text'])

function holdsSomething(text: string | undefined): text is string {
  return text !== undefined && text.trim() !== ''
}

/** Secrets of a source, also under misspelt names. */
function secretsOfSource(source: Variables, inProxy: typeof secretsIn): readonly string[] {
  return Object.entries(source).flatMap(([name, text]) => {
    if (text === undefined) return []
    const meant = settingMeantBy(name) ?? name.replace(/^https_proxy$/, 'HTTPS_PROXY')
    const kind = settingNamed(meant)?.kind
    return kind === 'credential' ? [text] : kind === 'proxy' ? inProxy(text) : []
  })
}

/** Checks every text by its table entry and leaves out invalid ones. */
export function checkTexts(texts: Texts): Parsed<Checked> {
  const value: { -readonly [Name in keyof Checked]: Checked[Name] } = {}
  const issues = settingTable.flatMap(({ name, expected, meant }) => {
    const given = texts[name]
    if (given === undefined || readInto(value, name, given)) return []
    return [issue(name, { given, expected, hint: didYouMean(meant?.(given) ?? null) })]
  })
  return { value, issues }
}
