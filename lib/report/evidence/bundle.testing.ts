import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { constants, deflateRawSync, gunzipSync } from 'node:zlib'
import { Header } from 'tar'
import { concluded, findingWith, ruleWith } from '../../verdict/verdict.testing.ts'
import { verdictJson } from '../../verdict/verdict-json.ts'
import { readVerdictBytes } from '../../verdict/read-verdict.ts'
import type { Verdict } from '../../verdict/verdict.ts'
import { junitXml } from '../render/junit.ts'
import { archiveOf, blockSize, pack, readArchive, tarTime } from './archive.ts'
import { enveloped, envelopeFile, readEnvelope, type Sealer } from './attestation.ts'
import { checkArchive, type ArchiveCheck, type Verifier } from './check.ts'
import { checksumsText } from './checksums.ts'
import { fileNames, textFile, type EvidenceFile } from './files.ts'
import { statementFiles, type SealInput } from './seal.ts'

/** What seals the archives of these tests. */
export const sealedBy: Sealer = { suite: '1.0.0', node: '20.19.0', packages: { tar: '7.5.23' } }

/** When the archives of these tests are checked: ten days after their run. */
export const now = new Date('2026-11-30T02:00:00Z')

/** A verdict of two selected rules, one of which is violated. */
export const smallVerdict: Verdict = concluded({
  selection: { only: ['authentication/api-key-missing', 'versioning/unknown-endpoint'] },
  rules: [
    ruleWith('authentication/api-key-missing', { status: 'failed', findings: [findingWith()] }),
    ruleWith('versioning/unknown-endpoint'),
  ],
})

/** The files of a run with this verdict, without Allure's results; the page and the like are not read by any check. */
export function runOf(verdict: Verdict = smallVerdict): readonly EvidenceFile[] {
  const files = [
    ...['index.html', 'metrics.prom', 'summary.md'].map((name) => textFile(name, name)),
    textFile(fileNames.junit, junitXml(verdict)),
    textFile(fileNames.verdict, verdictJson(verdict)),
  ]
  return [...files, textFile(fileNames.checksums, checksumsText(files))]
}

/** What is sealed by default: the small verdict's run, without a key. */
export function sealInput(verdict: Verdict = smallVerdict, changes: Partial<SealInput> = {}): SealInput {
  // As it is read from the file: halves of characters are gone from it.
  const read = readVerdictBytes(Buffer.from(verdictJson(verdict)), now)
  return {
    verdict: read.kind === 'value' ? read.value : verdict,
    files: runOf(verdict),
    sealedBy,
    key: null,
    ...changes,
  }
}

/** An archive. */
export function sealed(input: SealInput = sealInput()): Buffer {
  return archiveOf([...input.files, ...statementFiles(input)], input.verdict)
}

/** The tar archive within an archive. */
export function tarIn(archive: Buffer): Buffer {
  return gunzipSync(archive)
}

/** The files of an archive, by their names in its folder. */
export async function filesIn(archive: Buffer): Promise<ReadonlyMap<string, Buffer>> {
  const read = await readArchive(archive)
  if (read.kind !== 'files') throw new Error(read.why)
  return read.files
}

/** The result of checking an archive. */
export function checkOf(archive: Buffer, verifier: Partial<Verifier> = {}): Promise<ArchiveCheck> {
  return checkArchive(archive, { key: null, now, ...verifier })
}

/** What is wrong with an archive; empty for a whole one. */
export async function mistakesOf(
  archive: Buffer,
  verifier: Partial<Verifier> = {},
): Promise<readonly string[]> {
  const check = await checkOf(archive, verifier)
  if (check.kind === 'no archive') return [`no archive: it ${check.why}`]
  return check.kind === 'changed' ? check.mistakes : []
}

/** A change of the files of an archive. */
export type FilesChange = (files: readonly EvidenceFile[]) => readonly EvidenceFile[]

/** An archive with other files in it, whatever vouches for them left as it was. */
export async function changed(archive: Buffer, ...changes: readonly FilesChange[]): Promise<Buffer> {
  const files = [...(await filesIn(archive))].map(([name, content]) => ({ name, content }))
  const bent = changes.reduce<readonly EvidenceFile[]>((some, change) => change(some), files)
  return archiveOf(bent, smallVerdict)
}

/** Makes `run.sha256` fit the files, as somebody does who knows how. */
export const listedAnew: FilesChange = (files) => {
  const beside: readonly string[] = Object.values(fileNames).slice(0, 4)
  const reports = files.filter(({ name }) => !beside.includes(name))
  return [
    ...files.filter(({ name }) => name !== fileNames.checksums),
    textFile(fileNames.checksums, checksumsText(reports)),
  ]
}

/** Makes `run.sha256`, README.txt and the statement fit the files, signed by a key or not. */
export function sealedAnew(key: KeyObject | null = null): FilesChange {
  return (given) => {
    const files = without(fileNames.readme, fileNames.attestation, fileNames.publicKey)(listedAnew(given))
    const read = readVerdictBytes(
      files.find(({ name }) => name === fileNames.verdict)?.content ?? Buffer.of(),
      now,
    )
    const verdict = read.kind === 'value' ? read.value : smallVerdict
    return [...files, ...statementFiles({ verdict, files, sealedBy, key })]
  }
}

/** Replaces the statement of an archive by its text, signed by a key or not. */
export function attested(change: (statement: string) => string, key: KeyObject | null): FilesChange {
  return (files) =>
    files.map((file) => {
      const envelope = file.name === fileNames.attestation ? readEnvelope(file.content) : null
      if (envelope === null) return file
      return envelopeFile(enveloped(Buffer.from(change(envelope.statement.toString())), key))
    })
}

/** Replaces the text of one file. */
export function rewritten(name: string, change: (text: string) => string): FilesChange {
  return (files) =>
    files.map((file) => (file.name === name ? textFile(name, change(file.content.toString())) : file))
}

/** Adds a file. */
export function added(name: string, text = 'x'): FilesChange {
  return (files) => [...files, textFile(name, text)]
}

/** Leaves out the files with these names. */
export function without(...names: readonly string[]): FilesChange {
  return (files) => files.filter(({ name }) => !names.includes(name))
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

/** The folder of the files of an archive, with its slash. */
export function folderIn(archive: Buffer): string {
  const tar = tarIn(archive)
  return tar.toString('latin1', 0, tar.indexOf('/') + 1)
}

/** An archive with further members behind those that it has, before its end. */
export function followed(archive: Buffer, ...members: readonly Buffer[]): Buffer {
  const tar = tarIn(archive)
  return pack(Buffer.concat([tar.subarray(0, -2 * blockSize), ...members, Buffer.alloc(2 * blockSize)]))
}

/** One gzip member that unpacks to 16 GiB. */
export function bomb(): Buffer {
  const zeros = deflateRawSync(Buffer.alloc(1024 * 1024), { finishFlush: constants.Z_FULL_FLUSH })
  return Buffer.concat([pack(Buffer.of()).subarray(0, 10), ...Array.from({ length: 16_384 }, () => zeros)])
}

/** A new pair of keys. */
export function keyPair(): { readonly privateKey: KeyObject; readonly publicKey: KeyObject } {
  return generateKeyPairSync('ed25519')
}
