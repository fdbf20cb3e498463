import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { delimiter, join } from 'node:path'
import { text as textIn } from 'node:stream/consumers'
import type { Verdict } from '../../lib/verdict/verdict.ts'
import { hangsAfterMs, readVerdict, type Texts } from '../support/program.ts'
import { filesIn, textOf } from '../support/syntax.ts'
import { documentsOf, type Mapping } from './readers.ts'
import { quietNpm, stubs, userRepository } from './user-repository.ts'

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

/** Runs bash with these arguments. From the tests' environment it gets only what programs need. */
export async function runShell(args: readonly string[], { cwd, env, stubs: programs }: Runner) {
  const { PATH = '', HOME = '' } = process.env
  const path = programs === undefined ? PATH : `${programs}${delimiter}${PATH}`
  const child = spawn('bash', ['-c', 'exec bash "$@" 2>&1', 'bash', ...args], {
    cwd,
    env: { PATH: path, HOME, CI: 'true', ...quietNpm, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: hangsAfterMs,
    killSignal: 'SIGKILL',
  })
  const output = textIn(child.stdout)
  const [code] = await once(child, 'close')
  return { code: Number(code ?? 137), output: await output }
}

/** Values of the expressions in a workflow, as GitHub would set them for a service with these settings. */
function contextFor(settings: Texts): Texts {
  const as = (kind: string) => Object.entries(settings).map(([name, value]) => [`${kind}.${name}`, value])
  return {
    ...Object.fromEntries([...as('vars'), ...as('secrets')]),
    'github.sha': 'f34ee38',
    'github.event.pull_request.number': '7',
    'github.run_id': '41',
    'github.run_attempt': '1',
    'inputs.base-url': settings['TARGET_BASE_URL'] ?? '',
    'inputs.profile': 'gate',
    'inputs.label': 'vendor a; touch owned',
    'inputs.history': 'vendor-a',
    'inputs.vendor': 'vendor-a',
    'inputs.build': '$(touch owned)',
    'matrix.target': 'vendor-a',
  }
}

/** A user's repository to run steps in, and stubs of these programs. */
export async function workplace(...names: readonly string[]) {
  return { cwd: await userRepository(), stubs: await stubs(...names) }
}

/** Files that `init` copies. */
export const copied = ['docs/ci/github-gate.yml', 'docs/ci/gitlab-ci.yml', 'docs/ci/Jenkinsfile']
export const workflows = filesIn('docs/ci', '').filter((file) => file.includes('/github-'))
const [, gitlab = '', jenkins = ''] = copied
const action = 'docs/ci/action.yml'
/** Every file that judges in a folder of its user. */
export const recipes = [...workflows, action, gitlab, jenkins]

/** Its context has the values of expressions that differ from the usual ones. */
interface Judging extends Runner {
  /** What a user sets up for the service: variables, secrets, credentials. */
  readonly settings: Texts
  /** Default: the text of the file. */
  readonly text?: string
}

/** Judges a service with the steps of a file, as the system that the file is for would. */
export async function judgedBy(file: string, judging: Judging): Promise<Outcome> {
  const { settings, text = textOf(file), env, cwd } = judging
  if (file === jenkins) return runJenkins(text, judging)
  if (file === gitlab) {
    // The steps that all jobs share run in one shell, with the variables of the gate.
    const [pipeline = {}] = documentsOf(text)
    const { before_script: before, script, variables } = Object(pipeline['.conformance'])
    const own = { ...variables, ...Object(pipeline['conformance']).variables, ...settings, ...env }
    return runShell(['-euc', [...before, ...script].join('\n')], { ...judging, env: own })
  }
  const { TARGET_BASE_URL: _, ...others } = settings
  // A step that uses the action supplies the settings, and the address as an input.
  const [job, given] = file === action ? [null, others] : ['judge', {}]
  const ofGithub = { GITHUB_ACTIONS: 'true', GITHUB_OUTPUT: join(cwd, 'output') }
  const context = { ...contextFor(settings), ...judging.context }
  return runGithubJob(text, job, { ...judging, context, env: { ...given, ...ofGithub, ...env } })
}

/** Runs the stages of a Jenkinsfile, each step in its own shell, until one fails. Credentials have the ids of these settings. */
async function runJenkins(text: string, { settings, ...runner }: Judging): Promise<Outcome> {
  let outcome: Outcome = { code: 0, output: '' }
  for (const { environment, steps } of stagesOf(text)) {
    const own = environment.map(([name, value]) => [name, valueOf(name, value, settings)] as const)
    const { TARGET_BASE_URL = '' } = settings
    const env = { TARGET_BASE_URL, ...Object.fromEntries(own), ...runner.env }
    for (const step of steps) {
      if (outcome.code !== 0) return outcome
      const { code, output } = await runShell(['-xec', step], { ...runner, env })
      outcome = { code, output: outcome.output + output }
    }
  }
  return outcome
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

/** The verdict of a run at a place, or null. */
export const verdictIn = ({ cwd }: { readonly cwd: string }): Promise<Verdict | null> =>
  readVerdict(join(cwd, 'reports/verdict.json'))

/** Uncomments the settings that a user is asked to activate. */
export const activated = (text: string): string =>
  text.replaceAll(/^( *)(?:#|\/\/) (?=(?:RUN_WAIVERS|FIXTURE_\w+)(?:: | = ))/gm, '$1')

/** One case per rule. */
export const quick = { RUN_ESSENTIAL: 'true' }

/** A few requests in each profile. */
export const tiny = { RUN_ONLY: 'endpoints/*', RUN_FUZZ_CASES: '1' }
