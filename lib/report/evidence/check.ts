import type { KeyObject } from 'node:crypto'
import { readBounded } from '../../settings/user-file.ts'
import { readVerdictBytes } from '../../verdict/read-verdict.ts'
import type { Verdict } from '../../verdict/verdict.ts'
import { moment } from '../words.ts'
import { allureMistakes } from './agreement.ts'
import { readTar, tarOf, unpack, type TarMember } from './archive.ts'
import {
  checkSignature,
  readEnvelope,
  statementMistake,
  validUntilIn,
  type Envelope,
  type Signer,
} from './attestation.ts'
import { extractFiles, makerVersion, pageFiles } from './contents.ts'
import { fileNames, isAllureName, maxArchiveBytes, inQuotes, sha256, type BundleFile } from './files.ts'
import { readManifest, unlistedFiles, type ManifestEntry } from './manifest.ts'
import { beganAsOurs, holdsOurNames, isSealedByUs } from './origin.ts'
import { placementOf } from './seal.ts'

/** Result of a check: sound, every reason against it, in sentences, or why it is no archive of ours, as a sentence without a subject. */
export type BundleCheck =
  | { readonly kind: 'no archive'; readonly why: string }
  | { readonly kind: 'wrong'; readonly mistakes: readonly string[] }
  | {
      readonly kind: 'sound'
      readonly verdict: Verdict
      readonly files: number
      /** SHA-256 of the manifest, in hexadecimal. */
      readonly manifest: string
      readonly signer: Signer | null
      /** ISO date-time from which the archive no longer holds, or null. */
      readonly validUntil: string | null
      /** Version of the suite that made the archive. */
      readonly madeBy: string
    }

/** Key, suite and time that check an archive. */
export interface Verifier {
  /** Public key that must have signed the archive, or null. */
  readonly key: KeyObject | null
  readonly suite: string
  readonly now: Date
}

/** Checks an archive in memory. Throws the file system's error, or {@link UnfitFile}, if it cannot be read. */
export async function checkBundle(file: string, verifier: Verifier): Promise<BundleCheck> {
  return checkArchive(await readBounded(file, maxArchiveBytes), verifier)
}

/** Checks an archive's files, then its signature and its end of validity, then its packing. */
export async function checkArchive(archive: Buffer, { key, suite, now }: Verifier): Promise<BundleCheck> {
  const unpacked = await unpack(archive)
  if (unpacked.kind === 'unreadable') {
    const isOurs = archive.length > 0 && (await beganAsOurs(archive))
    return isOurs ? wrong(`the archive ${unpacked.why}`) : { kind: 'no archive', why: unpacked.why }
  }
  const read = readTar(unpacked.tar)
  if (read.kind === 'unreadable') {
    return holdsOurNames(unpacked.tar)
      ? wrong(`the archive ${read.why}`)
      : { kind: 'no archive', why: 'holds no whole tar archive' }
  }

  const held = heldFiles(read.members)
  if (!isSealedByUs(held, read.members)) {
    return { kind: 'no archive', why: 'holds nothing that `bundle` sealed' }
  }
  const { verdict, madeBy, mistakes } = checkFiles(held, { suite, now })
  const signature = checkSignature(held.envelope, held.contents.get(fileNames.publicKey), key)
  const validUntil = validUntilIn(held.envelope)
  const isOver = validUntil !== null && Date.parse(validUntil) < now.getTime()
  const packing = unpacked.wrong ?? (verdict === null ? null : packingMistake(unpacked.tar, held, verdict))
  const all = [
    ...mistakes,
    ...signature.mistakes,
    ...(isOver ? [overMistake(validUntil, now)] : []),
    ...(packing === null ? [] : [`the archive ${packing}`]),
  ]
  const manifest = held.contents.get(fileNames.manifest)
  if (all.length > 0 || verdict === null || madeBy === null || manifest === undefined) return wrong(...all)
  return {
    kind: 'sound',
    verdict,
    files: held.contents.size,
    manifest: sha256(manifest),
    signer: signature.signer,
    validUntil,
    madeBy,
  }
}

function overMistake(validUntil: string, now: Date): string {
  return `the archive was valid until ${moment(validUntil)}, and now it is ${moment(now.toISOString())}: judge the service again, and seal that run`
}

function wrong(...mistakes: readonly string[]): BundleCheck {
  return { kind: 'wrong', mistakes }
}

interface HeldFiles {
  readonly folder: string
  readonly contents: ReadonlyMap<string, Buffer>
  /** Null if it is missing, or not as `bundle` writes one. */
  readonly envelope: Envelope | null
  /** All names in use, even by links. */
  readonly taken: ReadonlySet<string>
  /** Refused content, in sentences. */
  readonly mistakes: readonly string[]
}

function heldFiles(members: readonly TarMember[]): HeldFiles {
  // The files lie beside the verdict, wherever they were packed again.
  const anchor = members.find(({ path }) => /(?:^|\/)verdict\.json$/.test(path))?.path ?? ''
  const folder = anchor.slice(0, -fileNames.verdict.length)
  const contents = new Map<string, Buffer>()
  const taken = new Set<string>()
  const mistakes = new Set<string>()
  for (const { path, type, content } of members) {
    const name = path.startsWith(folder) ? path.slice(folder.length) : path
    const mistake = memberMistake({ path, name, type }, folder, taken)
    if (mistake !== null) mistakes.add(mistake)
    // A packed folder entry is a matter of packing.
    else if (type !== 'Directory') contents.set(name, content)
    taken.add(name)
  }
  const envelope = readEnvelope(contents.get(fileNames.attestation) ?? Buffer.of())
  return { folder, contents, envelope, taken, mistakes: [...mistakes] }
}

/** Names that lead out of the folder where an archive is unpacked. */
const hostileNames: readonly (readonly [RegExp, string])[] = [
  [/^(?:\/|[A-Za-z]:)/, 'it is absolute, and would be written outside of any folder'],
  [/\\/, 'it holds a backslash, which some systems take for a slash'],
  [/(?:^|\/)\.\.(?:\/|$)/, 'it leaves the folder into which the archive is unpacked'],
]

const kinds: ReadonlyMap<string, string> = new Map([
  ['Link', 'a hard link'],
  ['SymbolicLink', 'a symbolic link'],
  ['CharacterDevice', 'a device'],
  ['BlockDevice', 'a device'],
  ['FIFO', 'a pipe'],
])

function memberMistake(
  { path, name, type }: { readonly path: string; readonly name: string; readonly type: string },
  folder: string,
  taken: ReadonlySet<string>,
): string | null {
  const hostile = hostileNames.find(([pattern]) => pattern.test(path))
  if (hostile !== undefined) return `the name ${inQuotes(path)} is refused: ${hostile[1]}`
  if (type === 'Directory') return null
  if (type !== 'File' && type !== 'OldFile') {
    return `${inQuotes(name)} is ${kinds.get(type) ?? 'something else than a file'}: an archive of ours holds files only`
  }
  if (!path.startsWith(folder)) return `${inQuotes(path)} is outside of the folder ${inQuotes(folder)}`
  return taken.has(name)
    ? `${inQuotes(name)} is there more than once: which one counts depends on the reader`
    : null
}

/** Mistake of a file of ours in other bytes, which readers could understand differently. */
const notOurs = 'was changed: it is not as `bundle` writes one'

interface FilesCheck {
  /** Null if the archive holds no readable one. */
  readonly verdict: Verdict | null
  /** Null if the archive does not say it. */
  readonly madeBy: string | null
  readonly mistakes: readonly string[]
}

function checkFiles(held: HeldFiles, { suite, now }: Omit<Verifier, 'key'>): FilesCheck {
  const { contents, envelope, taken, mistakes } = held
  const bytesOf = (name: string): Buffer => contents.get(name) ?? Buffer.alloc(0)
  const manifest = readManifest(bytesOf(fileNames.manifest))
  const madeBy = makerVersion(bytesOf(fileNames.versions))
  if (manifest.kind === 'other format') {
    const maker = madeBy === null || madeBy === suite ? '' : ` (${madeBy})`
    return { verdict: null, madeBy, mistakes: [`"${fileNames.manifest}" ${manifest.wrong}${maker}`] }
  }
  const read = readVerdictBytes(bytesOf(fileNames.verdict), now)
  const verdict = read.kind === 'value' ? read.value : null
  const made = verdict === null ? null : filesOfVerdict(verdict, held, { suite, madeBy })
  const unread = read.kind === 'wrong' ? read.wrong : 'holds a finding from which no report can be made'
  const own = new Map<string, string | null>([
    [fileNames.manifest, manifest.kind === 'changed' ? notOurs : null],
    [fileNames.verdict, made === null ? unread : null],
    [fileNames.attestation, envelope === null ? notOurs : null],
    [fileNames.versions, madeBy === null ? 'does not say which version made the archive' : null],
  ])
  if (envelope !== null && verdict !== null && manifest.kind === 'entries') {
    const hash = sha256(bytesOf(fileNames.manifest))
    own.set(fileNames.attestation, statementMistake(envelope, verdict, hash))
  }
  const listed = manifest.kind === 'entries' ? manifest.entries : null
  const whyWrong = (name: string): string | null => {
    const content = contents.get(name)
    if (content === undefined) return taken.has(name) ? null : 'is missing'
    const file = { name, content }
    return manifestMistake(file, listed) ?? own.get(name) ?? verdictMistake(file, made)
  }
  const allure = made === null ? [] : allureFiles(contents)
  const names = new Set([
    ...own.keys(),
    ...(listed ?? contents).keys(),
    ...(made ?? contents).keys(),
    ...contents.keys(),
  ])
  const about = [...names].toSorted().flatMap((name) => {
    const why = whyWrong(name)
    return why === null ? [] : [`${inQuotes(name)} ${why}`]
  })
  // What was changed since is told above, by its name.
  const isAsSealed = allure.every((file) => whyWrong(file.name) === null)
  const beside = verdict === null || !isAsSealed ? [] : allureMistakes(verdict, allure, suite)
  return { verdict, madeBy, mistakes: [...mistakes, ...about, ...beside] }
}

function allureFiles(contents: HeldFiles['contents']): readonly BundleFile[] {
  return [...contents].filter(([name]) => isAllureName(name)).map(([name, content]) => ({ name, content }))
}

/** Files made from a verdict, null for one that another version may word otherwise; null if none can be made. */
function filesOfVerdict(
  verdict: Verdict,
  { contents, envelope }: HeldFiles,
  { suite, madeBy }: { readonly suite: string; readonly madeBy: string | null },
): ReadonlyMap<string, Buffer | null> | null {
  const signed = contents.has(fileNames.publicKey)
  const validUntil = validUntilIn(envelope)
  const allure = [...contents.keys()].some(isAllureName)
  try {
    const pages = pageFiles(verdict, { madeBy: suite, signed, allure, validUntil })
    return new Map([
      ...pages.map(({ name, content }) => [name, madeBy === suite ? content : null] as const),
      ...extractFiles(verdict).map(({ name, content }) => [name, content] as const),
    ])
  } catch {
    // The schema leaves parts of a finding open; a sealed verdict can always be shown.
    return null
  }
}

function manifestMistake(
  { name, content }: BundleFile,
  listed: ReadonlyMap<string, ManifestEntry> | null,
): string | null {
  if (listed === null || unlistedFiles.has(name)) return null
  const entry = listed.get(name)
  if (entry === undefined) return `is extra: ${fileNames.manifest} does not list it`
  if (content.length !== entry.size) {
    return `was changed: it has ${content.length} bytes where ${entry.size} were sealed`
  }
  return sha256(content) === entry.sha256 ? null : 'was changed: its SHA-256 is not the one that was sealed'
}

const otherFiles: ReadonlySet<string> = new Set(Object.values(fileNames))

function verdictMistake(
  { name, content }: BundleFile,
  made: ReadonlyMap<string, Buffer | null> | null,
): string | null {
  if (made === null) return null
  const expected = made.get(name)
  if (expected === undefined) {
    const belongs = otherFiles.has(name) || isAllureName(name)
    return belongs ? null : 'does not belong into an archive of this verdict'
  }
  return expected === null || expected.equals(content)
    ? null
    : `does not say what "${fileNames.verdict}" says`
}

/** Packs the files again: any other order, header, padding or gap shows as a difference. */
function packingMistake(tar: Buffer, { folder, contents }: HeldFiles, verdict: Verdict): string | null {
  const placement = placementOf(verdict, contents.get(fileNames.verdict) ?? Buffer.alloc(0))
  if (folder !== `${placement.folder}/`) {
    return `has its files in the folder ${inQuotes(folder)}, where \`bundle\` puts them into "${placement.folder}/"`
  }
  const again = tarOf(
    [...contents].map(([name, content]) => ({ name, content })),
    placement,
  )
  if (again?.equals(tar) === true) return null
  const at = tar.findIndex((byte, index) => byte !== again?.[index])
  return `is not packed as \`bundle\` packs it, from byte ${at} on: in another order, with other headers, or with something between or behind its files`
}
