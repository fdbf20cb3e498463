import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto'
import { readBounded, sizeLimits, readFailure } from '../../settings/user-file.ts'
import { UnusableInput } from '../../text/unusable-input.ts'
import { inQuotes, sha256 } from './files.ts'

/** An unusable key file. The message names the file, says what is wrong and what is expected, and reveals nothing of the key. */
export class KeyFileError extends UnusableInput {
  override readonly name = 'KeyFileError'
}

const remedies = {
  private: 'openssl genpkey -algorithm ed25519 -out signing-key.pem',
  public: 'openssl pkey -in signing-key.pem -pubout -out public.pem',
} as const

/** Reads the private signing key. Throws {@link KeyFileError}. */
export async function readSigningKey(file: string): Promise<KeyObject> {
  return readKey(file, 'private')
}

/** Reads the public key for checking a signature; rejects certificates and private keys. Throws {@link KeyFileError}. */
export async function readVerifyingKey(file: string): Promise<KeyObject> {
  return readKey(file, 'public')
}

async function readKey(file: string, kind: keyof typeof remedies): Promise<KeyObject> {
  const bytes = await readBounded(file, sizeLimits.lines).catch((error: unknown) => {
    throw new KeyFileError(`the key file ${file} cannot be read: ${readFailure(error)}`)
  })
  const pem = bytes.toString('latin1')
  const labels = Array.from(pem.matchAll(/-----BEGIN ([^-]*)-----/g), ([, label = '']) => label)
  let held = labels.length === 0 ? 'no key in PEM' : labels.map(inQuotes).join(' and ')
  if (labels.join() === `${kind.toUpperCase()} KEY`)
    try {
      const key = kind === 'private' ? createPrivateKey(pem) : createPublicKey(pem)
      if (key.asymmetricKeyType === 'ed25519') return key
      held = `a key of the type ${key.asymmetricKeyType ?? 'unknown'}`
    } catch {
      // OpenSSL's error messages only name its internal routines.
      held = 'no readable key'
    }
  throw new KeyFileError(
    `the key file ${file} contains ${held}, but one ${kind} Ed25519 key in PEM is expected, without a passphrase: ${remedies[kind]}`,
  )
}

/** Fingerprint of a key: the SHA-256 of its public part in DER form (SubjectPublicKeyInfo), in hexadecimal. */
export function keyFingerprint(key: KeyObject): string {
  const publicKey = key.type === 'private' ? createPublicKey(key) : key
  return sha256(publicKey.export({ type: 'spki', format: 'der' }))
}
