import { readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

/** A Markdown table, with pipes in its cells escaped. */
export function markdownTable(heads: readonly string[], rows: readonly (readonly (string | number)[])[]) {
  const row = (cells: readonly (string | number)[]): string =>
    `| ${cells.map((cell) => String(cell).replaceAll('|', String.raw`\|`)).join(' | ')} |`
  return [row(heads), row(heads.map(() => '---')), ...rows.map(row)].join('\n')
}

/**
 * Replaces the text between `<!-- measured -->` and `<!-- /measured -->` in a page, named by its path from
 * the root of the checkout.
 */
export async function writeMeasured(page: string, made: string): Promise<void> {
  const file = fileURLToPath(new URL(`../${page}`, import.meta.url))
  const text = await readFile(file, 'utf8')
  const parts = /^([^]*<!-- measured -->\n)[^]*(<!-- \/measured -->[^]*)$/.exec(text)
  if (parts === null) throw new Error(`${page} has no <!-- measured --> before <!-- /measured -->`)
  const [, before = '', after = ''] = parts
  await writeFile(file, `${before}\n${made}\n\n${after}`)
}
