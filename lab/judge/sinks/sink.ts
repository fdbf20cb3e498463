import { addSituations, figuresOf, openLines, type Situations } from '../../second-judge/comparison.ts'
import type { Ran } from '../run.ts'
import type { Outcome } from '../service.ts'

/** A destination for outcomes. */
export interface Sink {
  readonly each?: (ran: Ran) => void
  /** Writes its output, and returns what is wrong as sentences. */
  readonly end: (all: readonly Outcome[]) => Promise<readonly string[]>
}

/** Counts the results of replay lines. A line that acquits a service is reported with its run. */
export function replaySink(): Sink {
  const ends = new Map<string, number>()
  return {
    each({ replays = [] }) {
      for (const end of replays) ends.set(end, (ends.get(end) ?? 0) + 1)
    },
    end() {
      for (const [end, count] of ends) process.stderr.write(`${count} replays: ${end}\n`)
      return Promise.resolve([])
    },
  }
}

/** Sums up the opinions of both judges about each exchange. An unsettled difference is an error. */
export function secondSink(): Sink {
  const met: Situations = new Map()
  return {
    each({ situations = new Map(), outcome: { of, name } }) {
      for (const line of openLines(situations)) process.stderr.write(`${line}; ${of} ${name}\n`)
      addSituations(situations, met)
    },
    end() {
      process.stderr.write(`second judge: ${JSON.stringify(figuresOf(met))}\n`)
      return Promise.resolve(openLines(met).map((line) => line.replace('✗ ', '')))
    },
  }
}
