import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { ServedEndpoint } from '../../lib/serve/reference/described.ts'
import { parseEndpoints } from '../../lib/settings/endpoints-file.ts'
import { importOpenApi, readDocument } from '../../lib/settings/openapi/import-openapi.ts'

const document = fileURLToPath(new URL('../../docs/examples/cards.openapi.yaml', import.meta.url))
let imported: Promise<string> | null = null

/** Endpoints with parameters and a body, as described by an endpoints file. Imported on first use. */
export async function describedCards() {
  imported ??= readFile(document, 'utf8')
    .then((text) => readDocument(document, text))
    .then((read) => importOpenApi(read).text)
  // Completed as a user completes an imported file: cards may be created.
  const text = (await imported).replace('"fuzz": false', '"fuzz": true')
  return { text, entries: servedBy(text) }
}

/** The entries of an endpoints file, each with the definitions it needs. */
export function servedBy(text: string): readonly ServedEndpoint[] {
  const given: readonly object[] = JSON.parse(text)
  return parseEndpoints({ setting: '', file: 'cards.json', text }).value.map((entry, index) => {
    const { method, path } = entry
    const named = Object.keys(given[index] ?? {}).map((name) => [name, Reflect.get(entry, name)])
    return { method, path, ...Object.fromEntries(named) }
  })
}
