import type { Sink } from './sink.ts'

/** Counts the results of replay lines. A line that acquits a service is reported with its run. */
export function replaySink(): Sink {
  const ends = new Map<string, number>()
  return {
    each({ replays }) {
      for (const end of replays) ends.set(end, (ends.get(end) ?? 0) + 1)
    },
    end() {
      for (const [end, count] of ends) process.stderr.write(`${count} replays: ${end}\n`)
      return Promise.resolve([])
    },
  }
}
