import {
  asciiJson,
  bundleFormat,
  byName,
  fileNames,
  formatNamedBy,
  otherFormat,
  parseJsonBytes,
  sha256,
  type BundleFile,
} from './files.ts'

/** What the manifest says of a file. */
export interface ManifestEntry {
  readonly name: string
  /** In bytes. */
  readonly size: number
  /** In hexadecimal. */
  readonly sha256: string
}

/** Files that the manifest cannot list: itself, and its signature. */
export const unlistedFiles: ReadonlySet<string> = new Set([fileNames.manifest, fileNames.signature])

/** The manifest of these files: size and SHA-256 of each, by name. */
export function manifestText(files: readonly BundleFile[]): string {
  const listed = files.filter(({ name }) => !unlistedFiles.has(name))
  return textOf(listed.map(({ name, content }) => ({ name, size: content.length, sha256: sha256(content) })))
}

/** What a manifest lists; or what is wrong with it, as a sentence without a subject. */
export type ManifestRead =
  | { readonly kind: 'entries'; readonly entries: ReadonlyMap<string, ManifestEntry> }
  | { readonly kind: 'other format' | 'changed'; readonly wrong: string }

/** Reads a manifest. One that says the same in other bytes was changed, too. */
export function readManifest(bytes: Buffer): ManifestRead {
  const value = parseJsonBytes(bytes)
  const format = formatNamedBy(value)
  if (format !== null && format !== bundleFormat) {
    return { kind: 'other format', wrong: otherFormat(format, bundleFormat) }
  }
  const listed = isManifest(value) ? value.files : []
  const entries = new Map(listed.map((entry) => [entry.name, entry]))
  const isAsWritten = entries.size === listed.length && textOf(listed) === bytes.toString()
  return isAsWritten
    ? { kind: 'entries', entries }
    : { kind: 'changed', wrong: 'was changed: it is not as `bundle` writes one' }
}

function textOf(entries: readonly ManifestEntry[]): string {
  const files = entries
    .toSorted(byName)
    .map(({ name, size, sha256: digest }) => ({ name, size, sha256: digest }))
  return asciiJson({ format: bundleFormat, files })
}

function isManifest(value: unknown): value is { readonly files: readonly ManifestEntry[] } {
  if (typeof value !== 'object' || value === null || !('files' in value)) return false
  return Array.isArray(value.files) && value.files.every(isEntry)
}

function isEntry(value: unknown): value is ManifestEntry {
  if (typeof value !== 'object' || value === null) return false
  const { name, size, sha256: digest } = { name: null, size: null, sha256: null, ...value }
  return (
    typeof name === 'string' &&
    !unlistedFiles.has(name) &&
    Number.isSafeInteger(size) &&
    typeof digest === 'string'
  )
}
