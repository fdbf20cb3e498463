import { readEnvFile, type EnvFile } from './env-file.ts'
import type { Mistake } from './mistake.ts'
import { misspelt } from './near-names.ts'
import { shardsIn } from './no-shards.ts'
import { passwordsIn, secretsIn } from './proxy.ts'
import { settingNamed, settingTable, type SettingName } from './setting-table.ts'
import type { Setting } from './setting.ts'

/** Where settings come from. */
export interface SettingsInput {
  readonly env: Readonly<Record<string, string | undefined>>
  /** By setting name; a flag without an argument gives `true`. */
  readonly flags: Readonly<Record<string, string>>
  /** What `--env-file` names; null reads `.env`, which may be missing. */
  readonly envFile: string | null
  /** The folder from which relative paths count. */
  readonly cwd: string
  readonly now: Date
}

/** The texts of settings, by name; none is empty, but for a base URL asked for by an empty flag. */
export type Texts = Readonly<Partial<Record<SettingName, string>>>

/** All that was given, before anything is checked. */
export interface Gathered {
  readonly texts: Texts
  /** False where the env file could not be read, so that nothing may be called missing. */
  readonly complete: boolean
  readonly envFile: EnvFile
  /** What the env file alone says. */
  readonly fileTexts: Texts
  /** Every secret in any of the sources, used or not, so that none is printed. */
  readonly secrets: readonly string[]
  /** Of these, what lets one in: all but the user name of a proxy. */
  readonly credentials: readonly string[]
  readonly mistakes: readonly Mistake[]
}

type Variables = Readonly<Record<string, string | undefined>>

/** Gathers the settings from flags, environment and env file; the first that holds something wins. */
export async function gather(input: SettingsInput): Promise<Gathered> {
  const pipeline = isPipeline(input.env)
  const file = await readEnvFile({ named: input.envFile, cwd: input.cwd, pipeline })
  const sources: readonly Variables[] = [flagsOf(input.flags), input.env, file.value.variables]
  const wrongNames = [...misspelt(input.env), ...misspelt(file.value.variables)]

  // Somebody who writes --base-url "$STAGING" wants that address judged; no other may stand in for it.
  const isEmptyAddress = input.flags['TARGET_BASE_URL']?.trim() === ''

  return {
    texts: { ...textsOf(sources), ...(isEmptyAddress ? { TARGET_BASE_URL: '' } : {}) },
    fileTexts: textsOf([file.value.variables]),
    complete: file.value.state !== 'unreadable',
    envFile: file.value,
    secrets: sources.flatMap((source) => secretsOfSource(source, secretsIn)),
    credentials: sources.flatMap((source) => secretsOfSource(source, passwordsIn)),
    mistakes: [
      ...file.mistakes,
      ...[input.env, file.value.variables].flatMap(unverified).slice(0, 1),
      ...shardsIn([input.env, file.value.variables]),
      ...uniqueNames(wrongNames).map(({ setting, given, expected, hint }) => ({
        setting,
        given,
        expected,
        hint,
      })),
    ],
  }
}

/** Without it anybody on the way could answer in the place of the target, and read the credentials. */
function unverified(variables: Variables): readonly Mistake[] {
  const setting = 'NODE_TLS_REJECT_UNAUTHORIZED'
  if (variables[setting]?.trim() !== '0') return []

  const expected =
    'not set: certificates are verified, so that no other service is judged or sees the credentials'
  const hint = 'name the file of a private certificate authority in RUN_CA_FILE (--ca-file)'
  return [{ setting, given: '0', expected, hint }]
}

/** Whether a pipeline runs the program. */
function isPipeline(env: Variables): boolean {
  const ci = env['CI']?.trim().toLowerCase() ?? ''
  return ci !== '' && ci !== 'false' && ci !== '0'
}

/** Flags of settings that have one: a secret never comes from the command line. */
function flagsOf(flags: Variables): Variables {
  return Object.fromEntries(Object.entries(flags).filter(([name]) => settingNamed(name)?.flag !== null))
}

function textsOf(sources: readonly Variables[]): Texts {
  const texts: Partial<Record<SettingName, string>> = {}
  for (const setting of settingTable) {
    const text = textOf(setting, sources)
    if (text !== null) texts[setting.name] = text
  }
  return texts
}

function textOf(setting: Setting, sources: readonly Variables[]): string | null {
  const names =
    setting.name === 'HTTPS_PROXY' || setting.name === 'NO_PROXY'
      ? [setting.name, setting.name.toLowerCase()]
      : [setting.name]
  const text = sources.flatMap((source) => names.map((name) => source[name])).find(holdsSomething)

  return text === undefined ? null : untouched.has(setting.kind) ? text : text.trim()
}

// White space around these is part of the value, or a mistake of its own.
const untouched: ReadonlySet<Setting['kind']> = new Set(['credential', 'query', 'endpoint', 'path', 'text'])

function holdsSomething(text: string | undefined): text is string {
  return text !== undefined && text.trim() !== ''
}

function secretsOfSource(source: Variables, inProxy: typeof secretsIn): readonly string[] {
  const meant = new Map<string, SettingName>(misspelt(source).map(({ setting, means }) => [setting, means]))

  return Object.entries(source).flatMap(([name, text]) => {
    const kind = settingNamed(meant.get(name) ?? name.replace(/^https_proxy$/, 'HTTPS_PROXY'))?.kind
    if (text === undefined) return []

    return kind === 'credential' ? [text] : kind === 'proxy' ? inProxy(text) : []
  })
}

function uniqueNames<One extends Mistake>(mistakes: readonly One[]): readonly One[] {
  return [...new Map(mistakes.map((mistake) => [mistake.setting, mistake])).values()]
}
