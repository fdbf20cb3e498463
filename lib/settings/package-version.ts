import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { printable } from '../text/printable.ts'

const packageName = 'card-switch-conformance'
/** In a private registry, the package has a scope. */
const namesPackage = new RegExp(`^(?:@[^/]+/)?${packageName}$`)

/** The folder that contains `suites/`, in source or compiled form. */
export const programRoot = join(dirname(fileURLToPath(import.meta.url)), '..', '..')

/** The package folder that contains the documents, in a checkout or an installation. */
export function packageFolder(): string {
  const folders = [programRoot, join(programRoot, '..'), join(programRoot, '..', '..')]
  const found = folders.find((folder) => existsSync(join(folder, 'docs', 'ci')))
  if (found !== undefined) return found
  throw new Error(
    `no folder above ${programRoot} has docs/ci: the installation is damaged, reinstall the package`,
  )
}

let known: string | null = null

/** The version of the package. */
export function packageVersion(): string {
  known ??= versionIn(programRoot) ?? versionIn(join(programRoot, '..'))
  if (known !== null) return known
  throw new Error(
    `no folder above ${programRoot} has the package.json of ${packageName}: the installation is damaged, reinstall the package`,
  )
}

/** A clause that says why the rules of a suite version are unknown; null for this version and earlier ones. */
export function unknownVersion(version: string): string | null {
  const isKnown =
    /^\d+\.\d+\.\d+$/.test(version) && version.localeCompare(packageVersion(), 'en', { numeric: true }) <= 0
  return isKnown
    ? null
    : `version ${printable(version)} of the suite made it, with rules unknown to version ${packageVersion()}`
}

function versionIn(folder: string): string | null {
  try {
    const content: unknown = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    const { name, version }: { name?: unknown; version?: unknown } = Object(content)
    return namesPackage.test(String(name)) && typeof version === 'string' ? version : null
  } catch {
    return null
  }
}
