import type { KeyObject } from 'node:crypto'
import { readVerdictBytes } from '../../verdict/read-verdict.ts'
import type { Verdict } from '../../verdict/verdict.ts'
import { readArchive } from './archive.ts'
import {
  checkSignature,
  readEnvelope,
  sealerIn,
  statementOf,
  type Envelope,
  type Signer,
} from './attestation.ts'
import { readChecksums, sealedReports } from './checksums.ts'
import { fileNames, inQuotes, isAllureName, sha256 } from './files.ts'
import { madeAgainIn, statusMistakes } from './rule-statuses.ts'

/** An archive in which nothing was changed. */
export interface WholeArchive {
  readonly kind: 'whole'
  readonly verdict: Verdict
  readonly files: number
  /** SHA-256 of `verdict.json`, in hexadecimal. */
  readonly digest: string
  readonly signer: Signer | null
  /** Version of the suite that made the reports again, or null. */
  readonly madeAgainBy: string | null
}

/** Result of a check: whole, every reason against it, in sentences, or why it is no archive of ours, as a sentence without a subject. */
export type ArchiveCheck =
  | { readonly kind: 'no archive'; readonly why: string }
  | { readonly kind: 'changed'; readonly mistakes: readonly string[] }
  | WholeArchive

/** Key and time that check an archive. */
export interface Verifier {
  /** Public key that must have signed the archive, or null. */
  readonly key: KeyObject | null
  readonly now: Date
}

type Files = ReadonlyMap<string, Buffer>

/** Checks an archive in memory: that its files are those that were sealed, and that they fit together. */
export async function checkArchive(archive: Buffer, { key, now }: Verifier): Promise<ArchiveCheck> {
  const read = await readArchive(archive)
  if (read.kind === 'no archive') return read
  if (read.kind === 'damaged') return { kind: 'changed', mistakes: [`the archive ${read.why}`] }
  const { files, mistakes: refused } = read
  const sealed = [fileNames.attestation, fileNames.checksums, fileNames.verdict]
  if (!sealed.some((name) => files.has(name)))
    return { kind: 'no archive', why: 'holds nothing that `bundle` sealed' }

  const envelope = readEnvelope(contentOf(files, fileNames.attestation))
  const verdict = readVerdictBytes(contentOf(files, fileNames.verdict), now)
  const signature = envelope === null ? null : checkSignature(envelope, files.get(fileNames.publicKey), key)
  const mistakes = [
    ...refused,
    ...checksumMistakes(files),
    ...(verdict.kind === 'wrong' && files.has(fileNames.verdict)
      ? [`"${fileNames.verdict}" ${verdict.wrong}`]
      : []),
    ...(verdict.kind === 'wrong' ? [] : statusMistakes(verdict.value, files)),
    ...statementMistakes(files, envelope, verdict.kind === 'wrong' ? null : verdict.value),
    ...(signature?.mistakes ?? []),
  ]
  if (mistakes.length > 0 || verdict.kind === 'wrong') return { kind: 'changed', mistakes }
  return {
    kind: 'whole',
    verdict: verdict.value,
    files: files.size,
    digest: sha256(contentOf(files, fileNames.verdict)),
    signer: signature?.signer ?? null,
    madeAgainBy: madeAgainIn(contentOf(files, fileNames.junit)),
  }
}

function contentOf(files: Files, name: string): Buffer {
  return files.get(name) ?? Buffer.of()
}

const beside: ReadonlySet<string> = new Set([
  fileNames.readme,
  fileNames.attestation,
  fileNames.publicKey,
  fileNames.checksums,
])

/** Files that are not those that `run.sha256` lists, in sentences. */
function checksumMistakes(files: Files): readonly string[] {
  const bytes = files.get(fileNames.checksums)
  if (bytes === undefined) return [`"${fileNames.checksums}" is missing`]
  const listed = readChecksums(bytes)
  if (listed === null) return [`"${fileNames.checksums}" was changed: it is not as a run writes one`]
  const why = (name: string): string | null => {
    const content = files.get(name)
    const digest = listed.get(name)
    if (!isReportName(name)) return 'is no report of a run'
    if (content === undefined) return 'is missing'
    if (digest === undefined) return `is extra: ${fileNames.checksums} does not list it`
    return sha256(content) === digest
      ? null
      : `was changed: its SHA-256 is not that in ${fileNames.checksums}`
  }
  const held = [...files.keys()].filter((name) => !beside.has(name))
  return [...new Set([...sealedReports, ...listed.keys(), ...held])].toSorted().flatMap((name) => {
    const mistake = why(name)
    return mistake === null ? [] : [`${inQuotes(name)} ${mistake}`]
  })
}

function isReportName(name: string): boolean {
  return sealedReports.some((report) => report === name) || isAllureName(name)
}

/** Mistakes of the statement over README.txt and `run.sha256`, in sentences. */
function statementMistakes(
  files: Files,
  envelope: Envelope | null,
  verdict: Verdict | null,
): readonly string[] {
  const missing = [fileNames.readme, fileNames.attestation].filter((name) => !files.has(name))
  if (missing.length > 0) return missing.map((name) => `"${name}" is missing`)
  const own = `"${fileNames.attestation}"`
  if (envelope === null) return [`${own} was changed: it is not as \`bundle\` writes one`]
  const sealer = sealerIn(envelope)
  if (sealer.kind === 'other format') return [sealer.mistake]
  if (verdict === null) return []
  const due = statementOf(verdict, {
    subjects: [fileNames.checksums, fileNames.readme].map((name) => ({
      name,
      content: contentOf(files, name),
    })),
    sealedBy: sealer.sealedBy,
    madeAgainBy: madeAgainIn(contentOf(files, fileNames.junit)),
  })
  if (due.equals(envelope.statement)) return []
  return [`${own} is about other files, or says something else than "${fileNames.verdict}"`]
}
