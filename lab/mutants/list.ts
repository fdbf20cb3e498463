import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Mutant } from './mutant.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Lines shown before and after the changed line. */
const around = 2

/**
 * Every mutant with its place, five lines of code and the change: enough to decide whether it conforms to the
 * specification.
 */
export async function listText(mutants: readonly Mutant[]): Promise<string> {
  const files = [...new Set(mutants.filter(({ line }) => line !== null).map(({ file }) => file))]
  const lines = new Map(
    await Promise.all(
      files.map(async (file) => [file, (await readFile(`${root}/${file}`, 'utf8')).split('\n')] as const),
    ),
  )
  return mutants.map((mutant) => shown(mutant, lines.get(mutant.file) ?? [])).join('\n')
}

function shown(
  { id, family, file, line, original, replacement, half }: Mutant,
  text: readonly string[],
): string {
  const change = `  - ${original}\n  + ${replacement}\n`
  if (line === null) return `${id}  [${half}]\n${change}`

  const first = Math.max(1, line - around)
  const context = text.slice(first - 1, line + around).map((code, at) => {
    const number = first + at
    return `  ${number === line ? '>' : ' '} ${String(number).padStart(3)} ${code}\n`
  })
  return `${id}  [${half}]\n  ${file}:${String(line)} ${family}\n${context.join('')}${change}`
}
