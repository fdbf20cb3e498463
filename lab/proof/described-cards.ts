import { readFileSync } from 'node:fs'
import type { ServedEndpoint } from '../../lib/serve/reference/described.ts'
import { importOpenApi } from '../../lib/settings/openapi/import-openapi.ts'

const document = new URL('../../docs/examples/cards.openapi.yaml', import.meta.url)
/** As its user leaves an imported file: cards may be made. */
const text = importOpenApi(readFileSync(document, 'utf8')).text.replace('"fuzz": false', '"fuzz": true')
const entries: readonly ServedEndpoint[] = JSON.parse(text)

/** Endpoints with parameters and a body, as an endpoints file describes them. */
export const describedCards = { text, entries }
