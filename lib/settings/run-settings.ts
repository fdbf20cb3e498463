import { stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'

import type { Aim } from './aim.ts'
import { sizeLimits } from './bounded-file.ts'
import { readCaFile } from './ca-file.ts'
import type { Checked } from './check-texts.ts'
import type { Mistake, Part } from './mistake.ts'
import { profiles } from './profiles.ts'
import { readProxy } from './proxy.ts'
import { readOnly } from './selection.ts'
import type { RunSettings } from './settings.ts'
import { readTextFile, whyNot } from './text-file.ts'
import { parseWaivers } from './waivers-file.ts'
import type { Waiver } from './waivers.ts'

/** Requests a second where nothing is said: polite to a staging system that others use too. */
const politeRate = 25

/** What the settings of the run depend on beside the checked texts. */
export interface RunInput {
  readonly checked: Checked
  readonly replayFlags: readonly string[]
  /** In clear, so that none slips into a report. */
  readonly credentials: readonly string[]
  readonly aim: Aim
  readonly cwd: string
  readonly now: Date
}

/** Reads how the run is made: what was given, else what the profile says, else the defaults of the table. */
export async function readRun({
  checked,
  replayFlags,
  credentials,
  aim,
  cwd,
  now,
}: RunInput): Promise<Part<RunSettings>> {
  const name = checked.RUN_PROFILE ?? 'gate'
  const profile = profiles[name]
  const only = readOnly(checked.RUN_ONLY)
  const [reportsDir, waivers, ca] = await Promise.all([
    readReportsDir(checked.RUN_REPORTS_DIR, cwd),
    readWaivers(checked.RUN_WAIVERS, credentials, cwd),
    readCaFile(checked.RUN_CA_FILE, cwd),
  ])
  const proxy = readProxy(checked.HTTPS_PROXY)
  const baseline = readBaseline(checked, cwd)

  const value = {
    profile: name,
    strict: checked.RUN_STRICT ?? profile.strict,
    seed: checked.RUN_SEED ?? profile.seed(now),
    fuzzCases: checked.RUN_FUZZ_CASES ?? profile.fuzzCases,
    only: only.value.only,
    selected: only.value.selected,
    maxRequests: checked.RUN_MAX_REQUESTS ?? profile.maxRequests,
    maxExhaust: checked.RUN_MAX_EXHAUST ?? 1_000,
    maxRps: checked.RUN_MAX_RPS ?? rateFor(aim),
    concurrency: checked.RUN_CONCURRENCY ?? 8,
    timeoutMs: checked.RUN_TIMEOUT_MS ?? 10_000,
    maxMinutes: checked.RUN_MAX_MINUTES ?? 60,
    reportsDir: reportsDir.value,
    history: resolve(cwd, checked.RUN_HISTORY ?? join(reportsDir.value, 'history.jsonl')),
    waivers: waivers.value,
    baseline: baseline.value,
    format: checked.RUN_FORMAT ?? 'text',
    quiet: checked.RUN_QUIET ?? false,
    ca: ca.value,
    httpsProxy: proxy.value,
    noProxy: checked.NO_PROXY ?? null,
    replayFlags,
  }
  return {
    value,
    mistakes: [only, reportsDir, waivers, ca, proxy, baseline].flatMap((part) => part.mistakes),
  }
}

function rateFor(aim: Aim): number | null {
  const local = aim.kind === 'embedded' || (aim.kind === 'address' && aim.address.loopback)
  return local ? null : politeRate
}

function readBaseline(
  { RUN_BASELINE: text, RUN_UPDATE_BASELINE: widens, RUN_RESET_BASELINE: replaces }: Checked,
  cwd: string,
): Part<RunSettings['baseline']> {
  const asked = [
    ...(widens === true ? ['RUN_UPDATE_BASELINE'] : []),
    ...(replaces === true ? ['RUN_RESET_BASELINE'] : []),
  ]
  const mistake = (setting: string, expected: string): Mistake => ({
    setting,
    given: 'true',
    expected,
    hint: null,
  })
  if (text === undefined) {
    const mistakes = asked.map((setting) => mistake(setting, 'RUN_BASELINE besides, the file that is meant'))
    return { value: null, mistakes }
  }
  if (asked.length > 1) {
    const both = mistake(
      'RUN_RESET_BASELINE',
      'either RUN_UPDATE_BASELINE, which widens, or RUN_RESET_BASELINE, which replaces',
    )
    return { value: null, mistakes: [both] }
  }
  const mode = widens === true ? 'widen' : replaces === true ? 'replace' : 'compare'
  return { value: { file: resolve(cwd, text), mode }, mistakes: [] }
}

async function readReportsDir(text: string | undefined, cwd: string): Promise<Part<string>> {
  const fallback = resolve(cwd, 'reports')
  const folder = text === undefined ? fallback : resolve(cwd, text)
  if (await isFolderOrFree(folder)) return { value: folder, mistakes: [] }

  const mistake = {
    setting: 'RUN_REPORTS_DIR',
    given: `${text ?? 'reports'} (a file)`,
    expected: 'a folder, which is made where it is missing',
    hint: null,
  }
  return { value: fallback, mistakes: [mistake] }
}

async function isFolderOrFree(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory()
  } catch {
    return true
  }
}

async function readWaivers(
  text: string | undefined,
  credentials: readonly string[],
  cwd: string,
): Promise<Part<readonly Waiver[]>> {
  if (text === undefined) return { value: [], mistakes: [] }

  const file = await readTextFile(resolve(cwd, text), sizeLimits.list)
  return file.kind === 'text'
    ? parseWaivers(file.text, text, credentials)
    : { value: [], mistakes: [unreadable('RUN_WAIVERS', `${text} (${whyNot(file)})`)] }
}

/** A file named by a setting that cannot be read. */
export function unreadable(setting: string, given: string): Mistake {
  return {
    setting,
    given,
    expected: 'a readable JSON file (UTF-8)',
    hint: 'relative paths count from the working folder',
  }
}
