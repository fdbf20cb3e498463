// Writes docs/trust.md from the pages and records that hold its figures.
import { writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { figuresOf } from './figures.ts'
import { trustPage } from './page.ts'
import { sourcesOfTrust } from './sources.ts'

const page = fileURLToPath(new URL('../../docs/trust.md', import.meta.url))
await writeFile(page, trustPage(figuresOf(await sourcesOfTrust())))
