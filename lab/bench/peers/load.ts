import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const folder = fileURLToPath(new URL('.', import.meta.url))

/** Loads a pinned peer. Only `lab/bench/` depends on peers. */
export const requirePeer: NodeJS.Require = createRequire(join(folder, 'package.json'))

/** Installs missing peers from their lock file. */
export function installPeers(): void {
  if (existsSync(join(folder, 'node_modules/.package-lock.json'))) return
  const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--silent', '--prefix', folder]
  execFileSync('npm', args, { cwd: folder, stdio: ['ignore', 2, 2], shell: process.platform === 'win32' })
}

/** The installed version of a peer. */
export function versionOf(peer: string): string {
  const { version }: { readonly version: string } = requirePeer(`${peer}/package.json`)
  return version
}
