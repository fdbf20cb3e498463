import { createPublicKey, sign, type KeyObject } from 'node:crypto'
import type { Verdict } from '../../verdict/verdict.ts'
import { pack, tarOf, tarTime, type Placement } from './archive.ts'
import { extractFiles, pageFiles, type Versions } from './contents.ts'
import { fileNames, jsonFile, maxArchiveBytes, sha256, textFile, type BundleFile } from './files.ts'
import { manifestText } from './manifest.ts'
import { keyFingerprint, publicPem } from './signature.ts'

/** A verdict that cannot be sealed; the message is a sentence without a subject. */
export class UnsealableError extends Error {
  override readonly name = 'UnsealableError'
}

/** Contents of an archive. */
export interface SealInput {
  readonly verdict: Verdict
  /** The bytes of `verdict.json`. */
  readonly verdictBytes: Buffer
  readonly allure: readonly BundleFile[]
  readonly versions: Versions
  /** Private key that signs, or null. */
  readonly key: KeyObject | null
}

/** An archive, and the facts to report about it. */
export interface SealedBundle {
  readonly bytes: Buffer
  readonly files: number
  /** SHA-256 of the manifest, in hexadecimal; stands for the whole archive. */
  readonly manifest: string
  /** Fingerprint of the signing key, or null. */
  readonly signedBy: string | null
}

/**
 * Seals a run's reports into one archive: the same input gives the same files, and with the same version of Node the same bytes.
 * Throws {@link UnsealableError}.
 */
export function sealBundle({ verdict, verdictBytes, allure, versions, key }: SealInput): SealedBundle {
  const facts = { madeBy: versions.bundle.suite, signed: key !== null, allure: allure.length > 0 }
  const listed = [
    { name: fileNames.verdict, content: verdictBytes },
    ...pageFiles(verdict, facts),
    ...extractFiles(verdict),
    ...allure,
    jsonFile(fileNames.versions, versions),
    ...(key === null ? [] : [textFile(fileNames.publicKey, publicPem(createPublicKey(key)))]),
  ]
  const manifest = textFile(fileNames.manifest, manifestText(listed))
  const files = [...listed, manifest, ...signatureOf(manifest, key)]
  return {
    bytes: pack(tarOrThrow(files, placementOf(verdict, verdictBytes))),
    files: files.length,
    manifest: sha256(manifest.content),
    signedBy: key === null ? null : keyFingerprint(key),
  }
}

/** Folder and time of a verdict's files: the run's start, and a folder of their own, so that unpacked archives do not mix. */
export function placementOf({ startedAt }: Verdict, verdictBytes: Buffer): Placement {
  const seconds = tarTime(startedAt)
  const day = new Date(seconds * 1_000).toISOString().slice(0, 10)
  return { folder: `evidence-${day}-${sha256(verdictBytes).slice(0, 8)}`, seconds }
}

function signatureOf({ content }: BundleFile, key: KeyObject | null): readonly BundleFile[] {
  if (key === null) return []
  return [textFile(fileNames.signature, `${sign(null, content, key).toString('base64')}\n`)]
}

/** A verdict edited by hand can name a rule twice, or too long for a header. */
function tarOrThrow(files: readonly BundleFile[], placement: Placement): Buffer {
  const names = files.map(({ name }) => name).toSorted()
  const twice = names.find((name, index) => name === names[index + 1])
  if (twice !== undefined) throw new UnsealableError(`names a rule twice: ${twice}`)
  const tar = tarOf(files, placement)
  if (tar === null) throw new UnsealableError('names a rule at a length that no archive holds')
  if (tar.length <= maxArchiveBytes) return tar
  throw new UnsealableError(`makes an archive of more than ${maxArchiveBytes / 1024 / 1024} MiB`)
}
