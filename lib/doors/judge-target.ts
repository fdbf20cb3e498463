import type { KeyObject } from 'node:crypto'
import { existsSync } from 'node:fs'
import { realpath, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { baselineText, mergeBaselines, type Baseline } from '../drift/baseline.ts'
import { proxyFor, trustedFiles } from '../http/transport.ts'
import { readKey } from '../report/evidence/statement.ts'
import {
  isThere,
  previousFolder,
  writeWhole,
  asideFolder,
  setAside,
  type SetAside,
} from '../report/folder/reports-folder.ts'
import { readHistory } from '../report/history/history.ts'
import { beginAside } from '../report/write-reports.ts'
import { OwnRuleError } from '../run/plan/cases.ts'
import { redactorOf } from '../run/plan/suite-context.ts'
import { judge, type JudgeOptions } from '../run/run.ts'
import { clients } from '../serve/reference/clients.ts'
import { credentialsOf } from '../settings/connection-settings.ts'
import { Collected, issue, parsed, type Parsed } from '../settings/issue.ts'
import { packageVersion } from '../settings/package-version.ts'
import type { RunSettings, Settings } from '../settings/settings.ts'
import { readSources, type SettingsInput } from '../settings/sources.ts'
import { readBounded, readFailure, sizeLimits } from '../settings/user-file.ts'
import { ofClients } from '../specification/client-rows.ts'
import { type Catalogue, isSelected } from '../specification/rules.ts'
import { codeOf, errorText } from '../text/printable.ts'
import { UnusableInput } from '../text/unusable-input.ts'
import { errorVerdict, unfinishedVerdict, type RunMetadata } from '../verdict/assemble.ts'
import { VerdictFileError, readVerdict } from '../verdict/read-verdict.ts'
import type { Verdict } from '../verdict/verdict.ts'
import type { Ending } from './cli/console.ts'
import { readSettingsAndSuites } from './own-suites.ts'

/** Calls `work` with a reachable target. Starts the embedded service on a free port if needed. */
export async function withTarget<Result>(settings: Settings, work: (settings: Settings) => Promise<Result>) {
  if (!settings.target.embedded) return work(settings)
  const service = await (await import('../serve/reference/service.ts')).startReference()
  try {
    return await work(withEmbedded(settings, service.baseUrl))
  } finally {
    await service.close()
  }
}

/** Returns the settings with the clients and fixtures of the embedded service at this address. */
export function withEmbedded(settings: Settings, baseUrl: string) {
  const { target: client, ...fixtures } = ofClients((name) =>
    credentialsOf(name, clients[name === 'target' ? 'permitted' : name]),
  )
  return {
    ...settings,
    target: { ...settings.target, baseUrl, client },
    fixtures: {
      ...settings.fixtures,
      ...fixtures,
      unsupportedVersion: '2147483647',
      invalidQuery: 'limit=abc',
      disposableQuota: 6,
    },
  }
}

/**
 * Describes the proxy (without its credentials), certificate authorities and client certificate used between suite and target; null if
 * there are none. They apply only to https, and the proxy does not apply to hosts in NO_PROXY. Also names each of these settings, and the
 * address, if it came from a `.env` that the user did not name.
 */
export function connectionOf(settings: Settings, env: SettingsInput['env']) {
  const { target, run } = settings
  if (target.baseUrl === null) return null

  const isEncrypted = target.baseUrl.startsWith('https:')
  const proxy = proxyFor(new URL(target.baseUrl), run.httpsProxy, run.noProxy)?.origin ?? null
  // The file of Node's own authorities may be in any folder.
  const trusted = trustedFiles(env).map((file) => `…/${basename(file)}`)
  const caFiles = isEncrypted ? [run.ca?.file ?? [], trusted].flat() : []
  const certFile = isEncrypted ? run.clientCertificate?.file : undefined
  const isUsed = { TARGET_BASE_URL: !target.embedded, HTTPS_PROXY: proxy !== null, RUN_CA_FILE: isEncrypted }
  const fromEnvFile = target.fromEnvFile.filter((name) => isUsed[name])
  if (proxy === null && caFiles.length + fromEnvFile.length === 0 && certFile === undefined) return null
  const { redact } = redactorOf(settings)
  return {
    proxy: proxy && redact(proxy),
    caFiles: caFiles.map((file) => redact(file)),
    ...(certFile !== undefined && { certFile: redact(certFile) }),
    ...(fromEnvFile.length > 0 && { fromEnvFile }),
  }
}

/** Reads the baseline of a run; returns null if the file does not exist yet, and an issue if it is unusable. */
export async function knownBaseline(asked: RunSettings['baseline']): Promise<Parsed<Baseline | null>> {
  if (asked === null) return parsed(null)
  const { file } = asked
  const unusable = (why: string) => {
    const expected = 'a baseline written by an earlier run, or a new file name'
    return parsed(null, issue('RUN_BASELINE', { given: `${file} (${why})`, expected }))
  }
  let text
  try {
    text = (await readBounded(file, sizeLimits.baseline)).toString()
  } catch (error) {
    const isNew = codeOf(error) === 'ENOENT' && existsSync(dirname(file))
    return isNew ? parsed(null) : unusable(readFailure(error))
  }
  // Loaded on demand, because the schema compiler is slow to load.
  const { parseBaseline } = await import('../drift/parse-baseline.ts')
  const read = parseBaseline(text)
  return read.kind === 'baseline' ? parsed(read.baseline) : unusable(read.wrong)
}

/**
 * Writes, widens or replaces the baseline with what was seen, if requested and if the run found no violation. The verdict says what was
 * done. `known` is the content of the file, or null; `redact` removes credentials from names chosen by the service.
 */
export async function keepBaseline(
  verdict: Verdict,
  asked: RunSettings['baseline'],
  { known, seen }: Readonly<Record<'known' | 'seen', Baseline | null>>,
  redact: (text: string) => string,
): Promise<Verdict> {
  if (asked === null) return verdict
  const { file, shown, mode } = asked
  const done = (did: string) => ({ ...verdict, baseline: { file: shown, did } })
  if (mode === 'compare' && known !== null) return done('compared')
  const isFit = verdict.verdict === 'conformant' || verdict.verdict === 'incomplete'
  if (!isFit || seen === null || Object.keys(seen.stimuli).length === 0)
    return done('left alone: only a run without violations writes it')
  const old = mode === 'widen' ? known : null
  try {
    // Follows a symbolic link instead of replacing it.
    const place = await realpath(file).catch(() => file)
    await writeWhole(place, redact(baselineText(old === null ? seen : mergeBaselines(old, seen))))
  } catch (error) {
    const [why] = errorText(error).split(',')
    const message = `the baseline ${file} cannot be written: ${why}; name another file with RUN_BASELINE (--baseline)`
    return { ...verdict, verdict: 'error', exitCode: 4, because: [message, ...verdict.because] }
  }
  if (old !== null) return done('widened')
  return done(known === null ? 'written' : 'replaced')
}

/**
 * Moves earlier reports away before settings are checked and the user's modules are loaded. A mistake in either moves them back. Returns
 * null without a usable folder, which the run reports once it needs the folder.
 */
export async function earlierReports(input: SettingsInput, ending: Ending = {}) {
  const { texts } = await readSources(input)
  const folder = resolve(input.cwd, texts.RUN_REPORTS_DIR ?? 'reports')
  const isFolder = (await stat(folder).catch(() => null))?.isDirectory() === true
  const aside = isFolder ? await setAside(folder).catch(() => null) : null
  if (aside !== null) Object.assign(ending, { folders: [folder], isLocked: true })
  return aside
}

/** Everything that a run needs. If there are issues, the settings are only for the verdict. @internal */
export type RunInput = Awaited<ReturnType<typeof readRun>>

/**
 * Reads everything that a run needs, and returns all issues at once: settings, the user's areas, the baseline, the signing key and, with
 * RUN_FAILED, the last run.
 * @internal
 */
export async function readRun(input: SettingsInput) {
  const started = performance.now()
  const read = await readSettingsAndSuites(input)
  const parts = new Collected()
  const given = read.kind === 'issues' ? parsed(read.partial, ...read.issues) : await withFailedRules(read)
  const settings = parts.take(given)
  const baseline = parts.take(await knownBaseline(settings.run.baseline))
  const key = parts.take(await signingKey(settings.run.signingKeyFile))
  const { issues } = parts
  const startedAt = input.now
  const connection = connectionOf(settings, input.env)
  const known = { ...settings.run, ...settings.target, suiteVersion: packageVersion(), startedAt, connection }
  /** The part of the verdict that comes from the settings. */
  const head = () => ({ ...known, durationMs: performance.now() - started })
  /** The verdict if there are issues. */
  const because = issues.map(({ setting, expected }) => `${setting}: expected ${expected}`)
  const mistaken = () => errorVerdict(head(), 2, because)
  return { ...read, settings, baseline, key, issues, startedAt, connection, head, mistaken }
}

/** Marks the run in its locked folder as unfinished. @internal */
export async function beginRun({ settings, head }: RunInput, aside: SetAside, ending: Ending = {}) {
  const { reportsDir: folder } = settings.run
  Object.assign(ending, { folders: [folder], isLocked: true })
  await beginAside(aside, unfinishedVerdict(head()))
  ending.begun = (await stat(join(folder, 'verdict.json'))).ino
}

/**
 * Judges the target, which may be the embedded service, and updates the baseline if requested. Keeps the earlier reports once the run is
 * planned; `aside` is null if this run writes no reports.
 * @internal
 */
export async function judgeTarget(
  { suites, ...input }: RunInput,
  aside: SetAside | null,
  options: Pick<JudgeOptions, 'signal' | 'onEvent'> = {},
) {
  return withTarget(input.settings, async (settings) => {
    const { verdict, shapes: seen } = await judge(settings, suites, {
      ...input,
      ...options,
      earlier: await readHistory(settings.run.history),
      onEvent: (event) => {
        if (event.kind === 'planned') aside?.keep()
        options.onEvent?.(event)
      },
    })
    const known = { known: input.baseline, seen }
    return keepBaseline(verdict, settings.run.baseline, known, redactorOf(settings).redact)
  })
}

/**
 * With RUN_FAILED, selects the rules that failed or were inconclusive in the last finished run. Returns an issue if that run judged a
 * different target, or if nothing failed.
 */
export async function withFailedRules(read: Readonly<{ settings: Settings; catalogue: Catalogue }>) {
  const { settings, catalogue } = read
  const { target, run } = settings
  if (!run.failed) return parsed(settings)

  const mistake = (expected: string, hint: string) =>
    parsed(settings, issue('RUN_FAILED', { given: 'true', expected, hint }))
  const { reportsDir: folder } = run
  const aside = join(folder, asideFolder)
  let last
  try {
    last = await readVerdict(join((await isThere(aside)) ? aside : folder, 'verdict.json'))
    if (last.verdict === 'error') last = await readVerdict(join(folder, previousFolder, 'verdict.json'))
  } catch (error) {
    if (!(error instanceof VerdictFileError)) throw error
    const why = error.message.replace(aside, folder)
    return mistake('the verdict of a finished run in the reports folder', `${why}; run all rules first`)
  }
  const judged = last.target.embedded ? null : last.target.baseUrl
  if (judged !== target.baseUrl)
    return mistake(
      'an earlier run of the same target',
      `the last run judged ${last.target.baseUrl ?? 'nothing'}; run all rules, or set RUN_REPORTS_DIR to the right folder`,
    )
  const only = last.rules
    .filter(({ status }) => status === 'failed' || status === 'inconclusive')
    .map(({ id }) => id)
    .filter((id) => catalogue.has(id) && isSelected(run.only, id))
  return only.length > 0
    ? parsed({ ...settings, run: { ...run, only } })
    : mistake(
        'an earlier run in which a selected rule failed or was inconclusive',
        'there is nothing to judge again; run all rules',
      )
}

/** Reads the signing key before anything is sent; returns null if there is no key file, and an issue if the file is unusable. */
async function signingKey(file: string | null): Promise<Parsed<KeyObject | null>> {
  if (file === null) return parsed(null)
  return readKey(file, 'private').then(parsed, (error: unknown) => {
    if (!(error instanceof UnusableInput)) throw error
    const expected = `a PEM file with a private Ed25519 key: ${error.message}`
    return parsed(null, issue('RUN_SIGNING_KEY_FILE', { given: file, expected }))
  })
}

/** The verdict of a run that was ended by an error in the user's rules or in the suite. */
export function failedVerdict(head: RunMetadata, error: unknown) {
  return errorVerdict(head, error instanceof OwnRuleError ? 2 : 4, [errorText(error)])
}
