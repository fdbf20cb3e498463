import { createPublicKey, type KeyObject } from 'node:crypto'
import type { Verdict } from '../../verdict/verdict.ts'
import { pack, tarOf, tarTime, type Placement } from './archive.ts'
import { endOfValidity, enveloped, envelopeText, statementOf } from './attestation.ts'
import { extractFiles, pageFiles, type Versions } from './contents.ts'
import { fileNames, jsonFile, maxArchiveBytes, sha256, textFile, type BundleFile } from './files.ts'
import { manifestText } from './manifest.ts'
import { publicPem } from './keys.ts'

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
  /** Days from the start of the run for which the archive is valid, or null. */
  readonly validDays: number | null
}

/** An archive, and the facts to report about it. */
export interface SealedBundle {
  readonly bytes: Buffer
  readonly files: number
  /** SHA-256 of the manifest, in hexadecimal; stands for the whole archive. */
  readonly manifest: string
  /** Fingerprint of the signing key, or null. */
  readonly signedBy: string | null
  /** ISO date-time from which the archive no longer holds, or null. */
  readonly validUntil: string | null
}

/**
 * Seals a run's reports into one archive: the same input gives the same files, and with the same version of Node the same bytes.
 * Throws {@link UnsealableError}.
 */
export function sealBundle(input: SealInput): SealedBundle {
  const { verdict, verdictBytes, allure, versions, key, validDays } = input
  const validUntil = validDays === null ? null : endOfValidity(verdict, validDays)
  const facts = { madeBy: versions.bundle.suite, signed: key !== null, allure: allure.length > 0, validUntil }
  const listed = [
    { name: fileNames.verdict, content: verdictBytes },
    ...pageFiles(verdict, facts),
    ...extractFiles(verdict),
    ...allure,
    jsonFile(fileNames.versions, versions),
    ...(key === null ? [] : [textFile(fileNames.publicKey, publicPem(createPublicKey(key)))]),
  ]
  const manifestFile = textFile(fileNames.manifest, manifestText(listed))
  const manifest = sha256(manifestFile.content)
  const envelope = enveloped(statementOf(verdict, { manifest, validUntil }), key)
  const files = [...listed, manifestFile, textFile(fileNames.attestation, envelopeText(envelope))]
  return {
    bytes: pack(tarOrThrow(files, placementOf(verdict, verdictBytes))),
    files: files.length,
    manifest,
    signedBy: envelope.signature?.keyid ?? null,
    validUntil,
  }
}

/** Folder and time of a verdict's files: the run's start, and a folder of their own, so that unpacked archives do not mix. */
export function placementOf({ startedAt }: Verdict, verdictBytes: Buffer): Placement {
  const seconds = tarTime(startedAt)
  const day = new Date(seconds * 1_000).toISOString().slice(0, 10)
  return { folder: `evidence-${day}-${sha256(verdictBytes).slice(0, 8)}`, seconds }
}

/** A verdict edited by hand can name a rule too long for a header. */
function tarOrThrow(files: readonly BundleFile[], placement: Placement): Buffer {
  const tar = tarOf(files, placement)
  if (tar === null) throw new UnsealableError('names a rule at a length that no archive holds')
  if (tar.length <= maxArchiveBytes) return tar
  throw new UnsealableError(`makes an archive of more than ${maxArchiveBytes / 1024 / 1024} MiB`)
}
