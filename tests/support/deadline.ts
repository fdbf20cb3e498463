const maxMinutes = 7

/** A run of the most minutes that passes when it is told to: by `globalThis.passes()` within its process, or by SIGUSR2. */
export const deadline = {
  args: ['--max-minutes', String(maxMinutes)],
  says: `the run took longer than ${maxMinutes} minutes (RUN_MAX_MINUTES)`,
  env: {
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(`
      const { setTimeout } = globalThis
      globalThis.setTimeout = (act, afterMs, ...given) => {
        if (afterMs !== ${maxMinutes * 60_000}) return setTimeout(act, afterMs, ...given)
        globalThis.passes = act
        process.on('SIGUSR2', act)
        return setTimeout(() => {}, 1e9).unref()
      }
    `)}`,
  },
} as const
