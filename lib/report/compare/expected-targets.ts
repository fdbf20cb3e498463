import { readdir, stat } from 'node:fs/promises'
import { join, relative, resolve } from 'node:path'
import { readTextFile, sizeLimits } from '../../settings/user-file.ts'
import { UnusableInput } from '../../text/unusable-input.ts'
import { previousFolder } from '../folder/reports-folder.ts'

/** A target that must have a verdict. */
export interface ExpectedTarget {
  readonly name: string
  /** Path to its reports folder, relative to the working directory. */
  readonly path: string
}

/**
 * Reads the targets from a list, or from a folder that contains reports folders at any depth. Paths are relative to the working
 * directory. Throws {@link UnusableInput} with a line per mistake.
 */
export async function expectedTargets(given: string, cwd: string): Promise<readonly ExpectedTarget[]> {
  const place = resolve(cwd, given)
  const isFolder = (await stat(place).catch(() => null))?.isDirectory() === true
  const targets = isFolder ? await targetsBelow(place, cwd) : await targetsListedIn(place, { given, cwd })
  if (targets.length > 0) return targets
  throw new UnusableInput(
    `${given} ${isFolder ? 'contains no reports folder' : 'lists no targets'}; give a list with a line "NAME PATH" for each target, or a folder of reports folders`,
  )
}

/** Targets from a list with one line per target: `NAME PATH`, or just `NAME` if it is also the path. `#` starts a comment. */
async function targetsListedIn(
  file: string,
  { given, cwd }: { readonly given: string; readonly cwd: string },
): Promise<readonly ExpectedTarget[]> {
  const { text, why } = await readTextFile(file, sizeLimits.list)
  if (text === null) throw new UnusableInput(`${given} is ${why}`)
  const lines = text.split('\n').map((line) => line.trim())
  const targets = lines
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [, name = line, path = line] = /^(\S+)\s+(.+)$/.exec(line) ?? []
      // A link to an absolute path would work only on this machine.
      return { name, path: relative(cwd, resolve(cwd, path)) || '.' }
    })
  const mistakes = (['name', 'path'] as const).flatMap((what) => {
    const all = targets.map((target) => target[what])
    const twice = new Set(all.filter((one, place) => all.indexOf(one) < place))
    return [...twice].map((one) => `${given} repeats the ${what} ${one}`)
  })
  if (mistakes.length > 0) throw new UnusableInput(mistakes.join('\n'))
  return targets
}

/** Subfolders of a reports folder that contain earlier runs or no runs at all. */
const within: ReadonlySet<string> = new Set([previousFolder, 'allure-results', 'node_modules'])

/** Files that a run leaves in its folder. A folder whose verdict is missing still counts as a target. */
const marks: ReadonlySet<string> = new Set(['verdict.json', 'history.jsonl', previousFolder])

/** Reports folders under a folder, sorted by name. Links are not followed. */
async function targetsBelow(root: string, cwd: string): Promise<readonly ExpectedTarget[]> {
  const found: ExpectedTarget[] = []
  const waiting = [root]
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => null)
    const path = relative(cwd, folder) || '.'
    // Unreadable folders are included, because the problem is reported when their verdict is read.
    if (entries === null || entries.some(({ name }) => marks.has(name)))
      found.push({ name: relative(root, folder) || path, path })
    for (const entry of entries ?? []) {
      const isSearched = entry.isDirectory() && !within.has(entry.name) && !entry.name.startsWith('.')
      if (isSearched) waiting.push(join(folder, entry.name))
    }
  }
  return found.toSorted((one, other) => one.name.localeCompare(other.name, 'en', { numeric: true }))
}
