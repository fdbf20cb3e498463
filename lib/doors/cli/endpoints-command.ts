import { resolve } from 'node:path'
import { DocumentMistake } from '../../settings/openapi/openapi-document.ts'
import { importOpenApi, type ImportedEndpoints } from '../../settings/openapi/import-openapi.ts'
import { printable } from '../../text/printable.ts'
import { MachineTooBusy } from '../../specification/within.ts'
import { readTextFile, sizeLimits } from '../../settings/user-file.ts'
import type { ExitCode } from '../../verdict/verdict.ts'
import type { Console } from './console.ts'
import { UnusableInput, writeNewFile } from './new-file.ts'

/** Makes an endpoints file of an OpenAPI document, for review. Nothing but the document is read, and no file is overwritten. */
export async function importCommand(
  console: Pick<Console, 'out' | 'err' | 'cwd'>,
  given: string,
  { out }: { readonly out: string },
): Promise<ExitCode> {
  try {
    const read = await readTextFile(resolve(console.cwd, given), sizeLimits.document)
    if (read.kind !== 'text')
      throw new UnusableInput(
        `${given}: expected an OpenAPI document in YAML or JSON (UTF-8), given ${read.why}`,
      )
    const imported = importOpenApi(read.text)
    await writeNewFile(out, imported.text, console.cwd)
    console.out(told(imported, out))
    return 0
  } catch (error) {
    if (error instanceof MachineTooBusy) throw error.to(`read ${printable(given)}`)
    if (!(error instanceof UnusableInput || error instanceof DocumentMistake)) throw error
    const where = error instanceof DocumentMistake ? `${given}, ` : ''
    console.err(`${printable(`${where}${error.message}`)}\n`)
    return 2
  }
}

const words = { relaxed: 'relaxed  ', 'left out': 'left out ', give: 'to give  ' } as const

/** What was written, what differs from the document, and what is still to be done. */
function told({ entries, leftOut }: ImportedEndpoints, out: string): string {
  const isUnsent = (entry: Readonly<Record<string, unknown>>): boolean => entry['fuzz'] === false
  const unsent = entries.filter(({ entry }) => isUnsent(entry)).length
  const toGive = entries.flatMap(({ notes, entry }) =>
    isUnsent(entry) ? [] : notes.filter(({ what }) => what === 'give'),
  )
  const lines = [
    `${out} was written: ${counted(entries.length, 'entry', 'entries')}.`,
    ...(unsent === 0
      ? []
      : [
          `${unsent} of them may change something at the target: nothing is sent for these until they say "fuzz": true.`,
        ]),
    ...(toGive.length === 0
      ? []
      : [
          `${counted(toGive.length, 'value has', 'values have')} to be given by hand before the file can be used.`,
        ]),
    'Read it, then set TARGET_ENDPOINTS to it.',
    ...entries.flatMap(({ operation, notes }, index) =>
      notes.length === 0
        ? []
        : [
            '',
            `${operation} (entry ${index + 1})`,
            ...notes.map(({ at, what, why }) => `  ${words[what]} ${at}: ${why}`),
          ],
    ),
    ...(leftOut.length === 0 ? [] : ['', 'Left out:']),
    ...leftOut.map(({ operation, why }) => `  ${operation}: ${why}`),
  ]
  return `${lines.map(printable).join('\n')}\n`
}

function counted(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`
}
