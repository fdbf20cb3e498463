import type { KeyObject } from 'node:crypto'
import type { Verdict } from '../../verdict/verdict.ts'
import { agreementMistakes } from './agreement.ts'
import { unpackedFile, type Unpacked } from './gzip.ts'
import { fileNames } from './layout.ts'
import { manifestMistakes, readManifest, sha256 } from './manifest.ts'
import { readTar, type TarRead } from './read-tar.ts'
import { checkSignature, type Signer } from './signature.ts'
import { tarTime } from './tar.ts'
import { verdictFrom } from './verdict-bytes.ts'
import { madeBy } from './versions.ts'

/** What came of checking an archive: that it is sound, or all that is wrong with it, in sentences. */
export type BundleCheck =
  | { readonly kind: 'wrong'; readonly mistakes: readonly string[] }
  | {
      readonly kind: 'sound'
      readonly verdict: Verdict
      readonly files: number
      /** The SHA-256 of the manifest, in hexadecimal. */
      readonly manifest: string
      readonly signer: Signer | null
      /** Which version of the suite made the archive. */
      readonly madeBy: string
    }

/** Who checks an archive. */
export interface Checking {
  /** The public key that must have signed it; null where nobody says which. */
  readonly key: KeyObject | null
  /** The version of the suite that checks. */
  readonly suite: string
}

/** Checks an archive without ever unpacking it to a disk. Throws what the file system throws where it cannot be read. */
export async function checkBundle(file: string, checking: Checking): Promise<BundleCheck> {
  return checkUnpacked(await unpackedFile(file), checking)
}

/** Checks what came of unpacking an archive in memory. */
export function checkUnpacked({ bytes, wrong }: Unpacked, checking: Checking): BundleCheck {
  if (bytes.length === 0) return { kind: 'wrong', mistakes: [`the archive ${wrong ?? 'is empty'}`] }

  const tar = readTar(bytes)
  const inside = checkInside({ ...tar, whole: tar.whole && wrong === null }, checking)
  // What the unpacker says of a damaged archive says why reading it came to no end.
  const read = wrong === null ? tar.mistakes : [`the archive ${wrong}`, ...tar.mistakes.filter(notOfTheEnd)]
  const mistakes = [...new Set([...read, ...(inside.kind === 'wrong' ? inside.mistakes : [])])]
  return mistakes.length > 0 ? { kind: 'wrong', mistakes } : inside
}

function notOfTheEnd(mistake: string): boolean {
  return !mistake.startsWith('the archive is cut short')
}

function checkInside({ files, refused, whole }: TarRead, { key, suite }: Checking): BundleCheck {
  const contents = new Map(files.map(({ name, content }) => [name, content]))
  const lacks = (name: string): readonly string[] =>
    whole && !contents.has(name) && !refused.has(name) ? [`"${name}" is missing`] : []

  const manifestBytes = contents.get(fileNames.manifest)
  const manifest = manifestBytes === undefined ? null : readManifest(manifestBytes)
  const listed =
    manifest?.kind === 'entries' ? manifestMistakes(manifest.entries, files, { whole, refused }) : []
  const signature = checkSignature(contents, { key, whole })

  const verdictBytes = contents.get(fileNames.verdict)
  const read = verdictBytes === undefined ? null : verdictFrom(verdictBytes)
  const maker = madeBy(contents.get(fileNames.versions) ?? Buffer.alloc(0))

  const mistakes = [
    ...lacks(fileNames.manifest),
    ...(manifest?.kind === 'wrong' ? [`"${fileNames.manifest}" ${manifest.wrong}`] : []),
    ...listed,
    ...signature.mistakes,
    ...lacks(fileNames.verdict),
    ...(read?.kind === 'wrong' ? [`"${fileNames.verdict}" ${read.wrong}`] : []),
    ...(maker === null && whole
      ? [`"${fileNames.versions}" does not say which version made the archive`]
      : []),
    ...(read?.kind === 'verdict' && whole
      ? [
          ...timeMistakes(files, read.verdict),
          ...agreementMistakes(read.verdict, contents, { madeBy: maker, suite, signed: signature.claimed }),
        ]
      : []),
  ]
  if (mistakes.length > 0 || read?.kind !== 'verdict' || manifestBytes === undefined || maker === null) {
    return { kind: 'wrong', mistakes }
  }
  return {
    kind: 'sound',
    verdict: read.verdict,
    files: files.length,
    manifest: sha256(manifestBytes),
    signer: signature.signer,
    madeBy: maker,
  }
}

function timeMistakes(files: TarRead['files'], { startedAt }: Verdict): readonly string[] {
  const time = tarTime(startedAt)
  return files.some(({ seconds }) => seconds !== time)
    ? ['the files of the archive do not have the time at which the run began']
    : []
}
