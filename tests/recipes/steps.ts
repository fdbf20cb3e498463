import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { delimiter } from 'node:path'
import { hangsAfterMs, type Texts } from '../support/program.ts'
import { documentsOf, type Mapping } from './readers.ts'
import { quietNpm } from './user-repository.ts'

/** Where the steps of a recipe run: the values of its expressions, and the variables that the pipeline sets. */
export interface Runner {
  readonly cwd: string
  /** Values by name, such as `secrets.TARGET_API_KEY`. Missing values are empty. Only GitHub has them. */
  readonly context?: Texts
  readonly env?: Texts
  /** Folder with stubs of programs. */
  readonly stubs?: string
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
  readonly if?: string
  readonly env?: Readonly<Record<string, string>>
  readonly 'continue-on-error'?: boolean
}

/** Steps that only GitHub's runner can execute. Tests provide and collect their files. */
const hostedSteps = /^actions\/(?:checkout|setup-node|cache|upload-artifact|download-artifact)\b/

/** Runs the shell steps of a job of a workflow, or of a composite action, as GitHub's runner does. */
export async function runGithubJob(text: string, job: string | null, runner: Runner): Promise<Outcome> {
  const [workflow = {}] = documentsOf(text)
  const own = job === null ? workflow['runs'] : Object(workflow['jobs'])[job]
  const { steps, env = {} }: { steps: readonly Step[]; env?: Mapping } = Object(own)
  const evaluated = (given: string): string =>
    given.replaceAll(/\$\{\{ *([\w.-]+) *\}\}/g, (_, name: string) => runner.context?.[name] ?? '')
  let outcome: Outcome = { code: 0, output: '' }
  for (const step of steps) {
    if (step.uses !== undefined && !hostedSteps.test(step.uses)) throw new Error(`unknown step: ${step.uses}`)
    if (outcome.code !== 0 && step.if?.includes('always()') !== true) continue
    if (step.run === undefined) continue
    const strict = step.shell === 'bash' ? ['-eo', 'pipefail'] : ['-e']
    const variables = Object.entries({ ...env, ...step.env })
    const given = variables.map(([name, value]) => [name, evaluated(String(value))])
    const args = ['--noprofile', '--norc', ...strict, '-c', evaluated(step.run)]
    const all = { ...Object.fromEntries(given), ...runner.env }
    const { code, output } = await runShell(args, { ...runner, env: all })
    const isFailure = code !== 0 && step['continue-on-error'] !== true && outcome.code === 0
    outcome = { code: isFailure ? code : outcome.code, output: outcome.output + output }
  }
  return outcome
}

/** Runs the steps that all jobs on GitLab share, in one shell as GitLab's runner does, with the variables of the gate. */
export async function runGitlabJob(text: string, runner: Runner): Promise<Outcome> {
  const [pipeline = {}] = documentsOf(text)
  const { before_script: before, script, variables } = Object(pipeline['.conformance'])
  const env = { ...variables, ...Object(pipeline['conformance']).variables, ...runner.env }
  return runShell(['-euc', [...before, ...script].join('\n')], { ...runner, env })
}

/** The stages of a declarative pipeline with their environment and shell steps, in order, without those in comments. */
export function stagesOf(jenkinsfile: string) {
  const code = jenkinsfile.replaceAll(/^ *\/\/.*\n/gm, '')
  return code
    .split(/\n(?= {4}stage\(| {2}post )/)
    .filter((part) => part.startsWith('    stage('))
    .map((part) => ({
      name: /stage\('([^']+)'\)/.exec(part)?.[1] ?? '',
      environment: [...part.matchAll(/^ *([A-Z_]+) = (.+)$/gm)].map(
        ([, name = '', value = '']) => [name, value] as const,
      ),
      steps: [...part.matchAll(/^ *sh '([^']+)'$/gm)].map(([, step = '']) => step),
    }))
}

/** The value of a variable as Jenkins sets it: a credential by its id, a text unchanged. */
function valueOf(name: string, value: string, settings: Texts): string {
  // A user replaces the example with this value.
  if (name === 'FIXTURE_DISPOSABLE_QUOTA') return settings[name] ?? ''
  const id = /^credentials\('([^']+)'\)$/.exec(value)?.[1]
  if (id === undefined) return value.replaceAll(/^['"]|['"]$/g, '')
  const [, ...own] = name.toLowerCase().split('_')
  const secret = settings[name]
  if (id !== `conformance-${own.join('-')}` || secret === undefined)
    throw new Error(`there is no credential ${id}: Jenkins would stop here`)
  return secret
}

/** Runs the stages of a Jenkinsfile, each step in its own shell, until one fails. Credentials have the ids of these settings. */
export async function runJenkins(text: string, settings: Texts, runner: Runner): Promise<Outcome> {
  let output = ''
  for (const { environment, steps } of stagesOf(text)) {
    const own = environment.map(([name, value]) => [name, valueOf(name, value, settings)] as const)
    const { TARGET_BASE_URL = '' } = settings
    for (const step of steps) {
      const env = { TARGET_BASE_URL, ...Object.fromEntries(own), ...runner.env }
      const ended = await runShell(['-xec', step], { ...runner, env })
      output += ended.output
      if (ended.code !== 0) return { code: ended.code, output }
    }
  }
  return { code: 0, output }
}

/** Runs bash with these arguments. From the tests' environment it gets only what programs need. */
export async function runShell(args: readonly string[], { cwd, env, stubs }: Runner): Promise<Outcome> {
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
  const [code] = await once(child, 'close')
  return { code: code ?? 137, output }
}
