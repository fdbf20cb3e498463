import { expect, test as base } from 'vitest'
import { clients } from '../lib/reference/clients.ts'
import { startReference, type ReferenceOptions, type ReferenceService } from '../lib/reference/service.ts'
import { atMost } from './at-most.ts'
import { leaks } from './leaks.ts'
import { runInProcess } from './in-process.ts'
import { reportsFolderOf, runProgram, type ProgramOptions, type ProgramResult } from './program.ts'

type Run = (args: readonly string[], options?: ProgramOptions) => Promise<ProgramResult>

/** Runs the program, so many at once, and fails the test when any credential can be read in what it left behind. */
export function runner(limit: number, runs: Run = runProgram): Run {
  const inTurn = atMost(limit)

  return async (args, options = {}) => {
    const result = await inTurn(() => runs(args, options))
    const { stdout, stderr, cwd } = result
    const reportsFolder = reportsFolderOf(cwd, options.env)

    expect(await leaks({ stdout, stderr, reportsFolder }, credentialsIn(options.env))).toEqual([])
    return result
  }
}

/** Runs the program as a process of its own. More at once would only wait for the processor, and time limits with them. */
export const runWhole = runner(3)

/** Runs the program within the test's process, which takes a fraction of the time. */
export const run = runner(2, runInProcess)

/** A test that may run beside others: the reference services that it starts end with it. */
export const test = base.extend<{
  readonly reference: (options?: ReferenceOptions) => Promise<ReferenceService>
}>({
  reference: async ({ onTestFinished }, use) => {
    await use(async (options) => {
      const service = await startReference(options)
      onTestFinished(() => service.close())
      return service
    })
  },
})

/** The credentials that the program was given, and those of the embedded service. */
function credentialsIn(env: ProgramOptions['env'] = {}): readonly string[] {
  const given = Object.entries(env).flatMap(([name, value]) =>
    /_(?:API|SECRET)_KEY$/.test(name) ? [value] : [],
  )
  const embedded = Object.values(clients).flatMap(({ apiKey, secretKey }) => [apiKey, secretKey])
  return [...new Set([...given, ...embedded])].filter((value) => value.trim() !== '')
}
