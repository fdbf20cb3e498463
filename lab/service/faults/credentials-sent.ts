import type { Bend } from '../../../lib/serve/reference/bend.ts'
import { isAbsent } from '../../../lib/serve/reference/bending.ts'
import { field, withField, type Call, type RequiredName } from '../../../lib/serve/reference/call.ts'
import { everyClient } from '../../../lib/serve/reference/clients.ts'

/** Whether a header was sent empty. */
export function isBlank(call: Call, name: RequiredName): boolean {
  return field(call, name) === ''
}

/** Whether the key is exactly a client's key. */
export function ownsKey(call: Call): boolean {
  return everyClient.some(({ apiKey }) => apiKey === field(call, 'x-api-key'))
}

/** Whether the secret is exactly a client's secret, for any key. */
export function ownsSecret(call: Call): boolean {
  return everyClient.some(({ secretKey }) => secretKey === field(call, 'x-secret-key'))
}

/** Whether a key was sent that is neither blank nor known. */
export function isWrongKey(call: Call): boolean {
  return !isAbsent(call, 'x-api-key') && !isBlank(call, 'x-api-key') && !ownsKey(call)
}

/** Whether a secret was sent that is neither blank nor known. */
export function isWrongSecret(call: Call): boolean {
  return !isAbsent(call, 'x-secret-key') && !isBlank(call, 'x-secret-key') && !ownsSecret(call)
}

/** The required headers that are flawed. */
export function flawsOf(call: Call): readonly RequiredName[] {
  const isFlawed: Readonly<Record<RequiredName, boolean>> = {
    'x-api-key': !ownsKey(call),
    'x-secret-key': !ownsSecret(call),
    'x-version': field(call, 'x-version') !== '1',
  }
  return required.filter((name) => isFlawed[name])
}

const required = ['x-api-key', 'x-secret-key', 'x-version'] as const

/** Takes requests for ones of version 1 if `when` holds. */
export function seesVersionOne(when: (call: Call) => boolean): Bend {
  return { see: (call) => (when(call) ? withField(call, 'x-version', '1') : call) }
}
