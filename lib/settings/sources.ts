import { Secret } from '../redact/secret.ts'
import { passwordsIn } from './connection-settings.ts'
import { readEnvFile, type EnvFile } from './env-file.ts'
import { didYouMean, issue, type Parsed, type SettingIssue } from './issue.ts'
import { fileVariable, secretOfFile, withSecretFiles } from './secret-files.ts'
import {
  readInto,
  settingMeantBy,
  settingNamed,
  settingTable,
  type Checked,
  type Setting,
  type Texts,
} from './setting-table.ts'
import { connectionSettings, type ConnectionSetting } from './settings.ts'

/** Sources of the settings. */
export interface SettingsInput {
  readonly env: Variables
  /** By setting name; `true` for a flag without an argument. */
  readonly flags: Readonly<Record<string, string>>
  /** File of `--settings-file`; null reads `.env`, if there is one. */
  readonly envFile: string | null
  /** Base of relative paths. */
  readonly cwd: string
  readonly now: Date
  /** Settings that a misspelt flag probably means, whose mistake is told with the command line; none by default. */
  readonly misread?: readonly string[]
}

type Variables = Readonly<Record<string, string | undefined>>

/** All given settings, before checks. */
export interface Sources {
  /** Never empty, except a base URL from an empty flag. */
  readonly texts: Texts
  /** False if the env file could not be read: then nothing may be reported as missing. */
  readonly complete: boolean
  /** Settings that were given, but not so that they could be read; an issue says so, and they are not missing. */
  readonly misread: ReadonlySet<string>
  /** Settings of which only white space was given. */
  readonly empty: ReadonlySet<string>
  readonly envFile: EnvFile
  readonly fileTexts: Texts
  /** What only a `.env` gives that nobody named. */
  readonly fromEnvFile: readonly ConnectionSetting[]
  /** Every credential in any source, used or not, so that none is printed; of a proxy the password. */
  readonly credentials: readonly Secret[]
  readonly issues: readonly SettingIssue[]
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
  const texts = { ...textsOf(sources), ...(isEmptyAddress ? { TARGET_BASE_URL: '' } : {}) }
  const wrongNames = misspelt(named)
  const misread = [
    ...Object.keys(envFile.misread),
    ...unread.map(({ setting }) => setting),
    ...wrongNames.map(({ meant }) => meant),
    ...(input.misread ?? []),
  ].map((name) => secretOfFile(name) ?? name)
  const others = textsOf(sources.slice(0, -1))
  const isUnnamed = input.envFile === null
  const fromEnvFile = connectionSettings.filter(
    (name) => isUnnamed && texts[name] !== undefined && others[name] === undefined,
  )
  const inClear = [...sources, envFile.misread, withoutQuotes(envFile.misread)]

  return {
    texts,
    fileTexts: textsOf([envFile.variables]),
    fromEnvFile,
    complete: envFile.state !== 'unreadable',
    misread: new Set(misread.filter((name) => !Object.hasOwn(texts, name))),
    empty: new Set(
      sources.flatMap((source) => Object.keys(source)).filter((name) => !Object.hasOwn(texts, name)),
    ),
    envFile,
    credentials: inClear.flatMap(credentialsOfSource),
    issues: [
      ...issues,
      ...unread,
      ...(named.some((source) => source[tlsSwitch]?.trim() === '0') ? [unverified] : []),
      ...nodeOptionsIn(envFile.variables),
      ...wrongNames.map((one) => one.issue),
    ],
  }
}

/** Issues of checks on these sources: nothing of settings that were misread, and an empty value told as one. */
export function issuesBehind(
  { misread, empty }: Pick<Sources, 'misread' | 'empty'>,
  issues: readonly SettingIssue[],
): readonly SettingIssue[] {
  return issues
    .filter(({ setting }) => !misread.has(setting))
    .map((one) => (one.given === null && empty.has(one.setting) ? { ...one, given: 'an empty value' } : one))
}

/** A value with a quote that is not closed holds its secret behind that quote. */
function withoutQuotes(variables: Variables): Variables {
  return Object.fromEntries(
    Object.entries(variables).map(([name, text]) => [name, text?.replace(/^['"`]/, '')]),
  )
}

/** Notices about an env file that was not read; `instead` says what to do. */
export function envFileNotices({ pipeline }: Pick<EnvFile, 'pipeline'>, instead: string): readonly string[] {
  return pipeline === null
    ? []
    : [
        `this is a pipeline (${pipeline}), so .env in this folder is not read, since a pull request could change it; ${instead}`,
      ]
}

/** Names the places searched for settings, for users who gave one elsewhere. */
export function placesSearched({ envFile: { path, state, pipeline } }: Pick<Sources, 'envFile'>): string {
  const words: Readonly<Record<EnvFile['state'], string>> = {
    read: 'a file that exists',
    missing: 'a file that does not exist',
    unreadable: 'a file that cannot be read',
    'left-out': `a file that exists, and is not read in a pipeline (${pipeline ?? ''}): --settings-file .env reads it`,
  }
  return `looked for among the flags, in the environment and in ${path} (${words[state]})`
}

const tlsSwitch = 'NODE_TLS_REJECT_UNAUTHORIZED'

/** Without verification, anybody on the way could pose as the target and read the credentials. */
const unverified = issue(tlsSwitch, {
  given: '0',
  expected: 'not set: certificates are verified, so that no other service is judged or sees the credentials',
  hint: 'name the file of a private certificate authority in RUN_CA_FILE (--ca-file)',
})

/** Node runs the modules that NODE_OPTIONS names, so a file that sets it may have been written to take over the next process. */
function nodeOptionsIn(file: Variables): readonly SettingIssue[] {
  return Object.keys(file)
    .filter((name) => name.toUpperCase() === 'NODE_OPTIONS' && holdsSomething(file[name]))
    .map((name) => issue(name, { given: 'a value in a file of settings', expected: noNodeOptions }))
}

const noNodeOptions =
  'not set in a file of settings: it names code that Node runs, and is no setting; the environment may have it'

const unshownValue = 'a value, not shown since it may be a credential'

/** Issues for misspelt names with a value in any source, and the settings that were meant; the value is not used. */
function misspelt(
  sources: readonly Variables[],
): readonly { readonly meant: string; readonly issue: SettingIssue }[] {
  const given = sources.flatMap((source) =>
    Object.keys(source).filter((name) => holdsSomething(source[name])),
  )
  const expected = 'the name of a setting; there is none of this name, so its value would be ignored'
  return [...new Set(given)].flatMap((name) => {
    const meant = meantBy(name)
    if (meant === null) return []
    return [{ meant, issue: issue(name, { given: unshownValue, expected, hint: didYouMean(meant) }) }]
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
      const text = givenText(setting, sources)
      return text === null ? [] : [[setting.name, text] as const]
    }),
  )
}

function givenText({ name, kind }: Setting, sources: readonly Variables[]): string | null {
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

/** Credentials of a source, also under misspelt names. */
export function credentialsOfSource(source: Variables): readonly Secret[] {
  return Object.entries(source).flatMap(([name, text]) => {
    if (text === undefined) return []
    const meant = settingMeantBy(name) ?? name.replace(/^https_proxy$/, 'HTTPS_PROXY')
    const kind = settingNamed(meant)?.kind
    const values = kind === 'credential' ? [text] : kind === 'proxy' ? passwordsIn(text) : []
    return values.map((value) => new Secret(meant, value))
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
