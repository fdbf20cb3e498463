import { chmod, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { startOnFreePort } from '../../lab/stacks/on-free-port.ts'
import { emptyFolder } from '../support/program.ts'
import { pathOf } from './installed.ts'

/** A program that listens on a port, with its configuration. */
export interface Daemon {
  readonly program: string
  readonly args: (folder: string) => readonly string[]
  /** A file beside this one. The program reads a copy of it. */
  readonly configuration: string
  /** Values that replace `@NAME@` in the file. PORT and FOLDER are predefined. */
  readonly values: Readonly<Record<string, string>>
  /** Names whose lines, which begin with `#NAME `, are active. */
  readonly active?: readonly string[]
  /** Additional files that it needs, by name. */
  readonly files?: Readonly<Record<string, string>>
  /** Whether this process, and no other one, listens on a port. Default: whether anything does. */
  readonly listens?: (port: number) => Promise<boolean>
}

/** Starts a program in the foreground, with its own folder, on a free port of 127.0.0.1. */
export async function startDaemon({ program, args, configuration, listens, ...given }: Daemon) {
  const { values, active = [], files = {} } = given
  const [path, folder] = [pathOf(program), await emptyFolder()]
  if (path === null) throw new Error(`${program} is not installed: run .ci/install-gateways`)
  // Workers that do not run as root need access.
  await chmod(folder, 0o755)
  const template = (await readFile(new URL(configuration, import.meta.url), 'utf8')).replaceAll(
    /^( *)#(\w+) (?=\S| )/gm,
    (all, indent: string, name: string) => (active.includes(name) ? indent : all),
  )
  const prepared = async (port: number) => {
    const all: Readonly<Record<string, string>> = { ...values, PORT: String(port), FOLDER: folder }
    const text = template.replaceAll(/@(\w+)@/g, (whole, name: string) => all[name] ?? whole)
    for (const [name, content] of Object.entries({ ...files, [configuration]: text }))
      await writeFile(join(folder, name), content)
    return { path, args: args(folder), env: { PATH: process.env['PATH'], HOME: folder } }
  }
  /** The content of a file in the folder. Empty if the file does not exist yet. */
  const read = (file: string): Promise<string> => readFile(join(folder, file), 'utf8').catch(() => '')
  return { read, ...(await startOnFreePort(folder, prepared, listens)) }
}
