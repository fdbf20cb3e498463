import { resolve } from 'node:path'
import { writeNew } from '../../report/folder/reports-folder.ts'
import { codeOf, errorText } from '../../text/printable.ts'
import { UnusableInput } from '../../text/unusable-input.ts'

/** Writes a file that `--out` names, whole or not at all; throws {@link UnusableInput} if it cannot be written, or exists. */
export async function writeNewFile(out: string, content: string | Buffer, cwd: string): Promise<void> {
  await writeNew(resolve(cwd, out), content).catch((cause: unknown) => {
    const isThere = codeOf(cause) === 'EEXIST'
    const remedy = 'it exists, and no file is overwritten: give another by --out, or move it away'
    throw new UnusableInput(`${out} was not written: ${isThere ? remedy : errorText(cause)}`, { cause })
  })
}
