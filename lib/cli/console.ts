import { settingMeantBy, settingNamed } from '../settings/setting-table.ts'
import type { SettingsInput } from '../settings/sources.ts'

/** What a command may use of the process, so that tests can stand in for it. */
export interface Console {
  readonly out: (text: string) => void
  readonly err: (text: string) => void
  readonly env: SettingsInput['env']
  readonly cwd: string
  readonly colour: boolean
  readonly width: number
  /** Standard error, where it is a terminal on which a line can be rewritten; null in a log. */
  readonly terminal: { readonly columns: () => number } | null
  readonly now: () => Date
}

/** The console of this process. Only it knows the credentials from then on: they are gone from the environment. */
export function processConsole(): Console {
  const { stdout, stderr } = process
  const env = { ...process.env }
  forgetCredentials(process.env)
  return {
    out: (text) => void stdout.write(text),
    err: (text) => void stderr.write(text),
    env,
    cwd: process.cwd(),
    colour: stdout.isTTY && env['NO_COLOR'] === undefined && env['TERM'] !== 'dumb',
    width: Math.min(Math.max(stdout.columns || 100, 60), 140),
    terminal: isTerminal(stderr, env) ? { columns: () => stderr.columns || 80 } : null,
    now: () => new Date(),
  }
}

/**
 * Takes credentials out of the environment, also those under a misspelt name: workers inherit it, and what Node prints of
 * itself shows it (NODE_DEBUG=worker, diagnostic reports).
 */
function forgetCredentials(env: NodeJS.ProcessEnv): void {
  for (const name of Object.keys(env)) {
    const known = settingNamed(name.toUpperCase()) ?? settingNamed(settingMeantBy(name) ?? '')
    if (known?.secret === true) Reflect.deleteProperty(env, name)
  }
}

/** Some pipelines lend a terminal; what is rewritten there fills their logs. */
function isTerminal({ isTTY }: NodeJS.WriteStream, env: Console['env']): boolean {
  const ci = env['CI'] ?? ''
  return isTTY && env['TERM'] !== 'dumb' && (ci === '' || ci === 'false')
}
