import { specCatalogue, type Catalogue } from '../specification/catalogue.ts'
import type { RuleId } from '../specification/rules.ts'
import { noCredentials, type CredentialSearch } from './hide-secrets.ts'
import type { Parsed } from './issue.ts'
import { issueAt, parseList, type PlacedMistake, type UserFile } from './json-file.ts'
import { ruleHint } from './selection.ts'
import { fitsWaivers } from './waivers-validator.ts'
import type { Waiver } from './waivers.ts'

/** Parses a waivers file. Its issues contain raw text, which `hideSecrets` makes safe to show. Documented in `docs/settings.md`. */
export function parseWaivers(
  source: UserFile,
  catalogue: Catalogue = specCatalogue,
  search: CredentialSearch = noCredentials,
): Parsed<readonly Waiver[]> {
  const { value, issues } = parseList(source, fitsWaivers, search)
  const entries = value ?? []
  return {
    value: entries.map((entry) => ({ rule: null, fingerprint: null, ...entry })),
    issues: [
      ...issues,
      ...entries.flatMap(({ rule = null }, index) =>
        unknownRule(rule, catalogue).map(({ at, ...about }) => issueAt(source, [index, ...at], about)),
      ),
    ],
  }
}

function unknownRule(rule: RuleId | null, catalogue: Catalogue): readonly PlacedMistake[] {
  if (rule === null || catalogue.has(rule)) return []
  const hint = ruleHint(rule, [...catalogue.keys()])
  return [{ at: ['rule'], given: JSON.stringify(rule), expected: 'the id of a rule', hint }]
}
