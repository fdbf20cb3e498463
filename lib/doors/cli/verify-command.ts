import { Option } from 'commander'
import { resolve } from 'node:path'
import { checkArchive, type WholeRun } from '../../report/evidence/check.ts'
import { fileNames, inQuotes, maxArchiveBytes, sha256 } from '../../report/evidence/files.ts'
import { readVerifyingKey } from '../../report/evidence/keys.ts'
import { askedAddress, embeddedSubject, headlineWord, inBrackets } from '../../report/model/headline.ts'
import { packageVersion, unknownVersion } from '../../settings/package-version.ts'
import { andMore, firstOf, moment, plural } from '../../text/counts.ts'
import { beginning, printable } from '../../text/printable.ts'
import { UnusableInput } from '../../text/unusable-input.ts'
import { readBounded, readFailure } from '../../settings/user-file.ts'
import { isPartial, partsOf, type ExitCode, type Verdict } from '../../verdict/verdict.ts'
import type { Declare } from './command.ts'
import type { Console } from './console.ts'

/** `verify`: checks an evidence archive; exits with 1 if anything was changed, or is not as required. */
export const verifyCommand: Declare = (program, acts) =>
  program
    .command('verify')
    .description('check an evidence archive; exit 1 when anything was changed, or is not as required')
    .argument('<file>', 'the archive; nothing of it is unpacked')
    .option('--key <file>', 'a PEM file with the public Ed25519 key that must have signed it')
    .addOption(
      new Option(
        '--require <what>',
        'accept only the verdict of a whole, strict acceptance that ended in 0',
      ).choices(['conformant']),
    )
    .option('--require-signature', 'accept only an archive that the key of --key signed')
    .action(acts(verify))

interface VerifyFlags {
  readonly key?: string
  readonly require?: 'conformant'
  readonly requireSignature?: boolean
}

async function verify(console: Console, file: string, flags: VerifyFlags): Promise<ExitCode> {
  const path = resolve(console.cwd, file)
  if (flags.requireSignature === true && flags.key === undefined)
    throw new UnusableInput(
      '--require-signature needs --key FILE: the public key of whoever must have signed',
    )
  const key = flags.key === undefined ? null : await readVerifyingKey(resolve(console.cwd, flags.key))
  const archive = await readBounded(path, maxArchiveBytes).catch((cause: unknown) => {
    throw new UnusableInput(`${path} cannot be checked: ${readFailure(cause)}`, { cause })
  })
  const now = console.now()
  const check = await checkArchive(archive, { key, now })
  if (check.kind === 'no archive')
    throw new UnusableInput(`${path} is no archive that \`bundle\` wrote: it ${check.why}`)
  if (check.kind === 'changed') {
    console.err(reasonsText(`${path} cannot be trusted`, check.mistakes))
    return 1
  }
  console.out(wholeText(check, path))
  const unmet = unmetRequirements(check, flags, now)
  if (unmet.length === 0) return 0
  console.err(reasonsText(`${path} is whole, but not as required`, unmet))
  return 1
}

/** Which requirements an archive does not meet, in sentences; a verdict that no longer holds meets none. */
function unmetRequirements(
  { verdict, madeBy, isTrusted }: WholeRun,
  flags: VerifyFlags,
  now: Date,
): readonly string[] {
  const { validUntil, exitCode, suite, target, profile, strict } = verdict
  const isOver = validUntil !== undefined && Date.parse(validUntil) < now.getTime()
  const unknown = unknownVersion(suite.version)
  const unfit = [
    ...(unknown === null ? [] : [unknown]),
    ...(exitCode === 0 ? [] : [`the verdict is ${verdict.verdict}, with exit code ${exitCode}`]),
    ...(target.embedded ? ['the run judged the embedded reference service'] : []),
    ...(isPartial(verdict) ? ['the run judged only a part'] : []),
    ...(profile === 'acceptance' ? [] : [`the profile is ${profile}, not acceptance`]),
    ...(strict ? [] : ['the run was not strict']),
    ...(madeBy === packageVersion() ? [] : [uncompared(madeBy)]),
  ]
  return [
    ...(isOver
      ? [
          `it expired: the verdict was valid until ${moment(validUntil)}, and now it is ${moment(now.toISOString())}`,
        ]
      : []),
    ...(flags.require === undefined ? [] : unfit.map((one) => `${one} (--require conformant)`)),
    ...(flags.requireSignature === true && !isTrusted
      ? ['it is not signed by the key that you gave (--require-signature)']
      : []),
  ]
}

function uncompared(madeBy: string): string {
  return `reports not checked: version ${inQuotes(madeBy)} of the suite made them, and this is version ${packageVersion()}`
}

function wholeText(run: WholeRun, path: string): string {
  const { verdict, files } = run
  const { target } = verdict
  const lines = [
    archiveHeadline(verdict),
    `${path} is whole: ${files.size} files, each as the run left it`,
    `verdict: ${verdict.verdict}, exit code ${verdict.exitCode}`,
    `target: ${inQuotes(askedAddress(target))}`,
    buildLine(verdict),
    ...exceptionLines(verdict),
    ...evidenceLines(run),
    `${claimOf(run)} This does not show that a run took place, which build answered, or when.`,
  ]
  return `${lines.join('\n')}\n`
}

/** What a whole archive shows by its signature. */
function claimOf({ signer, isTrusted }: WholeRun): string {
  if (isTrusted) return 'These files are, byte for byte, what the holder of the key signed.'
  const why = signer === null ? 'Nobody signed these files' : 'The signature was not checked'
  return `${why}: whoever has the archive may have made it.`
}

/** A run in one line: verdict, target, profile and time; first, what keeps it from covering a whole service of the user's. */
export function archiveHeadline(verdict: Verdict): string {
  const { target, profile, strict, startedAt } = verdict
  const { length } = target.notJudged
  const about = [
    ...(target.embedded ? [`${embeddedSubject}, NOT YOURS`] : []),
    ...(length === 0 ? [] : [`${plural(length, 'endpoint')} NOT JUDGED`]),
    headlineWord(verdict).toUpperCase(),
  ]
  const parts = [
    ...partsOf(verdict),
    `profile ${profile}`,
    ...(strict ? ['strict'] : []),
    `${startedAt.slice(0, 19).replace('T', ' ')} UTC`,
  ]
  const judged = `${askedAddress(target)}${inBrackets(target)}`
  return [`${about.join(', ')}: ${beginning(judged, 600)}`, ...parts]
    .map((part) => printable(beginning(part, 700)))
    .join(', ')
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

/** Who made the reports, the digest of the verdict, who signed, and how long the verdict is valid. */
export function evidenceLines({ verdict, files, signer, isTrusted, madeBy }: WholeRun): readonly string[] {
  const { suite, validUntil } = verdict
  const digest = sha256(files.get(fileNames.verdict) ?? Buffer.of())
  return [
    ...(madeBy === suite.version
      ? []
      : [
          `made again: version ${inQuotes(suite.version)} of the suite made the run, and version ${inQuotes(madeBy)} the reports`,
        ]),
    ...(madeBy === packageVersion() ? [] : [uncompared(madeBy)]),
    `SHA-256 of verdict.json: ${digest}`,
    signatureLine(signer, isTrusted),
    ...(validUntil === undefined ? [] : [`valid until ${moment(validUntil)}`]),
  ]
}

function signatureLine(signer: string | null, isTrusted: boolean): string {
  if (signer === null) return 'not signed: a run signs with the key of RUN_SIGNING_KEY_FILE'
  return isTrusted
    ? `signed by the key that you gave, with the SHA-256 ${signer}`
    : `signed by the key with the SHA-256 ${inQuotes(signer)}, not checked: give the key that you trust to verify with --key`
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
