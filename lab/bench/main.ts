import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { boundText, bounds, breaks } from './goals.ts'
import { machine } from './machine.ts'
import { root } from './measure/program.ts'
import { shown } from './measure/spread.ts'
import { benchmarksPage, sectionText, type MeasuredSection } from './page.ts'
import { installPeers } from './peers/load.ts'
import type { Figures, Scale, Section } from './section.ts'
import { endpoints } from './sections/endpoints.ts'
import { gate } from './sections/gate.ts'
import { latency } from './sections/latency.ts'
import { memory } from './sections/memory.ts'
import { startUp } from './sections/start-up.ts'
import { targets } from './sections/targets.ts'

const sections: readonly Section[] = [gate, latency, startUp, memory, endpoints, targets]
const names = sections.map(({ name }) => name).join(', ')

const usage = `npm run lab -- bench [options]: measures everything and writes docs/benchmarks.md.
  --only LIST      these sections, printed: ${names}
  --quick          less of everything, printed
  --ci             ratios that must not get worse, each with its bound; exit 1 if one did
`

interface Asked {
  readonly chosen: readonly Section[]
  readonly scale: Scale
  readonly writes: boolean
}

function asked(): Asked {
  const { values } = parseArgs({
    options: {
      only: { type: 'string' },
      quick: { type: 'boolean', default: false },
      ci: { type: 'boolean', default: false },
    },
  })
  const { only, quick, ci } = values
  const wanted = only?.split(',')
  const unknown = wanted?.filter((name) => !sections.some((section) => section.name === name)) ?? []
  if (unknown.length > 0) throw new Error(`--only: given ${unknown.join(',')}, expected of ${names}`)
  const chosen = sections.filter(({ name }) => wanted?.includes(name) ?? !(ci && name === targets.name))
  return { chosen, scale: scaleOf(quick, ci), writes: wanted === undefined && !quick && !ci }
}

function scaleOf(quick: boolean, ci: boolean): Scale {
  if (ci) return { kind: 'regression', rounds: 5 }
  return quick ? { kind: 'quick', rounds: 3 } : { kind: 'whole', rounds: 5 }
}

async function measureAll({ chosen, scale, writes }: Asked): Promise<number> {
  installPeers()
  const measured: MeasuredSection[] = []
  for (const { name, title, measure } of chosen) {
    const started = performance.now()
    const section = { name, title, ...(await measure(scale)) }
    measured.push(section)
    const seconds = Math.round((performance.now() - started) / 1_000)
    if (scale.kind === 'regression') process.stdout.write(`${name}: measured in ${seconds} s\n`)
    else process.stdout.write(`${sectionText(section)}\n(${name}: ${seconds} s)\n\n`)
  }
  if (scale.kind === 'regression')
    return regressions(Object.assign({}, ...measured.map((one) => one.figures)))
  const date = new Date().toISOString().slice(0, 10)
  const page = benchmarksPage(measured, { machine: machine(), date, rounds: scale.rounds })
  if (writes) await writeFile(join(root, 'docs/benchmarks.md'), page)
  return 0
}

/** Tells every figure and its bound; 1 if one is worse in every round. */
function regressions(figures: Figures): number {
  let code = 0
  for (const bound of bounds) {
    const spread = figures[bound.figure]
    if (spread === undefined) continue
    const isBroken = breaks(bound, spread)
    process.stdout.write(`${isBroken ? '✗' : '✓'} ${bound.figure}: ${shown(spread)}, ${boundText(bound)}\n`)
    if (isBroken) code = 1
  }
  return code
}

let wanted
try {
  wanted = asked()
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`)
  process.exit(2)
}
process.exitCode = await measureAll(wanted)
