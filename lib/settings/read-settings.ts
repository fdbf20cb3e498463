import { readAim, unusedByEmbedded, type Aim } from './aim.ts'
import { checkTexts } from './check-texts.ts'
import { noClients, readClients } from './clients.ts'
import { envFileNotices } from './env-file.ts'
import { exposedCredentials } from './exposed.ts'
import { quotaWithoutClient, readFixtures } from './fixtures.ts'
import { gather, type SettingsInput, type Texts } from './gather.ts'
import { hideSecrets, holdsSecret } from './hide-secrets.ts'
import type { Mistake } from './mistake.ts'
import { printable } from './printable.ts'
import { replayFlags } from './replay-flags.ts'
import { readRun } from './run-settings.ts'
import type { SettingName } from './setting-table.ts'
import type { RunSettings, Settings, Target } from './settings.ts'
import { readTarget } from './target.ts'
import { isExpired, utcDay } from './waivers.ts'

export type { SettingsInput } from './gather.ts'
export type { Mistake } from './mistake.ts'

/** What a verdict says of a run whose settings are wrong: what was right, else the defaults. */
export type KnownSettings = Pick<Target, 'baseUrl' | 'embedded' | 'version' | 'label'> &
  Pick<
    RunSettings,
    'profile' | 'strict' | 'seed' | 'fuzzCases' | 'only' | 'maxRequests' | 'maxMinutes' | 'format' | 'quiet'
  >

/** The settings, checked, with what the user should know; or every mistake at once. */
export type SettingsResult =
  | { readonly kind: 'settings'; readonly settings: Settings; readonly notices: readonly string[] }
  | {
      readonly kind: 'mistakes'
      readonly mistakes: readonly Mistake[]
      /** Absolute; where `verdict.json` goes all the same. */
      readonly reportsDir: string
      /** Absolute; the file to which the run adds its line. */
      readonly history: string
      readonly partial: KnownSettings
      readonly notices: readonly string[]
    }

/** Reads the settings from flags, environment and env file, and checks all of them. Source: Settings, in the README. */
export async function readSettings(input: SettingsInput): Promise<SettingsResult> {
  const gathered = await gather(input)
  const { cwd, now } = input
  const { secrets, credentials, complete } = gathered

  const aim = readAim(gathered)
  const unused = aim.value.kind === 'embedded' ? unusedByEmbedded(gathered.texts) : []
  const texts = without(gathered.texts, unused)
  const exposed = exposedCredentials(texts, credentials)
  // What holds a credential is not used further: a folder of that name would be told on the terminal.
  const { value: checked, mistakes: malformed } = checkTexts(
    without(
      texts,
      exposed.map(({ setting }) => setting),
    ),
  )
  const clients =
    aim.value.kind === 'embedded'
      ? { value: noClients, mistakes: [] }
      : readClients(texts, aim.value.kind === 'address' || aim.value.remote, complete)

  const target = await readTarget({ checked, aim: aim.value, clients: clients.value, credentials, cwd })
  const { version } = target.value
  const fixtures = readFixtures({ checked, clients: clients.value, version, credentials })
  const again = replayFlags(input, { ...gathered, texts })
  const run = await readRun({ checked, replayFlags: again, credentials, aim: aim.value, cwd, now })

  const mistakes = [
    ...gathered.mistakes,
    ...[aim, clients].flatMap((part) => part.mistakes),
    ...malformed,
    ...[target, fixtures, run].flatMap((part) => part.mistakes),
    ...(complete ? quotaWithoutClient(texts) : []),
    ...exposed,
  ]
  const sourceNotices = envFileNotices(gathered.envFile, '--env-file .env reads it')
  const settings = { target: target.value, fixtures: fixtures.value, run: run.value }
  if (mistakes.length > 0) {
    const partial = known(settings, secrets)
    return {
      kind: 'mistakes',
      mistakes: hideSecrets(mistakes, secrets, texts),
      reportsDir: run.value.reportsDir,
      history: run.value.history,
      partial,
      notices: sourceNotices,
    }
  }
  const notices = [...sourceNotices, ...noticesOf(settings, aim.value, unused, now)]
  return { kind: 'settings', settings, notices }
}

function without(texts: Texts, names: readonly string[]): Texts {
  return Object.fromEntries(Object.entries(texts).filter(([name]) => !names.includes(name)))
}

function known({ target, run }: Settings, secrets: readonly string[]): KnownSettings {
  const shown = (text: string | null) => (text === null || holdsSecret(text, secrets) ? null : text)
  const { profile, strict, seed, fuzzCases, maxRequests, maxMinutes, format, quiet } = run
  const { embedded, version } = target
  const only = shown(run.only?.join(',') ?? null) === null ? null : run.only
  const judged = { baseUrl: shown(target.baseUrl), embedded, version, label: shown(target.label) }

  return { ...judged, profile, strict, seed, fuzzCases, only, maxRequests, maxMinutes, format, quiet }
}

function noticesOf(
  { target, run }: Settings,
  aim: Aim,
  unused: readonly SettingName[],
  now: Date,
): readonly string[] {
  const ignored = unused.filter((name) => name !== 'HTTPS_PROXY')
  const expired = run.waivers.filter((waiver) => isExpired(waiver, utcDay(now)))

  return [
    ...(aim.kind === 'embedded'
      ? ["EMBEDDED REFERENCE SERVICE: what follows is about the suite's own service, not about yours"]
      : []),
    ...(ignored.length > 0
      ? [`not used, since the embedded service has its own clients and fixtures: ${ignored.join(', ')}`]
      : []),
    ...(aim.kind === 'address' && !aim.address.encrypted && !aim.address.loopback
      ? [`credentials go unencrypted to ${target.baseUrl ?? ''}; https would protect them`]
      : []),
    ...expired.map(
      ({ rule, fingerprint, owner, expires }) =>
        `the waiver for ${rule ?? fingerprint ?? ''} expired on ${expires} and covers nothing (owner: ${owner})`,
    ),
  ].map(printable)
}
