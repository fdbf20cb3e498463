import type { Envelope } from './attestation.ts'
import { beginningBytes, beginningOf, type TarMember } from './archive.ts'
import { bundleFormatName, fileNames } from './files.ts'

// What was tampered with must not pass for a mistyped name: in doubt, a file was an archive of ours.

/** The folder that `bundle` gives the files of an archive. */
const ourFolder = /evidence-\d{4}-\d\d-\d\d-[0-9a-f]{8}\//

/** Whether a damaged tar archive, or the beginning of one, holds a name that `bundle` gives. */
export function holdsOurNames(tar: Buffer): boolean {
  return ourFolder.test(tar.toString('latin1', 0, beginningBytes)) || tar.includes(bundleFormatName)
}

/** Whether a damaged file began as an archive of ours; if nothing of it unpacks, its gzip header tells. */
export async function beganAsOurs(archive: Buffer): Promise<boolean> {
  const { unpacked, hasOurHeader } = await beginningOf(archive)
  return unpacked.length === 0 ? hasOurHeader : holdsOurNames(unpacked)
}

/** Whether anything in a tar archive says that `bundle` made it: the folder, the manifest's format, or the statement. */
export function isSealedByUs(
  {
    contents,
    envelope,
  }: { readonly contents: ReadonlyMap<string, Buffer>; readonly envelope: Envelope | null },
  members: readonly TarMember[],
): boolean {
  const isListed = contents.get(fileNames.manifest)?.includes(bundleFormatName) === true
  const isStated = envelope?.statement.includes('cardSwitchConformance') === true
  return isListed || isStated || members.some(({ path }) => path.search(ourFolder) === 0)
}
