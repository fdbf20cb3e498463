import { judge } from '../../lib/run/run.ts'
import { readSettings } from '../../lib/settings/read-settings.ts'
import { suites } from '../../suites/index.ts'
import { whileWatched } from '../judge/wire.ts'
import { watchCalls } from './called-files.ts'

/** The only judged rule. */
const walked = 'authentication/api-key-missing'
const root = new URL('../../', import.meta.url)
const counted = /^(?:lib|suites|bin)\//

/** Settings of a service in another process. */
export interface Walk {
  readonly env: Readonly<Record<string, string>>
  readonly port: number
}

/**
 * Files with a called function: until the first byte of the first request is written, and from then on until
 * the verdict is final.
 */
export interface Walked {
  readonly firstByte: readonly string[]
  readonly verdict: readonly string[]
}

process.once('message', ({ env, port }: Walk) => {
  void walk(env, port).then((files) => process.send?.(files))
})

/** Judges only this rule. All modules are loaded and the settings read before counting starts. */
async function walk(env: Walk['env'], port: number): Promise<Walked> {
  const given = {
    env: { ...env, RUN_ONLY: walked },
    cwd: process.cwd(),
    now: new Date(),
    flags: {},
    envFile: null,
  }
  const read = await readSettings(given)
  if (read.kind !== 'settings') throw new Error(JSON.stringify(read.issues))
  const called = watchCalls(root)
  let firstByte: readonly string[] | null = null
  const { verdict } = await whileWatched(
    [port],
    () => (firstByte ??= called()),
    () => judge(read.settings, suites),
  )
  const after = called()
  if (firstByte === null || verdict.exitCode !== 0)
    throw new Error(`the service is not conformant: ${verdict.because.join('; ')}`)
  return filesOf(firstByte, after)
}

function filesOf(firstByte: readonly string[], after: readonly string[]): Walked {
  const before = firstByte.filter((file) => counted.test(file))
  return { firstByte: before, verdict: after.filter((file) => counted.test(file) && !before.includes(file)) }
}
