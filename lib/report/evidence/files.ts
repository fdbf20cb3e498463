import { createHash } from 'node:crypto'
import { beginning, printable } from '../../text/printable.ts'
import { reportNames } from '../folder/reports-folder.ts'

/** Files in an archive that have a fixed meaning. */
export const fileNames = {
  verdict: 'verdict.json',
  checksums: 'run.sha256',
  statement: 'attestation.json',
} as const

/** Maximum size of an unpacked archive, in bytes: more than three times the size of a verdict with 10,000 findings. */
export const maxArchiveBytes = 256 * 1024 * 1024

/** File names used by allure-vitest and Allure. */
const allureName =
  /^allure-results\/(?:[0-9a-f-]{36}-(?:(?:result|container)\.json|(?:\d{1,4}-)?attachment(?:\.[a-z0-9]{1,12})?)|environment\.properties|(?:executor|categories)\.json)$/

/** Whether a sealed report from a run may have this name. */
export function isReportName(name: string): boolean {
  return reportNames.some((report) => report === name) || allureName.test(name)
}

/** Files from a run or an archive, by their names relative to its folder. */
export type Files = ReadonlyMap<string, Buffer>

/** Files sorted by the code units of their names, which gives the same order on every machine. */
export function inOrder(files: Files): readonly (readonly [name: string, content: Buffer])[] {
  return [...files].toSorted(([a], [b]) => (a < b ? -1 : 1))
}

/** The text of `run.sha256`: the SHA-256 of each report, in the format of `sha256sum`. */
export function checksumsText(files: Files): string {
  const reports = inOrder(files).filter(([name]) => isReportName(name))
  return reports.map(([name, content]) => `${sha256(content)}  ${name}\n`).join('')
}

/** SHA-256 of bytes, in hexadecimal. */
export function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex')
}

/** Quotes text from an archive, escaped and truncated so that it is safe to print on a terminal. */
export function inQuotes(text: string): string {
  return `"${beginning(printable(text.slice(0, 200)), 120, Math.max(0, text.length - 200))}"`
}
