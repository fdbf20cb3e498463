import { lstat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { Secret } from '../redact/secret.ts'
import { memberNames } from '../text/members.ts'
import { passwordsIn } from './connection-settings.ts'
import { Collected, didYouMean, hintFrom, issue, parsed, type Parsed, type SettingIssue } from './issue.ts'
import { isSet, pipelineOf } from './pipeline.ts'
import {
  secrets,
  settingNamed,
  settingTable,
  type Checked,
  type Texts,
  variableMeantBy,
} from './setting-table.ts'
import { readTextFile, sizeLimits } from './user-file.ts'

/** Sources of the settings. */
export type SettingsInput = Readonly<{
  env: Variables
  /** Keyed by the name of the setting; `true` for a flag without an argument. */
  flags: Readonly<Record<string, string>>
  /** The file given with `--settings-file`; null means `.env`, if it exists. */
  envFile: string | null
  /** Base of relative paths. */
  cwd: string
  now: Date
}>

type Variables = Readonly<Record<string, string | undefined>>

/** The input with these parts. By default, there are no values, and `.env` is read from the working folder of the process. */
export function inputWith(given: Partial<SettingsInput>): SettingsInput {
  return { env: {}, flags: {}, envFile: null, cwd: process.cwd(), now: new Date(), ...given }
}

/** All given settings, before they are checked. */
export type Sources = Awaited<ReturnType<typeof readSources>>

/** Reads the settings from flags, environment and env file, in this order of precedence. */
export async function readSources(input: SettingsInput) {
  const { flags, cwd } = input
  const unread = new Collected()
  const envFile = unread.take(await readEnvFile(input))
  const variables = envFile.variables ?? {}
  // RUN_SUITES names code, which a command run in someone else's folder would execute.
  const unused = [...unread.issues.map(({ setting }) => setting), input.envFile === null ? 'RUN_SUITES' : '']
  const secretNames = secrets.map(({ name }) => name)
  const bySource = {
    // The command line never contains a secret.
    flag: without(flags, secretNames),
    environment: unread.take(await withSecretFiles(input.env, cwd)),
    file: unread.take(await withSecretFiles(without(variables, unused), cwd)),
  }
  // The first text for each setting, trimmed; white space around a credential is an issue.
  const found = settingTable.flatMap(({ name, kind }) => {
    const from = memberNames(bySource).find((source) => isSet(bySource[source][name]))
    if (from === undefined) return []
    const { [name]: text = '' } = bySource[from]
    return [{ name, from, text: kind === 'credential' ? text : text.trim() }]
  })
  // An empty --base-url "$STAGING" must not fall back to a different address.
  const emptyAddress = flags['TARGET_BASE_URL']?.trim() === '' ? [['TARGET_BASE_URL', '']] : []
  const texts: Texts = Object.fromEntries([...found.map(({ name, text }) => [name, text]), ...emptyAddress])
  const sources = Object.values(bySource)
  const given = sources.flatMap((source) => Object.entries(source)).filter(([, text]) => text !== undefined)
  const names = new Set(given.flatMap(([name, text]) => (isSet(text) ? name : [])))
  const misspelt = [...names].flatMap((name) => {
    const likely = variableMeantBy(name)
    return likely === null ? [] : [issue(name, { ...unknown, hint: didYouMean(likely) })]
  })
  const misread = [...unread.issues, ...misspelt].map(({ setting }) => {
    const name = variableMeantBy(setting) ?? setting
    return settingNamed(name)?.name ?? name
  })
  const tls = 'NODE_TLS_REJECT_UNAUTHORIZED'
  const isUnverified = sources.some((source) => source[tls]?.trim() === '0')
  const ofNode = Object.keys(variables).filter(
    (name) => /^node_options$/i.test(name) && isSet(variables[name]),
  )

  return {
    /** Never empty, except for a base URL from an empty flag. */
    texts,
    /** The source of each text. */
    from: new Map(found.map(({ name, from }) => [name, from])),
    /** Issues from checks on the texts, except of settings that may be in a source that could not be read; tells empty from missing. */
    settled: (issues: readonly SettingIssue[]) =>
      issues.flatMap((one) => {
        if (Object.hasOwn(texts, one.setting)) return [one]
        if (envFile.variables === null || misread.includes(one.setting)) return []
        const isEmpty = one.given === null && given.some(([name]) => name === one.setting)
        return [isEmpty ? { ...one, given: 'an empty value' } : one]
      }),
    envFile,
    /** The sources in words, for users whose settings are elsewhere. */
    searched: `looked for in the flags, the environment and ${envFile.place}`,
    /** Every credential in any source, used or not, so that none is ever printed; includes the password of a proxy. */
    credentials: [...sources, variables].flatMap(credentialsOfSource),
    issues: [
      ...unread.issues,
      ...(isUnverified ? [issue(tls, unverified)] : []),
      ...ofNode.map((name) => issue(name, nodeOptions)),
      ...misspelt,
    ],
  }
}

/** The texts of settings except those with these names. */
export function without<Given extends Variables>(texts: Given, names: readonly string[]): Given
export function without(texts: Variables, names: readonly string[]): Variables {
  return Object.fromEntries(Object.entries(texts).filter(([name]) => !names.includes(name)))
}

/** Notices about an env file that was not read; `instead` is the remedy. */
export function envFileNotices({ pipeline }: Sources['envFile'], instead: string) {
  const because = `this is a pipeline (${pipeline}), so .env in this folder is not read, because a pull request could change it`
  return pipeline === null ? [] : [`${because}; ${instead}`]
}

/** Reads the file given with `--settings-file`, or `.env` in the working folder. */
async function readEnvFile({ envFile: named, cwd, env }: SettingsInput) {
  const path = resolve(cwd, named ?? '.env')
  const isThere = named !== null || (await lstat(path).catch(() => null)) !== null
  // A pull request could add a .env that points the pipeline at another target.
  const pipeline = named === null && isThere ? pipelineOf(env) : null
  /** What was found, evidence for a pipeline if the file is therefore left out, and its variables, null if it cannot be read. */
  const read = (found: string, variables: Readonly<Record<string, string>> | null) =>
    ({ place: `${path} (${found})`, pipeline, variables }) as const
  if (!isThere) return parsed(read('a file that does not exist', {}))
  const leftOut = `a file that exists, but is not read in a pipeline (${pipeline}): --settings-file .env reads it`
  if (pipeline !== null) return parsed(read(leftOut, {}))

  const { text, why } = await readTextFile(path, sizeLimits.lines)
  // dotenv takes minutes to parse thousands of empty lines.
  const isBlank = /\s{1001}/.test(text ?? '')
  if (text !== null && !isBlank) {
    const variables = (await import('dotenv')).parse(text)
    return parsed(read('a file that exists', variables), ...misreadIn(text, variables))
  }
  const reason = why ?? 'over 1000 white-space characters in a row'
  const unread = issue(named === null ? '.env' : '--settings-file', {
    given: named?.trim() === '' ? 'an empty value' : `${named ?? '.env'} (${reason})`,
    expected: 'a readable text file (UTF-8) with lines such as TARGET_VERSION=1',
    hint:
      named === null ? 'settings are read from .env in the working folder; rename that file or folder' : null,
  })
  return parsed(read(reason, null), unread)
}

/** Our settings that dotenv misreads: it keeps an unclosed quote or reads on to a later one, and a # ends an unquoted value. */
function misreadIn(text: string, variables: Readonly<Record<string, string>>) {
  const ours = Object.entries(variables).filter(([name]) => settingNamed(name) !== null)
  return ours.flatMap(([name, value]) => {
    const isOpen = /^(["'`])(?!.*\1)|\n.*[=:]/s.test(value)
    if (isOpen) return [issue(name, unclosed)]
    const lines = text.matchAll(new RegExp(`^[ \\t]*(?:export[ \\t]+)?${name}[ \\t]*[=:][ \\t]*(.*)$`, 'gm'))
    // The last line of several counts.
    const isCut = value !== '' && [...lines].at(-1)?.[1]?.startsWith(`${value}#`) === true
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

/**
 * Returns a source of settings with secrets read from files, as named by variables such as `TARGET_API_KEY_FILE`, because container
 * platforms mount secrets as files. Drops the line ending after a secret. The names of proxies may be in lower case.
 */
async function withSecretFiles(source: Variables, cwd: string): Promise<Parsed<Variables>> {
  const value: Record<string, string | undefined> = { ...source }
  for (const name of ['HTTPS_PROXY', 'NO_PROXY'])
    if (!isSet(source[name])) value[name] = source[name.toLowerCase()]
  const issues: SettingIssue[] = []
  for (const { name } of secrets) {
    const variable = `${name}_FILE`
    const path = source[variable]?.trim() ?? ''
    if (path === '') continue
    const { text, why } = await readTextFile(resolve(cwd, path), sizeLimits.lines)
    const secret = text?.replace(/\r?\n$/, '') ?? ''
    const isTwice = isSet(source[name])
    const given = isTwice ? path : `${path} (${why ?? 'an empty file'})`
    const alone = `a readable text file that contains only the value of ${name}`
    const expected = isTwice ? `${name} or ${variable}, not both` : alone
    if (isTwice || secret.trim() === '') issues.push(issue(variable, { given, expected }))
    else value[name] = secret
  }
  return { value, issues }
}

/** Without verification, anyone on the network path could pose as the target and read the credentials. */
const unverified = {
  given: '0',
  expected:
    'not set: without verified certificates, a different service could be judged or see the credentials',
  hint: 'for a private certificate authority, set RUN_CA_FILE (--ca-file) to its file',
}

/** A file could set it to take over the next process. */
const nodeOptions = {
  given: 'a value in a settings file',
  expected:
    'not set in a settings file: it names code that Node runs, and is not a setting; set it in the environment',
}

const unknown = {
  given: 'a value, hidden because it may be a credential',
  expected: 'the name of a setting; this name is unknown, so its value would be ignored',
}

/** Credentials in a source, including those under misspelt names. */
export function credentialsOfSource(source: Variables) {
  return Object.entries(source).flatMap(([name, text = '']) => {
    // A proxy in lower case may be one that is not used.
    const likely = variableMeantBy(name) ?? name.replace(/^https_proxy$/, 'HTTPS_PROXY')
    const kind = settingTable.find((setting) => setting.name === likely)?.kind
    // In a value with an unclosed quote, the secret follows the quote.
    const own = new Set([text, text.replace(/^['"`]/, '')])
    const values = kind === 'credential' ? [...own] : kind === 'proxy' ? passwordsIn(text) : []
    return values.map((value) => new Secret(likely, value))
  })
}

/** Checks every text against its row in the table and omits invalid values. */
export function checkTexts(texts: Texts) {
  const checked: Checked = {}
  const issues: SettingIssue[] = []
  for (const { name, secret, expected, parse, choices = [] } of settingTable) {
    const text = texts[name]
    if (text === undefined) continue
    const value = parse(text)
    const given = secret ? `a value of ${text.length} characters` : text
    const hint = hintFrom(choices, text)
    if (value === undefined) issues.push(issue(name, { given, expected, hint }))
    else Object.assign(checked, { [name]: value })
  }
  return { value: checked, issues }
}
