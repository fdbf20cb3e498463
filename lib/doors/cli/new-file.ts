import { resolve } from 'node:path'
import { writeNew } from '../../report/folder/reports-folder.ts'
import { codeOf, errorText } from '../../text/printable.ts'
import { UnusableInput } from '../../text/unusable-input.ts'

/** Writes the file given with `--out`, completely or not at all. Throws {@link UnusableInput} if it exists or cannot be written. */
export async function writeNewFile(out: string, content: string | Buffer, cwd: string): Promise<void> {
  await writeNew(resolve(cwd, out), content).catch((cause: unknown) => {
    const isThere = codeOf(cause) === 'EEXIST'
    const remedy = 'it already exists: choose another name with --out, or move it away'
    throw new UnusableInput(`${out} was not written: ${isThere ? remedy : errorText(cause)}`, { cause })
  })
}
