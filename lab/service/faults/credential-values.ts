import { onAnswer, type Change } from '../../../lib/serve/reference/bending.ts'
import { field } from '../../../lib/serve/reference/call.ts'
import type { Fault } from '../../../lib/serve/reference/fault.ts'

/** Makers of faults in the values of one credential. */
interface CredentialValues {
  /** A value counts as valid if this reading of it is valid. */
  readonly reads: (name: string, about: string, read: (sent: string) => string) => Fault
  /** An invalid value counts as valid if this holds. */
  readonly accepts: (name: string, about: string, matches: (sent: string, valid: string) => boolean) => Fault
  /** If `when` holds for an invalid value and the request has no other flaw, the answer changes. */
  readonly answers: (
    name: string,
    about: string,
    bent: { readonly when: (sent: string) => boolean; readonly change: Change },
  ) => Fault
}

const traits = {
  'x-api-key': { rules: ['fuzz/api-key'], refusal: '1006' },
  'x-secret-key': { rules: ['fuzz/secret-key'], refusal: '1007' },
} as const

/** Makes faults in the values of this credential, which the rule that generates such values must notice. */
export function valuesOf(credential: keyof typeof traits): CredentialValues {
  const { rules, refusal } = traits[credential]
  const accepts: CredentialValues['accepts'] = (name, about, matches) => ({
    name,
    about,
    rules,
    bend: () =>
      credential === 'x-api-key'
        ? { keyMatches: (sent, { apiKey }) => matches(sent, apiKey) }
        : { secretMatches: (sent, { secretKey }) => matches(sent, secretKey) },
  })
  return {
    accepts,
    reads: (name, about, read) => accepts(name, about, (sent, valid) => read(sent) === valid),
    answers: (name, about, { when, change }) => ({
      name,
      about,
      rules,
      bend: () =>
        onAnswer((answer, call) => answer.refusal === refusal && when(field(call, credential) ?? ''), change),
    }),
  }
}

/** A header's value as text. Node gives its bytes as characters up to U+00FF. Invalid UTF-8 becomes U+FFFD. */
export function asText(value: string): string {
  return Buffer.from(value, 'latin1').toString('utf8')
}

/** The text without invisible characters: zero width, direction marks, soft hyphens. */
export function withoutInvisible(text: string): string {
  return text.replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '')
}
