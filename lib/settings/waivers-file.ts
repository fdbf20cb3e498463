import { exposed, noCredentials, type CredentialSearch } from './hide-secrets.ts'
import type { Parsed, SettingIssue } from './issue.ts'
import { issueAt, parseList, type JsonPath, type UserFile } from './json-file.ts'
import { ruleHint } from './selection.ts'
import { specCatalogue, type Catalogue } from '../specification/catalogue.ts'
import type { Waiver } from './waivers.ts'
import { fitsWaivers, type WaiverEntry } from './waivers-validator.ts'

/** Parses a waivers file; its issues hold raw texts, for `hideSecrets`. Documented in `docs/settings.md`. */
export function parseWaivers(
  source: UserFile,
  catalogue: Catalogue = specCatalogue,
  search: CredentialSearch = noCredentials,
): Parsed<readonly Waiver[]> {
  const { value, issues } = parseList(source, fitsWaivers)
  const entries = value ?? []
  return {
    value: entries.map((entry) => ({ rule: null, fingerprint: null, ...entry })),
    issues: [
      ...issues,
      ...ambiguousIn(source, entries),
      ...unknownIn(source, entries, catalogue),
      ...exposedIn(source, entries, search),
    ],
  }
}

/** Entries that name one fingerprint and several. */
function ambiguousIn(source: UserFile, entries: readonly WaiverEntry[]): readonly SettingIssue[] {
  return entries.flatMap(({ fingerprint, fingerprints }, index) =>
    fingerprint === undefined || fingerprints === undefined
      ? []
      : [
          issueAt(source, [index], {
            expected: 'fingerprint or fingerprints, not both',
            hint: 'put the one into the list',
          }),
        ],
  )
}

/** Reports show a waiver unchanged. */
function exposedIn(
  source: UserFile,
  entries: readonly WaiverEntry[],
  search: CredentialSearch,
): readonly SettingIssue[] {
  const texts = entries.flatMap(
    ({ fingerprint, fingerprints = [], reason, owner }, index): readonly (readonly [JsonPath, string])[] => [
      [[index, 'fingerprint'], fingerprint ?? ''],
      ...fingerprints.map((one, place) => [[index, 'fingerprints', place], one] as const),
      [[index, 'reason'], reason],
      [[index, 'owner'], owner],
    ],
  )
  // Asked at once: there may be thousands of fingerprints.
  if (search.in(texts.map(([, text]) => text).join('\n')) === null) return []
  return texts
    .filter(([, text]) => search.in(text) !== null)
    .map(([path, text]) => issueAt(source, path, exposed(source.setting, text)))
}

/** Rules that are none of the run's. */
function unknownIn(
  source: UserFile,
  entries: readonly WaiverEntry[],
  catalogue: Catalogue,
): readonly SettingIssue[] {
  const ids = [...catalogue.keys()]
  return entries.flatMap(({ rule = null }, index) => {
    if (rule === null || catalogue.has(rule)) return []
    const hint = ruleHint(rule, ids)
    return [
      issueAt(source, [index, 'rule'], { given: JSON.stringify(rule), expected: 'the id of a rule', hint }),
    ]
  })
}
