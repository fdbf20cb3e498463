import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { constants, deflateRawSync } from 'node:zlib'
import { Header } from 'tar'
import { packageVersion } from '../../settings/package-version.ts'
import { readVerdictBytes } from '../../verdict/read-verdict.ts'
import { concluded, findingWith, ruleWith } from '../../verdict/verdict.testing.ts'
import { verdictJson, type Verdict } from '../../verdict/verdict.ts'
import { failing } from '../testing/verdicts.ts'
import { view } from '../view.ts'
import { reportsOf } from '../write-reports.ts'
import { pack, readArchive, tarOf } from './check.ts'
import { checksumsText, fileNames, readEnvelope, sealedStatement, sha256, statementOf } from './statement.ts'
import { type Files } from './statement.ts'

/** A verdict on two selected rules, one of which is violated. */
export const smallVerdict: Verdict = concluded({
  selection: { only: ['authentication/api-key-missing', 'versioning/unknown-endpoint'] },
  rules: [failing('authentication/api-key-missing', findingWith()), ruleWith('versioning/unknown-endpoint')],
})

export type FilesChange = (files: Files) => Files

/** The files that a run with this verdict leaves, without Allure results. */
export function runOf(verdict: Verdict = smallVerdict, key: KeyObject | null = null): Files {
  return sealedAnew(key)(remade(new Map([[fileNames.verdict, Buffer.from(verdictJson(verdict))]])))
}

/** The archive of these files after these changes have been made. */
export function packed(files: Files, ...changes: readonly FilesChange[]): Buffer {
  const changed = changes.reduce((some, change) => change(some), files)
  return pack(tarOf(changed, smallVerdict))
}

/** The files in an archive, by their names in its folder. */
export function filesIn(archive: Buffer): Files {
  const read = readArchive(archive)
  if (!('files' in read)) throw new Error(JSON.stringify(read))
  return read.files
}

function verdictIn(files: Files): Verdict {
  const read = readVerdictBytes(files.get(fileNames.verdict) ?? Buffer.of(), new Date('2026-11-30T02:00:00Z'))
  return read.kind === 'value' ? read.value : smallVerdict
}

/** Rebuilds the reports from the verdict. */
export const remade: FilesChange = (files) => {
  const digest = sha256(files.get(fileNames.verdict) ?? Buffer.of())
  const shown = view(verdictIn(files), { digest })
  const reports = Object.entries(reportsOf).map(([name, made]) => [name, Buffer.from(made(shown))] as const)
  return new Map([...files, ...reports])
}

/** Rewrites `run.sha256` to match the files, as a skilled forger would. */
export const listedAnew: FilesChange = (files) =>
  new Map([...files, [fileNames.checksums, Buffer.from(checksumsText(files))]])

/** Rewrites `run.sha256` and the statement to match the files. The statement is signed if there is a key. */
export function sealedAnew(key: KeyObject | null = null, madeBy = packageVersion()): FilesChange {
  return (given) => {
    const files = listedAnew(given)
    const text = sealedStatement(statementOf(verdictIn(files), files, madeBy), key)
    return new Map([...files, [fileNames.statement, Buffer.from(text)]])
  }
}

/** Replaces the text of the statement. The new statement is signed if there is a key. */
export function attested(change: (statement: string) => string, key: KeyObject | null): FilesChange {
  return rewritten(fileNames.statement, (text) => {
    const statement = readEnvelope(text)?.statement.toString() ?? ''
    return sealedStatement(Buffer.from(change(statement)), key)
  })
}

export function rewritten(name: string, change: (text: string) => string): FilesChange {
  return (files) => new Map([...files, [name, Buffer.from(change(files.get(name)?.toString() ?? ''))]])
}

export function added(name: string, text = 'x'): FilesChange {
  return rewritten(name, () => text)
}

export function without(left: string): FilesChange {
  return (files) => new Map([...files].filter(([name]) => name !== left))
}

/** The archive of a run with an extra member before its end. The member can have any header. */
export function followed(files: Files, data: ConstructorParameters<typeof Header>[0], content = ''): Buffer {
  const tar = tarOf(files, smallVerdict)
  const header = Buffer.alloc(512)
  const mtime = new Date(Date.parse(smallVerdict.startedAt))
  const { length: size } = content
  new Header({ mode: 0o644, uid: 0, gid: 0, size, mtime, type: 'File', ...data }).encode(header)
  const rest = Buffer.alloc(-content.length & 511)
  const [head, end] = [tar.subarray(0, -1_024), Buffer.alloc(1_024)]
  return pack(Buffer.concat([head, header, Buffer.from(content), rest, end]))
}

/** A single gzip member that unpacks to 16 GiB. */
export function bomb(): Buffer {
  const zeros = deflateRawSync(Buffer.alloc(1024 * 1024), { finishFlush: constants.Z_FULL_FLUSH })
  return Buffer.concat([pack(Buffer.of()).subarray(0, 10), ...Array.from({ length: 16_384 }, () => zeros)])
}

/** A new key pair, with the public key as PEM. */
export function keyPair() {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  return { privateKey, publicKey, pem: pemOf(publicKey) }
}

/** A public key as PEM. */
export function pemOf(key: KeyObject): string {
  return key.export({ type: 'spki', format: 'pem' }).toString()
}
