import { resolve } from 'node:path'
import { Option } from 'commander'
import { pack, tarOf, checkArchive, checkFiles, type WholeRun } from '../../report/evidence/check.ts'
import { fileNames, inQuotes, maxArchiveBytes, readKey, sha256 } from '../../report/evidence/statement.ts'
import { askedAddress, embeddedSubject, headlineWord, inBrackets } from '../../report/model/headline.ts'
import { runFiles } from '../../report/write-reports.ts'
import { packageVersion, unknownVersion } from '../../settings/package-version.ts'
import { readBounded, readFailure } from '../../settings/user-file.ts'
import { andMore, firstOf, moment, plural } from '../../text/counts.ts'
import { beginning, printable } from '../../text/printable.ts'
import { UnusableInput } from '../../text/unusable-input.ts'
import { isPartial, partsOf, type Verdict } from '../../verdict/verdict.ts'
import { said, writeNewFile, type Call, type Declare } from './command.ts'

/** The commands that pack and check evidence. */
export const evidenceCommands: Declare = (program, acts) => {
  // `bundle`: packs the unchanged reports of a run into one archive.
  program
    .command('bundle')
    .description('pack the unchanged reports of a run into an evidence archive')
    .argument('<folder>', 'the reports folder')
    .requiredOption('--out <file>', 'archive to write; its name must end in .tar.gz')
    .action(acts(packRun))

  // `verify`: checks an evidence archive. Exits with 1 if a file has been changed or a requirement is not met.
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
}

async function packRun({ cwd, input, out: print }: Call, given: string, { out }: { readonly out: string }) {
  const folder = resolve(cwd, given)
  if (!/.\.(?:tar\.gz|tgz)$/.test(out)) throw new UnusableInput(`--out: ${inQuotes(out)} must end in .tar.gz`)
  const files = await runFiles(folder).catch((error: unknown) => {
    const why = readFailure(error)
    throw new UnusableInput(
      `the reports in ${folder} cannot be read: ${why}; name the folder of verdict.json`,
    )
  })
  const run = checkFiles(files, { key: null, now: input.now })
  if (run.kind !== 'whole')
    throw new UnusableInput(
      `${listed(`${folder} was not packed, because its files changed after the run:`, run.mistakes)}
Judge the service again, or recreate the reports, unsigned, with \`report\`.`,
    )
  const archive = pack(tarOf(files, run.verdict))
  await writeNewFile(out, archive, cwd)
  const size = `${files.size} files, ${Math.ceil(archive.length / 1024)} KiB`
  print(`${headlineOf(run.verdict)}\npacked into ${resolve(cwd, out)}: ${size}\n${evidenceText(run)}\n`)
}

interface VerifyFlags {
  readonly key?: string
  readonly require?: 'conformant'
  readonly requireSignature?: boolean
}

async function verify({ cwd, input, out, err }: Call, file: string, flags: VerifyFlags) {
  const path = resolve(cwd, file)
  if (flags.requireSignature === true && flags.key === undefined)
    throw new UnusableInput('--require-signature needs --key FILE: the public key of the expected signer')
  const key = flags.key === undefined ? null : await readKey(resolve(cwd, flags.key), 'public')
  const archive = await readBounded(path, maxArchiveBytes).catch((error: unknown) => {
    throw new UnusableInput(`${path} cannot be checked: ${readFailure(error)}`)
  })
  const check = checkArchive(archive, { key, now: input.now })
  if (check.kind === 'no archive')
    throw new UnusableInput(`${path} is not an archive written by \`bundle\`: it ${check.why}`)
  if (check.kind === 'whole') out(wholeText(check, path))
  const [what, reasons] =
    check.kind === 'changed'
      ? ['cannot be trusted', check.mistakes]
      : ['is intact, but does not meet the requirements', unmetRequirements(check, flags, input.now)]
  if (reasons.length === 0) return 0
  err(`${listed(`${path} ${what}, for ${plural(reasons.length, 'reason')}:`, reasons)}\n`)
  return 1
}

/** The requirements that an archive does not meet, as sentences. An expired verdict fails even if nothing is required. */
function unmetRequirements({ verdict, madeBy, isTrusted }: WholeRun, flags: VerifyFlags, now: Date) {
  const { validUntil, exitCode, suite, target, profile, strict } = verdict
  const unfit = said(
    unknownVersion(suite.version),
    exitCode !== 0 && `the verdict is ${verdict.verdict}, with exit code ${exitCode}`,
    target.embedded && 'the run judged the embedded reference service',
    isPartial(verdict) && 'the run judged only some of the rules',
    profile !== 'acceptance' && `the profile is ${profile}, not acceptance`,
    !strict && 'the run was not strict',
    uncompared(madeBy),
  )
  return said(
    validUntil !== undefined &&
      Date.parse(validUntil) < now.getTime() &&
      `it expired: the verdict was valid until ${moment(validUntil)}; now it is ${moment(now.toISOString())}`,
    ...(flags.require === undefined ? [] : unfit.map((reason) => `${reason} (--require conformant)`)),
    flags.requireSignature === true &&
      !isTrusted &&
      'it is not signed by the key in --key (--require-signature)',
  )
}

function uncompared(madeBy: string) {
  const own = packageVersion()
  const made = `they were made by version ${inQuotes(madeBy)} of the suite, and this is version ${own}`
  return madeBy !== own && `reports not checked: ${made}`
}

function wholeText(run: WholeRun, path: string) {
  const { verdict, files, signer, isTrusted } = run
  const { target, waivers } = verdict
  const named = [target.label, target.build].flatMap((name) => (name === null ? [] : [inQuotes(name)]))
  const used = waivers.filter((waiver) => waiver.used)
  const exceptions = used.map(({ rule, fingerprint, reason, owner, expires }) => {
    const about = rule ?? fingerprint ?? 'the findings of a cause'
    return `${inQuotes(about)}: ${inQuotes(reason)}, agreed by ${inQuotes(owner)} until ${inQuotes(expires)}`
  })
  const why = signer === null ? 'These files are unsigned' : 'The signature was not checked'
  const claim = isTrusted
    ? 'The holder of the key signed exactly these files.'
    : `${why}: anyone who had the archive could have made it.`
  return `${headlineOf(verdict)}
${path} is intact: ${files.size} files, all unchanged since the run
verdict: ${verdict.verdict}, exit code ${verdict.exitCode}
target: ${inQuotes(askedAddress(target))}
build: ${named.length === 0 ? 'not named (TARGET_LABEL, TARGET_BUILD)' : `${named.join(', ')}, as declared by the run`}
${listed(`exceptions: ${used.length === 0 ? 'none' : used.length}`, exceptions)}
${evidenceText(run)}
${claim} This does not prove that a run took place, which build answered, or when.
`
}

/** A run in one line, with its verdict, target, profile and time. Warns first if the run does not cover the user's whole service. */
function headlineOf(verdict: Verdict) {
  const { target, profile, strict, startedAt } = verdict
  const { length } = target.notJudged
  const about = said(
    target.embedded && `${embeddedSubject}, NOT YOURS`,
    length > 0 && `${plural(length, 'endpoint')} NOT JUDGED`,
    headlineWord(verdict).toUpperCase(),
  )
  const parts = said(
    `${about.join(', ')}: ${askedAddress(target)}${inBrackets(target)}`,
    ...partsOf(verdict),
    `profile ${profile}`,
    strict && 'strict',
    `${startedAt.slice(0, 19).replace('T', ' ')} UTC`,
  )
  return parts.map((part) => printable(beginning(part, 700))).join(', ')
}

/** The version that made the reports, the digest of the verdict, the signer, and the last day of validity. */
function evidenceText({ verdict, files, signer, isTrusted, madeBy }: WholeRun) {
  const { suite, validUntil } = verdict
  const signed = isTrusted
    ? `signed by the key in --key, whose SHA-256 is ${signer}`
    : `signed by a key whose SHA-256 is ${inQuotes(signer ?? '')}, not checked: name the trusted key with --key`
  return said(
    madeBy !== suite.version &&
      `recreated: version ${inQuotes(suite.version)} of the suite judged the service, and version ${inQuotes(madeBy)} made the reports`,
    uncompared(madeBy),
    `SHA-256 of verdict.json: ${sha256(files.get(fileNames.verdict) ?? Buffer.of())}`,
    signer === null ? 'not signed: set RUN_SIGNING_KEY_FILE to sign a run' : signed,
    validUntil !== undefined && `valid until ${moment(validUntil)}`,
  ).join('\n')
}

/** Maximum number of items shown in a list. */
const mostListed = 100

/** A line, followed by a line for each item. */
function listed(what: string, items: readonly string[]) {
  return [what, ...firstOf(items, mostListed, andMore).map((item) => `  - ${item}`)].join('\n')
}
