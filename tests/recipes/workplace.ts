import { join } from 'node:path'
import type { Verdict } from '../../lib/verdict/verdict.ts'
import { describeUnless } from '../gateways/installed.ts'
import { readVerdict, type Texts } from '../support/program.ts'
import { filesIn, textOf } from '../support/syntax.ts'
import { runGithubJob, runGitlabJob, runJenkins, type Outcome, type Runner } from './steps.ts'
import { stubs, userRepository } from './user-repository.ts'

/** Tests that install packages. Skipped if that is impossible, which `support/before-programs.ts` finds out. */
export const describeWithPackages = (title: string, tests: () => void): void =>
  describeUnless(process.env['TESTS_NO_PACKAGES'] ?? null, title, tests)

/** Values of the expressions in a workflow, as GitHub would set them for a service with these settings. */
function contextFor(settings: Texts): Texts {
  return {
    ...Object.fromEntries(Object.entries(settings).map(([name, value]) => [`vars.${name}`, value])),
    ...Object.fromEntries(Object.entries(settings).map(([name, value]) => [`secrets.${name}`, value])),
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

/** A folder to run steps in, and a folder with stubs of programs. */
export type Place = Required<Pick<Runner, 'cwd' | 'stubs'>>

/** A user's repository, and stubs of these programs. */
export async function workplace(...names: readonly string[]): Promise<Place> {
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
  if (file === jenkins) return runJenkins(text, settings, judging)
  if (file === gitlab) return runGitlabJob(text, { ...judging, env: { ...settings, ...env } })
  const { TARGET_BASE_URL: _, ...others } = settings
  // A step that uses the action supplies the settings, and the address as an input.
  const [job, given] = file === action ? [null, others] : ['judge', {}]
  const ofGithub = { GITHUB_ACTIONS: 'true', GITHUB_OUTPUT: join(cwd, 'output') }
  const context = { ...contextFor(settings), ...judging.context }
  return runGithubJob(text, job, { ...judging, context, env: { ...given, ...ofGithub, ...env } })
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
