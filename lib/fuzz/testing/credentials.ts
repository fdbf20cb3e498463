import fc, { type Arbitrary } from 'fast-check'
import { trimOws, valueOf } from '../../http/exchange.ts'
import { Secret, type CredentialField } from '../../redact/secret.ts'
import type { CaseClass, Drawn, GeneratorInput } from '../case-class.ts'
import { caseClasses } from '../case-classes.ts'
import { inputOf, requestOf } from './requests.ts'

const letters = 'abcdefghijklmnopqrstuvwxyz'
const digits = '0123456789'

const of = (alphabet: string, minLength: number, maxLength: number): Arbitrary<string> =>
  fc.string({ unit: fc.constantFrom(...alphabet), minLength, maxLength, size: 'max' })

const bytes = fc.uint8Array({ minLength: 1, maxLength: 60 })

/** Credentials of every form that the settings accept. */
const anyCredential = fc.oneof(
  of(letters + letters.toUpperCase() + digits + '_-', 1, 200),
  of('0123456789abcdef', 8, 64),
  of('0123456789ABCDEF', 8, 64),
  fc.uuid(),
  bytes.map((some) => Buffer.from(some).toString('base64')),
  of(digits, 1, 40),
  of('!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~', 1, 40),
  of('aB 1', 1, 40).map((text) => `k${text}k`),
  fc.tuple(fc.constantFrom(...'aZ0x=-'), fc.integer({ min: 1, max: 200 })).map(([one, n]) => one.repeat(n)),
  of(letters + digits + '*%', 1, 1),
)

/** Inputs with any credentials. The second client may share one of them, or be a near miss of the first. */
export const anyInput: Arbitrary<GeneratorInput> = fc
  .record({
    apiKey: anyCredential,
    secretKey: anyCredential,
    servedVersion: fc.oneof(fc.constantFrom('0', '1', '12'), fc.nat(2 ** 31 - 3).map(String)),
    second: fc.constantFrom('none', 'near', 'shares-key', 'shares-secret'),
  })
  .map(({ apiKey, secretKey, servedVersion, second }) => {
    const other = {
      apiKey: new Secret('SECOND_API_KEY', second === 'shares-key' ? apiKey : `${apiKey}0`),
      secretKey: new Secret('SECOND_SECRET_KEY', second === 'shares-secret' ? secretKey : `${secretKey}x`),
    }
    const more = { servedVersion, unsupportedVersion: '2147483646' }
    return inputOf(apiKey, secretKey, { ...more, second: second === 'none' ? null : other })
  })

/** The value that arrives in a field of a drawn case, or null if the field is absent. */
export function arrivedIn(field: CredentialField | 'x-version', input: GeneratorInput, { mutated }: Drawn) {
  const found = requestOf(input, mutated).fields.find(({ name }) => name === field)
  return found === undefined ? null : trimOws(valueOf(found))
}

/** The classes that replace a credential. */
export const credentialClasses = (field: CredentialField, input: GeneratorInput): readonly CaseClass[] =>
  caseClasses[field === 'x-api-key' ? 'fuzz/api-key' : 'fuzz/secret-key'](input)
