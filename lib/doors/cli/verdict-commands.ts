import { join, resolve } from 'node:path'
import { Option } from 'commander'
import { comparisonPage, targetsPage } from '../../report/compare/compare-page.ts'
import { comparisonText, targetsText } from '../../report/compare/compare-text.ts'
import { compared, comparisonJson, readSides } from '../../report/compare/comparison.ts'
import { comparedTargets, expectedTargets, readTarget, targetsJson } from '../../report/compare/targets.ts'
import type { WholeRun } from '../../report/evidence/check.ts'
import { fileNames, inQuotes, maxArchiveBytes, readKey, sha256 } from '../../report/evidence/statement.ts'
import { lockReports, removeReport } from '../../report/folder/reports-folder.ts'
import { unwaivable, waiverDrafts, waiverLine } from '../../report/model/cause-view.ts'
import { shownText } from '../../report/model/finding-view.ts'
import { headlineWord, askedAddress, embeddedSubject, inBrackets } from '../../report/model/headline.ts'
import { rulesJson, rulesMarkdown, rulesText } from '../../report/render/rules-list.ts'
import { sealRun, rewriteReports, runFiles } from '../../report/write-reports.ts'
import { credentialSearch, exposed, hideSecrets } from '../../settings/hide-secrets.ts'
import { packageVersion, unknownVersion } from '../../settings/package-version.ts'
import { envFileNotices, readSources } from '../../settings/sources.ts'
import { readBounded, readFailure } from '../../settings/user-file.ts'
import { catalogueOf, specCatalogue } from '../../specification/rules.ts'
import { firstOf } from '../../text/members.ts'
import { plural, andMore, moment, printable, beginning } from '../../text/printable.ts'
import { UnusableInput } from '../../text/unusable-input.ts'
import { readVerdict } from '../../verdict/read-verdict.ts'
import { type VerdictWaiver, isPartial, partsOf, type Verdict } from '../../verdict/verdict.ts'
import { loadSuites } from '../own-suites.ts'
import {
  formatOption,
  lines,
  nextCommand,
  refuse,
  said,
  wholeNumber,
  writeNewFile,
  type Call,
  type Declare,
} from './command.ts'

/** The commands that list what is judged, and read, pack and check what was judged. They send nothing. */
export const verdictCommands: Declare = (program, acts) => {
  // `rules`: prints the rules from the specification and from a user's folder.
  program
    .command('rules')
    .description('list the rules: id, level, sentence and section of the specification')
    .addOption(formatOption('text', 'json', 'markdown'))
    .option('--suites <folder>', 'folder with your own rules, to list them also')
    .action(acts(listRules))

  // `report`: recreates the reports in a folder, and their digests, from its verdict. They are unsigned.
  program
    .command('report')
    .description('recreate the reports in a folder from its verdict.json')
    .argument('<folder>', 'the reports folder')
    .action(acts(remakeReports))

  // `compare`: compares verdicts with the first one, or each target with its last run. Exits with 1 if anything got worse.
  program
    .command('compare')
    .description('compare verdicts, or many targets with their last runs; exit 1 if something got worse')
    .argument('[first]', 'the base of the comparison: a verdict.json, its folder, or a history')
    .argument('[others...]', 'verdicts to compare with it: each a verdict.json or its folder')
    .option('--targets <list>', 'a folder of reports folders, or a file with a line "NAME PATH" for each')
    .option('--max-age <hours>', 'with --targets: an older verdict counts as missing', wholeNumber(1, 99_999))
    .addOption(formatOption('text', 'json', 'html'))
    .action(acts(compare))

  // `waive`: drafts, for review, a waivers file that covers everything that prevents a run from passing. Never overwrites a file.
  program
    .command('waive')
    .description('draft a waivers file with an entry for each cause that stops a run')
    .argument('<folder>', 'the reports folder')
    .requiredOption('--out <file>', 'file to write; an existing file is never overwritten')
    .option('--reason <text>', 'why this is accepted; fill it in later if omitted')
    .option('--owner <text>', 'who is responsible; fill it in later if omitted')
    .action(acts(draftWaivers))

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

async function remakeReports({ cwd, input, out, err }: Call, given: string) {
  const folder = resolve(cwd, given)
  const { texts, envFile } = await readSources(input)
  err(lines(...envFileNotices(envFile, 'set RUN_HISTORY in the environment to name a history')))
  const history = resolve(cwd, texts.RUN_HISTORY ?? join(folder, 'history.jsonl'))
  const verdict = await readVerdict(join(folder, 'verdict.json'), input.now)
  const lock = await lockReports(folder)
  try {
    await removeReport(folder, 'allure-results')
    await rewriteReports(verdict, { folder, history, allure: true })
    await sealRun(folder, verdict, null)
  } finally {
    lock.release()
  }
  out(
    `the reports were made again: ${folder}
version ${printable(verdict.suite.version)} of the suite made the run and verdict.json
version ${packageVersion()} made the other reports, run.sha256 and attestation.json; a signature of the run is gone
`,
  )
}

const ofSides = { text: comparisonText, json: comparisonJson, html: comparisonPage }
const ofTargets = { text: targetsText, json: targetsJson, html: targetsPage }

type CompareFlags = Readonly<{ format: keyof typeof ofSides; targets?: string; maxAge?: number }>

async function compare(
  call: Call,
  first: string | undefined,
  others: readonly string[],
  { format, targets, maxAge }: CompareFlags,
) {
  const { cwd, now } = call.input
  if (targets === undefined && maxAge === undefined && first !== undefined && others.length > 0) {
    const [head, ...rest] = await readSides([first, ...others], cwd)
    const comparison = compared(head, rest)
    call.out(ofSides[format](comparison, call))
    return comparison.worse ? 1 : 0
  }
  if (targets === undefined || first !== undefined)
    throw new UnusableInput('compare needs at least two verdicts, or only --targets; see compare --help')
  const rows = []
  for (const expected of await expectedTargets(targets, cwd))
    rows.push(await readTarget(expected, { cwd, now, maxAgeHours: maxAge ?? null }))
  const comparison = comparedTargets(rows, now)
  call.out(ofTargets[format](comparison, call))
  return comparison.worse ? 1 : 0
}

type WaiveFlags = Parameters<typeof waiverLine>[2] & { readonly out: string }

async function draftWaivers({ cwd, input, ...console }: Call, given: string, flags: WaiveFlags) {
  const { out, reason = '', owner = '' } = flags
  // Reports show waivers unchanged.
  const search = credentialSearch((await readSources(input)).credentials)
  const texts = Object.entries({ '--reason': reason, '--owner': owner, '--out': out })
  const found = texts.flatMap((one) => exposed(search, ...one))
  refuse(hideSecrets(found, search), 'nothing was written')
  const verdict = await readVerdict(resolve(cwd, given), input.now)
  const drafts = waiverDrafts(verdict)
  if (drafts.length === 0 || verdict.verdict === 'error') {
    const word = `the run in ${given} is ${headlineWord(verdict)}`
    const why = verdict.because.map((one) => shownText(one)).join('; ')
    throw new UnusableInput(
      `there is nothing to waive: ${verdict.exitCode === 0 ? word : `no waiver can change that ${word}: ${why}`}`,
    )
  }
  const kept = verdict.waivers.filter(({ expired, gone }) => !expired && gone !== true).map(entryOf)
  const entries = [...kept, ...drafts.map((draft) => waiverLine(draft, verdict, flags))]
  await writeNewFile(out, `[\n  ${entries.join(',\n  ')}\n]\n`, cwd)

  const missing = said(reason === '' && 'reason', owner === '' && 'owner')
  const fill = missing.length === 0 ? '' : `fill in ${missing.join(' and ')} of each entry, `
  const left = unwaivable(verdict)
  const run = nextCommand(['run', '--profile', verdict.profile, '--waivers', out], cwd)
  console.out(
    lines(
      `${out} was written: ${plural(drafts.length, 'exception')} for review.`,
      kept.length > 0 && `The file begins with the ${plural(kept.length, 'waiver')} of that run, unchanged.`,
      `Review it, ${fill}then run again: ${run}`,
      '',
      ...drafts.map(({ about }, place) => `entry ${kept.length + place + 1}: ${shownText(about)}`),
      ...(left.length === 0 ? [] : ['', 'No waiver can cover these rules, so the run stays incomplete:']),
      ...left.map(({ id, because }) => `  ${id}: ${shownText(because ?? 'no reason was given')}`),
    ),
  )
}

/** A waiver from the run, as an entry in the new file. */
function entryOf({ rule, fingerprint, fingerprints, reason, owner, expires }: VerdictWaiver) {
  const covers = { rule: rule ?? undefined, fingerprint: fingerprint ?? undefined, fingerprints }
  return JSON.stringify({ ...covers, reason, owner, expires })
}

const lists = { json: rulesJson, markdown: rulesMarkdown, text: rulesText }

type RulesFlags = Readonly<{ format: keyof typeof lists; suites?: string }>

async function listRules({ cwd, out }: Call, { format, suites }: RulesFlags) {
  const folder = suites === undefined ? null : resolve(cwd, suites)
  const { value: own, issues } = await loadSuites(folder)
  refuse(issues)
  const catalogue = new Map([...specCatalogue, ...catalogueOf(own)])
  out(lists[format](catalogue))
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
  // Loaded on demand, because only archives need tar.
  const { checkFiles, pack, tarOf } = await import('../../report/evidence/check.ts')
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

type VerifyFlags = Readonly<{ key?: string; require?: 'conformant'; requireSignature?: boolean }>

async function verify({ cwd, input, out, err }: Call, file: string, flags: VerifyFlags) {
  const path = resolve(cwd, file)
  if (flags.requireSignature === true && flags.key === undefined)
    throw new UnusableInput('--require-signature needs --key FILE: the public key of the expected signer')
  const key = flags.key === undefined ? null : await readKey(resolve(cwd, flags.key), 'public')
  const archive = await readBounded(path, maxArchiveBytes).catch((error: unknown) => {
    throw new UnusableInput(`${path} cannot be checked: ${readFailure(error)}`)
  })
  const { checkArchive } = await import('../../report/evidence/check.ts')
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
