import { mergeBaselines, type Baseline } from '../drift/baseline.ts'
import { BaselineFileError, readBaseline, writeBaseline } from '../drift/baseline-file.ts'
import type { Verdict } from '../verdict/verdict.ts'
import { sizeLimits, readBounded, UnfitFile } from '../settings/bounded-file.ts'
import type { Mistake } from '../settings/mistake.ts'
import type { RunSettings } from '../settings/settings.ts'

/** The baseline of a run: the file's contents, null where there is none yet; or what is wrong with the file. */
export async function knownBaseline({
  baseline: asked,
}: Pick<RunSettings, 'baseline'>): Promise<Baseline | null | Mistake> {
  if (asked === null) return null
  const unfit = await whyUnfit(asked.file)
  if (unfit !== null) {
    const expected = 'a baseline that a run wrote, or the name of a file that it may write'
    return { setting: 'RUN_BASELINE', given: `${asked.file} (${unfit})`, expected, hint: null }
  }
  try {
    return await readBaseline(asked.file)
  } catch (error) {
    if (!(error instanceof BaselineFileError)) throw error
    return {
      setting: 'RUN_BASELINE',
      given: asked.file,
      expected: `a baseline that can be used: ${error.message}`,
      hint: null,
    }
  }
}

/** What keeps a file from being read at all; what else is wrong with it, reading it as a baseline tells. */
async function whyUnfit(file: string): Promise<string | null> {
  try {
    await readBounded(file, sizeLimits.baseline)
    return null
  } catch (error) {
    return error instanceof UnfitFile ? error.message : null
  }
}

/** Whether it is a mistake rather than a baseline. */
export function isMistake(known: Baseline | null | Mistake): known is Mistake {
  return known !== null && 'setting' in known
}

/** Writes, widens or replaces the baseline where the run was asked to and found no violation; the verdict says what was done. */
export async function keepBaseline(
  verdict: Verdict,
  {
    asked,
    known,
    seen,
    scrub,
  }: {
    readonly asked: RunSettings['baseline']
    readonly known: Baseline | null
    readonly seen: Baseline | null
    readonly scrub: (text: string) => string
  },
): Promise<Verdict> {
  if (asked === null) return verdict
  const { file, mode } = asked
  if (mode === 'compare' && known !== null) return { ...verdict, baseline: { file, did: 'compared' } }
  if (!isFitToKeep(verdict) || seen === null || Object.keys(seen.stimuli).length === 0) {
    return { ...verdict, baseline: { file, did: 'left alone: only a run without violations writes it' } }
  }

  const isWidened = mode === 'widen' && known !== null
  try {
    await writeBaseline(file, isWidened ? mergeBaselines(known, seen) : seen, scrub)
  } catch (error) {
    if (!(error instanceof BaselineFileError)) throw error
    return { ...verdict, verdict: 'error', exitCode: 4, because: [error.message, ...verdict.because] }
  }
  return {
    ...verdict,
    baseline: { file, did: isWidened ? 'widened' : known === null ? 'written' : 'replaced' },
  }
}

function isFitToKeep({ verdict }: Verdict): boolean {
  return verdict === 'conformant' || verdict === 'incomplete'
}
