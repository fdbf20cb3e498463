import { existsSync, readFileSync } from 'node:fs'
import { lstat, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { htmlPage } from '../page/html-page.ts'
import { junitXml } from '../junit.ts'
import { summaryMarkdown } from '../summaries.ts'
import { parseJsonBytes } from '../../verdict/read-verdict.ts'
import type { Verdict, VerdictRule } from '../../verdict/verdict.ts'
import { comparedReports } from './agreement.ts'
import { fieldOf, fileNames, isAllureName, jsonFile, textFile, type BundleFile } from './files.ts'
import { readmeText, type ReadmeFacts } from './readme.ts'

/** Reports for people, whose wording may differ between versions. The history is left out: it is about other runs. */
export function pageFiles(verdict: Verdict, facts: ReadmeFacts): readonly BundleFile[] {
  return [
    textFile(fileNames.readme, readmeText(verdict, facts)),
    textFile('index.html', htmlPage(verdict)),
    textFile('junit.xml', junitXml(verdict)),
    textFile('summary.md', summaryMarkdown(verdict)),
  ]
}

/** Parts of the verdict as files; they belong to the format, so every version makes the same ones. */
export function extractFiles(verdict: Verdict): readonly BundleFile[] {
  return [settingsFile(verdict), ...verdict.rules.flatMap(exchangeFiles)]
}

/** Settings of the run by name, null for a missing one. */
export function settingsFile({ target, selection, requests, baseline, ...run }: Verdict): BundleFile {
  return jsonFile(fileNames.settings, {
    TARGET_BASE_URL: target.embedded ? 'embedded' : target.baseUrl,
    TARGET_VERSION: target.version,
    TARGET_LABEL: target.label,
    ...(target.buildDigest === undefined ? {} : { TARGET_BUILD_DIGEST: target.buildDigest }),
    RUN_PROFILE: run.profile,
    RUN_STRICT: run.strict,
    RUN_SEED: run.seed,
    RUN_FUZZ_CASES: run.fuzzCases,
    ...(typeof run.ruleSet === 'string' ? { RUN_RULES: run.ruleSet } : {}),
    RUN_ONLY: selection.only,
    ...(selection.essential === true ? { RUN_ESSENTIAL: true } : {}),
    RUN_MAX_REQUESTS: requests.budget,
    RUN_BASELINE: baseline?.file ?? null,
  })
}

/** Files of a rule's sample and of each finding's exchange. */
function exchangeFiles({ id, sample, findings }: VerdictRule): readonly BundleFile[] {
  const samples = sample === null ? [] : [{ rule: id, exchange: sample }]
  return [
    ...samples.map((value) => jsonFile(`exchanges/${id}/sample.json`, value)),
    ...findings.map(({ fingerprint, case: name, summary, allowed, exchange, curl, replay }, index) =>
      jsonFile(`exchanges/${id}/${index + 1}.json`, {
        rule: id,
        case: name,
        fingerprint,
        summary,
        allowed,
        exchange,
        curl,
        replay,
      }),
    ),
  ]
}

/** Contents of a reports folder besides its verdict. */
interface CollectedFiles {
  /** Reports that are made again, as they were found. */
  readonly reports: readonly BundleFile[]
  readonly allure: readonly BundleFile[]
  /** Names of other files, which do not go into the archive. */
  readonly leftOut: readonly string[]
}

/** Reports rebuilt from the verdict, so that they agree with it. */
const madeAgain: ReadonlySet<string> = new Set(['verdict.json', 'index.html', 'junit.xml', 'summary.md'])

/** Reads the reports of a folder besides its verdict, without following links, which may lead anywhere. */
export async function collectFiles(folder: string): Promise<CollectedFiles> {
  const reports: BundleFile[] = []
  for (const name of comparedReports) {
    const file = join(folder, name)
    if ((await lstat(file).catch(() => null))?.isFile() === true)
      reports.push({ name, content: await readFile(file) })
  }
  const results = join(folder, 'allure-results')
  const stats = await lstat(results).catch(() => null)
  const hasResults = stats?.isDirectory() === true
  const beside = (await readdir(folder)).filter(
    (name) => !madeAgain.has(name) && !(hasResults && name === 'allure-results'),
  )
  const allure: BundleFile[] = []
  const leftOut = [...beside]
  for (const entry of hasResults ? await readdir(results, { withFileTypes: true }) : []) {
    const name = `allure-results/${entry.name}`
    if (entry.isFile() && isAllureName(name)) {
      allure.push({ name, content: await readFile(join(folder, name)) })
    } else {
      leftOut.push(name)
    }
  }
  return { reports, allure, leftOut: leftOut.toSorted() }
}

/** Versions that made a run and its archive. */
export interface Versions {
  readonly run: { readonly suite: string }
  readonly bundle: {
    readonly suite: string
    readonly node: string
    /** Pinned dependencies of the suite. */
    readonly packages: Readonly<Record<string, string>>
  }
}

/** Dependencies pinned by the first `package.json` in these folders, by name. */
export function pinnedPackages(folders: readonly string[]): Versions['bundle']['packages'] {
  for (const folder of folders) {
    const file = join(folder, 'package.json')
    const pinned = existsSync(file) ? fieldOf(parseJsonBytes(readFileSync(file)), 'dependencies') : null
    if (typeof pinned !== 'object' || pinned === null) continue
    return Object.fromEntries(Object.entries(pinned).map(([name, version]) => [name, String(version)]))
  }
  return {}
}

/** Version of the suite in a `versions.json`, or null. */
export function makerVersion(versionsFile: Buffer): string | null {
  const suite = fieldOf(fieldOf(parseJsonBytes(versionsFile), 'bundle'), 'suite')
  return typeof suite === 'string' ? suite : null
}
