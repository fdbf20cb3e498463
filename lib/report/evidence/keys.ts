import { createHash, createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto'
import { sizeLimits, readBounded, UnfitFile } from '../../settings/user-file.ts'

/** A key file that cannot be used; the message says which, what is wrong and what is expected, and holds nothing of the key. */
export class KeyFileError extends Error {
  override readonly name = 'KeyFileError'
}

/** Reads the private key that signs. Throws {@link KeyFileError}. */
export async function signingKey(file: string): Promise<KeyObject> {
  const text = await textOf(file)
  if (isEncrypted(text)) throw wrong(file, 'is encrypted', `write it without a passphrase: ${decrypting}`)
  if (!/-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----/.test(text)) {
    throw wrong(file, 'holds no private key in PEM', `make one: ${making}`)
  }
  return ed25519(file, () => createPrivateKey(text))
}

/** Reads the public key that a signature is checked with, also from the file of the private one. Throws {@link KeyFileError}. */
export async function verifyingKey(file: string): Promise<KeyObject> {
  const text = await textOf(file)
  if (isEncrypted(text)) throw wrong(file, 'is encrypted', 'give the public key instead')
  return ed25519(file, () => createPublicKey(text))
}

/** A public key as text. */
export function pemOf(key: KeyObject): string {
  return key.export({ type: 'spki', format: 'pem' }).toString()
}

/** The public key that text holds, if that is an Ed25519 key and nothing besides; else null. */
export function publicKeyFrom(pem: string): KeyObject | null {
  try {
    const key = createPublicKey(pem)
    return key.asymmetricKeyType === 'ed25519' && pemOf(key) === pem ? key : null
  } catch {
    return null
  }
}

/** What a key is known by: the SHA-256 of its public part as DER, in hexadecimal. */
export function keyFingerprint(key: KeyObject): string {
  const publicKey = key.type === 'private' ? createPublicKey(key) : key
  return createHash('sha256')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest('hex')
}

const making = 'openssl genpkey -algorithm ed25519 -out signing-key.pem'
const decrypting = 'openssl pkey -in FILE -out OTHER'

function isEncrypted(pem: string): boolean {
  return /-----BEGIN ENCRYPTED PRIVATE KEY-----|^Proc-Type: 4,ENCRYPTED/m.test(pem)
}

function ed25519(file: string, read: () => KeyObject): KeyObject {
  let key: KeyObject
  try {
    key = read()
  } catch {
    // OpenSSL's reasons name its own routines, and say no more than this.
    throw wrong(file, 'holds no key in PEM that can be read', `an Ed25519 key is expected: ${making}`)
  }
  const type = key.asymmetricKeyType ?? 'unknown'
  if (type === 'ed25519') return key
  throw wrong(file, `holds a key of the type ${type}`, `an Ed25519 key is expected: ${making}`)
}

async function textOf(file: string): Promise<string> {
  try {
    return (await readBounded(file, sizeLimits.lines)).toString('latin1')
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    const reason = error instanceof UnfitFile ? `it is ${message}` : message
    throw new KeyFileError(`the key file ${file} cannot be read: ${reason}`)
  }
}

function wrong(file: string, what: string, hint: string): KeyFileError {
  return new KeyFileError(`the key file ${file} ${what}; ${hint}`)
}
