import { resolve } from 'node:path'
import { pack, tarOf } from '../../report/evidence/archive.ts'
import { checkFiles } from '../../report/evidence/check.ts'
import { inQuotes } from '../../report/evidence/files.ts'
import { runFiles } from '../../report/evidence/run-folder.ts'
import { readFailure } from '../../settings/user-file.ts'
import { UnusableInput } from '../../text/unusable-input.ts'
import type { ExitCode } from '../../verdict/verdict.ts'
import type { Declare } from './command.ts'
import type { Console } from './console.ts'
import { writeNewFile } from './new-file.ts'
import { archiveHeadline, evidenceLines, listedLines } from './verify-command.ts'

/** `bundle`: packs the unchanged reports of a run into one archive. */
export const bundleCommand: Declare = (program, acts) =>
  program
    .command('bundle')
    .description('pack the unchanged reports of a run into an evidence archive')
    .argument('<folder>', 'the reports folder')
    .requiredOption('--out <file>', 'archive to write; its name must end in .tar.gz')
    .action(acts(packRun))

/** Maximum number of mistakes shown. */
const maxMistakesShown = 20

async function packRun(
  { cwd, out: print, now }: Console,
  given: string,
  { out }: { readonly out: string },
): Promise<ExitCode> {
  const folder = resolve(cwd, given)
  if (!/.\.(?:tar\.gz|tgz)$/.test(out))
    throw new UnusableInput(
      `--out: the name of an archive must end in .tar.gz, and ${inQuotes(out)} does not`,
    )
  const files = await runFiles(folder).catch((cause: unknown) => {
    const why = readFailure(cause)
    throw new UnusableInput(
      `the reports in ${folder} cannot be read: ${why}; name the folder that contains verdict.json`,
      { cause },
    )
  })
  const run = checkFiles(files, { key: null, now: now() })
  if (run.kind !== 'whole') {
    const lines = [
      `${folder} was not packed, because its files changed after the run:`,
      ...listedLines(run.mistakes, maxMistakesShown),
      'Judge the service again. Or recreate the reports with `report`; they are then unsigned.',
    ]
    throw new UnusableInput(lines.join('\n'))
  }
  const archive = pack(tarOf(files, run.verdict))
  await writeNewFile(out, archive, cwd)
  const size = `${files.size} files, ${Math.ceil(archive.length / 1024)} KiB`
  const lines = [
    archiveHeadline(run.verdict),
    `packed into ${resolve(cwd, out)}: ${size}`,
    ...evidenceLines(run),
  ]
  print(`${lines.join('\n')}\n`)
  return 0
}
