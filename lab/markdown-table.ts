/** A table of Markdown, in which no cell ends before its end. */
export function markdownTable(
  heads: readonly string[],
  rows: readonly (readonly (string | number)[])[],
): string {
  const row = (cells: readonly (string | number)[]): string =>
    `| ${cells.map((cell) => String(cell).replaceAll('|', String.raw`\|`)).join(' | ')} |`
  return [row(heads), row(heads.map(() => '---')), ...rows.map(row)].join('\n')
}
