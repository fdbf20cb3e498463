import { htmlPage } from '../html/page.ts'
import { junitXml } from '../junit.ts'
import { summaryMarkdown } from '../summary.ts'
import type { Verdict, VerdictRule } from '../../verdict/verdict.ts'
import { fileNames, jsonFile, textFile, type BundleFile } from './layout.ts'
import { readmeText, type ReadmeFacts } from './readme.ts'

/** What people read: another version of the suite may word it otherwise. Without the history, which tells of other runs. */
export function pages(verdict: Verdict, facts: ReadmeFacts): readonly BundleFile[] {
  return [
    textFile(fileNames.readme, readmeText(verdict, facts)),
    textFile('index.html', htmlPage(verdict, [])),
    textFile('junit.xml', junitXml(verdict)),
    textFile('summary.md', summaryMarkdown(verdict, null)),
  ]
}

/** Parts of the verdict as files of their own. They belong to the format of the archive: every version makes the same of a verdict. */
export function extracts(verdict: Verdict): readonly BundleFile[] {
  return [
    jsonFile(fileNames.settings, settingsOf(verdict)),
    ...verdict.rules.flatMap((rule) => exchangesOf(rule)),
  ]
}

/** What the run was set to, by name, whether it was given or is the default; null where there is none. Only runs of version 0.1 have a shard, or null for it. */
function settingsOf({ target, profile, strict, seed, fuzzCases, selection, requests, baseline }: Verdict) {
  return {
    TARGET_BASE_URL: target.embedded ? 'embedded' : target.baseUrl,
    TARGET_VERSION: target.version,
    TARGET_LABEL: target.label,
    RUN_PROFILE: profile,
    RUN_STRICT: strict,
    RUN_SEED: seed,
    RUN_FUZZ_CASES: fuzzCases,
    RUN_ONLY: selection.only,
    RUN_SHARD: selection.shard,
    RUN_MAX_REQUESTS: requests.budget,
    RUN_BASELINE: baseline?.file ?? null,
  }
}

/** The sample of a rule, and each of its findings with the exchange that shows it. */
function exchangesOf({ id, sample, findings }: VerdictRule): readonly BundleFile[] {
  return [
    ...(sample === null || sample === undefined
      ? []
      : [jsonFile(`exchanges/${id}/sample.json`, { rule: id, exchange: sample })]),
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
