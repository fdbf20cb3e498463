import { join, resolve } from 'node:path'
import { comparisonPage, targetsPage } from '../../report/compare/compare-page.ts'
import { comparisonText, targetsText } from '../../report/compare/compare-text.ts'
import { compared, comparisonJson, readSides } from '../../report/compare/comparison.ts'
import { comparedTargets, expectedTargets, readTarget, targetsJson } from '../../report/compare/targets.ts'
import { lockReports, removeReport } from '../../report/folder/reports-folder.ts'
import { unwaivable, waiverDrafts, waiverLine } from '../../report/model/cause-view.ts'
import { shownText } from '../../report/model/finding-view.ts'
import { headlineWord } from '../../report/model/headline.ts'
import { rulesJson, rulesMarkdown, rulesText } from '../../report/render/rules-list.ts'
import { sealRun, rewriteReports } from '../../report/write-reports.ts'
import { credentialSearch, exposed, hideSecrets } from '../../settings/hide-secrets.ts'
import { packageVersion } from '../../settings/package-version.ts'
import { envFileNotices, readSources } from '../../settings/sources.ts'
import { catalogueOf, specCatalogue } from '../../specification/rules.ts'
import { plural } from '../../text/counts.ts'
import { printable } from '../../text/printable.ts'
import { UnusableInput } from '../../text/unusable-input.ts'
import { readVerdict } from '../../verdict/read-verdict.ts'
import type { VerdictWaiver } from '../../verdict/verdict.ts'
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

/** The commands that list what is judged, and read what was judged. They send nothing. */
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
    await rewriteReports(verdict, { folder, history }, { allure: true })
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

interface CompareFlags {
  readonly format: keyof typeof ofSides
  readonly targets?: string
  readonly maxAge?: number
}

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

interface WaiveFlags {
  readonly out: string
  readonly reason?: string
  readonly owner?: string
}

async function draftWaivers({ cwd, input, ...console }: Call, given: string, flags: WaiveFlags) {
  const { out, reason = '', owner = '' } = flags
  // Reports show waivers unchanged.
  const search = credentialSearch((await readSources(input)).credentials)
  const texts = Object.entries({ '--reason': reason, '--owner': owner, '--out': out })
  const found = texts.flatMap((one) => (search.in(one[1]) === null ? [] : [exposed(...one)]))
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

interface RulesFlags {
  readonly format: keyof typeof lists
  readonly suites?: string
}

async function listRules({ cwd, out }: Call, { format, suites }: RulesFlags) {
  const folder = suites === undefined ? null : resolve(cwd, suites)
  const { value: own, issues } = await loadSuites(folder)
  refuse(issues)
  const catalogue = new Map([...specCatalogue, ...catalogueOf(own)])
  out(lists[format](catalogue))
}
