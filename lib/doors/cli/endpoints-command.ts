import { resolve } from 'node:path'
import { DocumentMistake, readDocument } from '../../settings/openapi/document.ts'
import { importOpenApi, type OperationChoice } from '../../settings/openapi/import-openapi.ts'
import { readTextFile, sizeLimits } from '../../settings/user-file.ts'
import { MachineTooBusy } from '../../specification/within.ts'
import { andMore, firstOf, groupBy } from '../../text/counts.ts'
import { printable } from '../../text/printable.ts'
import { UnusableInput } from '../../text/unusable-input.ts'
import { lines, writeNewFile, type Call, type Declare } from './command.ts'

/** `endpoints import`: creates an endpoints file from an OpenAPI document, for review. Never overwrites a file. */
export const endpointsCommand: Declare = (program, acts) =>
  program
    .command('endpoints')
    .description('make an endpoints file')
    .command('import')
    .description('make an endpoints file from an OpenAPI document (3.0 or 3.1), for review')
    .argument('<file>', 'the document; references are followed only to files in its folder')
    .option('--include <glob>', 'operations to import: "/api/cards/*", "GET *"; * matches any characters')
    .option('--tag <name>', 'import only operations with this tag')
    .option('--out <file>', 'file to write; an existing file is never overwritten', 'endpoints.json')
    .action(acts(importDocument))

async function importDocument(
  { cwd, out: print }: Call,
  given: string,
  { out, ...choice }: OperationChoice & { readonly out: string },
) {
  const file = resolve(cwd, given)
  const read = await readTextFile(file, sizeLimits.document)
  if (read.text === null)
    throw new UnusableInput(
      `${given}: expected an OpenAPI document in YAML or JSON (UTF-8), given ${read.why}`,
    )
  const { entries, leftOut, text } = await readDocument(file, read.text)
    .then((document) => importOpenApi(document, choice))
    .catch((error: unknown) => {
      if (error instanceof MachineTooBusy) throw error.to(`read ${printable(given)}`)
      if (!(error instanceof DocumentMistake)) throw error
      throw new UnusableInput(printable(`${given}, ${error.message}`))
    })
  await writeNewFile(out, text, cwd)
  const unsent = entries.filter(({ fuzz }) => fuzz === false).length
  const reasons = groupBy(leftOut, ({ why }) => why)
  print(
    lines(
      `${out} was written: ${entries.length} ${entries.length === 1 ? 'entry' : 'entries'}.`,
      unsent > 0 &&
        `${unsent} of them may change data at the target: no request is sent for these until they have "fuzz": true.`,
      'Review it, then set TARGET_ENDPOINTS to it.',
      leftOut.length > 0 && '',
      ...Array.from(reasons, ([why, some]) => {
        const places = some.map(({ place }) => place)
        return `left out  ${why}: ${firstOf(places, shownPlaces, andMore).join(', ')}`
      }),
    ),
  )
}

/** Maximum number of places shown for each reason why something was left out. */
const shownPlaces = 3
