import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The name by which the package's own file is known among those above it. */
const packageName = 'card-switch-conformance'

/** Where the program runs from: the folder that holds `suites/`, and the ending that its files have there. */
export const programRoot = join(dirname(fileURLToPath(import.meta.url)), '..', '..')

let known: string | null = null

/** The version of the package. */
export function packageVersion(): string {
  known ??= readVersion()
  return known
}

function readVersion(): string {
  for (const folder of [programRoot, join(programRoot, '..')]) {
    const version = versionIn(join(folder, 'package.json'))
    if (version !== null) return version
  }
  throw new Error(
    `no package.json of ${packageName} stands above ${programRoot}: the installation is damaged, install it again`,
  )
}

function versionIn(file: string): string | null {
  try {
    const content: unknown = JSON.parse(readFileSync(file, 'utf8'))
    if (typeof content !== 'object' || content === null) return null
    const { name, version } = content as { readonly name?: unknown; readonly version?: unknown }
    return name === packageName && typeof version === 'string' ? version : null
  } catch {
    return null
  }
}
