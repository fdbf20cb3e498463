import { existsSync } from 'node:fs'
import { realpath } from 'node:fs/promises'
import { dirname } from 'node:path'
import { baselineText, mergeBaselines, type Baseline } from '../drift/baseline.ts'
import { writeWhole } from '../report/folder/reports-folder.ts'
import { issue, parsed, type Parsed } from '../settings/issue.ts'
import type { RunSettings } from '../settings/settings.ts'
import { readBounded, readFailure, sizeLimits } from '../settings/user-file.ts'
import { codeOf, errorText } from '../text/printable.ts'
import type { Verdict } from '../verdict/verdict.ts'

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

/** The requested baseline, and its content before and after the run. */
interface BaselineChange {
  readonly asked: RunSettings['baseline']
  /** Content of the file; null if it does not exist. */
  readonly known: Baseline | null
  readonly seen: Baseline | null
  /** Removes credentials from names chosen by the service. */
  readonly redact: (text: string) => string
}

/** Writes, widens or replaces the baseline if requested and if the run found no violation. The verdict says what was done. */
export async function keepBaseline(
  verdict: Verdict,
  { asked, known, seen, redact }: BaselineChange,
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
    return { ...verdict, verdict: 'error', exitCode: 4, because: [message, ...verdict.because] }
  }
  return done(isWidened ? 'widened' : known === null ? 'written' : 'replaced')
}
