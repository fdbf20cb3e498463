const maxMinutes = 7

/** Node's options for a process in which a timer of this time passes when it is told to: by `globalThis.passes()`, or by SIGUSR2. */
export function passingWhenTold(ms: number) {
  const code = `
    const { setTimeout } = globalThis
    globalThis.setTimeout = (act, afterMs, ...given) => {
      if (afterMs !== ${ms}) return setTimeout(act, afterMs, ...given)
      globalThis.passes = act
      process.on('SIGUSR2', act)
      return setTimeout(() => {}, 1e9).unref()
    }`
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(code)}` }
}

/** A run of the most minutes that passes when it is told to. */
export const deadline = {
  args: ['--max-minutes', String(maxMinutes)],
  says: `the run took longer than ${maxMinutes} minutes (RUN_MAX_MINUTES)`,
  env: passingWhenTold(maxMinutes * 60_000),
} as const
