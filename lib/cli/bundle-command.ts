import type { KeyObject } from 'node:crypto'
import { stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { packageVersion, programRoot } from '../settings/package-version.ts'
import { collectFiles, pinnedPackages } from '../report/evidence/contents.ts'
import { reportMistakes } from '../report/evidence/agreement.ts'
import { inQuotes } from '../report/evidence/files.ts'
import { bundleHeadline } from '../report/evidence/readme.ts'
import { sealBundle, UnsealableError, type SealedBundle, type SealInput } from '../report/evidence/seal.ts'
import { KeyFileError, readSigningKey } from '../report/evidence/keys.ts'
import { digestMistakes } from '../report/folder/run-digests.ts'
import { writeNew } from '../report/folder/reports-folder.ts'
import { moment } from '../report/words.ts'
import { integer } from '../settings/setting.ts'
import { sizeLimits, readBounded, readFailure } from '../settings/user-file.ts'
import { settingMeantBy } from '../settings/setting-table.ts'
import { envFileNotices, readSources } from '../settings/sources.ts'
import { readVerdictBytes } from '../verdict/read-verdict.ts'
import type { ExitCode, Verdict } from '../verdict/verdict.ts'
import type { Console } from './console.ts'

/** The flags of `bundle`. */
export interface BundleFlags {
  readonly out: string
  readonly signingKeyFile?: string
  readonly validDays?: string
}

/** Days for which an archive may be valid. */
const days = integer('<days>', [1, 3_650], { about: 'How long the archive is valid.' })

/** Unusable input; the message says what is wrong. */
class UnusableInput extends Error {}

/** Seals the reports of a run into one archive. */
export async function bundleCommand(given: string, flags: BundleFlags, console: Console): Promise<ExitCode> {
  const folder = resolve(console.cwd, given)
  const out = resolve(console.cwd, flags.out)
  try {
    if (!/.\.(?:tar\.gz|tgz)$/.test(out)) {
      throw new UnusableInput(
        `--out names an archive, whose name ends in .tar.gz: ${inQuotes(flags.out)} does not`,
      )
    }
    const validDays = validDaysOf(flags)
    const key = await signingKeyOf(flags, console)
    const { verdict, verdictBytes } = await verdictIn(folder, console.now())
    const { reports, allure, leftOut } = await collectFiles(folder).catch((error: unknown) => {
      throw unusable(`the reports in ${folder} cannot be read`, error)
    })
    const archive = seal(
      { verdict, verdictBytes, allure, versions: versionsOf(verdict), key, validDays },
      folder,
    )
    const changed = await digestMistakes(folder).catch((error: unknown) => {
      throw unusable(
        `${folder} is not sealed: run.sha256, which a run writes last of all, cannot be read`,
        error,
      )
    })
    refuseUnfit(folder, [...changed, ...reportMistakes(verdict, { reports, allure }, packageVersion())])
    await writeNew(out, archive.bytes).catch((error: unknown) => {
      throw isThere(error)
        ? new UnusableInput(
            `${out} exists already, and an archive replaces nothing: give another name in --out`,
          )
        : unusable(`the archive cannot be written to ${out}`, error)
    })
    console.out(`${bundleHeadline(verdict)}\n${sealedText(archive, out, leftOut)}\n`)
    return 0
  } catch (error) {
    if (!(error instanceof UnusableInput || error instanceof KeyFileError)) throw error
    console.err(`${error.message}\n`)
    return 2
  }
}

function isThere(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EEXIST'
}

/** Maximum number of shown mistakes. */
const maxMistakesShown = 20

/** Throws {@link UnusableInput} where reports do not fit the verdict. */
function refuseUnfit(folder: string, mistakes: readonly string[]): void {
  if (mistakes.length === 0) return
  const more = mistakes.length - maxMistakesShown
  throw new UnusableInput(
    [
      `${folder} is not sealed: its verdict.json and the other reports of the run do not fit together:`,
      ...mistakes.slice(0, maxMistakesShown).map((mistake) => `  - ${mistake}`),
      ...(more > 0 ? [`  - and ${more} more`] : []),
      'If only the other reports were changed, `report` makes them again from verdict.json; otherwise judge the service again.',
    ].join('\n'),
  )
}

function unusable(what: string, error: unknown): UnusableInput {
  return new UnusableInput(`${what}: ${readFailure(error)}`, { cause: error })
}

function validDaysOf({ validDays }: BundleFlags): number | null {
  const read = validDays === undefined ? null : days.read(validDays)
  if (read !== undefined) return read
  throw new UnusableInput(`--valid-days is ${days.expected}: ${inQuotes(validDays ?? '')} is not`)
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

async function verdictIn(folder: string, now: Date): Promise<Pick<SealInput, 'verdict' | 'verdictBytes'>> {
  const stats = await stat(folder).catch(() => null)
  if (stats?.isDirectory() !== true) {
    throw new UnusableInput(`${folder} is no reports folder: give the one that holds verdict.json`)
  }
  const file = join(folder, 'verdict.json')
  const verdictBytes = await readBounded(file, sizeLimits.verdict).catch((error: unknown) => {
    throw unusable(`${file} cannot be read`, error)
  })
  const read = readVerdictBytes(verdictBytes, now)
  if (read.kind === 'wrong') throw new UnusableInput(`${file} ${read.wrong}${read.remedy}`)
  return { verdict: read.value, verdictBytes }
}

function versionsOf(verdict: Verdict): SealInput['versions'] {
  const packages = pinnedPackages([programRoot, join(programRoot, '..')])
  return {
    run: { suite: verdict.suite.version },
    bundle: { suite: packageVersion(), node: process.versions.node, packages },
  }
}

function seal(input: SealInput, folder: string): SealedBundle {
  try {
    return sealBundle(input)
  } catch (error) {
    const reason = error instanceof UnsealableError ? error.message : 'holds what no report can be made of'
    throw new UnusableInput(`${join(folder, 'verdict.json')} ${reason}`, { cause: error })
  }
}

function sealedText(
  { bytes, files, manifest, signedBy, validUntil }: SealedBundle,
  out: string,
  leftOut: readonly string[],
): string {
  const shown = leftOut.slice(0, 5).map(inQuotes)
  const more = leftOut.length > shown.length ? ` and ${leftOut.length - shown.length} more` : ''
  return [
    `sealed into ${out}: ${files} files, ${Math.ceil(bytes.length / 1024)} KiB`,
    `SHA-256 of its manifest: ${manifest}`,
    signedBy === null
      ? 'not signed: name a key with RUN_SIGNING_KEY_FILE (--signing-key-file), so that nobody can make another in its place'
      : `signed by the key whose public part has the SHA-256 ${signedBy}`,
    ...(validUntil === null ? [] : [`valid until ${moment(validUntil)}, counted from the start of the run`]),
    ...(shown.length === 0
      ? []
      : [`left out, since it is no report of this run: ${shown.join(', ')}${more}`]),
  ].join('\n')
}
