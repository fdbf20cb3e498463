import { writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { codeOf, errorText } from '../../text/printable.ts'

/** Unusable input; the message says what is wrong. */
export class UnusableInput extends Error {}

/** Writes a file that a flag names; throws {@link UnusableInput} if it cannot be written, or exists. */
export async function writeNewFile(out: string, text: string, cwd: string): Promise<void> {
  await writeFile(resolve(cwd, out), text, { flag: 'wx' }).catch((error: unknown) => {
    const isThere = codeOf(error) === 'EEXIST'
    const remedy = 'it exists, and no file is overwritten: give another by --out, or move it away'
    throw new UnusableInput(`${out} was not written: ${isThere ? remedy : errorText(error)}`, {
      cause: error,
    })
  })
}
