import { createPublicKey, sign, type KeyObject } from 'node:crypto'
import type { Verdict } from '../../verdict/verdict.ts'
import { packed } from './gzip.ts'
import { byName, fileNames, jsonFile, mostBytes, textFile, type BundleFile } from './layout.ts'
import { keyFingerprint, pemOf } from './keys.ts'
import { extracts, pages } from './made-files.ts'
import { manifestText, sha256 } from './manifest.ts'
import { tarHeader, tarOf, tarTime } from './tar.ts'
import type { Versions } from './versions.ts'

/** The verdict cannot be sealed; the message is a sentence without a subject. */
export class UnsealableError extends Error {
  override readonly name = 'UnsealableError'
}

/** What an archive is made of. */
export interface Sealing {
  readonly verdict: Verdict
  /** The bytes of `verdict.json`. */
  readonly verdictBytes: Buffer
  readonly allure: readonly BundleFile[]
  readonly versions: Versions
  /** The private key that signs, or null. */
  readonly key: KeyObject | null
}

/** An archive, and what is told about it. */
export interface Sealed {
  readonly bytes: Buffer
  readonly files: number
  /** The SHA-256 of the manifest, in hexadecimal: it stands for all that is in the archive. */
  readonly manifest: string
  /** The fingerprint of the key that signed it, or null. */
  readonly signedBy: string | null
}

/** Seals the reports of a run: of the same input the same bytes. Throws {@link UnsealableError}. */
export function sealed({ verdict, verdictBytes, allure, versions, key }: Sealing): Sealed {
  const facts = { madeBy: versions.bundle.suite, signed: key !== null, allure: allure.length > 0 }
  const listed = [
    { name: fileNames.verdict, content: verdictBytes },
    ...pages(verdict, facts),
    ...extracts(verdict),
    ...allure,
    jsonFile(fileNames.versions, versions),
    ...(key === null ? [] : [textFile(fileNames.publicKey, pemOf(createPublicKey(key)))]),
  ].toSorted(byName)
  assertFits(listed)

  const manifest = textFile(fileNames.manifest, manifestText(listed))
  const files = [...listed, manifest, ...signatureOf(manifest, key)].toSorted(byName)
  const tar = tarOf(files, tarTime(verdict.startedAt))
  if (tar.length > mostBytes) {
    throw new UnsealableError(`makes an archive of more than ${mostBytes / 1024 / 1024} MiB`)
  }
  return {
    bytes: packed(tar),
    files: files.length,
    manifest: sha256(manifest.content),
    signedBy: key === null ? null : keyFingerprint(key),
  }
}

function signatureOf({ content }: BundleFile, key: KeyObject | null): readonly BundleFile[] {
  if (key === null) return []
  return [textFile(fileNames.signature, `${sign(null, content, key).toString('base64')}\n`)]
}

/** A verdict that was changed by hand can name a rule twice, or at a length that no header holds. */
function assertFits(files: readonly BundleFile[]): void {
  const names = new Set<string>()
  for (const { name, content } of files) {
    if (names.has(name)) throw new UnsealableError(`names a rule twice: ${name}`)
    if (tarHeader(name, content.length, 0) === null) {
      throw new UnsealableError(`names a rule at a length that no archive holds: ${name.slice(0, 80)}…`)
    }
    names.add(name)
  }
}
