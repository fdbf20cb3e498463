import type { KeyObject } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { packageVersion, programRoot } from '../../settings/package-version.ts'
import { readBounded } from '../../settings/user-file.ts'
import { parseJsonBytes } from '../../verdict/read-verdict.ts'
import type { Verdict } from '../../verdict/verdict.ts'
import { attestationFolder, makeReportsFolder, writeReport } from '../folder/reports-folder.ts'
import type { Sealer } from './attestation.ts'
import { checksumsText, sealedReports } from './checksums.ts'
import { fieldOf, fileNames, isAllureName, maxArchiveBytes, type EvidenceFile } from './files.ts'
import { statementFiles } from './seal.ts'

/** Writes `run.sha256`, the last report of a run. Throws ReportsFolderError. */
export async function writeChecksums(folder: string): Promise<void> {
  await writeReport(folder, fileNames.checksums, checksumsText(await reportsIn(folder)))
}

/** Signs `run.sha256`, in a folder beside it. Throws ReportsFolderError. */
export async function signRun(folder: string, verdict: Verdict, key: KeyObject): Promise<void> {
  const beside = join(folder, attestationFolder)
  await makeReportsFolder(beside)
  const files = await runFiles(folder)
  for (const { name, content } of statementFiles({ verdict, files, sealedBy: sealerHere(), key }))
    await writeReport(beside, name, content)
}

/** Files of a run in its folder, `run.sha256` included if it is there. Throws the file system's error. */
export async function runFiles(folder: string): Promise<readonly EvidenceFile[]> {
  return [...(await reportsIn(folder)), ...(await plainFiles(folder, [fileNames.checksums]))]
}

/** Statement that a run signed at its end, with what belongs to it; empty if none did. Throws the file system's error. */
export async function signedStatement(folder: string): Promise<readonly EvidenceFile[]> {
  const names = [fileNames.readme, fileNames.attestation, fileNames.publicKey]
  const found = await plainFiles(
    folder,
    names.map((name) => `${attestationFolder}/${name}`),
  )
  return found.map(({ name, content }) => ({ name: name.slice(attestationFolder.length + 1), content }))
}

async function reportsIn(folder: string): Promise<readonly EvidenceFile[]> {
  const results = await readdir(join(folder, 'allure-results')).catch(() => [])
  const named = results.map((name) => `allure-results/${name}`).filter(isAllureName)
  return plainFiles(folder, [...sealedReports, ...named])
}

/** Reads those of these files that are there, without following links, which may lead anywhere. */
async function plainFiles(folder: string, names: readonly string[]): Promise<readonly EvidenceFile[]> {
  const found: EvidenceFile[] = []
  for (const name of names) {
    if (await isPlainFile(folder, name))
      found.push({ name, content: await readBounded(join(folder, name), maxArchiveBytes) })
  }
  return found
}

async function isPlainFile(folder: string, name: string): Promise<boolean> {
  const at = async (path: string) => lstat(join(folder, path)).catch(() => null)
  const parent = name.includes('/') ? await at(name.slice(0, name.indexOf('/'))) : null
  return parent?.isSymbolicLink() !== true && (await at(name))?.isFile() === true
}

/** This program, as a statement names it. */
export function sealerHere(): Sealer {
  const packages = pinnedPackages([programRoot, join(programRoot, '..')])
  return { suite: packageVersion(), node: process.versions.node, packages }
}

/** Dependencies pinned by the first `package.json` in these folders, by name. */
export function pinnedPackages(folders: readonly string[]): Sealer['packages'] {
  for (const folder of folders) {
    const file = join(folder, 'package.json')
    const pinned = existsSync(file) ? fieldOf(parseJsonBytes(readFileSync(file)), 'dependencies') : null
    if (typeof pinned !== 'object' || pinned === null) continue
    return Object.fromEntries(Object.entries(pinned).map(([name, version]) => [name, String(version)]))
  }
  return {}
}
