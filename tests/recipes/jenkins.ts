import { runShell } from './steps.ts'
import type { Place } from './workplace.ts'

/** A stage of a Jenkinsfile: its environment and its shell steps. */
export interface Stage {
  readonly name: string
  readonly environment: Readonly<Record<string, string>>
  readonly steps: readonly string[]
}

/** The stages of a declarative pipeline, in order, without those in comments. */
export function stagesOf(jenkinsfile: string): readonly Stage[] {
  const code = jenkinsfile.replaceAll(/^ *\/\/.*\n/gm, '')
  return code
    .split(/\n(?= {4}stage\(| {2}post )/)
    .filter((part) => part.startsWith('    stage('))
    .map((part) => ({
      name: /stage\('([^']+)'\)/.exec(part)?.[1] ?? '',
      environment: Object.fromEntries(
        [...part.matchAll(/^ *([A-Z_]+) = (.+)$/gm)].map(([, name = '', value = '']) => [name, value]),
      ),
      steps: [...part.matchAll(/^ *sh '([^']+)'$/gm)].map(([, step = '']) => step),
    }))
}

/** The environment of a stage as Jenkins sets it: credentials by id, texts unchanged. */
function environmentOf(
  { environment }: Stage,
  credentials: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(environment).map(([name, value]) => {
      const id = /^credentials\('([^']+)'\)$/.exec(value)?.[1]
      if (id === undefined) return [name, value.replaceAll(/^['"]|['"]$/g, '')]
      const secret = credentials[id]
      if (secret === undefined) throw new Error(`there is no credential ${id}: Jenkins would stop here`)
      return [name, secret]
    }),
  )
}

/** The credential id of a setting. */
function credentialId(setting: string): string {
  const own = setting.replace(/^(?:TARGET|FIXTURE)_/, '')
  return `conformance-${own.toLowerCase().replaceAll('_', '-')}`
}

/** Runs the stages of a Jenkinsfile, each step in its own shell. Returns the first exit code that is not 0. */
export async function runJenkins(
  text: string,
  settings: Readonly<Record<string, string>>,
  place: Place,
  env: Readonly<Record<string, string>>,
): Promise<number> {
  const secrets = Object.entries(settings).map(([name, value]) => [credentialId(name), value] as const)
  const { TARGET_BASE_URL = '', FIXTURE_DISPOSABLE_QUOTA = '' } = settings
  for (const stage of stagesOf(text)) {
    const own = environmentOf(stage, Object.fromEntries(secrets))
    // A user replaces the example with this value.
    const quota = 'FIXTURE_DISPOSABLE_QUOTA' in own ? { FIXTURE_DISPOSABLE_QUOTA } : {}
    for (const step of stage.steps) {
      const all = { TARGET_BASE_URL, ...own, ...quota, ...env }
      const { code } = await runShell(['-xec', step], { ...place, env: all })
      if (code !== 0) return code
    }
  }
  return 0
}
