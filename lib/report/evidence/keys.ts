import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto'
import { readBounded, sizeLimits, readFailure } from '../../settings/user-file.ts'
import { UnusableInput } from '../../text/unusable-input.ts'
import { sha256 } from './files.ts'

/** An unusable key file. The message names the file, says what is wrong and what is expected, and reveals nothing of the key. */
export class KeyFileError extends UnusableInput {
  override readonly name = 'KeyFileError'
}

const making = 'openssl genpkey -algorithm ed25519 -out signing-key.pem'
const decrypting = 'openssl pkey -in FILE -out OTHER'
const publishing = 'openssl pkey -in signing-key.pem -pubout -out public.pem'

/** Reads the private signing key. Throws {@link KeyFileError}. */
export async function readSigningKey(file: string): Promise<KeyObject> {
  return keyIn(file, `write it without a passphrase: ${decrypting}`, (pem) => {
    if (/-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----/.test(pem)) return createPrivateKey(pem)
    throw new KeyFileError(`the key file ${file} contains no private key in PEM; create one: ${making}`)
  })
}

/** Reads the public key for checking a signature; rejects certificates and private keys. Throws {@link KeyFileError}. */
export async function readVerifyingKey(file: string): Promise<KeyObject> {
  return keyIn(file, 'give the public key instead', (pem) => {
    const [kind, ...others] = Array.from(pem.matchAll(/-----BEGIN ([^-]*)-----/g), ([, label = '']) => label)
    if (kind !== undefined && (kind !== 'PUBLIC KEY' || others.length > 0)) {
      const held = /PRIVATE KEY/.test(pem)
        ? 'a private key'
        : kind === 'PUBLIC KEY'
          ? 'several keys'
          : `a ${kind}`
      throw new KeyFileError(
        `the key file ${file} contains ${held.toLowerCase()}, but one public key is expected: ${publishing}`,
      )
    }
    return createPublicKey(pem)
  })
}

async function keyIn(
  file: string,
  ifEncrypted: string,
  parse: (pem: string) => KeyObject,
): Promise<KeyObject> {
  const pem = await readBounded(file, sizeLimits.lines).then(
    (bytes) => bytes.toString('latin1'),
    (error: unknown) => {
      throw new KeyFileError(`the key file ${file} cannot be read: ${readFailure(error)}`)
    },
  )
  if (/-----BEGIN ENCRYPTED PRIVATE KEY-----|^Proc-Type: 4,ENCRYPTED/m.test(pem)) {
    throw new KeyFileError(`the key file ${file} is encrypted; ${ifEncrypted}`)
  }
  let held: string
  try {
    const key = parse(pem)
    if (key.asymmetricKeyType === 'ed25519') return key
    held = `a key of the type ${key.asymmetricKeyType ?? 'unknown'}`
  } catch (error) {
    if (error instanceof KeyFileError) throw error
    // OpenSSL's error messages only name its internal routines.
    held = 'no readable key in PEM'
  }
  throw new KeyFileError(`the key file ${file} contains ${held}; an Ed25519 key is expected: ${making}`)
}

/** Fingerprint of a key: the SHA-256 of its public part in DER form (SubjectPublicKeyInfo), in hexadecimal. */
export function keyFingerprint(key: KeyObject): string {
  const publicKey = key.type === 'private' ? createPublicKey(key) : key
  return sha256(publicKey.export({ type: 'spki', format: 'der' }))
}
