import { onAnswer, type Change } from '../../../lib/serve/reference/bending.ts'
import { field } from '../../../lib/serve/reference/call.ts'
import type { Client } from '../../../lib/serve/reference/clients.ts'
import type { Fault } from '../../../lib/serve/reference/fault.ts'
import type { SpecRuleId } from '../../../lib/specification/rules.ts'
import { breaking } from './breaking.ts'

/** Whether a sent value counts as the valid one of a client. */
type Matches = (sent: string, valid: string, client: Client) => boolean

/** Makes faults in the values of this credential, which this rule must notice. */
export function valuesOf(credential: 'x-api-key' | 'x-secret-key', rule: SpecRuleId) {
  const fault = breaking(rule)
  const isKey = credential === 'x-api-key'
  /** An invalid value counts as valid if this holds. */
  const accepts = (name: string, about: string, matches: Matches): Fault =>
    fault(name, about, () =>
      isKey
        ? { keyMatches: (sent, client) => matches(sent, client.apiKey, client) }
        : { secretMatches: (sent, client) => matches(sent, client.secretKey, client) },
    )
  return {
    accepts,
    /** A value counts as valid if this reading of it is valid. */
    reads: (name: string, about: string, read: (sent: string) => string): Fault =>
      accepts(name, about, (sent, valid) => read(sent) === valid),
    /** If `when` holds for an invalid value and the request has no other flaw, the answer changes. */
    answers: (
      name: string,
      about: string,
      { when, change }: { readonly when: (sent: string) => boolean; readonly change: Change },
    ): Fault =>
      fault(name, about, () =>
        onAnswer(
          ({ refusal }, call) => refusal === (isKey ? '1006' : '1007') && when(field(call, credential) ?? ''),
          change,
        ),
      ),
  }
}

/** Compares all characters but the one at this place. */
export function ignoringAt(place: number): Matches {
  const other = (text: string): string => text.slice(0, place) + text.slice(place + 1)
  return (sent, valid) => sent.length === valid.length && other(sent) === other(valid)
}

/** A header's value as text. Node gives its bytes as characters up to U+00FF. Invalid UTF-8 becomes U+FFFD. */
export function asText(value: string): string {
  return Buffer.from(value, 'latin1').toString('utf8')
}

/** The text without invisible characters: zero width, direction marks, soft hyphens. */
export function withoutInvisible(text: string): string {
  return text.replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '')
}
