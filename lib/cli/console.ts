import type { SettingsInput } from '../settings/read-settings.ts'

/** What a command may use of the process, so that tests can stand in for it. */
export interface Console {
  readonly out: (text: string) => void
  readonly err: (text: string) => void
  readonly env: SettingsInput['env']
  readonly cwd: string
  readonly colour: boolean
  readonly width: number
  readonly now: () => Date
}

/** The console of this process. */
export function processConsole(): Console {
  const { stdout, stderr, env } = process
  return {
    out: (text) => void stdout.write(text),
    err: (text) => void stderr.write(text),
    env,
    cwd: process.cwd(),
    colour: stdout.isTTY && env['NO_COLOR'] === undefined && env['TERM'] !== 'dumb',
    width: Math.min(Math.max(stdout.columns || 100, 60), 140),
    now: () => new Date(),
  }
}
