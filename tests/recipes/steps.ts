import { spawn } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { delimiter, dirname, join } from 'node:path'
import { hangsAfterMs } from '../support/program.ts'
import { documentsOf, type Mapping } from './readers.ts'
import { quietNpm } from './user-repository.ts'

/** Where the steps of a recipe run: the values of its expressions, and the variables that the pipeline sets. */
export interface Runner {
  readonly cwd: string
  /** Values by name, such as `secrets.TARGET_API_KEY`. Missing values are empty. */
  readonly context: Readonly<Record<string, string>>
  readonly env: Readonly<Record<string, string>>
  /** Folder with stubs of programs. */
  readonly stubs?: string
  /** Files that earlier runs saved, by key, oldest first. If absent, nothing is kept. */
  readonly cache?: Map<string, string>
}

/** The result of a step, or of all steps of a job. */
export interface Outcome {
  readonly code: number
  readonly output: string
}

interface Step {
  readonly run?: string
  readonly shell?: string
  readonly uses?: string
  readonly with?: Readonly<Record<string, string>>
  readonly if?: string
  readonly env?: Readonly<Record<string, string>>
  readonly 'continue-on-error'?: boolean
}

/** Steps that only GitHub's runner can execute. Tests provide and collect their files. */
const hostedSteps = /^actions\/(?:checkout|setup-node|cache|upload-artifact|download-artifact)\b/

/** Runs the shell steps of a job of a workflow, or of a composite action, as GitHub's runner does. */
export async function runGithubJob(text: string, job: string | null, runner: Runner): Promise<Outcome> {
  const [workflow = {}] = documentsOf(text)
  const { steps, env = {} } = jobOf(workflow, job)
  let outcome: Outcome = { code: 0, output: '' }
  for (const step of steps) {
    if (step.uses !== undefined && !hostedSteps.test(step.uses)) throw new Error(`unknown step: ${step.uses}`)
    if (outcome.code !== 0 && step.if?.includes('always()') !== true) continue
    if (step.uses?.startsWith('actions/cache/') === true) await useCache(step, runner)
    if (step.run === undefined) continue
    const strict = step.shell === 'bash' ? ['-eo', 'pipefail'] : ['-e']
    const own = evaluated({ ...env, ...step.env }, runner.context)
    const args = ['--noprofile', '--norc', ...strict, '-c', evaluatedText(step.run, runner.context)]
    const { code, output } = await runShell(args, { ...runner, env: { ...own, ...runner.env } })
    const isFailure = code !== 0 && step['continue-on-error'] !== true && outcome.code === 0
    outcome = { code: isFailure ? code : outcome.code, output: outcome.output + output }
  }
  return outcome
}

/** Restores a file from the cache, or saves it there, as GitHub does: a key is never replaced, and a prefix finds the newest key. */
async function useCache(step: Step, { cache, context, cwd }: Runner): Promise<void> {
  const { key = '', path = '', 'restore-keys': prefix = '' } = evaluated(step.with ?? {}, context)
  if (cache === undefined) return
  if (step.uses?.startsWith('actions/cache/save') === true) {
    const text = await readFile(join(cwd, path), 'utf8').catch(() => null)
    if (text !== null && !cache.has(key)) cache.set(key, text)
    return
  }
  const newest = [...cache.keys()].toReversed()
  const wanted = [key, prefix].filter((one) => one !== '')
  const found = wanted.flatMap((start) => newest.find((one) => one.startsWith(start)) ?? [])[0]
  if (found === undefined) return
  await mkdir(dirname(join(cwd, path)), { recursive: true })
  await writeFile(join(cwd, path), cache.get(found) ?? '')
}

function jobOf(workflow: Mapping, job: string | null): { steps: readonly Step[]; env?: Mapping } {
  if (job === null) return Object(workflow['runs'])
  return Object(Object(workflow['jobs'])[job])
}

function evaluated(env: Mapping, context: Runner['context']): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).map(([name, value]) => [name, evaluatedText(String(value), context)]),
  )
}

function evaluatedText(text: string, context: Runner['context']): string {
  return text.replaceAll(/\$\{\{ *([\w.-]+) *\}\}/g, (_, name: string) => context[name] ?? '')
}

/** Runs the steps that all jobs on GitLab share, in one shell as GitLab's runner does. The caller supplies the job's variables. */
export function runGitlabJob(text: string, runner: Omit<Runner, 'context'>): Promise<Outcome> {
  const { before_script: before, script, variables } = Object(documentsOf(text)[0]?.['.conformance'])
  const env = { ...variables, ...runner.env }
  return runShell(['-euc', [...before, ...script].join('\n')], { ...runner, env })
}

/** Runs bash with these arguments. From the tests' environment it gets only what programs need. */
export async function runShell(
  args: readonly string[],
  { cwd, env, stubs }: Omit<Runner, 'context'>,
): Promise<Outcome> {
  const { PATH = '', HOME = '' } = process.env
  const path = stubs === undefined ? PATH : `${stubs}${delimiter}${PATH}`
  const child = spawn('bash', args, {
    cwd,
    env: { PATH: path, HOME, CI: 'true', ...quietNpm, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: hangsAfterMs,
    killSignal: 'SIGKILL',
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => (output += text))
  }
  const code = await new Promise<number | null>((ended, reject) => {
    child.once('error', reject)
    child.once('close', ended)
  })
  return { code: code ?? 137, output }
}
