import { Console as NodeConsole } from 'node:console'
import { pipelineOf } from '../../settings/pipeline.ts'
import { settingNamed, variableMeantBy } from '../../settings/setting-table.ts'
import type { SettingsInput } from '../../settings/sources.ts'

/** Instructions for the program's entry point (`bin/card-switch-conformance.mjs`) in case the process ends before the command. */
export interface Ending {
  /**
   * Reports folders with an earlier verdict that could be mistaken for this run's. The entry point begins with those that the command line
   * and the environment name.
   */
  folders?: readonly string[]
  /** Whether this run has locked the folder and moved its earlier reports away. */
  isLocked?: boolean
  /** Inode of the provisional verdict; once it is set, this run owns the folder. */
  begun?: number
  /** Returns the text to print for an uncaught error described by `text`; null if the command reports it and continues. */
  uncaught?: (error: unknown, text: string) => string | null
  /**
   * Makes V8 optimise code this many times later than usual, and lets the memory for new objects grow by this factor. The entry point
   * assumes a short run; 1 and 2 are V8's defaults.
   */
  tune?: (later: number, growth: number) => void
}

/** The parts of the process that a command uses; tests replace them. */
export type Console = Readonly<{
  out: (text: string) => void
  err: (text: string) => void
  env: SettingsInput['env']
  cwd: string
  colour: boolean
  width: number
  /** Standard error if it is a terminal that can rewrite lines; null in a log. */
  terminal: { readonly columns: () => number } | null
  /** Whether the user can be prompted, that is, both input and output are terminals. */
  canAsk: boolean
  now: () => Date
  /** Informs the program's entry point of what to clean up if the process ends early. */
  ending: Ending
}>

/**
 * The console of this process. Moves the credentials from the environment into it. Standard output is reserved for the program, so
 * `console` calls in the user's modules go to standard error.
 */
export function processConsole(ending: Ending): Console {
  const { stdout, stderr } = process
  const env = { ...process.env }
  forgetCredentials(process.env)
  Object.assign(console, new NodeConsole(stderr, stderr))
  return {
    out: (text) => void stdout.write(text),
    err: (text) => void stderr.write(text),
    env,
    cwd: process.cwd(),
    colour: wantsColour(env, stdout.isTTY),
    width: Math.min(Math.max(stdout.columns || 100, 60), 140),
    terminal: canRewrite(stderr, env) ? { columns: () => stderr.columns || 80 } : null,
    canAsk: process.stdin.isTTY && stdout.isTTY && canRewrite(stderr, env),
    now: () => new Date(),
    ending,
  }
}

/** Whether to use colour, following Node's convention. FORCE_COLOR overrides NO_COLOR, and both override the terminal check. */
export function wantsColour(env: Console['env'], isTerminal: boolean) {
  const { FORCE_COLOR: forced, NO_COLOR = '', NODE_DISABLE_COLORS = '', TERM } = env
  if (forced !== undefined) return ['', 'true', '1', '2', '3'].includes(forced)
  return isTerminal && NO_COLOR === '' && NODE_DISABLE_COLORS === '' && TERM !== 'dumb'
}

/**
 * Removes credentials from the environment, even under misspelt names, because workers inherit it and Node prints it (NODE_DEBUG=worker,
 * diagnostic reports). The paths of their files stay.
 */
function forgetCredentials(env: NodeJS.ProcessEnv) {
  for (const name of Object.keys(env)) {
    const known = settingNamed(name.toUpperCase()) ?? settingNamed(variableMeantBy(name) ?? '')
    if (known?.secret === true && !/_FILE$/i.test(name)) Reflect.deleteProperty(env, name)
  }
}

/** Some pipelines have a terminal, but rewritten lines would fill their logs. */
function canRewrite({ isTTY }: NodeJS.WriteStream, env: Console['env']) {
  return isTTY && env['TERM'] !== 'dumb' && pipelineOf(env) === null
}
