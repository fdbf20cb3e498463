import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { gunzipSync } from 'node:zlib'
import { Header } from 'tar'
import { findingWith, ruleWith, verdictWith } from '../../verdict/verdict.testing.ts'
import { verdictJson } from '../../verdict/json-text.ts'
import { readVerdictBytes } from '../../verdict/read-verdict.ts'
import type { Verdict } from '../../verdict/verdict.ts'
import { blockSize, pack, readTar, tarOf, tarTime } from './archive.ts'
import { enveloped, envelopeText, readEnvelope, statementOf } from './attestation.ts'
import { checkArchive, type BundleCheck, type Verifier } from './check.ts'
import { fileNames, sha256, textFile, type BundleFile } from './files.ts'
import { manifestText } from './manifest.ts'
import { placementOf, sealBundle, type SealInput } from './seal.ts'

/** The version of the suite that makes the archives of these tests. */
export const suite = '0.1.0'

/** When the archives of these tests are checked: ten days after their run. */
export const now = new Date('2026-11-30T02:00:00Z')

/** A verdict with two rules, one of which is violated. */
export const smallVerdict: Verdict = verdictWith({
  verdict: 'nonconformant',
  exitCode: 1,
  because: ['authentication/api-key-missing is violated: answered 401'],
  rules: [
    ruleWith('authentication/api-key-missing', { status: 'failed', findings: [findingWith()] }),
    ruleWith('versioning/unknown-endpoint'),
  ],
})

/** One of Allure's results, with contents that say nothing. */
export const allureResult: BundleFile = textFile(
  'allure-results/05c290cd-2695-457a-928d-0b563d6e2d80-result.json',
  '{}',
)

/** What is sealed by default: the small verdict, one result of Allure's, no key. */
export function sealInput(given: Verdict = smallVerdict, changes: Partial<SealInput> = {}): SealInput {
  const text = verdictJson(given)
  // As it is read from the file: halves of characters are gone from it.
  const verdict: Verdict = JSON.parse(text)
  return {
    verdict,
    verdictBytes: Buffer.from(text),
    allure: [allureResult],
    versions: { run: { suite }, bundle: { suite, node: '20.19.0', packages: { tar: '7.5.23' } } },
    key: null,
    validDays: null,
    ...changes,
  }
}

/** An archive. */
export function archiveOf(input: SealInput = sealInput()): Buffer {
  return sealBundle(input).bytes
}

/** The tar archive within an archive. */
export function tarIn(archive: Buffer): Buffer {
  return gunzipSync(archive)
}

/** The files of an archive, by their names in its folder. */
export function filesIn(archive: Buffer): ReadonlyMap<string, Buffer> {
  const read = readTar(tarIn(archive))
  if (read.kind === 'unreadable') throw new Error(read.why)
  return new Map(read.members.map(({ path, content }) => [path.replace(/^[^/]*\//, ''), content]))
}

/** The result of checking an archive. */
export function checkOf(archive: Buffer, verifier: Partial<Verifier> = {}): Promise<BundleCheck> {
  return checkArchive(archive, { key: null, suite, now, ...verifier })
}

/** What is wrong with an archive; empty for a sound one. */
export async function mistakesOf(
  archive: Buffer,
  verifier: Partial<Verifier> = {},
): Promise<readonly string[]> {
  const check = await checkOf(archive, verifier)
  if (check.kind === 'no archive') return [`it ${check.why}`]
  return check.kind === 'wrong' ? check.mistakes : []
}

/** A change of the files of an archive. */
export type FilesChange = (files: readonly BundleFile[]) => readonly BundleFile[]

/** An archive with other files in it, the manifest as it was. */
export function changed(archive: Buffer, change: FilesChange): Buffer {
  const files = change([...filesIn(archive)].map(([name, content]) => ({ name, content })))
  const verdict = files.find(({ name }) => name === fileNames.verdict)?.content ?? Buffer.alloc(0)
  const tar = tarOf(files, placementOf(smallVerdict, verdict))
  if (tar === null) throw new Error('a name does not fit')
  return pack(tar)
}

/** An archive with other files in it, and a manifest and an attestation that fit them: as somebody makes it who knows how. */
export function resealed(archive: Buffer, change: FilesChange, key: KeyObject | null = null): Buffer {
  return changed(archive, (files) => {
    const others = without(fileNames.manifest, fileNames.attestation)(change(files))
    const manifest = textFile(fileNames.manifest, manifestText(others))
    return [...others, manifest, attestationOf(others, manifest, key)]
  })
}

function attestationOf(
  files: readonly BundleFile[],
  manifest: BundleFile,
  key: KeyObject | null,
): BundleFile {
  const read = readVerdictBytes(files.find(({ name }) => name === fileNames.verdict)?.content ?? Buffer.of())
  const verdict = read.kind === 'value' ? read.value : smallVerdict
  const statement = statementOf(verdict, { manifest: sha256(manifest.content), validUntil: null })
  return textFile(fileNames.attestation, envelopeText(enveloped(statement, key)))
}

/** Replaces the statement of an archive by its text, signed by a key or not. */
export function attested(change: (statement: string) => string, key: KeyObject | null): FilesChange {
  return (files) =>
    files.map((file) => {
      const envelope = file.name === fileNames.attestation ? readEnvelope(file.content) : null
      if (envelope === null) return file
      const statement = Buffer.from(change(envelope.statement.toString()))
      return textFile(file.name, envelopeText(enveloped(statement, key)))
    })
}

/** Replaces the text of one file. */
export function rewritten(name: string, change: (text: string) => string): FilesChange {
  return (files) =>
    files.map((file) => (file.name === name ? textFile(name, change(file.content.toString())) : file))
}

/** Leaves out the files whose names begin so. */
export function without(...beginnings: readonly string[]): FilesChange {
  return (files) => files.filter(({ name }) => !beginnings.some((beginning) => name.startsWith(beginning)))
}

/** A member of a tar archive as bytes, with whatever a header can say. */
export function member(data: ConstructorParameters<typeof Header>[0], content = ''): Buffer {
  const header = Buffer.alloc(blockSize)
  new Header({
    mode: 0o644,
    uid: 0,
    gid: 0,
    size: content.length,
    mtime: new Date(tarTime(smallVerdict.startedAt) * 1_000),
    type: 'File',
    ...data,
  }).encode(header)
  return Buffer.concat([header, Buffer.from(content), Buffer.alloc(-content.length & (blockSize - 1))])
}

/** An archive with members before those that it has. */
export function preceded(archive: Buffer, ...members: readonly Buffer[]): Buffer {
  return pack(Buffer.concat([...members, tarIn(archive)]))
}

/** A new pair of keys. */
export function keyPair(): { readonly privateKey: KeyObject; readonly publicKey: KeyObject } {
  return generateKeyPairSync('ed25519')
}
