import { verify, type KeyObject } from 'node:crypto'
import { fileNames } from './layout.ts'
import { keyFingerprint, publicKeyFrom } from './keys.ts'

/** Who signed an archive. */
export interface Signer {
  /** The fingerprint of the key. */
  readonly fingerprint: string
  /** Whether it is the key that was given; else the archive itself says which it is. */
  readonly trusted: boolean
}

/** What came of looking at the signature of an archive. */
export interface SignatureCheck {
  /** Null where the archive is not signed, or not rightly. */
  readonly signer: Signer | null
  /** Whether there is anything of a signature. */
  readonly claimed: boolean
  /** Sentences. */
  readonly mistakes: readonly string[]
}

interface SignatureOptions {
  /** The key that must have signed; null where nobody says which. */
  readonly key: KeyObject | null
  /** Whether the archive could be read to its end, so that what is not there is missing. */
  readonly whole: boolean
}

/** Checks the signature of the manifest, with the key that was given or else with the one in the archive. */
export function checkSignature(
  contents: ReadonlyMap<string, Buffer>,
  { key, whole }: SignatureOptions,
): SignatureCheck {
  const [manifest, signature, pem] = [fileNames.manifest, fileNames.signature, fileNames.publicKey].map(
    (name) => contents.get(name),
  )
  const claimed = signature !== undefined || pem !== undefined
  const failed = (...mistakes: readonly string[]): SignatureCheck => ({ signer: null, claimed, mistakes })

  if (!claimed) return key !== null && whole ? failed('the archive is not signed') : failed()
  const enclosed = pem === undefined ? null : publicKeyFrom(pem.toString())
  const mistakes = [
    ...(signature === undefined && whole
      ? [`"${fileNames.signature}" is missing: the signature was removed`]
      : []),
    ...(pem === undefined && whole ? [`"${fileNames.publicKey}" is missing`] : []),
    ...(pem !== undefined && enclosed === null ? [`"${fileNames.publicKey}" holds no Ed25519 key`] : []),
    ...(key !== null && enclosed !== null && !enclosed.equals(key) ? [otherKey(enclosed, key)] : []),
  ]
  const used = key ?? enclosed
  if (signature === undefined || manifest === undefined || used === null) return failed(...mistakes)
  if (!isSignature(signature))
    return failed(...mistakes, `"${fileNames.signature}" was changed: it is no signature`)
  if (!verify(null, manifest, used, Buffer.from(signature.toString(), 'base64'))) {
    return failed(...mistakes, unfit(key === null))
  }
  return { signer: { fingerprint: keyFingerprint(used), trusted: key !== null }, claimed, mistakes }
}

function otherKey(enclosed: KeyObject, key: KeyObject): string {
  return `the archive was signed with another key: it holds the one with the SHA-256 ${keyFingerprint(enclosed)}, and you gave the one with ${keyFingerprint(key)}`
}

function unfit(byEnclosed: boolean): string {
  return byEnclosed
    ? `the signature does not fit "${fileNames.manifest}": one of the two, or the key in the archive, was changed`
    : `the signature does not fit "${fileNames.manifest}" and the key that you gave`
}

/** 64 bytes, in the one way in which base64 writes them. */
function isSignature(text: Buffer): boolean {
  const bytes = Buffer.from(text.toString(), 'base64')
  return bytes.length === 64 && `${bytes.toString('base64')}\n` === text.toString()
}
