import { createHash } from 'node:crypto'
import { bundleFormat, fileNames, jsonText, type BundleFile } from './layout.ts'
import { formatOf, jsonFrom, named } from './verdict-bytes.ts'

/** What the manifest says of a file. */
export interface ManifestEntry {
  readonly name: string
  /** In bytes. */
  readonly size: number
  /** In hexadecimal. */
  readonly sha256: string
}

/** The files that the manifest cannot list: itself, and what signs it. */
const unlisted: ReadonlySet<string> = new Set([fileNames.manifest, fileNames.signature])

/** The manifest of these files: size and SHA-256 of all but itself and its signature, in their order. */
export function manifestText(files: readonly BundleFile[]): string {
  const entries = files
    .filter(({ name }) => !unlisted.has(name))
    .map(({ name, content }): ManifestEntry => ({ name, size: content.length, sha256: sha256(content) }))
  return jsonText({ format: bundleFormat, files: entries })
}

/** The SHA-256 of bytes, in hexadecimal. */
export function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex')
}

/** What a manifest lists; or what is wrong with it, as a sentence without a subject. */
export type ManifestRead =
  | { readonly kind: 'entries'; readonly entries: readonly ManifestEntry[] }
  | { readonly kind: 'wrong'; readonly wrong: string }

/** Reads a manifest. One that says the same in other bytes was changed, too. */
export function readManifest(bytes: Buffer): ManifestRead {
  const value = jsonFrom(bytes)
  const format = formatOf(value)
  if (format !== null && format !== bundleFormat) {
    return {
      kind: 'wrong',
      wrong: `is of the format ${named(format)}, and this program reads ${bundleFormat}: use the version of the suite that made it`,
    }
  }
  if (!isManifest(value) || jsonText(value) !== bytes.toString()) {
    return { kind: 'wrong', wrong: 'was changed: it is not as `bundle` writes one' }
  }
  return { kind: 'entries', entries: value.files }
}

function isManifest(value: unknown): value is { readonly files: readonly ManifestEntry[] } {
  if (typeof value !== 'object' || value === null || formatOf(value) !== bundleFormat) return false
  return 'files' in value && Array.isArray(value.files) && value.files.every(isEntry)
}

function isEntry(value: unknown): value is ManifestEntry {
  if (typeof value !== 'object' || value === null) return false
  return (
    'name' in value &&
    typeof value.name === 'string' &&
    !unlisted.has(value.name) &&
    'size' in value &&
    Number.isSafeInteger(value.size) &&
    'sha256' in value &&
    typeof value.sha256 === 'string'
  )
}

/** What the files of an archive have in common with its manifest, as sentences about what they have not. */
export function manifestMistakes(
  entries: readonly ManifestEntry[],
  files: readonly BundleFile[],
  { whole, refused }: { readonly whole: boolean; readonly refused: ReadonlySet<string> },
): readonly string[] {
  const listed = new Map(entries.map((entry) => [entry.name, entry]))
  const held = new Set(files.map(({ name }) => name))
  const twice = entries.length > listed.size ? [`${fileNames.manifest} lists a file more than once`] : []
  const missing = entries
    .filter(({ name }) => whole && !held.has(name) && !refused.has(name))
    .map(({ name }) => `${named(name)} is missing`)
  const differing = files
    .filter(({ name }) => !unlisted.has(name))
    .flatMap((file) => difference(file, listed.get(file.name)))
  return [...twice, ...missing, ...differing]
}

function difference({ name, content }: BundleFile, entry: ManifestEntry | undefined): readonly string[] {
  if (entry === undefined) return [`${named(name)} is extra: ${fileNames.manifest} does not list it`]
  if (content.length !== entry.size) {
    return [`${named(name)} was changed: it has ${content.length} bytes where ${entry.size} were sealed`]
  }
  return sha256(content) === entry.sha256
    ? []
    : [`${named(name)} was changed: its SHA-256 is not the one that was sealed`]
}
