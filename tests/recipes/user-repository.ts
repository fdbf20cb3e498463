import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, watch, writeFileSync } from 'node:fs'
import { cp, mkdir, readdir, symlink, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { built } from '../../bin/build.mjs'
import { emptyFolder } from '../support/program.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Variables that limit the requests of npm to packages. */
export const quietNpm = {
  npm_config_audit: 'false',
  npm_config_fund: 'false',
  npm_config_update_notifier: 'false',
  npm_config_prefer_offline: 'true',
  npm_config_loglevel: 'error',
}

/** Runs npm in a folder. Returns its standard output. */
export async function npm(cwd: string, ...args: readonly string[]): Promise<string> {
  const env = { ...process.env, ...quietNpm }
  const { stdout } = await promisify(execFile)('npm', args, { cwd, env, maxBuffer: 2 ** 26 })
  return stdout
}

/** A copy of the checkout with its dependencies and build, so that tests do not change the checkout itself. */
export async function copyOfCheckout(): Promise<string> {
  const folder = await emptyFolder()
  const left = new Set('.git .build .ci lab dist node_modules release reports tests'.split(' '))
  for (const name of await readdir(root)) {
    if (!left.has(name)) await cp(join(root, name), join(folder, name), { recursive: true })
  }
  const build = basename(fileURLToPath(built()))
  await cp(join(root, '.build', build), join(folder, '.build', build), { recursive: true })
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
  return folder
}

/** A folder that one worker fills for all test files. The others wait for it. */
async function onlyOnce(name: string, fill: (folder: string) => Promise<unknown>): Promise<string> {
  const folder = join(process.env['TESTS_FOLDER'] ?? (await emptyFolder()), name)
  const isFilled = `${folder}.done`
  const made = await mkdir(folder, { recursive: true })
  // Undefined if another worker made it.
  if (made !== undefined) await fill(folder).finally(() => writeFileSync(isFilled, ''))
  const watcher = watch(dirname(folder))
  while (!existsSync(isFilled)) await once(watcher, 'change')
  watcher.close()
  return folder
}

/** The tarball of the package. */
export async function tarball(): Promise<string> {
  const folder = await onlyOnce('tarball', async (to) =>
    npm(await copyOfCheckout(), 'pack', '--pack-destination', to),
  )
  return join(folder, (await readdir(folder))[0] ?? '')
}

/** A user's repository with the tarball committed and installed, to make copies from. */
function installedRepository(): Promise<string> {
  return onlyOnce('repository', async (folder) => {
    const file = await tarball()
    await cp(file, join(folder, basename(file)))
    await writeFile(join(folder, 'package.json'), '{ "private": true }\n')
    await npm(folder, 'install', '--save-dev', `./${basename(file)}`)
  })
}

/** A new copy of a user's repository with tarball, manifest and lock file, in which nothing is installed. */
export async function userRepository(): Promise<string> {
  const [from, folder] = [await installedRepository(), await emptyFolder()]
  for (const name of await readdir(from)) {
    if (name !== 'node_modules') await cp(join(from, name), join(folder, name))
  }
  return folder
}

/** A user's repository with the package installed. */
export async function installedCopy(): Promise<string> {
  const [from, folder] = [await installedRepository(), await userRepository()]
  await promisify(execFile)('cp', ['-al', join(from, 'node_modules'), folder])
  return folder
}

/**
 * A folder with stubs of programs. Each writes its arguments to `NAME.called` there, and the names of the credentials that it was
 * given to `NAME.saw`. The stub of `npm` links installed packages, which takes no time.
 */
export async function stubs(...names: readonly string[]): Promise<string> {
  const folder = await emptyFolder()
  const modules = join(await installedRepository(), 'node_modules')
  const does: Readonly<Record<string, string>> = {
    npm: `test -z "\${NPM_FAILS:-}" || exit 1
if [ "$1" = ci ]; then rm -rf node_modules && cp -al '${modules}' .; fi`,
    // Fails like a Node with too little memory or without its libraries.
    node: 'exit 1',
  }
  for (const name of names) {
    const script = [
      '#!/bin/sh',
      `printf '%s\\n' "$*" >> '${join(folder, name)}.called'`,
      `env | sed -n 's/^\\([A-Z_]*_KEY\\)=..*/\\1/p' >> '${join(folder, name)}.saw'`,
      `${does[name] ?? ''}\n`,
    ].join('\n')
    await writeFile(join(folder, name), script, { mode: 0o755 })
  }
  return folder
}
