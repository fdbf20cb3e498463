import { existsSync } from 'node:fs'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { built } from '../../bin/build.mjs'
import { runInProcess } from '../../tests/support/in-process.ts'
import { emptyFolder } from '../../tests/support/program.ts'
import { endIn } from '../asked.ts'
import { given } from '../proof/given.ts'
import type { Subject } from '../proof/subject.ts'
import { allSubjects } from '../proof/subjects.ts'
import { judgeStack } from '../stacks/judged-stack.ts'
import { folderOf } from '../stacks/running-stack.ts'
import { allStacks, type Stack } from '../stacks/stack.ts'
import { common, differences, lineOf, linesIn, textOf, type GoldenLine } from './line.ts'
import { written } from './wire.ts'

const goldenFile = fileURLToPath(new URL('../../reports/golden/golden.tsv', import.meta.url))

const usage = `npm run lab -- golden [options]: judges every fault, variant, target and stack in gate, one request at a time, and holds what came of
it against reports/golden/golden.tsv: exit code, status and fingerprints of each rule, requests by rule, client and purpose, bytes in order.
  --only TEXT   what has this in its name
  --write       writes the file instead, at the commit to compare with; each is judged twice, and what differs by itself is left out as ~
`

/** The same bytes at every run. */
const fixed = { RUN_PROFILE: 'gate', RUN_SEED: '1', RUN_CONCURRENCY: '1', RUN_QUIET: 'true' }

/** Something to judge. */
interface Golden {
  readonly of: string
  readonly judge: () => Promise<GoldenLine>
}

async function judgeSubject(subject: Subject): Promise<GoldenLine> {
  const cwd = await emptyFolder()
  const started = await subject.start()
  const env = { ...fixed, ...(await given(subject, cwd)), ...started.env }
  try {
    const { came, bytes } = await written(portsIn(env), () => runInProcess([], { env, cwd }))
    return lineOf(`${subject.kind} ${subject.name}`, came.code, came.verdict, bytes)
  } finally {
    await started.close()
    await rm(cwd, { recursive: true, force: true })
  }
}

function portsIn(env: Readonly<Record<string, string>>): readonly number[] {
  return Object.values(env).flatMap((value) => (URL.canParse(value) ? [Number(new URL(value).port)] : []))
}

/** With credentials that are the same at every run. */
async function judgeStackAsItIs(stack: Stack): Promise<GoldenLine> {
  const folder = await folderOf(stack)
  try {
    const run = { stack: stack.name, fault: null, profile: 'gate' } as const
    const { came, bytes } = await written(null, () => judgeStack(run, folder, 'golden', () => ({}), fixed))
    return lineOf(`stack ${stack.name}`, came.verdict.exitCode, came.verdict, bytes)
  } finally {
    await folder.remove()
  }
}

const all: readonly Golden[] = [
  ...allSubjects
    .filter(({ profiles }) => profiles.includes('gate'))
    .map((subject) => ({ of: `${subject.kind} ${subject.name}`, judge: () => judgeSubject(subject) })),
  ...allStacks.map((stack) => ({ of: `stack ${stack.name}`, judge: () => judgeStackAsItIs(stack) })),
]

/** What cannot be judged here, as a stack whose programs are missing, is told and left alone. */
async function tried({ of, judge }: Golden): Promise<GoldenLine | null> {
  try {
    return await judge()
  } catch (error) {
    const [why = ''] = (error instanceof Error ? error.message : String(error)).split('\n')
    process.stdout.write(`${of}: could not be judged: ${why}\n`)
    return null
  }
}

async function keptLines(): Promise<ReadonlyMap<string, GoldenLine>> {
  if (!existsSync(goldenFile))
    throw new Error(
      `nothing to compare with: npm run lab -- golden --write at an earlier commit writes ${goldenFile}`,
    )
  return linesIn(await readFile(goldenFile, 'utf8'))
}

async function compare(chosen: readonly Golden[]): Promise<number> {
  const kept = await keptLines()
  let wrong = 0
  for (const one of chosen) {
    const [line, now] = [kept.get(one.of), await tried(one)]
    const found =
      line === undefined || now === null ? [`${one.of}: nothing to compare`] : differences(line, now)
    if (found.length > 0) wrong += 1
    for (const sentence of found) process.stdout.write(`${sentence}\n`)
  }
  const gone =
    chosen.length === all.length ? [...kept.keys()].filter((of) => !all.some((one) => one.of === of)) : []
  for (const of of gone) process.stdout.write(`${of}: is in the file alone\n`)
  process.stdout.write(`${chosen.length - wrong} the same, ${wrong + gone.length} not\n`)
  return wrong + gone.length === 0 ? 0 : 1
}

async function write(chosen: readonly Golden[]): Promise<number> {
  const kept = new Map(existsSync(goldenFile) && chosen.length < all.length ? await keptLines() : [])
  for (const one of chosen) {
    const [first, second] = [await tried(one), await tried(one)]
    if (first !== null && second !== null) kept.set(one.of, common(first, second))
  }
  await mkdir(dirname(goldenFile), { recursive: true })
  await writeFile(goldenFile, textOf(all.flatMap(({ of }) => kept.get(of) ?? [])))
  return 0
}

await endIn(async () => {
  const { values } = parseArgs({
    options: { only: { type: 'string' }, write: { type: 'boolean', default: false } },
  })
  const { only } = values
  const chosen = all.filter(({ of }) => only === undefined || of.includes(only))
  if (chosen.length === 0) throw new Error(`--only: given ${only}, which no name holds`)
  built()
  return values.write ? write(chosen) : compare(chosen)
}, usage)
