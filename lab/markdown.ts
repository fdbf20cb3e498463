import { readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

/** A table of Markdown, in which no cell ends before its end. */
export function markdownTable(
  heads: readonly string[],
  rows: readonly (readonly (string | number)[])[],
): string {
  const row = (cells: readonly (string | number)[]): string =>
    `| ${cells.map((cell) => String(cell).replaceAll('|', String.raw`\|`)).join(' | ')} |`
  return [row(heads), row(heads.map(() => '---')), ...rows.map(row)].join('\n')
}

/** Writes what was made between `<!-- measured -->` and `<!-- /measured -->` of a page, which is named from the root of the checkout. */
export async function writeMeasured(page: string, made: string): Promise<void> {
  const file = fileURLToPath(new URL(`../${page}`, import.meta.url))
  const text = await readFile(file, 'utf8')
  const parts = /^([^]*<!-- measured -->\n)[^]*(<!-- \/measured -->[^]*)$/.exec(text)
  if (parts === null) throw new Error(`${page} has no <!-- measured --> before <!-- /measured -->`)
  const [, before = '', after = ''] = parts
  await writeFile(file, `${before}\n${made}\n\n${after}`)
}
