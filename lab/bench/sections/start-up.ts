import { readFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { moduleFile } from '../measure/child.ts'
import { inTurn } from '../measure/in-turn.ts'
import { spentUntil, type CpuProfile } from '../measure/profile.ts'
import { inEmptyFolder, root, runNode, withInstalled, type Ended } from '../measure/program.ts'
import { ratioOf, shown, spreadOf, type Spread } from '../measure/spread.ts'
import { runNewman } from '../peers/newman.ts'
import type { Measured, Section, Table } from '../section.ts'
import { startReferenceProcess, type ReferenceProcess, type Seen } from '../services/reference.ts'

/** Milliseconds until the first request arrived; of an empty Node, from start to exit. */
type Times = (name: 'installed' | 'checkout' | 'newman' | 'pactum' | 'empty') => readonly number[]

/** Until the first request arrives, and what that is spent on. */
export const startUp: Section = {
  name: 'start-up',
  title: 'Start-up',
  measure: async ({ kind, rounds }) => {
    const reference = startReferenceProcess()
    try {
      return await withInstalled(async (installed) => {
        const first = async (...args: readonly string[]): Promise<number> =>
          untilFirst(await reference.during((env) => runNode({ args, env })))
        await first(installed)
        const times = await inTurn(rounds, {
          installed: () => first(installed),
          checkout: () => first(join(root, 'bin/card-switch-conformance.mjs')),
          newman: async () => untilFirst(await reference.during(runNewman)),
          pactum: () => first(moduleFile('peers/pactum-run')),
          empty: async () => (await runNode({ args: ['-e', '0'] })).seconds * 1_000,
        })
        const figures = figuresOf(times)
        if (kind === 'regression') return { parts: [], figures }
        const spent = []
        for (let round = 0; round < rounds; round += 1) spent.push(await profiled(installed, reference))
        return { parts: [about, timesTable(times), aboutSpent, spentTable(spent)], figures }
      })
    } finally {
      reference.end()
    }
  },
}

function figuresOf(times: Times): Measured['figures'] {
  return { 'first request : newman': ratioOf(times('installed'), times('newman')) }
}

function untilFirst({ startedAt, firstAt }: Ended & Seen): number {
  return firstAt - startedAt
}

/** Milliseconds by what they were spent on until the first request arrived. */
async function profiled(
  installed: string,
  reference: ReferenceProcess,
): Promise<ReadonlyMap<string, number>> {
  return inEmptyFolder(async (folder) => {
    const args = ['--cpu-prof', '--cpu-prof-interval', '250', `--cpu-prof-dir=${folder}`, installed]
    const { startedAt, firstAt } = await reference.during((env) => runNode({ args, env }))
    const [file = ''] = await readdir(folder)
    const profile: CpuProfile = JSON.parse(await readFile(join(folder, file), 'utf8'))
    const spent = spentUntil(profile, firstAt, kindOf)
    return new Map([
      ['Node itself, until it runs JavaScript', profile.startTime / 1_000 - startedAt],
      ...spent,
    ])
  })
}

/** Functions of ours by what they begin; what they call counts as theirs. */
const beginnings: Readonly<Record<string, string>> = {
  readSettings: 'reading settings',
  planRun: 'planning',
  beginRun: 'taking the reports folder',
}

/** What a function's time counts as; null leaves it to its caller. */
function kindOf({ functionName, url, lineNumber }: CpuProfile['nodes'][number]['callFrame']): string | null {
  if (functionName === '(garbage collector)') return 'collecting garbage'
  if (functionName === '(idle)') return 'waiting for files and the network'
  if (functionName === '(program)') return 'native code of Node'
  const library = /\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url)?.[1]
  if (library !== undefined) return `running \`${library}\``
  if (url.startsWith('node:internal/modules/')) return 'finding, reading and compiling modules'
  if (!url.includes('/dist/')) return null
  // A module itself is a function without a name on its first line.
  const isModule = functionName === '' && lineNumber === 0
  return isModule ? 'running our modules as they are loaded' : (beginnings[functionName] ?? null)
}

function timesTable(times: Times): Table {
  const row = (name: Parameters<Times>[0], says: string): readonly string[] => [
    says,
    shown(spreadOf(times(name))),
    shown(ratioOf(times(name), times('empty'))),
    shown(ratioOf(times(name), times('newman'))),
  ]
  return {
    head: ['until the first request arrives', 'ms', 'of an empty Node', 'of newman'],
    rows: [
      row('empty', 'an empty Node, from start to exit'),
      row('installed', 'a gate, as installed'),
      row('checkout', 'a gate, in a checkout'),
      row('newman', 'newman'),
      row('pactum', 'pactum'),
    ],
  }
}

/** Less than this share of the time is summed up. */
const worthNaming = 0.02

function spentTable(rounds: readonly ReadonlyMap<string, number>[]): Table {
  const kinds = [...new Set(rounds.flatMap((spent) => [...spent.keys()]))]
  const totals = rounds.map((spent) => [...spent.values()].reduce((sum, one) => sum + one, 0))
  const shareOf = (some: readonly string[]): Spread =>
    ratioOf(
      rounds.map((spent) => some.reduce((sum, kind) => sum + (spent.get(kind) ?? 0), 0)),
      totals,
    )
  const [named, small] = [kinds.filter((kind) => isNamed(kind)), kinds.filter((kind) => !isNamed(kind))]
  function isNamed(kind: string): boolean {
    return kind !== 'other' && shareOf([kind]).median >= worthNaming
  }
  const rows = named
    .toSorted((a, b) => shareOf([b]).median - shareOf([a]).median)
    .map((kind) => [kind, shown(shareOf([kind]))])
  return {
    head: ['spent on', 'share of the time until the first request arrives'],
    rows: [...rows, ['everything else', shown(shareOf(small))]],
  }
}

const about = `From the start of the process until the reference service, another process, sees the first request.`
const aboutSpent = `What the installed program spends that time on, as V8's profiler sees it, which makes it slower. Running a library includes what its
modules do as they are loaded.`
