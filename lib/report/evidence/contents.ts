import { existsSync, readFileSync } from 'node:fs'
import { lstat, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { htmlPage } from '../page/html-page.ts'
import { junitXml } from '../junit.ts'
import { summaryMarkdown } from '../summaries.ts'
import type { Verdict, VerdictRule } from '../../verdict/verdict.ts'
import { fileNames, isAllureName, jsonFile, parseJsonBytes, textFile, type BundleFile } from './files.ts'
import { readmeText, type ReadmeFacts } from './readme.ts'

/** Reports for people, made from the verdict. Their wording may differ between versions of the suite. The history is left out: it tells of other runs. */
export function pageFiles(verdict: Verdict, facts: ReadmeFacts): readonly BundleFile[] {
  return [
    textFile(fileNames.readme, readmeText(verdict, facts)),
    textFile('index.html', htmlPage(verdict, [])),
    textFile('junit.xml', junitXml(verdict)),
    textFile('summary.md', summaryMarkdown(verdict, null)),
  ]
}

/** Parts of the verdict as files of their own. They belong to the format: every version makes the same ones of a verdict. */
export function extractFiles(verdict: Verdict): readonly BundleFile[] {
  return [jsonFile(fileNames.settings, settingsOfRun(verdict)), ...verdict.rules.flatMap(exchangeFiles)]
}

/** The settings of the run by name; null for one that it did not have. Only runs of version 0.1 have a shard. */
function settingsOfRun({ target, selection, requests, baseline, ...run }: Verdict) {
  return {
    TARGET_BASE_URL: target.embedded ? 'embedded' : target.baseUrl,
    TARGET_VERSION: target.version,
    TARGET_LABEL: target.label,
    RUN_PROFILE: run.profile,
    RUN_STRICT: run.strict,
    RUN_SEED: run.seed,
    RUN_FUZZ_CASES: run.fuzzCases,
    RUN_ONLY: selection.only,
    RUN_SHARD: selection.shard,
    RUN_MAX_REQUESTS: requests.budget,
    RUN_BASELINE: baseline?.file ?? null,
  }
}

/** The sample of a rule, and each of its findings with the exchange that shows it. */
function exchangeFiles({ id, sample, findings }: VerdictRule): readonly BundleFile[] {
  const samples = sample === null || sample === undefined ? [] : [{ rule: id, exchange: sample }]
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

/** What a reports folder holds besides its verdict. */
interface CollectedFiles {
  readonly allure: readonly BundleFile[]
  /** Names of what is no report, and does not go into the archive. */
  readonly leftOut: readonly string[]
}

/** Reports that are made again from the verdict, so that they agree with it. */
const madeAgain: ReadonlySet<string> = new Set(['verdict.json', 'index.html', 'junit.xml', 'summary.md'])

/** Reads Allure's results of a reports folder. Links are not followed: they may lead to what no run wrote. */
export async function collectFiles(folder: string): Promise<CollectedFiles> {
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
  return { allure, leftOut: leftOut.toSorted() }
}

/** Versions with which a run and its archive were made. */
export interface Versions {
  readonly run: { readonly suite: string }
  readonly bundle: {
    readonly suite: string
    readonly node: string
    /** The suite's dependencies, each pinned to one version. */
    readonly packages: Readonly<Record<string, string>>
  }
}

/** The dependencies that the first `package.json` in these folders pins, by name. */
export function pinnedPackages(folders: readonly string[]): Versions['bundle']['packages'] {
  for (const folder of folders) {
    const file = join(folder, 'package.json')
    const pinned = existsSync(file) ? fieldOf(parseJsonBytes(readFileSync(file)), 'dependencies') : null
    if (typeof pinned !== 'object' || pinned === null) continue
    return Object.fromEntries(Object.entries(pinned).map(([name, version]) => [name, String(version)]))
  }
  return {}
}

/** The version of the suite that made an archive, from its `versions.json`; null if that does not say it. */
export function makerVersion(versionsFile: Buffer): string | null {
  const suite = fieldOf(fieldOf(parseJsonBytes(versionsFile), 'bundle'), 'suite')
  return typeof suite === 'string' ? suite : null
}

function fieldOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined
  return new Map(Object.entries(value)).get(name)
}
