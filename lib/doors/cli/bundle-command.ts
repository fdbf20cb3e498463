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

/** `bundle`: packs the reports of a run, as the run left them, into one archive. */
export const bundleCommand: Declare = (program, acts) =>
  program
    .command('bundle')
    .description('pack the reports of a run, as it left and signed them, into one evidence archive')
    .argument('<folder>', 'the reports folder')
    .requiredOption('--out <file>', 'where the archive is written; its name ends in .tar.gz')
    .action(acts(packRun))

/** Maximum number of shown mistakes. */
const maxMistakesShown = 20

async function packRun(
  { cwd, out: print, now }: Console,
  given: string,
  { out }: { readonly out: string },
): Promise<ExitCode> {
  const folder = resolve(cwd, given)
  if (!/.\.(?:tar\.gz|tgz)$/.test(out))
    throw new UnusableInput(`--out names an archive, whose name ends in .tar.gz: ${inQuotes(out)} does not`)
  const files = await runFiles(folder).catch((cause: unknown) => {
    const why = readFailure(cause)
    throw new UnusableInput(
      `the reports in ${folder} cannot be read: ${why}; give the folder that holds verdict.json`,
      { cause },
    )
  })
  const run = checkFiles(files, { key: null, now: now() })
  if (run.kind !== 'whole') {
    const lines = [
      `${folder} is not packed: its files are not as the run left them:`,
      ...listedLines(run.mistakes, maxMistakesShown),
      'Judge the service again, or make the reports again from verdict.json with `report`, which signs nothing.',
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
