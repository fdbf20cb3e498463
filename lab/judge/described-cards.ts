import { readFileSync } from 'node:fs'
import type { ServedEndpoint } from '../../lib/serve/reference/described.ts'
import { importOpenApi } from '../../lib/settings/openapi/import-openapi.ts'

const document = new URL('../../docs/examples/cards.openapi.yaml', import.meta.url)
let imported: string | null = null

/** Endpoints with parameters and a body, as an endpoints file describes them; imported when they are first asked for. */
export function describedCards(): { readonly text: string; readonly entries: readonly ServedEndpoint[] } {
  // As its user leaves an imported file: cards may be made.
  imported ??= importOpenApi(readFileSync(document, 'utf8')).text.replace('"fuzz": false', '"fuzz": true')
  return { text: imported, entries: JSON.parse(imported) }
}
