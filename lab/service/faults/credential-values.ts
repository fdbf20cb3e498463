import { field } from '../../../lib/serve/reference/call.ts'
import { onAnswer, type Change } from '../../../lib/serve/reference/bending.ts'
import type { Fault } from '../../../lib/serve/reference/fault.ts'

/** How faults about the values of one credential are made. */
interface CredentialValues {
  /** A value counts as valid where, read so, it is. */
  readonly reads: (name: string, about: string, read: (sent: string) => string) => Fault
  /** A value that is not valid counts as such where this holds. */
  readonly accepts: (name: string, about: string, matches: (sent: string, valid: string) => boolean) => Fault
  /** An invalid value for which `when` holds, and with which nothing else is wrong, gets another answer. */
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

/** Makes faults about the values of this credential, which the rule that generates such values must notice. */
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

/** A header's value as text: node gives its bytes as characters up to U+00FF. What is no UTF-8 becomes U+FFFD. */
export function asText(value: string): string {
  return Buffer.from(value, 'latin1').toString('utf8')
}

/** The text without characters that show nothing: of no width, marks of direction, soft hyphens. */
export function withoutInvisible(text: string): string {
  return text.replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '')
}
