import { formatNamedBy, parseJsonBytes } from '../../verdict/read-verdict.ts'
import { asciiJson, bundleFormat, byName, fileNames, otherFormat, sha256, type BundleFile } from './files.ts'

/** A file's entry in the manifest. */
export interface ManifestEntry {
  readonly name: string
  /** In bytes. */
  readonly size: number
  /** In hexadecimal. */
  readonly sha256: string
}

/** Files that the manifest cannot list: itself and the statement about it. */
export const unlistedFiles: ReadonlySet<string> = new Set([fileNames.manifest, fileNames.attestation])

/** Manifest of these files: size and SHA-256 of each, by name. */
export function manifestText(files: readonly BundleFile[]): string {
  const listed = files.filter(({ name }) => !unlistedFiles.has(name))
  return textOf(listed.map(({ name, content }) => ({ name, size: content.length, sha256: sha256(content) })))
}

/** Entries of a manifest, or the mistake of another format as a sentence without a subject. */
type ManifestRead =
  | { readonly kind: 'entries'; readonly entries: ReadonlyMap<string, ManifestEntry> }
  | { readonly kind: 'other format'; readonly wrong: string }
  | { readonly kind: 'changed' }

/** Reads a manifest; the same content in other bytes counts as changed. */
export function readManifest(bytes: Buffer): ManifestRead {
  const format = formatNamedBy(parseJsonBytes(bytes))
  if (format !== null && format !== bundleFormat) {
    return { kind: 'other format', wrong: otherFormat(format, bundleFormat) }
  }
  const text = bytes.toString()
  const found = text.matchAll(/"name": "([^"\\]*)",\s+"size": (\d+),\s+"sha256": "([0-9a-f]{64})"/g)
  const listed = [...found].map(([, name = '', size, hash = '']) => ({
    name,
    size: Number(size),
    sha256: hash,
  }))
  const entries = new Map(listed.map((entry) => [entry.name, entry]))
  // Rewriting the entries must give the same text.
  if (entries.size === listed.length && textOf(listed) === text) return { kind: 'entries', entries }
  return { kind: 'changed' }
}

function textOf(entries: readonly ManifestEntry[]): string {
  return asciiJson({ format: bundleFormat, files: entries.toSorted(byName) })
}
