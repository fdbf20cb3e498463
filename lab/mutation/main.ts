import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { countGiven, endIn, namesOf } from '../asked.ts'
import { markdownTable } from '../markdown-table.ts'
import { gateOf } from './gate.ts'
import { columns, lost, rowOf, type Result, type RoomResult } from './results.ts'
import { folderOf, root, roomNames, type RoomName } from './rooms.ts'
import { sampleOf, type Drawn } from './sample.ts'
import { testsOf, type Fate } from './tests.ts'

const reports = join(root, 'reports/mutation')

const usage = `npm run lab -- mutation --room LIST [options]: asks whether a test, or a gate, notices a small change of our own code.
  --room LIST    of ${roomNames.join(',')}
  --sample N     mutants drawn from each room (300 unless given; a large number takes all)
  --seed N       draws them (1 unless given)
  --minutes N    no mutant is begun later than so many minutes after the first of its room
  --near         by the tests of the room alone; else those that survive meet all tests that load the room, and a gate
  --before FILE  names each mutant that was killed in an earlier reports/mutation/ROOM.json and is not any more
The results are written to reports/mutation/ROOM.json. Ends in 1 where --before names a mutant.
`

interface Asked {
  readonly sample: number
  readonly seed: number
  readonly minutes: number
  readonly near: boolean
}

async function judged(room: RoomName, { sample, seed, minutes, near }: Asked): Promise<RoomResult> {
  const began = performance.now()
  const { mutants, drawn, texts } = await sampleOf(room, sample, seed)
  const fates = new Map<Drawn, Fate>()
  const tests = testsOf(texts)
  try {
    say(await tests.meet(folderOf(room)))
    const from = performance.now()
    for (const mutant of drawn) {
      if (performance.now() - from > minutes * 60_000) break
      note(mutant, await tests.fateOf(mutant))
    }
    if (!near) {
      say(await tests.meet(''))
      for (const mutant of open()) note(mutant, await tests.fateOf(mutant))
    }
  } finally {
    tests.end()
  }
  if (!near) await byGate()
  const seconds = Math.round((performance.now() - began) / 1_000)
  const results = [...fates].map(([mutant, fate]): Result => ({ ...mutant, ...fate }))
  return { room, seed, mutants, seconds, results }

  async function byGate(): Promise<void> {
    const gate = await gateOf(texts)
    try {
      for (const mutant of open()) note(mutant, (await gate.fateOf(mutant)) ?? nothing)
    } finally {
      await gate.end()
    }
  }

  function open(): readonly Drawn[] {
    return [...fates].flatMap(([mutant, { status }]) =>
      status === 'survived' || status === 'no coverage' ? [mutant] : [],
    )
  }

  /** What survived once stays so where nothing else meets it. */
  function note(mutant: Drawn, fate: Fate): void {
    if (fate.status !== 'no coverage' || !fates.has(mutant)) fates.set(mutant, fate)
    const { id, original, replacement } = mutant
    process.stderr.write(`${fates.size}/${drawn.length} ${fate.status}: ${id} ${original} → ${replacement}\n`)
  }
}

const nothing: Fate = { status: 'no coverage', by: null }

function say(failing: readonly string[]): void {
  for (const name of failing) process.stderr.write(`left out, since it fails without a mutant: ${name}\n`)
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      room: { type: 'string', default: '' },
      sample: { type: 'string', default: '300' },
      seed: { type: 'string', default: '1' },
      minutes: { type: 'string', default: '1000' },
      near: { type: 'boolean', default: false },
      before: { type: 'string' },
    },
  })
  const rooms = namesOf('--room', values.room, roomNames)
  if (rooms.length === 0) {
    process.stdout.write(usage)
    return 0
  }
  const asked = {
    sample: countGiven('--sample', values.sample),
    seed: countGiven('--seed', values.seed),
    minutes: countGiven('--minutes', values.minutes),
    near: values.near,
  }
  const before: RoomResult | null =
    values.before === undefined ? null : JSON.parse(await readFile(values.before, 'utf8'))
  await mkdir(reports, { recursive: true })
  const all: RoomResult[] = []
  for (const room of rooms) {
    const result = await judged(room, asked)
    all.push(result)
    await writeFile(join(reports, `${room}.json`), `${JSON.stringify(result, null, 1)}\n`)
    process.stderr.write(`${rowOf(result).join(' ')}\n`)
  }
  process.stdout.write(markdownTable(columns, all.map(rowOf)))
  const gone = lost(
    before?.results ?? [],
    all.flatMap(({ results }) => results),
  )
  for (const { file, line, original, replacement } of gone)
    process.stdout.write(`✗ killed before, and not any more: ${file}:${line} ${original} → ${replacement}\n`)
  return gone.length === 0 ? 0 : 1
}

await endIn(main, usage)
