import { cp, writeFile } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import { basename, join } from 'node:path'
import { closing, listening, originOf } from '../../lib/serve/reference/server.ts'
import { startService } from '../service/start.ts'
import type { ReferenceService } from '../../lib/serve/reference/service.ts'
import { emptyFolder, settingsFor } from '../../tests/support/program.ts'
import { installedCopy, tarball } from '../../tests/recipes/user-repository.ts'
import { filesIn, textOf } from '../../tests/support/syntax.ts'
import { Terminal } from './terminal.ts'
import { played } from './transcript.ts'

/** The page that begins in an empty folder; the others begin where the package is installed. */
const firstPage = 'docs/first-five-minutes.md'

/** The pages whose commands are run, and whose output is what they printed. */
export const playedPages = [firstPage, ...filesIn('docs/users', '.md')]

/**
 * Plays a page from its beginning, and gives it with what its commands printed now. From its first direction on, `.env` names a
 * service. `env` goes to every command.
 */
export async function playedPage(page: string, env: Readonly<Record<string, string>> = {}): Promise<string> {
  const cwd = page === firstPage ? await folderWithTarball() : await installedCopy()
  const terminal = new Terminal(cwd, env)
  let service: ChangingService | null = null
  const direct = async (direction: string): Promise<void> => {
    const faults = direction === 'no fault' ? [] : direction.split(', ')
    if (service !== null) return service.become(faults)
    service = await changingService(faults)
    terminal.knowService(new URL(service.baseUrl).host)
    await writeFile(join(cwd, '.env'), service.env)
  }
  try {
    return await played(textOf(page), { terminal, direct })
  } finally {
    terminal.close()
    await (service as ChangingService | null)?.close()
  }
}

async function folderWithTarball(): Promise<string> {
  const [cwd, file] = [await emptyFolder(), await tarball()]
  await cp(file, join(cwd, basename(file)))
  return cwd
}

/** A reference service that gets and loses faults, and keeps its address. */
interface ChangingService {
  readonly baseUrl: string
  readonly env: string
  readonly become: (faults: readonly string[]) => Promise<void>
  readonly close: () => Promise<void>
}

async function changingService(faults: readonly string[]): Promise<ChangingService> {
  let service: ReferenceService = await startService({ faults })
  const front = createServer((near) => {
    const far = connect(Number(new URL(service.baseUrl).port), '127.0.0.1')
    near.pipe(far).pipe(near)
    near.on('error', () => far.destroy())
    far.on('error', () => near.destroy())
  })
  const closeFront = closing(front)
  const baseUrl = originOf(await listening(front, 0, '127.0.0.1'))
  const settings = Object.entries({ ...settingsFor(service), TARGET_BASE_URL: baseUrl })
  return {
    baseUrl,
    env: settings.map(([name, value]) => `${name}="${value}"\n`).join(''),
    become: async (now) => {
      await service.close()
      service = await startService({ faults: now })
    },
    close: async () => {
      await closeFront()
      await service.close()
    },
  }
}
