import { existsSync } from 'node:fs'
import { realpath } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { baselineText, mergeBaselines, type Baseline } from '../drift/baseline.ts'
import { proxyFor, trustedFiles } from '../http/connector.ts'
import { writeWhole } from '../report/folder/reports-folder.ts'
import { redactorOf } from '../run/plan/test-request.ts'
import { clients } from '../serve/reference/clients.ts'
import { startReference } from '../serve/reference/service.ts'
import { credentialsOf } from '../settings/client-settings.ts'
import { issue, parsed, type Parsed } from '../settings/issue.ts'
import type { RunSettings, Settings } from '../settings/settings.ts'
import { readBounded, readFailure, sizeLimits } from '../settings/user-file.ts'
import { ofClients } from '../specification/client-rows.ts'
import { codeOf, errorText } from '../text/printable.ts'
import type { TargetConnection, Verdict } from '../verdict/verdict.ts'

/** Calls `work` with a reachable target. Starts the embedded service on a free port if needed. */
export async function withTarget<Result>(
  settings: Settings,
  work: (settings: Settings) => Promise<Result>,
): Promise<Result> {
  if (!settings.target.embedded) return work(settings)
  const service = await startReference()
  try {
    return await work(withEmbedded(settings, service.baseUrl))
  } finally {
    await service.close()
  }
}

/** Returns the settings with the clients and fixtures of the embedded service at this address. */
export function withEmbedded(settings: Settings, baseUrl: string): Settings {
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
export function connectionOf(
  settings: Settings,
  env: Readonly<Record<string, string | undefined>>,
): TargetConnection | null {
  const { target, run } = settings
  if (target.baseUrl === null) return null

  const redactor = redactorOf(settings)
  const redact = (text: string): string => redactor.redact(text)
  const isEncrypted = target.baseUrl.startsWith('https:')
  const proxy = proxyFor(new URL(target.baseUrl), run.httpsProxy, run.noProxy)?.origin ?? null
  // The file of Node's own authorities may be in any folder.
  const caFiles = isEncrypted
    ? [...(run.ca === null ? [] : [run.ca.file]), ...trustedFiles(env).map((file) => `…/${basename(file)}`)]
    : []
  const certFile = isEncrypted ? run.clientCertificate?.file : undefined
  const isUsed = {
    TARGET_BASE_URL: !target.embedded,
    HTTPS_PROXY: proxy !== null,
    RUN_CA_FILE: isEncrypted,
  }
  const fromEnvFile = target.fromEnvFile.filter((name) => isUsed[name])
  if (proxy === null && caFiles.length === 0 && certFile === undefined && fromEnvFile.length === 0)
    return null
  return {
    proxy: proxy === null ? null : redact(proxy),
    caFiles: caFiles.map(redact),
    ...(certFile === undefined ? {} : { certFile: redact(certFile) }),
    ...(fromEnvFile.length === 0 ? {} : { fromEnvFile }),
  }
}

/** Reads the baseline of a run; returns null if the file does not exist yet, and an issue if it is unusable. */
export async function knownBaseline({
  baseline: asked,
}: Pick<RunSettings, 'baseline'>): Promise<Parsed<Baseline | null>> {
  if (asked === null) return parsed(null)
  const { file } = asked
  const unusable = (why: string): Parsed<null> => {
    const expected = 'a baseline written by an earlier run, or a file name that does not exist yet'
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
  const done = (did: NonNullable<Verdict['baseline']>['did']): Verdict => ({
    ...verdict,
    baseline: { file: shown, did },
  })
  if (mode === 'compare' && known !== null) return done('compared')
  const isFit = verdict.verdict === 'conformant' || verdict.verdict === 'incomplete'
  if (!isFit || seen === null || Object.keys(seen.stimuli).length === 0)
    return done('left alone: only a run without violations writes it')
  const isWidened = mode === 'widen' && known !== null
  try {
    // Follows a symbolic link instead of replacing it.
    const place = await realpath(file).catch(() => file)
    await writeWhole(place, redact(baselineText(isWidened ? mergeBaselines(known, seen) : seen)))
  } catch (error) {
    const [why] = errorText(error).split(',')
    const message = `the baseline ${file} cannot be written: ${why}; name another file with RUN_BASELINE (--baseline)`
    return {
      ...verdict,
      verdict: 'error',
      exitCode: 4,
      because: [message, ...verdict.because],
    }
  }
  return done(isWidened ? 'widened' : known === null ? 'written' : 'replaced')
}
