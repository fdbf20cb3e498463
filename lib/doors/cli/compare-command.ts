import { Option } from 'commander'
import { comparisonPage, targetsPage } from '../../report/compare/compare-page.ts'
import { comparisonText, targetsText } from '../../report/compare/compare-text.ts'
import { compared, comparisonJson, readSides } from '../../report/compare/comparison.ts'
import {
  comparedTargets,
  expectedTargets,
  readTarget,
  targetsJson,
  type TargetRow,
} from '../../report/compare/targets.ts'
import type { Rendering } from '../../report/render/terminal.ts'
import { UnusableInput } from '../../text/unusable-input.ts'
import type { ExitCode } from '../../verdict/verdict.ts'
import { wholeNumber, type Declare } from './command.ts'
import type { Console } from './console.ts'

/** `compare`: compares verdicts with the first one, or each target with its last run. Exits with 1 if anything got worse. */
export const compareCommand: Declare = (program, acts) =>
  program
    .command('compare')
    .description(
      'compare verdicts with each other, or many targets with their last runs; exit 1 if something got worse',
    )
    .argument('[first]', 'the base of the comparison: a verdict.json, its folder, or a history')
    .argument('[others...]', 'verdicts to compare with it: each a verdict.json or its folder')
    .option(
      '--targets <list>',
      'compare many targets: a file with a line "NAME PATH" for each expected reports folder, or a folder of reports folders',
    )
    .option('--max-age <hours>', 'with --targets: an older verdict counts as missing', wholeNumber(1, 99_999))
    .addOption(
      new Option('--format <format>', 'output format').choices(['text', 'json', 'html']).default('text'),
    )
    .action(acts(compare))

const ofSides = { text: comparisonText, json: comparisonJson, html: comparisonPage }
const ofTargets = { text: targetsText, json: targetsJson, html: targetsPage }

interface CompareFlags {
  readonly format: keyof typeof ofSides
  readonly targets?: string
  readonly maxAge?: number
}

async function compare(
  console: Console,
  first: string | undefined,
  others: readonly string[],
  { format, targets, maxAge }: CompareFlags,
): Promise<ExitCode> {
  const { cwd } = console
  if (targets !== undefined && first === undefined) {
    const now = console.now()
    const rows: TargetRow[] = []
    for (const expected of await expectedTargets(targets, cwd))
      rows.push(await readTarget(expected, { cwd, now, maxAgeHours: maxAge ?? null }))
    return print(comparedTargets(rows, now), ofTargets[format], console)
  }
  if (targets !== undefined || maxAge !== undefined || first === undefined || others.length === 0)
    throw new UnusableInput('compare needs at least two verdicts, or only --targets; see compare --help')
  const [head, ...rest] = await readSides([first, ...others], cwd)
  return print(compared(head, rest), ofSides[format], console)
}

function print<Compared extends { readonly worse: boolean }>(
  comparison: Compared,
  report: (comparison: Compared, rendering: Rendering) => string,
  console: Console,
): ExitCode {
  console.out(report(comparison, console))
  return comparison.worse ? 1 : 0
}
