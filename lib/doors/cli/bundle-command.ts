import type { KeyObject } from 'node:crypto'
import { stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { archiveOf } from '../../report/evidence/archive.ts'
import { checkArchive } from '../../report/evidence/check.ts'
import { fileNames, inQuotes, type EvidenceFile } from '../../report/evidence/files.ts'
import { KeyFileError, readSigningKey } from '../../report/evidence/keys.ts'
import { bundleHeadline } from '../../report/evidence/readme.ts'
import { runFiles, sealerHere, signedStatement } from '../../report/evidence/run-folder.ts'
import { statementFiles } from '../../report/evidence/seal.ts'
import { writeNew } from '../../report/folder/reports-folder.ts'
import { settingMeantBy } from '../../settings/setting-table.ts'
import { envFileNotices, readSources } from '../../settings/sources.ts'
import { readFailure } from '../../settings/user-file.ts'
import { readVerdictBytes } from '../../verdict/read-verdict.ts'
import type { ExitCode, Verdict } from '../../verdict/verdict.ts'
import { codeOf } from '../../text/printable.ts'
import type { Console } from './console.ts'
import { UnusableInput } from './new-file.ts'
import { archiveFacts, listedLines } from './verify-command.ts'

/** The flags of `bundle`. */
interface BundleFlags {
  readonly out: string
  readonly signingKeyFile?: string
}

/** Seals the reports of a run, as the run left them, into one archive. */
export async function bundleCommand(console: Console, given: string, flags: BundleFlags): Promise<ExitCode> {
  const folder = resolve(console.cwd, given)
  const out = resolve(console.cwd, flags.out)
  try {
    if (!/.\.(?:tar\.gz|tgz)$/.test(out)) {
      throw new UnusableInput(
        `--out names an archive, whose name ends in .tar.gz: ${inQuotes(flags.out)} does not`,
      )
    }
    const key = await signingKeyOf(flags, console)
    const sealed = await sealedIn(folder, key, console.now())
    await writeNew(out, sealed.archive).catch((error: unknown) => {
      throw codeOf(error) === 'EEXIST'
        ? new UnusableInput(
            `${out} exists already, and an archive replaces nothing: give another name in --out`,
          )
        : unusable(`the archive cannot be written to ${out}`, error)
    })
    console.out(`${bundleHeadline(sealed.verdict)}\nsealed into ${out}: ${sealed.facts.join('\n')}\n`)
    return 0
  } catch (error) {
    if (!(error instanceof UnusableInput || error instanceof KeyFileError)) throw error
    console.err(`${error.message}\n`)
    return 2
  }
}

function unusable(what: string, error: unknown): UnusableInput {
  return new UnusableInput(`${what}: ${readFailure(error)}`, { cause: error })
}

interface SealedRun {
  readonly archive: Buffer
  readonly verdict: Verdict
  /** What is told of the archive, in lines. */
  readonly facts: readonly string[]
}

/** Seals a folder's run, and checks the archive as `verify` does. A run that signed at its end stays as it signed. */
async function sealedIn(folder: string, key: KeyObject | null, now: Date): Promise<SealedRun> {
  const { files, signed } = await filesIn(folder)
  const file = join(folder, fileNames.verdict)
  const bytes = files.find(({ name }) => name === fileNames.verdict)?.content
  if (bytes === undefined) throw new UnusableInput(`${file} cannot be read: there is no such file`)
  const read = readVerdictBytes(bytes, now)
  if (read.kind === 'wrong') throw new UnusableInput(`${file} ${read.wrong}${read.remedy}`)
  if (!files.some(({ name }) => name === fileNames.checksums)) {
    throw new UnusableInput(
      `${folder} holds no ${fileNames.checksums}, which a run writes last: it did not end, or its files were moved; judge the service again`,
    )
  }
  const verdict = read.value
  const beside = signed.length > 0 ? signed : statementFiles({ verdict, files, sealedBy: sealerHere(), key })
  const archive = archiveOf([...files, ...beside], verdict)
  const check = await checkArchive(archive, { key: null, now })
  switch (check.kind) {
    case 'whole':
      return {
        archive,
        verdict,
        facts: [
          `${check.files} files, ${Math.ceil(archive.length / 1024)} KiB`,
          ...archiveFacts(check, signedText(check.signer?.fingerprint)),
        ],
      }
    case 'changed':
      throw new UnusableInput(refusal(folder, check.mistakes))
    case 'no archive':
      throw new UnusableInput(`${folder} cannot be sealed: its archive ${check.why}`)
  }
}

function signedText(fingerprint: string | undefined): string {
  return fingerprint === undefined
    ? 'not signed: name a key with RUN_SIGNING_KEY_FILE (--signing-key-file), so that nobody can make another in its place'
    : `signed by the key with the SHA-256 ${fingerprint}`
}

async function filesIn(
  folder: string,
): Promise<{ readonly files: readonly EvidenceFile[]; readonly signed: readonly EvidenceFile[] }> {
  const stats = await stat(folder).catch(() => null)
  if (stats?.isDirectory() !== true) {
    throw new UnusableInput(`${folder} is no reports folder: give the one that holds verdict.json`)
  }
  try {
    return { files: await runFiles(folder), signed: await signedStatement(folder) }
  } catch (error) {
    throw unusable(`the reports in ${folder} cannot be read`, error)
  }
}

/** Maximum number of shown mistakes. */
const maxMistakesShown = 20

function refusal(folder: string, mistakes: readonly string[]): string {
  return [
    `${folder} is not sealed: its files are not as the run left them:`,
    ...listedLines(mistakes, maxMistakesShown),
    'Judge the service again. `report` makes all reports again from verdict.json, and the archive says so.',
  ].join('\n')
}

/** Signing key, or null. A misspelt setting must not make an unsigned archive. */
async function signingKeyOf(
  { signingKeyFile }: BundleFlags,
  { env, cwd, now, err }: Console,
): Promise<KeyObject | null> {
  if (signingKeyFile !== undefined) return readSigningKey(resolve(cwd, signingKeyFile))

  const { texts, issues, envFile } = await readSources({ env, cwd, flags: {}, envFile: null, now: now() })
  for (const notice of envFileNotices(envFile, '--signing-key-file names a key')) err(`${notice}\n`)
  const name = 'RUN_SIGNING_KEY_FILE'
  const about = issues
    .filter(({ setting }) => setting === '.env' || setting === name || settingMeantBy(setting) === name)
    .map(({ setting, expected, hint }) => `${setting}: ${expected}${hint === null ? '' : `; ${hint}`}`)
  if (about.length > 0) throw new UnusableInput(about.join('\n'))
  const file = texts[name]
  return file === undefined ? null : readSigningKey(resolve(cwd, file))
}
