import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { emptyFolder } from '../../tests/support/program.ts'
import type { StackCredentials } from './credentials.ts'
import { startOnFreePort } from './on-free-port.ts'

/** A service in a framework that we did not choose, and its requirements. */
export interface Stack {
  readonly name: string
  /** Debian's packages. The first is the framework or the server. */
  readonly needs: readonly string[]
}

/** The folder of all stacks. */
export const stacksFolder = fileURLToPath(new URL('.', import.meta.url))

/** Every stack. */
export const allStacks: readonly Stack[] = [
  { name: 'cpp-httplib', needs: ['libcpp-httplib-dev', 'nlohmann-json3-dev', 'g++'] },
  { name: 'fastapi-uvicorn', needs: ['python3-fastapi', 'python3-uvicorn'] },
  { name: 'flask-gunicorn', needs: ['python3-flask', 'gunicorn'] },
  { name: 'flask-waitress', needs: ['python3-flask', 'python3-waitress'] },
  { name: 'go-net-http', needs: ['golang-go'] },
  { name: 'jdk-httpserver', needs: ['default-jdk-headless'] },
  { name: 'jetty', needs: ['libjetty9-java', 'default-jdk-headless'] },
  { name: 'mojolicious', needs: ['libmojolicious-perl'] },
  { name: 'node-http', needs: [] },
  { name: 'php-fpm-nginx', needs: ['php-fpm', 'nginx-light'] },
  { name: 'php-server', needs: ['php-cli'] },
  { name: 'sinatra-puma', needs: ['ruby-sinatra', 'puma'] },
  { name: 'tomcat', needs: ['libtomcat9-java', 'default-jdk-headless'] },
  { name: 'tornado', needs: ['python3-tornado'] },
]

/** The slips with which a stack can be started: each fault in the words of the specification. */
export const faultsOf = ({ name }: Stack): readonly { readonly name: string; readonly what: string }[] =>
  JSON.parse(readFileSync(join(stacksFolder, name, 'faults.json'), 'utf8'))

/** Whether all requirements of a stack are installed. */
export function isInstalled({ needs }: Stack): boolean {
  const asked = ['--show', '--showformat=${db:Status-Status}']
  const statusOf = (name: string) => spawnSync('dpkg-query', [...asked, name], { encoding: 'utf8' }).stdout
  return needs.every((name) => statusOf(name) === 'installed')
}

/** The compiled output of a start script, which its next start finds in the folder. */
const compiled = 'service'

/**
 * Creates the folder in which a stack is started, repeatedly and in sequence. Its compiled output is kept
 * until this process ends.
 */
export async function folderOf({ name }: Stack) {
  const folder = await emptyFolder()
  const [file, scratch] = [join(folder, 'clients.json'), join(folder, 'scratch')]
  return async (fault: string | null, clients: StackCredentials) => {
    await writeFile(file, JSON.stringify(clients))
    return startOnFreePort(folder, async (port) => {
      await mkdir(scratch, { recursive: true })
      const left = (await readdir(scratch)).filter((entry) => entry !== compiled)
      await Promise.all(left.map((entry) => rm(join(scratch, entry), { recursive: true, force: true })))
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
