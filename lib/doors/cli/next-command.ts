import { basename, dirname, join, relative, sep } from 'node:path'
import { packageFolder } from '../../settings/package-version.ts'
import { quoted } from '../../verdict/shell-lines.ts'

/** The command line that runs this program from a folder with these arguments, using npm, npx, its name or its path. */
export function nextCommand(words: readonly string[], cwd: string): string {
  const folder = packageFolder()
  const line = words.map((word) => (/^[\w%+,./:@=-]+$/.test(word) ? word : quoted(word))).join(' ')
  if (folder === cwd) return `npm run conformance -- ${line}`
  const modules = modulesOf(folder)
  if (modules === null) return `node ${join(folder, 'bin', 'card-switch-conformance.mjs')} ${line}`
  // npx finds packages installed above the working folder; any other installation is global.
  const isAbove = `${cwd}${sep}`.startsWith(`${dirname(modules)}${sep}`)
  return isAbove ? `npx --no -- card-switch-conformance ${line}` : `card-switch-conformance ${line}`
}

/** The shortest path from a folder to a file in the package. */
export function packageFile(name: string, cwd: string): string {
  const file = join(packageFolder(), name)
  const short = relative(cwd, file)
  return short.startsWith('..') ? file : short
}

/** The `node_modules` folder of an installed package, with or without a scope; null for a checkout. */
function modulesOf(folder: string): string | null {
  return (
    [dirname(folder), dirname(dirname(folder))].find((parent) => basename(parent) === 'node_modules') ?? null
  )
}
