import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { startService } from '../../lab/service/start.ts'
import type { ReferenceOptions, ReferenceService } from '../../lib/serve/reference/service.ts'
import { credentialsIn, leaks, plainly } from '../leaks/leaks.ts'
import { wordsOf } from './command-lines.ts'
import { runInProcess } from './in-process.ts'
import { folderWith, instead, reportsFolderOf, rulesThat, runProgram, settingsFor } from './program.ts'
import type { ProgramOptions, ProgramResult, Run, Texts } from './program.ts'

/** The arguments of a run, or the line whose words they are. */
type Line = string | readonly string[]
const argumentsIn = (line: Line) => (typeof line === 'string' ? wordsOf(line) : line)

/**
 * Runs the program, quietly by default. Fails the test if a run's output or reports contain a credential. The proof and
 * `canary.test.ts` look for every spelling of credentials.
 */
function searched(runs: Run) {
  return async (line: Line, options: ProgramOptions = {}): Promise<ProgramResult> => {
    // The duration of a run depends on the machine, and so do the messages that begin after ten seconds.
    const env = { RUN_QUIET: 'true', ...options.env }
    const result = await runs(argumentsIn(line), { ...options, env })
    const { stdout, stderr, cwd } = result
    const reportsFolder = reportsFolderOf(cwd, options.env)

    const credentials = credentialsIn(options.env)
    const found = await leaks({ stdout, stderr, reportsFolder }, credentials, plainly(credentials))
    if (found.length > 0) throw new Error(found.join('\n'))
    return result
  }
}

/** Runs the program as a separate process. */
export const runWhole = searched(runProgram)

/** Runs the program within the test's process, in a fraction of the time. */
export const run = searched(runInProcess)

/** Starts the reference service of the lab. It is closed when the test ends. */
export async function reference(options?: ReferenceOptions): Promise<ReferenceService> {
  const service = await startService(options)
  onTestFinished(() => service.close())
  return service
}

/** A service, and how the program is run. */
export interface Against extends ReferenceOptions {
  /** Files in the working folder, by path. */
  readonly files?: Texts
  /** Settings in addition to those of the service. */
  readonly env?: Texts
}

/** A service, and the program with its settings in a new working folder. */
export async function against({ files = {}, env: own = {}, ...options }: Against = {}) {
  const [service, cwd] = [await reference(options), await folderWith(files)]
  const env = { ...settingsFor(service), ...own }
  return {
    service,
    cwd,
    env,
    /** Runs the program with the words of a line, by default within this process. */
    run: (line: Line = '', { env: more, ...others }: ProgramOptions = {}, by: Run = run) =>
      by(argumentsIn(line), { cwd, env: { ...env, ...more }, ...others }),
    /** Reads a file in the working folder. */
    read: (name: string) => readFile(join(cwd, name), 'utf8'),
  }
}

/** A service that reports a missing key as invalid while `fault.isBent`, and the program with its settings. */
export async function mendable(fault = { isBent: true }, files: Texts = {}) {
  const body = '{"error_code":"1006","error_message":"invalid api key"}'
  const intervene: Against['intervene'] = ({ headers }, response) =>
    fault.isBent && headers['x-api-key'] === undefined && instead(response, 401, body)
  return { ...(await against({ files, intervene })), fault }
}

/** A text without its line breaks. */
export const inOneLine = (text: string): string => text.replaceAll(/\s+/g, ' ')

/**
 * Fails unless a run ended with this code and printed these texts, with or without their line breaks: on standard error if the code
 * is 2 or 4, otherwise on standard output.
 */
export function expectEnds(
  { code, stdout, stderr }: Pick<ProgramResult, 'code' | 'stdout' | 'stderr'>,
  expected: number | null,
  ...says: readonly (string | RegExp)[]
): void {
  const said = expected === 2 || expected === 4 ? stderr : stdout
  for (const one of says) expect(`${said}\n${inOneLine(said)}`).toMatch(one)
  expect(code, said).toBe(expected)
}

/** Fails unless the verdict is conformant and every rule was judged except these. */
export function expectConformant({ code, verdict, stdout }: ProgramResult, untested: readonly string[] = []) {
  expect(rulesThat(verdict, 'failed', 'warned', 'inconclusive')).toEqual([])
  const inAcceptance = verdict?.profile === 'acceptance' ? [] : ['conventions/http-messages']
  const left = [...inAcceptance, ...untested, 'tolerance/no-breaking-change'].toSorted()
  expect(rulesThat(verdict, 'untested').toSorted()).toEqual(left)
  expect(verdict).toMatchObject({ verdict: 'conformant', exitCode: 0, because: [] })
  expect(stdout).toContain('CONFORMANT')
  expect(code).toBe(0)
}

/** Fails unless the run was incomplete, had no findings, and printed all of these texts. */
export function expectIncomplete({ code, verdict, stdout }: ProgramResult, says: readonly string[]): void {
  expect(rulesThat(verdict, 'failed', 'warned')).toEqual([])
  // A reason printed by itself begins with a capital letter.
  const said = stdout.replaceAll(/\s+/g, ' ').toLowerCase()
  for (const words of says) expect(said).toContain(words.toLowerCase())
  expect(verdict).toMatchObject({ verdict: 'incomplete', exitCode: 3 })
  expect(verdict?.because.length).toBeGreaterThan(0)
  expect(stdout).toContain('exit 3')
  expect(code).toBe(3)
}
