import type { KeyObject } from 'node:crypto'
import { stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { collected, type Collected } from '../report/evidence/collect.ts'
import { KeyFileError, signingKey } from '../report/evidence/keys.ts'
import { headline } from '../report/evidence/readme.ts'
import { sealed, UnsealableError, type Sealed } from '../report/evidence/seal.ts'
import { named, verdictFrom } from '../report/evidence/verdict-bytes.ts'
import { installedPackages } from '../report/evidence/versions.ts'
import { writeWhole } from '../report/write-whole.ts'
import { readVerdict, VerdictFileError } from '../verdict/read-verdict.ts'
import type { ExitCode, Verdict } from '../verdict/verdict.ts'
import { sizeLimits, readBounded } from '../settings/user-file.ts'
import { envFileNotices, readSources } from '../settings/sources.ts'
import { settingMeantBy } from '../settings/setting-table.ts'
import type { Console } from './console.ts'
import { packageVersion, programRoot } from '../engine/package-version.ts'

/** The flags of `bundle`. */
export interface BundleFlags {
  readonly out: string
  readonly signingKeyFile?: string
}

/** Something that was given cannot be used; the message says what. */
class Unusable extends Error {}

/** Seals the reports of a run into one archive. Source: Commands, in the README. */
export async function bundleCommand(given: string, flags: BundleFlags, console: Console): Promise<ExitCode> {
  const folder = resolve(console.cwd, given)
  const out = resolve(console.cwd, flags.out)
  try {
    if (!/.\.(?:tar\.gz|tgz)$/.test(out)) {
      throw new Unusable(`--out names an archive, whose name ends in .tar.gz: ${named(flags.out)} does not`)
    }
    const key = await keyOf(flags, console)
    const { verdict, verdictBytes } = await verdictIn(folder)
    const { allure, leftOut } = await collect(folder)
    const versions = {
      run: { suite: verdict.suite.version },
      bundle: {
        suite: packageVersion(),
        node: process.versions.node,
        packages: installedPackages([programRoot, join(programRoot, '..')]),
      },
    }
    const archive = seal({ verdict, verdictBytes, allure, versions, key }, folder)
    await write(out, archive.bytes)
    console.out(told(archive, { out, verdict, leftOut }))
    return 0
  } catch (error) {
    const expected = [Unusable, KeyFileError, VerdictFileError].some((one) => error instanceof one)
    if (!(error instanceof Error) || !expected) throw error
    console.err(`${error.message}\n`)
    return 2
  }
}

/** The key that signs, null where none is given. A name that was misspelt must not make an archive that nobody signed. */
async function keyOf({ signingKeyFile }: BundleFlags, console: Console): Promise<KeyObject | null> {
  const { env, cwd } = console
  if (signingKeyFile !== undefined) return signingKey(resolve(cwd, signingKeyFile))

  const { texts, issues, envFile } = await readSources({
    env,
    cwd,
    flags: {},
    envFile: null,
    now: console.now(),
  })
  for (const notice of envFileNotices(envFile, '--signing-key-file names a key')) console.err(`${notice}\n`)
  const about = issues.filter(({ setting }) => isAboutKey(setting))
  if (about.length > 0) {
    throw new Unusable(
      about
        .map(({ setting, expected, hint }) => `${setting}: ${expected}${hint === null ? '' : `; ${hint}`}`)
        .join('\n'),
    )
  }
  const file = texts.RUN_SIGNING_KEY_FILE
  return file === undefined ? null : signingKey(resolve(cwd, file))
}

function isAboutKey(setting: string): boolean {
  const name = 'RUN_SIGNING_KEY_FILE'
  return setting === '.env' || setting === name || settingMeantBy(setting) === name
}

/** A verdict and its bytes, which are read once more: what is sealed is what was understood. */
async function verdictIn(folder: string): Promise<{ verdict: Verdict; verdictBytes: Buffer }> {
  const isFolder = await stat(folder).then(
    (stats) => stats.isDirectory(),
    () => false,
  )
  if (!isFolder) throw new Unusable(`${folder} is no reports folder: give the one that holds verdict.json`)
  const file = join(folder, 'verdict.json')
  await readVerdict(file)
  const verdictBytes = await readBounded(file, sizeLimits.verdict)
  const read = verdictFrom(verdictBytes)
  if (read.kind === 'wrong') throw new Unusable(`${file} ${read.wrong}`)
  return { verdict: read.verdict, verdictBytes }
}

async function collect(folder: string): Promise<Collected> {
  try {
    return await collected(folder)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new Unusable(`the reports in ${folder} cannot be read: ${reason}`, { cause: error })
  }
}

function seal(sealing: Parameters<typeof sealed>[0], folder: string): Sealed {
  try {
    return sealed(sealing)
  } catch (error) {
    const reason = error instanceof UnsealableError ? error.message : 'holds what no report can be made of'
    throw new Unusable(`${join(folder, 'verdict.json')} ${reason}`, { cause: error })
  }
}

async function write(out: string, bytes: Buffer): Promise<void> {
  try {
    await writeWhole(out, bytes)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new Unusable(`the archive cannot be written to ${out}: ${reason}`, { cause: error })
  }
}

interface Telling {
  readonly out: string
  readonly verdict: Verdict
  readonly leftOut: readonly string[]
}

function told({ bytes, files, manifest, signedBy }: Sealed, { out, verdict, leftOut }: Telling): string {
  const shown = leftOut.slice(0, 5).map(named)
  const more = leftOut.length > shown.length ? ` and ${leftOut.length - shown.length} more` : ''
  const lines = [
    headline(verdict),
    `sealed into ${out}: ${files} files, ${Math.ceil(bytes.length / 1024)} KiB`,
    `SHA-256 of its manifest: ${manifest}`,
    signedBy === null
      ? 'not signed: name a key with RUN_SIGNING_KEY_FILE (--signing-key-file), so that nobody can make another in its place'
      : `signed by the key whose public part has the SHA-256 ${signedBy}`,
    ...(shown.length === 0
      ? []
      : [`left out, since it is no report of this run: ${shown.join(', ')}${more}`]),
  ]
  return `${lines.join('\n')}\n`
}
