import { Ajv, type ValidateFunction } from 'ajv'
import formats from 'ajv-formats'

import { ruleIds, type RuleId } from '../spec/rules.ts'
import { exposed, isExposedIn } from './exposed.ts'
import { mistakeAt, ownSchema, parseList, type UserFile } from './json-file.ts'
import type { Mistake, Part } from './mistake.ts'
import { ruleHint } from './selection.ts'
import type { Waiver } from './waivers.ts'

type WaiverEntry = Pick<Waiver, 'reason' | 'owner' | 'expires'> & {
  readonly rule?: RuleId
  readonly fingerprint?: string
}

const words = { type: 'string', pattern: '\\S' } as const

const schema = {
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
      fingerprint: {
        type: 'string',
        pattern: '^[!-~]+$',
        description: 'the fingerprint of a finding, as in verdict.json',
      },
      reason: { ...words, description: 'why this is accepted, in words' },
      owner: { ...words, description: 'who answers for it, in words' },
      expires: {
        type: 'string',
        format: 'date',
        description: 'the last day on which it covers, a date of the calendar, as 2027-01-31',
      },
    },
  },
}

let compiled: ValidateFunction<readonly WaiverEntry[]> | null = null

/** Compiled once, and only where there is such a file. */
function validator(): ValidateFunction<readonly WaiverEntry[]> {
  compiled ??= formats
    .default(new Ajv({ ...ownSchema, allErrors: true, verbose: true }), ['date'])
    .compile<readonly WaiverEntry[]>(schema)
  return compiled
}

/** Parses a file of waivers; the mistakes hold raw texts, for `hideSecrets`. Source: Waivers, in the README. */
export function parseWaivers(
  text: string,
  file: string,
  credentials: readonly string[] = [],
): Part<readonly Waiver[]> {
  const source: UserFile = { setting: 'RUN_WAIVERS', file, text }
  const { value, mistakes } = parseList(source, validator())
  const waivers = (value ?? []).map(({ rule = null, fingerprint = null, reason, owner, expires }) => ({
    rule,
    fingerprint,
    reason,
    owner,
    expires,
  }))

  return {
    value: waivers,
    mistakes: [...mistakes.map(withRuleHint), ...exposedIn(source, value ?? [], credentials)],
  }
}

/** Reports show a waiver as it is. */
function exposedIn(
  source: UserFile,
  entries: readonly WaiverEntry[],
  credentials: readonly string[],
): readonly Mistake[] {
  return entries.flatMap(({ fingerprint = '', reason, owner }, index) =>
    Object.entries({ fingerprint, reason, owner })
      .filter(([, text]) => isExposedIn(text, credentials))
      .map(([name, text]) => mistakeAt(source, [index, name], exposed(source.setting, text))),
  )
}

function withRuleHint(mistake: Mistake): Mistake {
  if (!mistake.expected.endsWith('].rule: the id of a rule') || mistake.given === null) return mistake
  const given: unknown = JSON.parse(mistake.given)

  return typeof given === 'string' ? { ...mistake, hint: ruleHint(given) } : mistake
}
