import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { ServedEndpoint } from '../../lib/serve/reference/described.ts'
import type { ReferenceOptions } from '../../lib/serve/reference/service.ts'
import { readDocument } from '../../lib/settings/openapi/document.ts'
import { importOpenApi } from '../../lib/settings/openapi/import-openapi.ts'
import { reference, run } from './program-test.ts'
import { folderWith, settingsFor, type ProgramResult } from './program.ts'

const document = fileURLToPath(new URL('../../docs/examples/cards.openapi.yaml', import.meta.url))

/** The endpoints file that results from importing the example document. */
export const importedText = importOpenApi(await readDocument(document, await readFile(document, 'utf8'))).text

/** Returns a function that judges a service with these endpoints by this endpoints file. */
export function judgingBy(file: string) {
  return async (
    served: readonly ServedEndpoint[],
    flags: readonly string[],
    more: ReferenceOptions = {},
  ): Promise<ProgramResult> => {
    const service = await reference({ ...more, endpoints: served })
    const cwd = await folderWith({ 'cards.json': file })
    return run(flags, { cwd, env: { ...settingsFor(service), TARGET_ENDPOINTS: 'cards.json' } })
  }
}
