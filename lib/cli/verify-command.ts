import { resolve } from 'node:path'
import { packageVersion } from '../settings/package-version.ts'
import { checkBundle, type BundleCheck } from '../report/evidence/check.ts'
import { bundleHeadline } from '../report/evidence/readme.ts'
import { KeyFileError, readVerifyingKey } from '../report/evidence/keys.ts'
import { moment, plural } from '../report/words.ts'
import { readFailure, UnfitFile } from '../settings/user-file.ts'
import type { ExitCode } from '../verdict/verdict.ts'
import type { Console } from './console.ts'

/** The flags of `verify`. */
export interface VerifyFlags {
  readonly key?: string
}

/** Maximum number of shown reasons. */
const maxReasonsShown = 100

/** Checks an evidence archive; exits with 1 if anything was changed, is missing or does not fit. */
export async function verifyCommand(file: string, { key }: VerifyFlags, console: Console): Promise<ExitCode> {
  const path = resolve(console.cwd, file)
  const suite = packageVersion()
  try {
    const trusted = key === undefined ? null : await readVerifyingKey(resolve(console.cwd, key))
    const check = await checkBundle(path, { key: trusted, suite, now: console.now() })
    switch (check.kind) {
      case 'sound':
        console.out(soundText(check, path, suite))
        return 0
      case 'wrong':
        console.err(wrongText(check.mistakes, path))
        return 1
      case 'no archive':
        console.err(`${path} is no archive that \`bundle\` wrote: it ${check.why}\n`)
        return 2
    }
  } catch (error) {
    if (error instanceof KeyFileError) console.err(`${error.message}\n`)
    else console.err(`${path} cannot be checked: ${whyUnreadable(error)}\n`)
    return 2
  }
}

/** Why a file could not be read; rethrows what is about something else. */
function whyUnreadable(error: unknown): string {
  if (error instanceof UnfitFile) return readFailure(error)
  if (!(error instanceof Error && 'syscall' in error && 'code' in error)) throw error
  const code = String(error.code)
  return unreadable[code] ?? error.message
}

const unreadable: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EISDIR: 'it is a folder',
  ENXIO: 'it is no plain file, but a socket',
}

type SoundBundle = Extract<BundleCheck, { kind: 'sound' }>

function soundText(
  { verdict, files, manifest, madeBy, signer, validUntil }: SoundBundle,
  path: string,
  suite: string,
): string {
  const lines = [
    bundleHeadline(verdict),
    `${path}: it is whole, and all that is in it fits together`,
    `checked: ${files} files by size and SHA-256; SHA-256 of the manifest: ${manifest}`,
    madeBy === suite
      ? 'checked: every report says what verdict.json says'
      : `not checked: whether README.txt, index.html, junit.xml and summary.md say what verdict.json says, since another version of the suite made them (${madeBy}, and this is ${suite})`,
    signerText(signer),
    ...(verdict.target.buildDigest === undefined
      ? []
      : [`about the build with the digest ${verdict.target.buildDigest}, as whoever made the run said`]),
    ...(validUntil === null ? [] : [`valid until ${moment(validUntil)}`]),
  ]
  return `${lines.join('\n')}\n`
}

function signerText(signer: SoundBundle['signer']): string {
  if (signer === null) return 'not signed: whoever has the archive may have made it'
  return signer.trusted
    ? `signed by the key that you gave, with the SHA-256 ${signer.fingerprint}`
    : `signed by a key that only the archive vouches for, with the SHA-256 ${signer.fingerprint}: give the key that you trust with --key`
}

function wrongText(mistakes: readonly string[], path: string): string {
  const more = mistakes.length - maxReasonsShown
  const lines = [
    `${path} cannot be trusted, for ${plural(mistakes.length, 'reason')}:`,
    ...mistakes.slice(0, maxReasonsShown).map((mistake) => `  - ${mistake}`),
    ...(more > 0 ? [`  - and ${more} more`] : []),
  ]
  return `${lines.join('\n')}\n`
}
