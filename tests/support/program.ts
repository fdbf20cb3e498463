import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import type { Finding } from '../../lib/judge/record.ts'
import type { RuleId } from '../../lib/specification/rules.ts'
import { readVerdictBytes, verdictMistakes } from '../../lib/verdict/read-verdict.ts'
import type { Verdict, VerdictRule } from '../../lib/verdict/verdict.ts'

export { settingsOf as settingsFor } from '../../lib/doors/cli/serve-command.ts'

const mainFile = fileURLToPath(new URL('../../bin/card-switch-conformance.mjs', import.meta.url))

/** The rules that a gate leaves untested although every fixture is given. It has no baseline. */
export const untestedOfGate = ['conventions/http-messages', 'tolerance/no-breaking-change'] as const

/** A run that takes longer is taken to hang, in milliseconds. On a busy machine the largest runs take minutes. */
export const hangsAfterMs = 300_000

/** Texts by name: variables of the environment, settings, header fields, or files. */
export type Texts = Readonly<Record<string, string>>

/** How the program is started. */
export interface ProgramOptions {
  /** The program gets only these variables, PATH and HOME. */
  readonly env?: Texts
  /** The working folder. Default: a new empty one. */
  readonly cwd?: string
  /** Called once the process runs, for tests that send signals. */
  readonly started?: (child: ChildProcess) => void
  /** The module to start. Default: the program of this checkout. */
  readonly main?: string
  /** A command that starts the program. The program is appended to its arguments. Default: none. */
  readonly through?: readonly string[]
}

/** What a run of the program produced. */
export interface ProgramResult {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
  /** `verdict.json` from the reports folder, validated against its schema, or null. */
  readonly verdict: Verdict | null
  readonly cwd: string
  /** Peak resident memory, in MiB; null on systems other than Linux. */
  readonly memoryMiB: number | null
}

/** A way to run the program. */
export type Run = (args: readonly string[], options?: ProgramOptions) => Promise<ProgramResult>

/**
 * Runs the built program with these arguments and waits for its end. Without the two dashes Node 20 would read --env-file itself,
 * even among the program's arguments.
 */
export const runProgram: Run = async (args, options = {}) => {
  const { cwd = await emptyFolder(), through = [], main = mainFile } = options
  const [command = '', ...words] = [...through, process.execPath, '--', main, ...args]
  const child = spawn(command, words, {
    cwd,
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: hangsAfterMs,
    killSignal: 'SIGKILL',
  })
  const memory = watchMemory(child)
  const [stdout, stderr] = [text(child.stdout), text(child.stderr)]
  options.started?.(child)
  const [code] = await once(child, 'close')

  return {
    code,
    stdout: await stdout,
    stderr: await stderr,
    verdict: await readVerdict(join(reportsFolderOf(cwd, options.env), 'verdict.json')),
    cwd,
    memoryMiB: memory(),
  }
}

/** Runs a command that serves, and ends it by a signal after `act`, which gets what it announces. */
export async function whileServing(
  args: readonly string[],
  act: (text: string) => Promise<unknown> = async () => {},
  options: ProgramOptions = {},
  runs: Run = runProgram,
  signal: NodeJS.Signals = 'SIGINT',
): Promise<ProgramResult> {
  let acted: Promise<unknown> = Promise.resolve()
  const started = (child: ChildProcess): void => {
    child.stdout?.once('data', (said) => {
      acted = act(String(said)).finally(() => child.kill(signal))
      acted.catch(() => {})
    })
  }
  const result = await runs(args, { ...options, started })
  await acted
  return result
}

/** The reports folder of a run with this working folder and environment. Flags are ignored. */
export function reportsFolderOf(cwd: string, env: Texts = {}): string {
  return resolve(cwd, env['RUN_REPORTS_DIR'] ?? 'reports')
}

/** Writes this answer, by default as JSON, instead of the service's. */
export function instead(response: ServerResponse, status: number, body = '', fields: Texts = {}): true {
  response.writeHead(status, { 'content-type': 'application/json', ...fields }).end(body)
  return true
}

/** Resets the connection instead of an answer. */
export function closed(response: ServerResponse): true {
  response.socket?.resetAndDestroy()
  return true
}

/** Answers as a gateway does whose service is not available. */
export const unavailable = (response: ServerResponse): true =>
  instead(response, 503, '<h1>503</h1>', { 'content-type': 'text/html' })

/** A rule from a verdict. Throws if the verdict lacks it. */
export function ruleIn(verdict: Verdict | null, id: RuleId): VerdictRule {
  const found = verdict?.rules.find((rule) => rule.id === id)
  if (found === undefined) throw new Error(`the verdict has no rule ${id}`)
  return found
}

/** The first finding of a rule in a run. Throws if there is none. */
export function findingOf({ verdict }: ProgramResult, rule: RuleId): Finding {
  const [finding] = ruleIn(verdict, rule).findings
  if (finding === undefined) throw new Error(`${rule} has no finding`)
  return finding
}

/** A replay line as a shell splits it into arguments. */
export function argumentsOf({ replay }: Finding): readonly string[] {
  const [, line] = /^npx --no -- card-switch-conformance (.+)$/s.exec(replay ?? '') ?? []
  if (line === undefined) throw new Error(`not a replay line: ${replay}`)
  return execFileSync('bash', ['-c', `printf '%s\\0' ${line}`], { encoding: 'utf8' })
    .split('\0')
    .slice(0, -1)
}

/** The ids of rules in a verdict with one of these statuses. */
export function rulesThat(verdict: Verdict | null, ...statuses: readonly VerdictRule['status'][]) {
  return (verdict?.rules ?? []).filter(({ status }) => statuses.includes(status)).map(({ id }) => id)
}

const folders: string[] = []
process.once('exit', () => folders.forEach((folder) => rmSync(folder, { recursive: true, force: true })))

/** A new empty folder, removed when the tests end. */
export async function emptyFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'conformance-'))
  folders.push(folder)
  return folder
}

/** Writes these files, by their paths, into a folder, and returns it. Values that are neither text nor bytes become JSON. */
export async function filled(folder: string, files: Readonly<Record<string, unknown>>): Promise<string> {
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true })
    const isWritten = typeof content === 'string' || content instanceof Uint8Array
    await writeFile(join(folder, name), isWritten ? content : JSON.stringify(content))
  }
  return folder
}

/** A new folder with these files, removed when the tests end. */
export const folderWith = async (files: Parameters<typeof filled>[1]) => filled(await emptyFolder(), files)

/** A verdict that the program can read and that fits its schema, or null if the file does not exist. */
export async function readVerdict(file: string): Promise<Verdict | null> {
  const json = await readFile(file, 'utf8').catch(() => null)
  if (json === null) return null
  const value: Verdict = JSON.parse(json)
  const mistakes = verdictMistakes(value)
  if (mistakes.length > 0) throw new Error(`verdict.json does not fit its schema: ${mistakes.join('; ')}`)
  const read = readVerdictBytes(Buffer.from(json))
  if (read.kind === 'wrong') throw new Error(`verdict.json ${read.wrong}`)
  return value
}

/**
 * The peak resident set of a process so far. Linux tracks the peak itself, so occasional reads are enough. A thousand of these
 * small reads take about ten milliseconds.
 */
function watchMemory(child: ChildProcess): () => number | null {
  let highest: number | null = null
  const look = async (): Promise<void> => {
    const status = await readFile(`/proc/${child.pid}/status`, 'utf8').catch(() => '')
    const kilobytes = /VmHWM:\s+(\d+) kB/.exec(status)?.[1]
    if (kilobytes !== undefined) highest = Math.max(highest ?? 0, Number(kilobytes) / 1024)
  }
  const timer = setInterval(() => void look(), 100)
  child.once('exit', () => clearInterval(timer))
  return () => highest
}
