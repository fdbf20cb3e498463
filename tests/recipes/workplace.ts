import type { ReferenceService } from '../../lib/serve/reference/service.ts'
import { settingsFor } from '../support/program.ts'
import type { Runner } from './steps.ts'
import { stubs, userRepository } from './user-repository.ts'

/** Values of the expressions in a workflow, as GitHub would set them for this service. */
export function contextFor(service: ReferenceService): Runner['context'] {
  const settings = Object.entries(settingsFor(service))
  return {
    ...Object.fromEntries(
      settings.flatMap(([name, value]) => [
        [`vars.${name}`, value],
        [`secrets.${name}`, value],
      ]),
    ),
    'github.sha': 'f34ee38',
    'github.event.pull_request.number': '7',
    'github.run_id': '41',
    'github.run_attempt': '1',
    'inputs.base-url': service.baseUrl,
    'inputs.profile': 'gate',
    'inputs.label': 'vendor a; touch owned',
    'inputs.history': 'vendor-a',
    'inputs.vendor': 'vendor-a',
    'inputs.build': '$(touch owned)',
    'matrix.target': 'vendor-a',
  }
}

/** A folder to run steps in, and a folder with stubs of programs. */
export interface Place {
  readonly cwd: string
  readonly stubs: string
}

/** A user's repository, and stubs of these programs. */
export async function workplace(...names: readonly string[]): Promise<Place> {
  return { cwd: await userRepository(), stubs: await stubs(...names) }
}

/** Files that `init` copies. */
export const copied = ['docs/ci/github-gate.yml', 'docs/ci/gitlab-ci.yml', 'docs/ci/Jenkinsfile'] as const

/** Uncomments the settings that a user is asked to activate. */
export function activated(text: string): string {
  return text.replaceAll(/^( *)(?:#|\/\/) (?=(?:RUN_WAIVERS|FIXTURE_\w+)(?:: | = ))/gm, '$1')
}

/** One case per rule. */
export const quick = { RUN_ESSENTIAL: 'true' }

/** A few requests in each profile. */
export const tiny = { RUN_ONLY: 'endpoints/*', RUN_FUZZ_CASES: '1' }
