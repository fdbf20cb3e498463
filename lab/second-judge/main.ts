// Asks both judges about every exchange of a gate with each fault and variant of the reference service, or with each stack.
import { parseArgs } from 'node:util'
import { endIn } from '../asked.ts'
import { allSubjects } from '../proof/subjects.ts'
import { judgeStack } from '../stacks/judged-stack.ts'
import { folderOf } from '../stacks/running-stack.ts'
import { allStacks, faultsOf, missingFor } from '../stacks/stack.ts'
import { publish, published } from '../trust/published.ts'
import { addSituations, askBoth, asking, type Situations } from './comparison.ts'
import { figuresOf, openLines } from './figures.ts'

const usage = `npm run lab -- second-judge [options]: asks both judges about everything that is answered to a gate.
  --of WHAT        proof (faults and variants of the reference service) or stacks (services in other frameworks, and
                   their faults); proof unless given. npm run lab -- mutants asks both judges about its own exchanges
  --only NAME      this fault, variant or stack
  --every N        every Nth of them
`

/** A service, or several of one kind, and how both judges are asked about their exchanges. */
interface Asked {
  readonly name: string
  readonly ask: (met: Situations) => Promise<void>
}

const ofProof: readonly Asked[] = allSubjects
  .filter(({ kind, needs }) => (kind === 'fault' || kind === 'variant') && needs === null)
  .map(({ name, start }) => ({
    name,
    ask: async (met) => {
      const started = await start()
      try {
        await askBoth(started.env, met)
      } finally {
        await started.close()
      }
    },
  }))

const ofStacks: readonly Asked[] = allStacks
  .filter((stack) => missingFor(stack).length === 0)
  .map((stack) => ({
    name: stack.name,
    ask: async (met) => {
      const folder = await folderOf(stack)
      try {
        for (const fault of [null, ...faultsOf(stack).map(({ name }) => name)]) {
          const run = { stack: stack.name, fault, profile: 'gate' } as const
          await judgeStack(run, folder, stack.name, (settings) => asking(settings, met))
        }
      } finally {
        await folder.remove()
      }
    },
  }))

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      of: { type: 'string', default: 'proof' },
      only: { type: 'string' },
      every: { type: 'string', default: '1' },
    },
  })
  const { of, only, every } = values
  if (of !== 'proof' && of !== 'stacks') throw new Error(`--of: given ${of}, expected proof or stacks`)
  const all = of === 'proof' ? ofProof : ofStacks
  const asked = all.filter(({ name }, at) => (only === undefined ? at % Number(every) === 0 : name === only))
  if (asked.length === 0) throw new Error(`--only ${String(only)}, --every ${every}: nothing is chosen`)
  const met: Situations = new Map()
  for (const { name, ask } of asked) {
    const here: Situations = new Map()
    await ask(here)
    for (const line of openLines(here)) process.stdout.write(`${line}; ${name}\n`)
    addSituations(here, met)
  }
  const reasons = [...met.values()].flatMap(({ settled }) => settled ?? [])
  for (const reason of new Set(reasons)) {
    const times = reasons.filter((one) => one === reason).length
    process.stdout.write(`settled in ${times} situations: ${reason}\n`)
  }
  const figures = figuresOf(met)
  if (asked.length === (of === 'proof' ? ofProof : allStacks).length) {
    const { exchanges: _, ...situations } = figures
    publish({ judges: { ...published().judges, [of]: situations } })
  }
  process.stdout.write(`${JSON.stringify({ of, asked: asked.length, ...figures })}\n`)
  return figures.disagree === 0 ? 0 : 1
}

await endIn(main, usage)
