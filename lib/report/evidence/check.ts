import type { KeyObject } from 'node:crypto'
import { packageVersion } from '../../settings/package-version.ts'
import { jsonText } from '../../text/json-text.ts'
import { jsonValue, objectOr } from '../../text/json-value.ts'
import { readVerdictBytes } from '../../verdict/read-verdict.ts'
import type { Verdict } from '../../verdict/verdict.ts'
import { allureResults } from '../allure/allure.ts'
import { reportNames } from '../folder/reports-folder.ts'
import { view } from '../view.ts'
import { readArchive, tarOf } from './archive.ts'
import { reportsOf } from './run-folder.ts'
import {
  checksumsText,
  evidenceFormat,
  fileNames,
  inQuotes,
  isReportName,
  isSignedBy,
  keyFingerprint,
  makingOf,
  readEnvelope,
  sha256,
  statementOf,
  type Envelope,
  type Files,
} from './statement.ts'

/** The unchanged files of a run. */
export type WholeRun = Extract<ReturnType<typeof checkFiles>, { readonly kind: 'whole' }>

/** The time to check with, and the public key that must match the signature, or null. */
type Verifier = Readonly<{ key: KeyObject | null; now: Date }>

/** Checks an archive in memory: its files, by means of {@link checkFiles}, and how they are packed. */
export function checkArchive(archive: Buffer, verifier: Verifier) {
  const read = readArchive(archive)
  if (read.kind === 'no archive') return read
  if (read.kind === 'damaged') return changed(`the archive ${read.why}`)
  const { files, tar } = read
  if (!Object.values(fileNames).some((name) => files.has(name)))
    return { kind: 'no archive', why: 'contains nothing that `bundle` packed' } as const
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
  return { kind: 'whole', verdict, files, signer, isTrusted: key !== null, madeBy } as const
}

function rewritten(name: string) {
  return `"${name}" was changed: a run does not write it like this`
}

function contentOf(files: Files, name: string): Buffer {
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

function nameAndStatus({ name, status }: { readonly name?: unknown; readonly status?: unknown }) {
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
