import type { KeyObject } from 'node:crypto'
import { gunzipSync, gzipSync } from 'node:zlib'
import { Header } from 'tar'
import { packageVersion } from '../../settings/package-version.ts'
import { jsonText, jsonValue, objectOr } from '../../text/json.ts'
import { codeOf } from '../../text/printable.ts'
import { readVerdictBytes } from '../../verdict/read-verdict.ts'
import type { Verdict } from '../../verdict/verdict.ts'
import { allureResults } from '../allure/allure.ts'
import { reportNames } from '../folder/reports-folder.ts'
import { view } from '../view.ts'
import { reportsOf } from '../write-reports.ts'
import {
  fileNames,
  inOrder,
  maxArchiveBytes,
  sha256,
  type Files,
  checksumsText,
  evidenceFormat,
  inQuotes,
  isReportName,
  isSignedBy,
  keyFingerprint,
  makingOf,
  readEnvelope,
  statementOf,
  type Envelope,
} from './statement.ts'

// A packed archive is a single gzip member that contains a tar archive of plain files in one folder.

/** Size of a tar block, in bytes. A header takes one block, contents are padded to whole blocks, and two blocks of zeros mark the end. */
const blockSize = 512

/** Makes the tar archive for a run. The same files always produce the same bytes. */
export function tarOf(files: Files, { startedAt }: Verdict) {
  // A tar header cannot store a time before 1970, and readers refuse a verdict from the future.
  const mtime = new Date(Math.max(0, Math.floor(Date.parse(startedAt) / 1_000) * 1_000))
  // A separate folder, so that the files of unpacked archives do not get mixed up.
  const digest = sha256(contentOf(files, fileNames.verdict))
  const folder = `evidence-${mtime.toISOString().slice(0, 10)}-${digest.slice(0, 8)}`
  const blocks = inOrder(files).flatMap(([name, content]) => {
    const header = Buffer.alloc(blockSize)
    const { length: size } = content
    const path = `${folder}/${name}`
    new Header({
      path,
      mode: 0o644,
      uid: 0,
      gid: 0,
      size,
      mtime,
      type: 'File',
    }).encode(header)
    return [header, content, Buffer.alloc(-size & (blockSize - 1))]
  })
  return Buffer.concat([...blocks, Buffer.alloc(2 * blockSize)])
}

/** Packs a tar archive into a single gzip member. Other versions of Node may produce different bytes. */
export function pack(tar: Buffer) {
  const packed = gzipSync(tar, { level: 9 })
  // The byte that identifies the operating system.
  packed.writeUInt8(255, 9)
  return packed
}

/**
 * Reads an archive in memory, up to {@link maxArchiveBytes}, and writes nothing: the tar archive and the files in it, or what is wrong. Its
 * packing can be checked only against {@link tarOf}.
 */
export function readArchive(archive: Buffer) {
  const gzipMagic = Buffer.from([0x1f, 0x8b])
  if (!archive.subarray(0, 2).equals(gzipMagic))
    return noArchive(archive.length === 0 ? 'is empty' : 'is not a gzip archive')
  let tar
  try {
    tar = gunzipSync(archive, { chunkSize: 256 * 1024, maxOutputLength: maxArchiveBytes })
  } catch (error) {
    if (codeOf(error) === 'ERR_BUFFER_TOO_LARGE') return noArchive(tooLarge)
    const isCut = codeOf(error) === 'Z_BUF_ERROR'
    return changed(
      `the archive ${isCut ? 'is cut short' : 'is damaged: its compressed data is inconsistent'}`,
    )
  }
  // The flags announce no name or comment, and the file ends with the size of all that it packs.
  if (archive[3] !== 0 || archive.readUInt32LE(archive.length - 4) !== tar.length)
    return changed('the archive contains something before or after its compressed data')
  const files = membersOf(tar)
  return files.size > 0 ? ({ kind: 'files', tar, files } as const) : noArchive('contains no tar archive')
}

function noArchive(why: string) {
  return { kind: 'no archive', why } as const
}

const tooLarge = `unpacks to more than ${maxArchiveBytes / 1024 / 1024} MiB, more than any archive of this suite; nothing in it was read`

/** Reads as many members as possible, whatever their kind or folder. */
function membersOf(tar: Buffer) {
  const files = new Map<string, Buffer>()
  try {
    for (let at = 0; at + blockSize <= tar.length;) {
      const { path = '', size = 0, cksumValid } = new Header(tar, at)
      const start = at + blockSize
      if (!cksumValid || size < 0 || start + size > tar.length) break
      files.set(path.slice(path.indexOf('/') + 1), tar.subarray(start, start + size))
      at = start + Math.ceil(size / blockSize) * blockSize
    }
  } catch {
    // A header with an impossible number ends what can be read.
  }
  return files
}

/** The unchanged files of a run. */
export type WholeRun = Extract<ReturnType<typeof checkFiles>, { readonly kind: 'whole' }>

/** The time to check with, and the public key that must match the signature, or null. */
type Verifier = Readonly<{ key: KeyObject | null; now: Date }>

/** Checks an archive in memory: its files, by means of {@link checkFiles}, and how they are packed. */
export function checkArchive(archive: Buffer, verifier: Verifier) {
  const read = readArchive(archive)
  if (read.kind !== 'files') return read
  const { files, tar } = read
  if (!Object.values(fileNames).some((name) => files.has(name)))
    return noArchive('contains nothing that `bundle` packed')
  const check = checkFiles(files, verifier)
  if (check.kind === 'changed' || tarOf(files, check.verdict).equals(tar)) return check
  return changed('`bundle` would pack these files differently')
}

function changed(...mistakes: readonly string[]) {
  return { kind: 'changed', mistakes } as const
}

/**
 * Checks that a run left exactly these files, that they are consistent, and that the key signed them. Gives the fingerprint of the
 * signing key, null if unsigned, and whether the given key made the signature, which is not checked without a key; or one sentence
 * for each reason to reject the files. Reports are compared only if they were made by this version of the suite (`madeBy`).
 */
export function checkFiles(files: Files, { key, now }: Verifier) {
  const envelope = readEnvelope(textOf(files, fileNames.statement))
  const read = readVerdictBytes(contentOf(files, fileNames.verdict), now)
  const isUnread = read.kind === 'wrong' && files.has(fileNames.verdict)
  const mistakes = [
    ...fileMistakes(files),
    ...(isUnread ? [`"${fileNames.verdict}" ${read.wrong}`] : []),
    ...(envelope === null && files.has(fileNames.statement) ? [rewritten(fileNames.statement)] : []),
    ...(envelope === null || key === null ? [] : signatureMistakes(envelope, key)),
  ]
  if (envelope === null || read.kind === 'wrong') return changed(...mistakes)

  const verdict = read.value
  const { format, madeBy } = makingOf(envelope)
  if (format !== evidenceFormat && format !== '')
    mistakes.push(
      `the archive has the format ${inQuotes(format)}, but this program reads ${evidenceFormat}: use the suite version that made it`,
    )
  if (mistakes.length === 0 && madeBy === packageVersion()) mistakes.push(...reportMistakes(verdict, files))
  if (mistakes.length === 0 && !statementOf(verdict, files, madeBy).equals(envelope.statement))
    mistakes.push(`"${fileNames.statement}" is about other files, or contradicts "${fileNames.verdict}"`)
  if (mistakes.length > 0) return changed(...mistakes)
  const signer = envelope.signature?.keyid ?? null
  return {
    kind: 'whole',
    verdict,
    files,
    signer,
    isTrusted: key !== null,
    madeBy,
  } as const
}

function rewritten(name: string) {
  return `"${name}" was changed: a run does not write it like this`
}

function contentOf(files: Files, name: string) {
  return files.get(name) ?? Buffer.of()
}

function textOf(files: Files, name: string) {
  return contentOf(files, name).toString()
}

/** One sentence for each file that differs from `run.sha256`. */
function fileMistakes(files: Files) {
  const list = textOf(files, fileNames.checksums)
  const lines = Array.from(
    list.matchAll(/^([0-9a-f]{64}) {2}(.+)$/gm),
    ([, digest = '', name = '']) => [name, digest] as const,
  )
  const listed = new Map(lines)
  const why = (name: string): string | null => {
    const content = files.get(name)
    const digest = listed.get(name)
    if (content === undefined) return 'is missing'
    if (name === fileNames.checksums || name === fileNames.statement) return null
    if (!isReportName(name)) return 'is not a file of a run'
    if (digest === undefined) return `is extra: ${fileNames.checksums} does not list it`
    return sha256(content) === digest
      ? null
      : `was changed: its SHA-256 differs from the one in ${fileNames.checksums}`
  }
  const names = new Set([...reportNames, ...Object.values(fileNames), ...listed.keys(), ...files.keys()])
  const mistakes = [...names].toSorted().flatMap((name) => {
    const mistake = why(name)
    return mistake === null ? [] : [`${inQuotes(name)} ${mistake}`]
  })
  return mistakes.length > 0 || checksumsText(files) === list ? mistakes : [rewritten(fileNames.checksums)]
}

/**
 * One sentence for each report that differs from what this version generates from the verdict. Allure results contain random
 * names, so only their rules and statuses are compared.
 */
function reportMistakes(verdict: Verdict, files: Files) {
  const shown = view(verdict, { digest: sha256(contentOf(files, fileNames.verdict)) })
  const others = Object.entries(reportsOf).flatMap(([name, made]) =>
    Buffer.from(made(shown)).equals(contentOf(files, name)) ? [] : [`"${name}"`],
  )
  const due = allureResults(shown, () => '')
    .map(nameAndStatus)
    .toSorted()
  const ids = new Set(due.map(idIn))
  const found = [...files]
    .filter(([name]) => name.endsWith('-result.json'))
    .map(([, content]) => nameAndStatus(objectOr(jsonValue(content.toString()))))
    // Results from other tests say nothing about the run, and a run that judged nothing leaves no results.
    .filter((one) => ids.has(idIn(one)))
    .toSorted()
  const allure = found.length === 0 || found.join('\n') === due.join('\n') ? [] : ['"allure-results/"']
  // Two readers could interpret any other text differently, for example if a name occurs twice.
  const text = textOf(files, fileNames.verdict)
  const isOurs = text === `${jsonText(jsonValue(text), 2)}\n`
  return [
    ...(isOurs ? [] : [rewritten(fileNames.verdict)]),
    ...[...others, ...allure].map((name) => `${name} is not what "${fileNames.verdict}" says`),
  ]
}

function nameAndStatus({ name, status }: Readonly<{ name?: unknown; status?: unknown }>) {
  return `${String(name)} ${String(status)}`
}

function idIn(result: string) {
  return result.split(': ')[0] ?? ''
}

/** Describes what is wrong with the signature. */
function signatureMistakes(envelope: Envelope, key: KeyObject) {
  const { signature } = envelope
  const name = `"${fileNames.statement}"`
  if (signature === null) return [`${name} is not signed`]
  const given = keyFingerprint(key)
  if (signature.keyid !== given)
    return [`${name} names a different key: its SHA-256 is ${inQuotes(signature.keyid)}, yours is ${given}`]
  return isSignedBy(envelope, key)
    ? []
    : [`the signature in ${name} does not match the statement and your key`]
}
