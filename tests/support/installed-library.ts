import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { extract } from 'tar'
import { tarball } from '../recipes/user-repository.ts'
import { emptyFolder, hangsAfterMs } from './program.ts'
import { textOf } from './syntax.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const start = promisify(execFile)

/** The result of a program. */
interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Runs plain node to its end with this environment only, by default in an empty folder. */
export async function runNode(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  cwd?: string,
): Promise<Ended> {
  const { PATH, HOME } = process.env
  return start(process.execPath, args, {
    cwd: cwd ?? (await emptyFolder()),
    env: { PATH, HOME, ...env },
    timeout: hangsAfterMs,
    killSignal: 'SIGKILL',
  }).then(
    (ended) => ({ code: 0, ...ended }),
    ({ code, stdout, stderr }) => ({ code, stdout, stderr }),
  )
}

/** A new folder with the package, unpacked from its tarball, and links to these packages of the checkout. */
async function projectWith(packages: readonly string[]): Promise<string> {
  const folder = await emptyFolder()
  const own = join(folder, 'node_modules', 'card-switch-conformance')
  await mkdir(own, { recursive: true })
  await extract({ file: await tarball(), cwd: own, strip: 1 })
  for (const name of packages) {
    const link = join(folder, 'node_modules', name)
    await mkdir(dirname(link), { recursive: true })
    await symlink(join(root, 'node_modules', name), link)
  }
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
  return folder
}

const dependencies = Object.keys(JSON.parse(textOf('package.json')).dependencies)
let packed: Promise<string> | null = null

/** Runs a module beside the installed package, in a new folder and with this environment only. */
export async function runModule(
  text: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Ended & { readonly cwd: string }> {
  packed ??= projectWith(dependencies)
  const file = join(await packed, `${randomUUID()}.mjs`)
  await writeFile(file, text)
  const cwd = await emptyFolder()
  return { cwd, ...(await runNode([file], env, cwd)) }
}

/** Runs a test file with the user's vitest beside the installed package. */
export async function runInOwnVitest(text: string, env: Readonly<Record<string, string>>): Promise<Ended> {
  const folder = await projectWith([...dependencies, 'vitest'])
  await writeFile(join(folder, 'conformance.test.ts'), text)
  const program = join(root, 'node_modules/vitest/vitest.mjs')
  return runNode([program, 'run'], { NO_COLOR: '1', ...env }, folder)
}

/** Compiler errors for a strict module beside the installed package, in a project with no other packages. */
export async function mistakesInTypes(text: string, flags: readonly string[]): Promise<readonly string[]> {
  // Packages that are installed with this one, transitive dependencies included.
  const { packages }: { packages: Readonly<Record<string, { dev?: true }>> } = JSON.parse(
    textOf('package-lock.json'),
  )
  const along = Object.keys(packages).filter(
    (path) => path.lastIndexOf('node_modules/') === 0 && packages[path]?.dev !== true,
  )
  const folder = await projectWith(along.map((path) => path.slice('node_modules/'.length)))
  await writeFile(join(folder, 'typed.ts'), text)
  // If it resolved links, the compiler would find our development packages.
  const usual = ['--noEmit', '--strict', '--preserveSymlinks', '--module', 'nodenext', '--target', 'es2023']
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  const { stdout } = await runNode([tsc, ...usual, ...flags, 'typed.ts'], {}, folder)
  return stdout.split('\n').filter((line) => line !== '')
}
