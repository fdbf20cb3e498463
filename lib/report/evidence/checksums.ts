import { byName, fileNames, sha256, type EvidenceFile } from './files.ts'

/** Reports that every run leaves and that tell of it alone. */
export const sealedReports = [
  'index.html',
  fileNames.junit,
  'metrics.prom',
  'summary.md',
  fileNames.verdict,
] as const

/** SHA-256 of files by name, in the format of `sha256sum`. */
export function checksumsText(files: readonly EvidenceFile[]): string {
  return files
    .toSorted(byName)
    .map(({ name, content }) => `${sha256(content)}  ${name}\n`)
    .join('')
}

/** SHA-256 by name; null for what {@link checksumsText} does not write. */
export function readChecksums(bytes: Buffer): ReadonlyMap<string, string> | null {
  const lines = bytes.toString('latin1').split('\n')
  if (lines.pop() !== '') return null
  const entries = lines.map((line) => /^([0-9a-f]{64}) {2}(.+)$/.exec(line))
  const read = new Map(entries.flatMap((entry) => (entry === null ? [] : [[entry[2] ?? '', entry[1] ?? '']])))
  return read.size === lines.length ? read : null
}
