import { Ajv, type ValidateFunction } from 'ajv'
import formats from 'ajv-formats'
import { ruleIds } from '../spec/rules.ts'
import { exposed, isExposedIn } from './hide-secrets.ts'
import type { Parsed, SettingIssue } from './issue.ts'
import { issueAt, ownSchema, parseList, stringLike, type UserFile } from './json-file.ts'
import { ruleHint } from './selection.ts'
import type { Waiver } from './waivers.ts'

type WaiverEntry = Pick<Waiver, 'reason' | 'owner' | 'expires'> & Partial<Waiver>

const fileSchema = {
  type: 'array',
  description:
    'a JSON list of waivers: [{ "rule": …, "fingerprint": …, "reason": …, "owner": …, "expires": … }]',
  items: {
    type: 'object',
    description: 'a rule, a fingerprint or both, with a reason, an owner and expires',
    required: ['reason', 'owner', 'expires'],
    anyOf: [{ required: ['rule'] }, { required: ['fingerprint'] }],
    additionalProperties: false,
    properties: {
      rule: { type: 'string', enum: ruleIds, description: 'the id of a rule' },
      fingerprint: stringLike('^[!-~]+$', 'the fingerprint of a finding, as in verdict.json'),
      reason: stringLike('\\S', 'why this is accepted, in words'),
      owner: stringLike('\\S', 'who answers for it, in words'),
      expires: {
        type: 'string',
        format: 'date',
        description: 'the last day on which it covers, a date of the calendar, as 2027-01-31',
      },
    },
  },
}

let compiled: ValidateFunction<readonly WaiverEntry[]> | null = null

/** Parses a waivers file; its issues hold raw texts, for `hideSecrets`. Documented in `docs/settings.md`. */
export function parseWaivers(
  source: UserFile,
  credentials: readonly string[] = [],
): Parsed<readonly Waiver[]> {
  compiled ??= formats.default(new Ajv(ownSchema), ['date']).compile<readonly WaiverEntry[]>(fileSchema)
  const { value, issues } = parseList(source, compiled)
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
