import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** The text of a file. The path is relative to the root. */
export const textOf = (path: string): string => readFileSync(join(root, path), 'utf8')

/** The files below a folder with this ending, as paths relative to the root. */
export function filesIn(folder: string, ending: string): readonly string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(ending))
    .map((name) => `${folder}/${name}`)
    .toSorted()
}
