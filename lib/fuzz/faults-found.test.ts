import { describe, expect, it } from 'vitest'
import { allowed } from '../judge/facts.ts'
import { success } from '../specification/answers.ts'
import { credentialOf, type CredentialField, type GeneratorInput } from './case-class.ts'
import type { Drawn } from './case-schedule.ts'
import { arrivedIn, credentialClasses } from './testing/credentials.ts'
import { drawnOf, knownOf, inputOf, requestOf } from './testing/requests.ts'

/** How a service with one fault treats a value: whether it accepts the value, or fails. */
interface Fault {
  readonly about: string
  readonly accepts?: (given: string, valid: string) => boolean
  readonly fails?: (given: string) => boolean
}

const faults: readonly Fault[] = [
  { about: 'accepts the credential with a suffix', accepts: (given, valid) => given.startsWith(valid) },
  {
    about: 'accepts a prefix of the credential',
    accepts: (given, valid) => given.length > 8 && valid.startsWith(given),
  },
  {
    about: 'compares only eight characters',
    accepts: (given, valid) => given.slice(0, 8) === valid.slice(0, 8),
  },
  { about: 'compares only lengths', accepts: (given, valid) => given.length === valid.length },
  {
    about: 'ignores letter case',
    accepts: (given, valid) => given.toLowerCase() === valid.toLowerCase(),
  },
  {
    about: 'removes white space everywhere',
    accepts: (given, valid) => given.replaceAll(/\s/g, '') === valid,
  },
  { about: 'accepts an SQL tautology', accepts: (given) => /'.*\bor\b.*'/.test(given) },
  { about: 'accepts the literal null', accepts: (given) => given === 'null' },
  { about: 'fails on a quote', fails: (given) => given.includes("'") },
  { about: 'fails on more than 255 characters', fails: (given) => given.length > 255 },
  { about: 'fails on a lone percent sign', fails: (given) => /%(?![0-9a-f]{2})/i.test(given) },
]

/**
 * Letter case has no meaning in digits and UUIDs. A service that removes all white space never matches a key
 * with spaces.
 */
const keys = [
  { form: 'opaque', key: 'ak_live_7Qm2vXk1Rb84TzNe', hasCase: true },
  { form: 'upper case', key: 'AKIA7QM2VXK1RB84TZNE', hasCase: true },
  { form: 'digits', key: '90210472831847261', hasCase: false },
  { form: 'a UUID', key: '0d7c1f3e-8a55-4b6e-9c3d-2f1a0b9e8d7c', hasCase: false },
  { form: 'nine characters', key: 'abcdefghX', hasCase: true },
  { form: 'one repeated character', key: 'x'.repeat(32), hasCase: true },
  { form: 'with spaces', key: 'my key with spaces in it', hasCase: true },
]

const of = keys.flatMap(({ form, key, hasCase }) =>
  (['x-api-key', 'x-secret-key'] as const).map((field) => ({ form, key, hasCase, field })),
)

describe.each(of)('a service with a fault in $field ($form)', ({ key, hasCase, field }) => {
  const other = 'another-credential-of-some-length'
  const input = field === 'x-api-key' ? inputOf(key, other) : inputOf(other, key)
  const classList = credentialClasses(field, input)
  const seeds = Array.from({ length: 6 }, (_, seed) => [...drawnOf(classList, 50, seed)])
  const possible = faults
    .filter(({ about }) => hasCase || about !== 'ignores letter case')
    .filter(({ about }) => key.length > 9 || about !== 'accepts a prefix of the credential')
    .filter(({ about }) => !key.includes(' ') || about !== 'removes white space everywhere')

  it.each(possible)('that $about is detected within 50 cases under any seed', (fault) => {
    for (const cases of seeds) expect(cases.some((drawn) => finds(drawn, fault, input, field))).toBe(true)
  })
})

/** Whether a judge rejects the answer to a case. */
function finds(
  drawn: Drawn,
  { accepts, fails }: Fault,
  input: GeneratorInput,
  field: CredentialField,
): boolean {
  const given = arrivedIn(field, input, drawn)
  if (given === null) return false
  if (fails !== undefined) return fails(given)

  const valid = credentialOf(input.target, field).reveal()
  const isTaken = given !== valid && accepts?.(given, valid) === true
  if (!isTaken || drawn.mutated.treatment !== 'oracle') return false
  const facts = knownOf(requestOf(input, drawn.mutated), input)
  return !allowed(facts).includes(success) && facts.version === 'served'
}
