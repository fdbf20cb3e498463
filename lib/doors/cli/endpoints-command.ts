import { resolve } from 'node:path'
import { DocumentMistake, readDocument } from '../../settings/openapi/document.ts'
import {
  importOpenApi,
  type ImportedEndpoints,
  type OperationChoice,
} from '../../settings/openapi/import-openapi.ts'
import { groupBy } from '../../text/counts.ts'
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
  { out, ...choice }: OperationChoice & { readonly out: string },
): Promise<ExitCode> {
  try {
    const file = resolve(console.cwd, given)
    const read = await readTextFile(file, sizeLimits.document)
    if (read.kind !== 'text')
      throw new UnusableInput(
        `${given}: expected an OpenAPI document in YAML or JSON (UTF-8), given ${read.why}`,
      )
    const imported = importOpenApi(await readDocument(file, read.text), choice)
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

const words = { relaxed: 'relaxed ', 'left out': 'left out', give: 'to give ' } as const
/** Places that are shown of a kind. */
const shownPlaces = 3

/** What was written, what differs from the document, a line a kind, and what is still to be done. */
function told({ entries, leftOut }: ImportedEndpoints, out: string): string {
  const unsent = entries.filter(({ entry }) => entry['fuzz'] === false).length
  const notes = entries.flatMap(({ notes: own, operation, entry }) =>
    own.map(({ at, what, why }) => ({
      what,
      why,
      at: at.startsWith('/definitions') ? at : `${operation} ${at}`,
      isSent: entry['fuzz'] !== false,
    })),
  )
  const kinds = groupBy(notes, ({ what, why, at }) => `${words[what]}  ${keywordOf(at)}: ${why}`)
  const reasons = groupBy(leftOut, ({ why }) => why)
  const toGive = notes.filter(({ what, isSent }) => what === 'give' && isSent).length
  const lines = [
    `${out} was written: ${counted(entries.length, 'entry', 'entries')}.`,
    ...(unsent === 0
      ? []
      : [
          `${unsent} of them may change something at the target: nothing is sent for these until they say "fuzz": true.`,
        ]),
    ...(toGive === 0
      ? []
      : [`${counted(toGive, 'value has', 'values have')} to be given by hand before the file can be used.`]),
    'Read it, then set TARGET_ENDPOINTS to it.',
    ...(kinds.size === 0 ? [] : ['']),
    ...Array.from(
      kinds,
      ([kind, all]) =>
        `${kind}: ${kind.startsWith(words.give) ? all.map(({ at }) => at).join(', ') : someOf(all.map(({ at }) => at))}`,
    ),
    ...(leftOut.length === 0
      ? []
      : ['', `Not imported: ${counted(leftOut.length, 'operation', 'operations')}`]),
    ...Array.from(reasons, ([why, all]) => `  ${why}: ${someOf(all.map(({ operation }) => operation))}`),
  ]
  return `${lines.map(printable).join('\n')}\n`
}

/** The last step of a place, which says what it is about. */
function keywordOf(at: string): string {
  return at.slice(at.lastIndexOf('/') + 1)
}

function someOf(places: readonly string[]): string {
  const more = places.length - shownPlaces
  return `${places.slice(0, shownPlaces).join(', ')}${more > 0 ? `, and ${more} more` : ''}`
}

function counted(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`
}
