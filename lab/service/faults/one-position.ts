import type { Bend } from '../../../lib/serve/reference/bend.ts'
import type { Fault } from '../../../lib/serve/reference/fault.ts'
import { beyondGate } from './beyond-gate.ts'

/** A part of a credential that is not compared. */
type Part = (credential: string) => string

function keyFault(name: string, about: string, compared: Part): Fault {
  const bend = (): Bend => ({ keyMatches: (sent, { apiKey }) => compared(sent) === compared(apiKey) })
  return { name, about, rules: ['authentication/api-key-invalid'], bend }
}

function secretFault(name: string, about: string, compared: Part): Fault {
  const bend = (): Bend => ({
    secretMatches: (sent, { secretKey }) => compared(sent) === compared(secretKey),
  })
  return { name, about, rules: ['authentication/secret-key-invalid'], bend }
}

/** Credentials with one position that is not compared. */
export const onePositionFaults: readonly Fault[] = [
  secretFault(
    'secret-key-first-character-ignored',
    'The first character of a secret may be any.',
    without(0),
  ),
  secretFault(
    'secret-key-middle-character-ignored',
    'The character in the middle of a secret may be any.',
    without(20),
  ),
  secretFault(
    'secret-key-last-two-characters-alike',
    'The last character of a secret may be missing, or any.',
    (secret) => secret.slice(0, 39),
  ),
  secretFault(
    'secret-key-may-lack-first-character',
    'The first character of a secret may be missing.',
    (secret) => secret.slice(-39),
  ),
  keyFault(
    'api-key-environment-ignored',
    'Only what follows the last underscore of a key is compared.',
    (key) => key.slice(key.lastIndexOf('_') + 1),
  ),
  beyondGate(
    keyFault(
      'api-key-nineteenth-character-ignored',
      'One character inside of a key, the nineteenth, may be any.',
      without(18),
    ),
  ),
  beyondGate(
    secretFault(
      'secret-key-thirtieth-character-ignored',
      'One character inside of a secret, the thirtieth, may be any.',
      without(29),
    ),
  ),
]

/** The same length, and the same characters except at this position. */
function without(place: number): Part {
  return (credential) =>
    `${String(credential.length)} ${credential.slice(0, place)}${credential.slice(place + 1)}`
}
