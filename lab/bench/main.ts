import { execFileSync } from 'node:child_process'
import { availableParallelism, cpus } from 'node:os'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { built } from '../../bin/build.mjs'
import { endIn } from '../asked.ts'
import { bundled } from '../judge/bundle.ts'
import { markdownTable, writeMeasured } from '../markdown.ts'
import { breaks, inTurn, ratios, shown, type Figure } from './figures.ts'
import { installPeers, versionOf } from './peers/load.ts'
import { newmanArguments } from './peers/newman.ts'
import { used, type ArgumentsOf, type Used } from './program.ts'

const usage = `npm run lab -- bench [--ci]: measures the cost of a gate and of other programs, in turns, against the reference service.
Times are processor times, which other work on the machine hardly changes. It writes lab/bench/benchmarks.md.
  --ci   writes nothing; stops after a round in which no figure exceeds its bound, and ends with 1 after five others
`

/** Maximum number of times that each ratio is measured. */
const mostRounds = 5
/** The default concurrency of a gate. */
const atOnce = 8

const program = fileURLToPath(new URL('../../bin/card-switch-conformance.mjs', import.meta.url))
const gate: ArgumentsOf = () => [program]

async function figuresMeasured(isCi: boolean): Promise<readonly Figure[]> {
  const pactumRun = await bundled('lab/bench/peers/pactum-run.ts')
  const plainRequests = await bundled('lab/bench/peers/plain-requests.ts')
  const cases = await bundled('lab/bench/cases.ts')
  const { requests } = await used(gate)
  const memoryOf = (count: number): number => Number(execFileSync(process.execPath, [cases, String(count)]))
  const memory = memoryOf(100_000) / memoryOf(10_000)
  const works = {
    gate: () => used(gate),
    essential: () => used(() => [program, '--essential']),
    newman: () => used(newmanArguments),
    pactum: () => used(() => [pactumRun]),
    plain: () => used(() => [plainRequests, String(requests), String(atOnce)]),
    first: () => used(gate, { untilFirst: true }),
    firstOfNewman: () => used(newmanArguments, { untilFirst: true }),
    slow: () => used(gate, { latencyMs: 100 }),
  }
  const runs = await inTurn(mostRounds, works, (sofar) => isCi && !figuresOf(sofar, memory).some(breaks))
  return figuresOf(runs, memory)
}

type Work = 'gate' | 'essential' | 'newman' | 'pactum' | 'plain' | 'first' | 'firstOfNewman' | 'slow'

/** Bounds are about 1.5 times the measured value. */
function figuresOf(runs: (work: Work) => readonly Used[], memory: number): readonly Figure[] {
  const seconds = (work: Work): readonly number[] => runs(work).map((run) => run.seconds)
  const requests = (work: Work): readonly number[] => runs(work).map((run) => run.requests)
  const peer = (name: 'newman' | 'pactum'): string => `${name} ${versionOf(name)} with its thirty requests`
  const chained = runs('slow').map((run) => (run.inRow * atOnce) / run.requests)
  const each = `of requests ÷ ${atOnce} at once`
  const ofScript = 'processor time: a gate, of a plain undici script that sends as many requests'
  const ofFirst = 'processor time until the first request arrives: a gate, of newman'
  return [
    ['requests of a gate', requests('gate'), 330],
    ['requests of a gate with `--essential`', requests('essential'), 36],
    [`processor time: a gate, of ${peer('newman')}`, ratios(seconds('gate'), seconds('newman')), 1.3],
    [`processor time: a gate, of ${peer('pactum')}`, ratios(seconds('gate'), seconds('pactum')), null],
    [ofScript, ratios(seconds('gate'), seconds('plain')), 3.5],
    [ofFirst, ratios(seconds('first'), seconds('firstOfNewman')), 0.8],
    [`requests of a gate that wait for each other at 100 ms an answer, ${each}`, chained, 1.8],
    ['memory of 100,000 cases, of 10,000', [memory], 1.7],
  ]
}

async function bench(): Promise<number> {
  const { values } = parseArgs({ options: { ci: { type: 'boolean', default: false } } })
  built()
  installPeers()
  const figures = await figuresMeasured(values.ci)
  for (const figure of figures) {
    const [says, rounds, atMost] = figure
    const bound = atMost === null ? '' : `, at most ${atMost}`
    process.stdout.write(`${breaks(figure) ? '✗' : '✓'} ${says}: ${shown(rounds)}${bound}\n`)
  }
  if (values.ci) return Number(figures.some(breaks))
  const rows = figures.map(([says, rounds, atMost]) => [says, shown(rounds), atMost ?? ''])
  const table = markdownTable(['figure', 'measured', 'bound in CI'], rows)
  const machine = `${cpus()[0]?.model.trim()}, ${availableParallelism()} cores, Node ${process.versions.node}`
  const made = `\`npm run lab -- bench\` wrote this table on ${new Date().toISOString().slice(0, 10)}: ${machine}.`
  await writeMeasured('lab/bench/benchmarks.md', `${made}\n\n${table}`)
  return 0
}

await endIn(bench, usage)
