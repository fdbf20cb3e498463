import { addSituations, figuresOf, openLines, type Situations } from '../../second-judge/comparison.ts'
import type { Sink } from './sink.ts'

/** Sums up the opinions of both judges about each exchange. An unsettled difference is an error. */
export function secondSink(): Sink {
  const met: Situations = new Map()
  return {
    each({ situations, outcome: { of, name } }) {
      for (const line of openLines(situations)) process.stderr.write(`${line}; ${of} ${name}\n`)
      addSituations(situations, met)
    },
    end() {
      process.stderr.write(`second judge: ${JSON.stringify(figuresOf(met))}\n`)
      return Promise.resolve(openLines(met).map((line) => line.replace('✗ ', '')))
    },
  }
}
