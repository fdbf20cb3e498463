import { resolve } from 'node:path'
import { Option } from 'commander'
import { checkArchive, type WholeRun } from '../../report/evidence/check.ts'
import { fileNames, inQuotes, maxArchiveBytes, sha256 } from '../../report/evidence/files.ts'
import { readVerifyingKey } from '../../report/evidence/keys.ts'
import { askedAddress, embeddedSubject, headlineWord, inBrackets } from '../../report/model/headline.ts'
import { packageVersion, unknownVersion } from '../../settings/package-version.ts'
import { readBounded, readFailure } from '../../settings/user-file.ts'
import { andMore, firstOf, moment, plural } from '../../text/counts.ts'
import { beginning, printable } from '../../text/printable.ts'
import { UnusableInput } from '../../text/unusable-input.ts'
import { isPartial, partsOf, type ExitCode, type Verdict } from '../../verdict/verdict.ts'
import type { Declare } from './command.ts'
import type { Console } from './console.ts'

/** `verify`: checks an evidence archive. Exits with 1 if a file has been changed or a requirement is not met. */
export const verifyCommand: Declare = (program, acts) =>
  program
    .command('verify')
    .description('check an evidence archive; exit 1 if a file changed or a requirement is not met')
    .argument('<file>', 'the archive; it is never unpacked to disk')
    .option('--key <file>', 'PEM file with the public Ed25519 key of the expected signer')
    .addOption(
      new Option(
        '--require <what>',
        'accept only a complete, strict acceptance run with exit code 0',
      ).choices(['conformant']),
    )
    .option('--require-signature', 'accept only an archive signed by the key of --key')
    .action(acts(verify))

interface VerifyFlags {
  readonly key?: string
  readonly require?: 'conformant'
  readonly requireSignature?: boolean
}

async function verify(console: Console, file: string, flags: VerifyFlags): Promise<ExitCode> {
  const path = resolve(console.cwd, file)
  if (flags.requireSignature === true && flags.key === undefined)
    throw new UnusableInput('--require-signature needs --key FILE: the public key of the expected signer')
  const key = flags.key === undefined ? null : await readVerifyingKey(resolve(console.cwd, flags.key))
  const archive = await readBounded(path, maxArchiveBytes).catch((cause: unknown) => {
    throw new UnusableInput(`${path} cannot be checked: ${readFailure(cause)}`, { cause })
  })
  const now = console.now()
  const check = checkArchive(archive, { key, now })
  if (check.kind === 'no archive')
    throw new UnusableInput(`${path} is not an archive written by \`bundle\`: it ${check.why}`)
  if (check.kind === 'changed') {
    console.err(reasonsText(`${path} cannot be trusted`, check.mistakes))
    return 1
  }
  console.out(wholeText(check, path))
  const unmet = unmetRequirements(check, flags, now)
  if (unmet.length === 0) return 0
  console.err(reasonsText(`${path} is intact, but does not meet the requirements`, unmet))
  return 1
}

/** The requirements that an archive does not meet, as sentences. An expired verdict fails even if nothing is required. */
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
    ...(isPartial(verdict) ? ['the run judged only some of the rules'] : []),
    ...(profile === 'acceptance' ? [] : [`the profile is ${profile}, not acceptance`]),
    ...(strict ? [] : ['the run was not strict']),
    ...(madeBy === packageVersion() ? [] : [uncompared(madeBy)]),
  ]
  return [
    ...(isOver
      ? [
          `it expired: the verdict was valid until ${moment(validUntil)}; now it is ${moment(now.toISOString())}`,
        ]
      : []),
    ...(flags.require === undefined ? [] : unfit.map((reason) => `${reason} (--require conformant)`)),
    ...(flags.requireSignature === true && !isTrusted
      ? ['it is not signed by the key in --key (--require-signature)']
      : []),
  ]
}

function uncompared(madeBy: string): string {
  return `reports not checked: they were made by version ${inQuotes(madeBy)} of the suite, and this is version ${packageVersion()}`
}

function wholeText(run: WholeRun, path: string): string {
  const { verdict, files } = run
  const { target } = verdict
  const lines = [
    archiveHeadline(verdict),
    `${path} is intact: ${files.size} files, all unchanged since the run`,
    `verdict: ${verdict.verdict}, exit code ${verdict.exitCode}`,
    `target: ${inQuotes(askedAddress(target))}`,
    buildLine(verdict),
    ...exceptionLines(verdict),
    ...evidenceLines(run),
    `${claimOf(run)} This does not prove that a run took place, which build answered, or when.`,
  ]
  return `${lines.join('\n')}\n`
}

/** States what the signature of an intact archive proves. */
function claimOf({ signer, isTrusted }: WholeRun): string {
  if (isTrusted) return 'The holder of the key signed exactly these files.'
  const why = signer === null ? 'These files are unsigned' : 'The signature was not checked'
  return `${why}: anyone who had the archive could have made it.`
}

/** A run in one line, with its verdict, target, profile and time. Warns first if the run does not cover the user's whole service. */
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
    : `build: ${named.join(', ')}, as declared by the run`
}

/** Maximum number of exceptions shown. */
const maxExceptionsShown = 20

/** Lines for the waivers that were used, or a line that says there are no exceptions. */
function exceptionLines({ waivers }: Verdict): readonly string[] {
  const used = waivers.filter((waiver) => waiver.used)
  if (used.length === 0) return ['exceptions: none']
  const texts = used.map(({ rule, fingerprint, reason, owner, expires }) => {
    const about = rule ?? fingerprint ?? 'the findings of a cause'
    return `${inQuotes(about)}: ${inQuotes(reason)}, agreed by ${inQuotes(owner)} until ${inQuotes(expires)}`
  })
  return [`exceptions: ${used.length}`, ...listedLines(texts, maxExceptionsShown)]
}

/** Lines for the version that made the reports, the digest of the verdict, the signer, and the last day of validity. */
export function evidenceLines({ verdict, files, signer, isTrusted, madeBy }: WholeRun): readonly string[] {
  const { suite, validUntil } = verdict
  const digest = sha256(files.get(fileNames.verdict) ?? Buffer.of())
  return [
    ...(madeBy === suite.version
      ? []
      : [
          `recreated: version ${inQuotes(suite.version)} of the suite judged the service, and version ${inQuotes(madeBy)} made the reports`,
        ]),
    ...(madeBy === packageVersion() ? [] : [uncompared(madeBy)]),
    `SHA-256 of verdict.json: ${digest}`,
    signatureLine(signer, isTrusted),
    ...(validUntil === undefined ? [] : [`valid until ${moment(validUntil)}`]),
  ]
}

function signatureLine(signer: string | null, isTrusted: boolean): string {
  if (signer === null) return 'not signed: set RUN_SIGNING_KEY_FILE to sign a run'
  return isTrusted
    ? `signed by the key in --key, whose SHA-256 is ${signer}`
    : `signed by a key whose SHA-256 is ${inQuotes(signer)}, not checked: name the key that you trust with --key`
}

/** Lines for the first items, and for the number of remaining items. */
export function listedLines(items: readonly string[], most: number): readonly string[] {
  return firstOf(items, most, andMore).map((item) => `  - ${item}`)
}

/** Maximum number of reasons shown. */
const maxReasonsShown = 100

function reasonsText(what: string, reasons: readonly string[]): string {
  const lines = [
    `${what}, for ${plural(reasons.length, 'reason')}:`,
    ...listedLines(reasons, maxReasonsShown),
  ]
  return `${lines.join('\n')}\n`
}
