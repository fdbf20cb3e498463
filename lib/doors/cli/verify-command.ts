import type { KeyObject } from 'node:crypto'
import { resolve } from 'node:path'
import { checkArchive, type WholeArchive } from '../../report/evidence/check.ts'
import { inQuotes, maxArchiveBytes } from '../../report/evidence/files.ts'
import { KeyFileError, readVerifyingKey } from '../../report/evidence/keys.ts'
import { bundleHeadline, claims, madeAgainText } from '../../report/evidence/readme.ts'
import { unmetRequirements } from '../../report/evidence/requirements.ts'
import { askedAddress } from '../../report/model/headline.ts'
import { andMore, firstOf, moment, plural } from '../../text/counts.ts'
import { readBounded, readFailure, UnfitFile } from '../../settings/user-file.ts'
import type { ExitCode, Verdict } from '../../verdict/verdict.ts'
import type { Console } from './console.ts'

/** The flags of `verify`. */
interface VerifyFlags {
  readonly key?: string
  readonly require?: 'conformant'
  readonly requireSignature?: boolean
}

/** Checks an evidence archive; exits with 1 if anything was changed, or is not as required. */
export async function verifyCommand(console: Console, file: string, flags: VerifyFlags): Promise<ExitCode> {
  const path = resolve(console.cwd, file)
  const { key: keyFile, requireSignature: signature = false } = flags
  if (signature && keyFile === undefined) {
    console.err('--require-signature needs --key FILE: the public key of whoever must have signed\n')
    return 2
  }
  try {
    const key = keyFile === undefined ? null : await readVerifyingKey(resolve(console.cwd, keyFile))
    const requirements = { conformant: flags.require === 'conformant', signature, now: console.now() }
    return await verifyWith({ path, key, requirements }, console)
  } catch (error) {
    if (error instanceof KeyFileError) console.err(`${error.message}\n`)
    else console.err(`${path} cannot be checked: ${whyUnreadable(error)}\n`)
    return 2
  }
}

interface Verification {
  readonly path: string
  readonly key: KeyObject | null
  readonly requirements: Parameters<typeof unmetRequirements>[1]
}

async function verifyWith({ path, key, requirements }: Verification, console: Console): Promise<ExitCode> {
  const archive = await readBounded(path, maxArchiveBytes)
  const check = await checkArchive(archive, { key, now: requirements.now })
  switch (check.kind) {
    case 'whole': {
      const unmet = unmetRequirements(check, requirements)
      console.out(wholeText(check, path))
      if (unmet.length > 0) console.err(reasonsText(`${path} is whole, but not as required`, unmet))
      return unmet.length === 0 ? 0 : 1
    }
    case 'changed':
      console.err(reasonsText(`${path} cannot be trusted`, check.mistakes))
      return 1
    case 'no archive':
      console.err(`${path} is no archive that \`bundle\` wrote: it ${check.why}\n`)
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

function wholeText(check: WholeArchive, path: string): string {
  const { verdict, files } = check
  const { target } = verdict
  const lines = [
    bundleHeadline(verdict),
    `${path} is whole: ${files} files, each as it was sealed`,
    `verdict: ${verdict.verdict}, exit code ${verdict.exitCode}`,
    `target: ${inQuotes(askedAddress(target))}`,
    buildLine(verdict),
    ...exceptionLines(verdict),
    ...archiveFacts(check, signerText(check.signer)),
    claims[check.signer === null ? 'unsigned' : 'signed'],
  ]
  return `${lines.join('\n')}\n`
}

function buildLine({ target: { label, build } }: Verdict): string {
  const named = [label, build].flatMap((name) => (name === null ? [] : [inQuotes(name)]))
  return named.length === 0
    ? 'build: not named (TARGET_LABEL, TARGET_BUILD)'
    : `build: ${named.join(', ')}, as the maker of the run said`
}

/** Maximum number of named exceptions. */
const maxExceptionsShown = 20

/** Waivers that covered anything, or that there is none. */
function exceptionLines({ waivers }: Verdict): readonly string[] {
  const used = waivers.filter((waiver) => waiver.used)
  if (used.length === 0) return ['exceptions: none']
  const texts = used.map(({ rule, fingerprint, reason, owner, expires }) => {
    const about = rule ?? fingerprint ?? 'the findings of a cause'
    return `${inQuotes(about)}: ${inQuotes(reason)}, agreed by ${inQuotes(owner)} until ${inQuotes(expires)}`
  })
  return [`exceptions: ${used.length}`, ...listedLines(texts, maxExceptionsShown)]
}

/** What is told of a sealed archive: who made its reports again, the verdict's digest, who signed, and how long it is valid. */
export function archiveFacts(
  { verdict, digest, madeAgainBy }: WholeArchive,
  signed: string,
): readonly string[] {
  const again = madeAgainText(verdict, madeAgainBy)
  return [
    ...(again === null ? [] : [`made again: ${again}`]),
    `SHA-256 of verdict.json: ${digest}`,
    signed,
    ...(verdict.validUntil === undefined ? [] : [`valid until ${moment(verdict.validUntil)}`]),
  ]
}

function signerText(signer: WholeArchive['signer']): string {
  if (signer === null) return 'not signed'
  return signer.trusted
    ? `signed by the key that you gave, with the SHA-256 ${signer.fingerprint}`
    : `signed by the key in the archive, with the SHA-256 ${signer.fingerprint}: give the key that you trust with --key`
}

/** Items of a list in lines, and the number of the others. */
export function listedLines(items: readonly string[], most: number): readonly string[] {
  return firstOf(items, most, andMore).map((item) => `  - ${item}`)
}

/** Maximum number of shown reasons. */
const maxReasonsShown = 100

function reasonsText(what: string, reasons: readonly string[]): string {
  const lines = [
    `${what}, for ${plural(reasons.length, 'reason')}:`,
    ...listedLines(reasons, maxReasonsShown),
  ]
  return `${lines.join('\n')}\n`
}
