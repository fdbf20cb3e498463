import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { settingsOf } from '../../lib/doors/cli/serve-command.ts'
import { startReference } from '../../lib/serve/reference/service.ts'
import { endIn } from '../asked.ts'
import type { Walk, Walked } from './walker.ts'

const usage = `npm run lab -- walk [options]: counts the files in lib, suites and bin with a function called while only authentication/api-key-missing is
judged against the reference service in another process: until the first byte of the first request, and until the verdict is final.
Modules are loaded and settings read beforehand. Reports are not written.
  --files   lists the files, too
`

/** Judges in a separate process, so that only the run is counted. */
async function walk(): Promise<Walked> {
  const service = await startReference()
  const walker = fork(fileURLToPath(new URL('walker.ts', import.meta.url)), { execArgv: ['--import', 'tsx'] })
  try {
    return await new Promise((resolve, reject) => {
      walker.once('exit', (code) => reject(new Error(`the process that judges ended with ${code}`)))
      walker.once('message', resolve)
      const asked: Walk = { env: settingsOf(service), port: Number(new URL(service.baseUrl).port) }
      walker.send(asked)
    })
  } finally {
    walker.kill()
    await service.close()
  }
}

function textOf({ firstByte, verdict }: Walked, named: boolean): string {
  const list = (files: readonly string[]): string =>
    named ? files.map((file) => `  ${file}\n`).join('') : ''
  const first = `until the first byte: ${firstByte.length}\n${list(firstByte)}`
  return `${first}until the verdict: ${firstByte.length + verdict.length}\n${list(verdict)}`
}

await endIn(async () => {
  const { values } = parseArgs({ options: { files: { type: 'boolean', default: false } } })
  process.stdout.write(textOf(await walk(), values.files))
  return 0
}, usage)
