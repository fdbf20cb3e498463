import { rmSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { StackCredentials } from './credentials.ts'
import { startOnFreePort, type Listening } from './on-free-port.ts'
import { stacksFolder, type Stack } from './stack.ts'

/** Starts a stack in its folder, which it may write to, and which holds its clients and its output. */
export type Starting = (fault: string | null, clients: StackCredentials) => Promise<Listening>

/** The compiled output of a start script, which its next start finds in the folder. */
const compiled = 'service'

/**
 * Creates the folder in which a stack is started, repeatedly and in sequence. Its compiled output is kept
 * until this process ends.
 */
export async function folderOf({ name }: Stack): Promise<Starting> {
  const folder = await mkdtemp(join(tmpdir(), `${name}-`))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  const [file, scratch] = [join(folder, 'clients.json'), join(folder, 'scratch')]
  return async (fault, clients) => {
    await writeFile(file, JSON.stringify(clients))
    return startOnFreePort(folder, async (port) => {
      await emptyScratch(scratch)
      const env = {
        PATH: [dirname(process.execPath), process.env['PATH'], '/usr/sbin', '/sbin'].join(':'),
        HOME: folder,
        // Otherwise Java reads its sources as ASCII.
        LANG: 'C.UTF-8',
        PORT: String(port),
        CLIENTS: file,
        FAULT: fault ?? '',
        SCRATCH: scratch,
      }
      return { path: join(stacksFolder, name, 'start'), env }
    })
  }
}

async function emptyScratch(scratch: string): Promise<void> {
  await mkdir(scratch, { recursive: true })
  for (const name of await readdir(scratch))
    if (name !== compiled) await rm(join(scratch, name), { recursive: true, force: true })
}
