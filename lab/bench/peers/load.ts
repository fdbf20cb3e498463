import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const folder = fileURLToPath(new URL('.', import.meta.url))

/** Loads a pinned peer. Only `lab/bench/` depends on peers. */
export const requirePeer: NodeJS.Require = createRequire(join(folder, 'package.json'))

/** Installs what a folder's lock file lists, unless it is installed. */
export function installIn(into: string): void {
  if (existsSync(join(into, 'node_modules/.package-lock.json'))) return
  const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', '--prefix', into]
  execFileSync('npm', args, { cwd: into, stdio: ['ignore', 2, 2], shell: process.platform === 'win32' })
}

/** Installs missing peers. */
export const installPeers = (): void => installIn(folder)

/** The installed version of a peer. */
export function versionOf(peer: string): string {
  const { version }: { readonly version: string } = requirePeer(`${peer}/package.json`)
  return version
}
