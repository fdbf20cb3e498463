import { exposed, isExposedIn } from './hide-secrets.ts'
import type { Parsed, SettingIssue } from './issue.ts'
import { issueAt, parseList, type UserFile } from './json-file.ts'
import { ruleHint } from './selection.ts'
import type { Waiver } from './waivers.ts'
import { fitsWaivers, type WaiverEntry } from './waivers-validator.ts'

/** Parses a waivers file; its issues hold raw texts, for `hideSecrets`. Documented in `docs/settings.md`. */
export function parseWaivers(
  source: UserFile,
  credentials: readonly string[] = [],
): Parsed<readonly Waiver[]> {
  const { value, issues } = parseList(source, fitsWaivers)
  const entries = value ?? []
  return {
    value: entries.map((entry) => ({ rule: null, fingerprint: null, ...entry })),
    issues: [...issues.map(withRuleHint), ...exposedIn(source, entries, credentials)],
  }
}

/** Reports show a waiver unchanged. */
function exposedIn(
  source: UserFile,
  entries: readonly WaiverEntry[],
  credentials: readonly string[],
): readonly SettingIssue[] {
  return entries.flatMap(({ fingerprint, reason, owner }, index) =>
    Object.entries({ fingerprint: fingerprint ?? '', reason, owner })
      .filter(([, text]) => isExposedIn(text, credentials))
      .map(([name, text]) => issueAt(source, [index, name], exposed(source.setting, text))),
  )
}

function withRuleHint(wrong: SettingIssue): SettingIssue {
  if (!wrong.expected.endsWith('].rule: the id of a rule') || wrong.given === null) return wrong
  const given: unknown = JSON.parse(wrong.given)
  return typeof given === 'string' ? { ...wrong, hint: ruleHint(given) } : wrong
}
