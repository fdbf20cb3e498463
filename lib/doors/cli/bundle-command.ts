import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { pack, tarOf } from '../../report/evidence/archive.ts'
import { checkFiles, type WholeRun } from '../../report/evidence/check.ts'
import { inQuotes } from '../../report/evidence/files.ts'
import { runFiles } from '../../report/evidence/run-folder.ts'
import { writeNew } from '../../report/folder/reports-folder.ts'
import { readFailure } from '../../settings/user-file.ts'
import type { ExitCode } from '../../verdict/verdict.ts'
import { codeOf } from '../../text/printable.ts'
import type { Console } from './console.ts'
import { UnusableInput } from './new-file.ts'
import { archiveHeadline, evidenceLines, listedLines } from './verify-command.ts'

/** Packs the reports of a run, as the run left them, into one archive. */
export async function bundleCommand(
  console: Console,
  given: string,
  flags: { readonly out: string },
): Promise<ExitCode> {
  const folder = resolve(console.cwd, given)
  const out = resolve(console.cwd, flags.out)
  try {
    if (!/.\.(?:tar\.gz|tgz)$/.test(out)) {
      throw new UnusableInput(
        `--out names an archive, whose name ends in .tar.gz: ${inQuotes(flags.out)} does not`,
      )
    }
    const run = await runIn(folder, console.now())
    const archive = pack(tarOf(run.files, run.verdict))
    await writeNew(out, archive).catch((error: unknown) => {
      throw codeOf(error) === 'EEXIST'
        ? new UnusableInput(
            `${out} exists already, and an archive replaces nothing: give another name in --out`,
          )
        : unusable(`the archive cannot be written to ${out}`, error)
    })
    const size = `${run.files.size} files, ${Math.ceil(archive.length / 1024)} KiB`
    const lines = [archiveHeadline(run.verdict), `packed into ${out}: ${size}`, ...evidenceLines(run)]
    console.out(`${lines.join('\n')}\n`)
    return 0
  } catch (error) {
    if (!(error instanceof UnusableInput)) throw error
    console.err(`${error.message}\n`)
    return 2
  }
}

function unusable(what: string, error: unknown): UnusableInput {
  return new UnusableInput(`${what}: ${readFailure(error)}`, { cause: error })
}

/** Maximum number of shown mistakes. */
const maxMistakesShown = 20

/** The files of a run that are as it left them, checked as `verify` does. */
async function runIn(folder: string, now: Date): Promise<WholeRun> {
  const stats = await stat(folder).catch(() => null)
  if (stats?.isDirectory() !== true) {
    throw new UnusableInput(`${folder} is no reports folder: give the one that holds verdict.json`)
  }
  const files = await runFiles(folder).catch((error: unknown) => {
    throw unusable(`the reports in ${folder} cannot be read`, error)
  })
  const check = checkFiles(files, { key: null, now })
  if (check.kind === 'whole') return check
  const lines = [
    `${folder} is not packed: its files are not as the run left them:`,
    ...listedLines(check.mistakes, maxMistakesShown),
    'Judge the service again, or make the reports again from verdict.json with `report`, which signs nothing.',
  ]
  throw new UnusableInput(lines.join('\n'))
}
