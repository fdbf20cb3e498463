import { compared, comparisonJson } from '../../report/compare/comparison.ts'
import { comparisonPage } from '../../report/compare/comparison-page.ts'
import { comparisonText } from '../../report/compare/comparison-text.ts'
import { expectedTargets, TargetListError } from '../../report/compare/expected-targets.ts'
import { readSides } from '../../report/compare/side.ts'
import { readTargets } from '../../report/compare/target-row.ts'
import { comparedTargets, targetsJson } from '../../report/compare/targets.ts'
import { targetsPage } from '../../report/compare/targets-page.ts'
import { targetsText } from '../../report/compare/targets-text.ts'
import type { Rendering } from '../../report/render/terminal.ts'
import { printableLines } from '../../text/printable.ts'
import { VerdictFileError } from '../../verdict/read-verdict.ts'
import type { ExitCode } from '../../verdict/verdict.ts'
import type { Console } from './console.ts'

/** Reports of verdicts side by side, and of many targets, by format. */
const ofSides = { text: comparisonText, json: comparisonJson, html: comparisonPage }
const ofTargets = { text: targetsText, json: targetsJson, html: targetsPage }

/** Flags of `compare`. */
interface CompareFlags {
  readonly format: keyof typeof ofSides
  /** A list of targets, or a folder of their reports folders, in the place of verdicts. */
  readonly targets?: string
  /** Maximum age of the verdicts of targets, in hours. */
  readonly maxAge?: string
}

/** Compares verdicts with the first, or many targets with their own last runs; exits with 1 if something is worse. */
export async function compareCommand(
  console: Console,
  first: string | undefined,
  others: readonly string[],
  flags: CompareFlags,
): Promise<ExitCode> {
  const { format, targets, maxAge } = flags
  try {
    if (targets !== undefined && first === undefined) return await compareTargets(targets, flags, console)
    if (targets === undefined && maxAge === undefined && first !== undefined && others.length > 0)
      return await compareSides([first, ...others], format, console)
  } catch (error) {
    if (!(error instanceof VerdictFileError || error instanceof TargetListError)) throw error
    console.err(`${printableLines(error.message)}\n`)
    return 2
  }
  console.err('compare needs two verdicts or more, or --targets without any; see compare --help\n')
  return 2
}

async function compareSides(
  paths: readonly string[],
  format: CompareFlags['format'],
  console: Console,
): Promise<ExitCode> {
  const [head, ...rest] = await readSides(paths, console.cwd)
  return tell(compared(head, rest), ofSides[format], console)
}

async function compareTargets(
  given: string,
  { format, maxAge }: CompareFlags,
  console: Console,
): Promise<ExitCode> {
  const { cwd } = console
  const now = console.now()
  if (maxAge !== undefined && !/^[1-9]\d{0,4}$/.test(maxAge))
    throw new TargetListError('--max-age: expected a whole number of hours, 1 to 99999')
  const maxAgeHours = maxAge === undefined ? null : Number(maxAge)
  const rows = await readTargets(await expectedTargets(given, cwd), { cwd, now, maxAgeHours })
  return tell(comparedTargets(rows, now), ofTargets[format], console)
}

/** Prints a comparison; exits with 1 if anything is worse. */
function tell<Compared extends { readonly worse: boolean }>(
  comparison: Compared,
  report: (comparison: Compared, rendering: Rendering) => string,
  { out, colour, width }: Console,
): ExitCode {
  out(report(comparison, { colour, width }))
  return comparison.worse ? 1 : 0
}
