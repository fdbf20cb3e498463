/** Node options for a process that runs this module before the program. */
export const importing = (code: string): string => `--import=data:text/javascript,${encodeURIComponent(code)}`

const maxMinutes = 7

/** Node options for a process whose timers of this length fire only on `globalThis.passes()` or SIGUSR2. */
export function passingWhenTold(ms: number) {
  const code = `
    const { setTimeout } = globalThis
    globalThis.setTimeout = (act, afterMs, ...given) => {
      if (afterMs !== ${ms}) return setTimeout(act, afterMs, ...given)
      globalThis.passes = act
      process.on('SIGUSR2', act)
      return setTimeout(() => {}, 1e9).unref()
    }`
  return { NODE_OPTIONS: importing(code) }
}

/** A run whose deadline passes on `globalThis.passes()` or SIGUSR2. */
export const deadline = {
  args: ['--max-minutes', String(maxMinutes)],
  says: `the run took longer than ${maxMinutes} minutes (RUN_MAX_MINUTES)`,
  env: passingWhenTold(maxMinutes * 60_000),
} as const
