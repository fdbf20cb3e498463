import { Ajv } from 'ajv'
import formats from 'ajv-formats'

import { ruleIds, type RuleId } from '../spec/rules.ts'
import { parseList, type UserFile } from './json-file.ts'
import type { Mistake, Part } from './mistake.ts'
import { ruleHint } from './selection.ts'

/** An agreed exception. With both a rule and a fingerprint it covers that finding of that rule only. */
export interface Waiver {
  readonly rule: RuleId | null
  readonly fingerprint: string | null
  readonly reason: string
  readonly owner: string
  /** The last day on which it covers, as `2027-01-31` (UTC). */
  readonly expires: string
}

/** What a waiver may cover: a finding, or with `fingerprint` null a rule that could not be tested. */
export interface Waivable {
  readonly rule: RuleId
  readonly fingerprint: string | null
}

type WaiverEntry = Pick<Waiver, 'reason' | 'owner' | 'expires'> & {
  readonly rule?: RuleId
  readonly fingerprint?: string
}

const words = { type: 'string', pattern: '\\S' } as const

const validate = formats
  .default(new Ajv({ allErrors: true, verbose: true }), ['date'])
  .compile<readonly WaiverEntry[]>({
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
  })

/** Parses a file of waivers; the mistakes hold raw texts, for `hideSecrets`. Source: Waivers, in the README. */
export function parseWaivers(text: string, file: string): Part<readonly Waiver[]> {
  const source: UserFile = { setting: 'RUN_WAIVERS', file, text }
  const { value, mistakes } = parseList(source, validate)
  const waivers = (value ?? []).map(({ rule = null, fingerprint = null, reason, owner, expires }) => ({
    rule,
    fingerprint,
    reason,
    owner,
    expires,
  }))

  return { value: waivers, mistakes: mistakes.map(withRuleHint) }
}

/** Whether a waiver covers this on a day (UTC, as {@link utcDay} gives it); on the day it expires it still does. */
export function covers(waiver: Waiver, { rule, fingerprint }: Waivable, today: string): boolean {
  return (
    !isExpired(waiver, today) &&
    (waiver.rule !== null || waiver.fingerprint !== null) &&
    (waiver.rule === null || waiver.rule === rule) &&
    (waiver.fingerprint === null || waiver.fingerprint === fingerprint)
  )
}

/** Whether the last day of a waiver is over. */
export function isExpired(waiver: Waiver, today: string): boolean {
  return today > waiver.expires
}

/** The day of a time, UTC, as `2027-01-31`. */
export function utcDay(now: Date): string {
  return now.toISOString().slice(0, 10)
}

function withRuleHint(mistake: Mistake): Mistake {
  if (!mistake.expected.endsWith('].rule: the id of a rule') || mistake.given === null) return mistake
  const given: unknown = JSON.parse(mistake.given)

  return typeof given === 'string' ? { ...mistake, hint: ruleHint(given) } : mistake
}
