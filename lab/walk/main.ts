import { Session, type Profiler } from 'node:inspector'
import { parseArgs } from 'node:util'
import { parse } from 'dotenv'
import { judge } from '../../lib/run/run.ts'
import { readSettings } from '../../lib/settings/settings.ts'
import { suites } from '../../suites/index.ts'
import { whileServing } from '../../tests/support/program.ts'
import { endIn } from '../asked.ts'
import { whileWatched } from '../judge/wire.ts'

const usage = `npm run lab -- walk [options]: counts the files in lib, suites and bin with a function called while only authentication/api-key-missing is
judged against the reference service in another process: until the first byte of the first request, and until the verdict is final.
Modules are loaded and settings read beforehand. Reports are not written.
  --files   lists the files, too
`

/** The only judged rule. */
const walked = { RUN_ONLY: 'authentication/api-key-missing' }
const counted = /^(?:lib|suites|bin)\//

/**
 * Judges only this rule. All modules are loaded and the settings read before counting starts. Returns the files with a called function:
 * until the first byte of the first request is written, and from then on until the verdict is final.
 */
async function walk(env: Readonly<Record<string, string>>): Promise<readonly (readonly string[])[]> {
  const given = { env: { ...env, ...walked }, cwd: process.cwd(), now: new Date(), flags: {}, envFile: null }
  const read = await readSettings(given)
  if (read.kind !== 'settings') throw new Error(JSON.stringify(read.issues))
  const called = watchCalls(new URL('../../', import.meta.url))
  let first: readonly string[] | null = null
  const port = Number(new URL(env['TARGET_BASE_URL'] ?? '').port)
  const run = () => judge(read.settings, suites)
  const { verdict } = await whileWatched([port], () => (first ??= called()), run)
  const after = called().filter((file) => counted.test(file))
  if (first === null || verdict.exitCode !== 0)
    throw new Error(`the service is not conformant: ${verdict.because.join('; ')}`)
  const before: readonly string[] = first
  return [before.filter((file) => counted.test(file)), after.filter((file) => !before.includes(file))]
}

/**
 * Watches the function calls of this process from now on, through V8's coverage. Returns a function that
 * lists the files below `root` with a function called since the last query, as relative paths. Top-level
 * code, which runs when a module is loaded, does not count.
 */
function watchCalls(root: URL): () => readonly string[] {
  const session = new Session()
  session.connect()
  session.post('Profiler.enable')
  session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  return () => {
    const called: string[] = []
    // Reported immediately, and counted from 0 again.
    session.post('Profiler.takePreciseCoverage', (error, { result }) => {
      if (error !== null) throw error
      const files = result.filter((one) => one.url.startsWith(root.href) && one.functions.some(isCalled))
      called.push(...files.map(({ url }) => url.slice(root.href.length)))
    })
    return called.toSorted()
  }
}

/** Whether a called function is neither a module's top-level code nor a part of it. */
function isCalled({ functionName, ranges: [whole] }: Profiler.FunctionCoverage): boolean {
  if (whole === undefined || whole.count === 0) return false
  const isModule = functionName === '' && whole.startOffset === 0
  return !isModule && functionName !== '<static_initializer>'
}

await endIn(async () => {
  const { values } = parseArgs({ options: { files: { type: 'boolean', default: false } } })
  const list = (all: readonly string[]) => (values.files ? all.map((file) => `  ${file}\n`).join('') : '')
  const act = async (said: string): Promise<void> => {
    const [first = [], verdict = []] = await walk(parse(said))
    process.stdout.write(`until the first byte: ${first.length}\n${list(first)}`)
    process.stdout.write(`until the verdict: ${first.length + verdict.length}\n${list(verdict)}`)
  }
  await whileServing(['serve', '--port', '0'], act)
  return 0
}, usage)
