import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { printable } from '../text/printable.ts'

let found: Readonly<{ folder: string; version: string }> | null = null

/** The nearest package around this file, in a checkout, its build or an installation. */
function installed() {
  let folder = dirname(fileURLToPath(import.meta.url))
  while (!existsSync(join(folder, 'package.json')) && folder !== dirname(folder)) folder = dirname(folder)
  const { version }: { version?: unknown } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  return { folder, version: String(version) }
}

/** The folder of the package, in a checkout or an installation. */
export function packageFolder() {
  return (found ??= installed()).folder
}

/** The version of the package. */
export function packageVersion() {
  return (found ??= installed()).version
}

/** A clause that says why the rules of a suite version are unknown; null for this version and earlier ones. */
export function unknownVersion(version: string) {
  const own = packageVersion()
  if (/^\d+\.\d+\.\d+$/.test(version) && version.localeCompare(own, 'en', { numeric: true }) <= 0) return null
  return `version ${printable(version)} of the suite made it, with rules unknown to version ${own}`
}
