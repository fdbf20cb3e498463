import { createHash } from 'node:crypto'
import { beginning, printable } from '../../text/printable.ts'
import { escapedUnits, wellFormedJson } from '../../json/json-text.ts'

/** Format of an evidence archive, as its statement names it: changing its files or the statement's bytes needs a new number. */
export const evidenceFormat = 'card-switch-conformance/evidence/1'

/** Files of an archive with a fixed meaning; `README.txt` sorts first. */
export const fileNames = {
  readme: 'README.txt',
  attestation: 'attestation.json',
  publicKey: 'public-key.pem',
  checksums: 'run.sha256',
  verdict: 'verdict.json',
  junit: 'junit.xml',
} as const

/** Maximum size of an unpacked archive, in bytes: over three times that of a verdict with 10,000 findings. */
export const maxArchiveBytes = 256 * 1024 * 1024

/** File names of allure-vitest and Allure. */
const allureName =
  /^allure-results\/(?:[0-9a-f-]{36}-(?:(?:result|container)\.json|(?:\d{1,4}-)?attachment(?:\.[a-z0-9]{1,12})?)|environment\.properties|(?:executor|categories)\.json)$/

/** Whether a name may be that of an Allure file. */
export function isAllureName(name: string): boolean {
  return allureName.test(name)
}

/** A file of a run or an archive, named relative to its folder. */
export interface EvidenceFile {
  readonly name: string
  readonly content: Buffer
}

/** Compares files by the code units of their names: the same order on every machine. */
export function byName(a: { readonly name: string }, b: { readonly name: string }): number {
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0
}

/** Makes a file from its text. */
export function textFile(name: string, text: string): EvidenceFile {
  return { name, content: Buffer.from(text) }
}

/** Writes indented JSON in escaped ASCII, which acts on no terminal or pipeline and depends on no version of Unicode. */
export function asciiJson(value: unknown): string {
  const text = wellFormedJson(value, 2)
    .replaceAll(/[^\n -~]/g, escapedUnits)
    .replaceAll('##', String.raw`#\u0023`)
  return `${text}\n`
}

/** SHA-256 of bytes, in hexadecimal. */
export function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex')
}

/** Quotes a text of an archive, so that it neither acts on a terminal nor fills it. */
export function inQuotes(text: string): string {
  return `"${beginning(printable(text.slice(0, 200)), 120, Math.max(0, text.length - 200))}"`
}

/** Member of a JSON object; undefined if there is none. */
export function fieldOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined
  return new Map(Object.entries(value)).get(name)
}
