import { createHash, createPrivateKey, createPublicKey, verify, type KeyObject } from 'node:crypto'
import { readBounded, sizeLimits, readFailure } from '../../settings/user-file.ts'
import { fileNames } from './files.ts'

/** An unusable key file; the message says which, what is wrong and what is expected, and shows nothing of the key. */
export class KeyFileError extends Error {
  override readonly name = 'KeyFileError'
}

const making = 'openssl genpkey -algorithm ed25519 -out signing-key.pem'
const decrypting = 'openssl pkey -in FILE -out OTHER'

/** Reads the private signing key. Throws {@link KeyFileError}. */
export async function readSigningKey(file: string): Promise<KeyObject> {
  return keyIn(file, `write it without a passphrase: ${decrypting}`, (pem) => {
    if (/-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----/.test(pem)) return createPrivateKey(pem)
    throw new KeyFileError(`the key file ${file} holds no private key in PEM; make one: ${making}`)
  })
}

/** Reads the public key that checks a signature, possibly from the private key's file. Throws {@link KeyFileError}. */
export async function readVerifyingKey(file: string): Promise<KeyObject> {
  return keyIn(file, 'give the public key instead', createPublicKey)
}

async function keyIn(
  file: string,
  ifEncrypted: string,
  parse: (pem: string) => KeyObject,
): Promise<KeyObject> {
  const pem = await pemIn(file)
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
    // OpenSSL's reasons only name its own routines.
    held = 'no key in PEM that can be read'
  }
  throw new KeyFileError(`the key file ${file} holds ${held}; an Ed25519 key is expected: ${making}`)
}

async function pemIn(file: string): Promise<string> {
  try {
    return (await readBounded(file, sizeLimits.lines)).toString('latin1')
  } catch (error) {
    throw new KeyFileError(`the key file ${file} cannot be read: ${readFailure(error)}`)
  }
}

/** Formats a public key as PEM. */
export function publicPem(key: KeyObject): string {
  return key.export({ type: 'spki', format: 'pem' }).toString()
}

/** Public key in a text that holds only an Ed25519 key; otherwise null. */
export function publicKeyFrom(pem: string): KeyObject | null {
  try {
    const key = createPublicKey(pem)
    return key.asymmetricKeyType === 'ed25519' && publicPem(key) === pem ? key : null
  } catch {
    return null
  }
}

/** Fingerprint of a key: SHA-256 of its public part as DER, in hexadecimal. */
export function keyFingerprint(key: KeyObject): string {
  const publicKey = key.type === 'private' ? createPublicKey(key) : key
  return createHash('sha256')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest('hex')
}

/** The signer of an archive. */
export interface Signer {
  readonly fingerprint: string
  /** Whether it is the given key; otherwise only the archive names it. */
  readonly trusted: boolean
}

/** Signature of an archive: absent, valid, or invalid for the reasons in `mistakes`. */
interface SignatureCheck {
  /** Null without a valid signature. */
  readonly signer: Signer | null
  /** Sentences. */
  readonly mistakes: readonly string[]
}

/** Checks the manifest's signature with the given key, or with the one in the archive. */
export function checkSignature(contents: ReadonlyMap<string, Buffer>, key: KeyObject | null): SignatureCheck {
  const signature = contents.get(fileNames.signature)
  const pem = contents.get(fileNames.publicKey)
  if (signature === undefined && pem === undefined) {
    return { signer: null, mistakes: key === null ? [] : ['the archive is not signed'] }
  }
  const enclosed = pem === undefined ? null : publicKeyFrom(pem.toString())
  const used = key ?? enclosed
  const mistakes = [
    ...(pem === undefined ? [`"${fileNames.publicKey}" is missing`] : []),
    ...(pem !== undefined && enclosed === null ? [`"${fileNames.publicKey}" holds no Ed25519 key`] : []),
    ...(key !== null && enclosed !== null && !enclosed.equals(key) ? [otherKey(enclosed, key)] : []),
    ...signatureMistakes(signature, contents.get(fileNames.manifest), { used, given: key }),
  ]
  if (used === null || mistakes.length > 0) return { signer: null, mistakes }
  return { signer: { fingerprint: keyFingerprint(used), trusted: key !== null }, mistakes }
}

function otherKey(enclosed: KeyObject, key: KeyObject): string {
  return `the archive was signed with another key: it holds the one with the SHA-256 ${keyFingerprint(enclosed)}, and you gave the one with ${keyFingerprint(key)}`
}

function signatureMistakes(
  signature: Buffer | undefined,
  manifest: Buffer | undefined,
  { used, given }: { readonly used: KeyObject | null; readonly given: KeyObject | null },
): readonly string[] {
  if (signature === undefined) return [`"${fileNames.signature}" is missing: the signature was removed`]
  const bytes = Buffer.from(signature.toString(), 'base64')
  // Base64 can write the same bytes in several ways; only ours is accepted.
  if (bytes.length !== 64 || `${bytes.toString('base64')}\n` !== signature.toString()) {
    return [`"${fileNames.signature}" was changed: it is no signature`]
  }
  if (manifest === undefined || used === null || verify(null, manifest, used, bytes)) return []
  return [
    given === null
      ? `the signature does not fit "${fileNames.manifest}": one of the two, or the key in the archive, was changed`
      : `the signature does not fit "${fileNames.manifest}" and the key that you gave`,
  ]
}
