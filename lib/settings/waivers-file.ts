import type { Catalogue } from '../specification/rules.ts'
import { ruleHint, type Parsed } from './issue.ts'
import { parseList, type UserFile } from './json-file.ts'
import { fitsWaivers } from './waivers-validator.ts'
import type { Waiver } from './waivers.ts'

/** Parses a waivers file. Its issues contain raw text, which `hideSecrets` makes safe to show. Documented in `docs/settings.md`. */
export function parseWaivers(source: UserFile, catalogue: Catalogue): Parsed<readonly Waiver[]> {
  return parseList(source, fitsWaivers, (entries) => ({
    value: entries.map((entry) => ({ rule: null, fingerprint: null, ...entry })),
    mistakes: entries.flatMap(({ rule = null }, index) => {
      if (rule === null || catalogue.has(rule)) return []
      const hint = ruleHint(rule, catalogue)
      return [{ at: [index, 'rule'], given: JSON.stringify(rule), expected: 'the id of a rule', hint }]
    }),
  }))
}
