import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { printable } from '../text/printable.ts'

const packageName = 'card-switch-conformance'
/** In a private registry, the package has a scope. */
const namesPackage = new RegExp(`^(?:@[^/]+/)?${packageName}$`)

/** Possible package folders: that of the sources, the parent of `dist`, and that of a build in a checkout. */
const folders = ['../..', '../../..', '../../../..'].map((up) =>
  resolve(fileURLToPath(new URL(up, import.meta.url))),
)
let known: Installed | null = null

/** The package's folder and version. */
interface Installed {
  readonly folder: string
  readonly version: string
}

/** The folder of the package, in a checkout or an installation. */
export function packageFolder(): string {
  return installed().folder
}

/** The version of the package. */
export function packageVersion(): string {
  return installed().version
}

function installed(): Installed {
  return (known ??= findInstalled())
}

function findInstalled(): Installed {
  for (const folder of folders) {
    const version = versionIn(folder)
    if (version !== null) return { folder, version }
  }
  throw new Error(
    `no folder of ${folders.join(', ')} has the package.json of ${packageName}: the installation is damaged, reinstall the package`,
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
