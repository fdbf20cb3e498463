import { test as base, type ExpectStatic } from 'vitest'
import { clients } from '../../lib/serve/reference/clients.ts'
import { startService } from '../../lab/service/start.ts'
import type { ReferenceOptions, ReferenceService } from '../../lib/serve/reference/service.ts'
import {
  atMost,
  reportsFolderOf,
  runProgram,
  type ProgramOptions,
  type ProgramResult,
  rulesThat,
} from './program.ts'
import { leaks, plainly } from '../leaks/leaks.ts'
import { runInProcess } from './in-process.ts'

type Run = (args: readonly string[], options?: ProgramOptions) => Promise<ProgramResult>

/**
 * Runs the program, quietly where nothing else is asked for, at most `limit` times at once, and fails the test when a credential stands in what it left behind. The proof and
 * `canary.test.ts` look for every writing of it.
 */
export function runner(limit: number, runs: Run = runProgram): Run {
  const inTurn = atMost(limit)

  return async (args, options = {}) => {
    // How long a run takes is the machine's affair, and what it would say after ten seconds with it.
    const env = { RUN_QUIET: 'true', ...options.env }
    const result = await inTurn(() => runs(args, { ...options, env }))
    const { stdout, stderr, cwd } = result
    const reportsFolder = reportsFolderOf(cwd, options.env)

    const credentials = credentialsIn(options.env)
    const found = await leaks({ stdout, stderr, reportsFolder }, credentials, plainly(credentials))
    if (found.length > 0) throw new Error(found.join('\n'))
    return result
  }
}

/** Runs the program as a process of its own. More at once would only wait for the processor, and time limits with them. */
export const runWhole = runner(3)

/** Runs the program within the test's process, which takes a fraction of the time. */
export const run = runner(2, runInProcess)

/** A test that may run beside others: the services that it starts end with it. */
export const test = base.extend<{
  readonly reference: (options?: ReferenceOptions) => Promise<ReferenceService>
}>({
  reference: async ({ onTestFinished }, use) => {
    await use(async (options) => {
      const service = await startService(options)
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

/** Fails unless the service was found conformant, and every rule could be judged but these. */
export function expectConformant(
  expect: ExpectStatic,
  { code, verdict, stdout }: ProgramResult,
  untested: readonly string[] = [],
): void {
  expect(rulesThat(verdict, 'failed', 'warned', 'inconclusive')).toEqual([])
  const inAcceptance = verdict?.profile === 'acceptance' ? [] : ['conventions/http-messages']
  expect(rulesThat(verdict, 'untested').toSorted()).toEqual(
    [...inAcceptance, ...untested, 'tolerance/no-breaking-change'].toSorted(),
  )
  expect(verdict).toMatchObject({ verdict: 'conformant', exitCode: 0, because: [] })
  expect(stdout).toContain('CONFORMANT')
  expect(code).toBe(0)
}

/** Fails unless the run was incomplete, blamed nobody, and said all of this on the terminal. */
export function expectIncomplete(
  expect: ExpectStatic,
  { code, verdict, stdout }: ProgramResult,
  says: readonly string[],
): void {
  expect(rulesThat(verdict, 'failed', 'warned')).toEqual([])
  // A reason that stands alone begins with a capital letter.
  for (const words of says) expect(unwrapped(stdout).toLowerCase()).toContain(words.toLowerCase())
  expect(verdict).toMatchObject({ verdict: 'incomplete', exitCode: 3 })
  expect(verdict?.because.length).toBeGreaterThan(0)
  expect(stdout).toContain('exit 3')
  expect(code).toBe(3)
}

/** What a terminal says, wherever its lines were broken. */
function unwrapped(text: string): string {
  return text.replaceAll(/\s+/g, ' ')
}
