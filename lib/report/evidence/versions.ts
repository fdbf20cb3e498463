import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { jsonFrom } from './verdict-bytes.ts'

/** With what a run and its archive were made. */
export interface Versions {
  readonly run: { readonly suite: string }
  readonly bundle: {
    readonly suite: string
    readonly node: string
    /** What the suite is built on, as it is installed; null where that cannot be seen. */
    readonly packages: Readonly<Record<string, string | null>>
  }
}

/** The versions of the packages that the first `package.json` in these folders asks for, in the order of their names. */
export function installedPackages(folders: readonly string[]): Versions['bundle']['packages'] {
  for (const folder of folders) {
    const asked = field(contentOf(join(folder, 'package.json')), 'dependencies')
    if (typeof asked !== 'object' || asked === null) continue
    const names = Object.keys(asked).toSorted()
    return Object.fromEntries(names.map((name) => [name, versionOf(name, folder)]))
  }
  return {}
}

/** The version of the suite that made an archive, from its `versions.json`; null where that does not say it. */
export function madeBy(versionsFile: Buffer): string | null {
  const suite = field(field(jsonFrom(versionsFile), 'bundle'), 'suite')
  return typeof suite === 'string' ? suite : null
}

/** As Node finds it: in the nearest `node_modules` upwards. A package's own exports may keep its package.json from being imported. */
function versionOf(name: string, folder: string): string | null {
  const version = field(contentOf(join(folder, 'node_modules', name, 'package.json')), 'version')
  if (typeof version === 'string') return version
  return dirname(folder) === folder ? null : versionOf(name, dirname(folder))
}

function contentOf(file: string): unknown {
  try {
    return jsonFrom(readFileSync(file))
  } catch {
    return null
  }
}

function field(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined
  return new Map(Object.entries(value)).get(name)
}
