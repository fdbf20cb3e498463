import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { countGiven, endIn, namesOf } from '../asked.ts'
import { markdownTable } from '../markdown.ts'
import { root } from '../mutants/instrumented.ts'
import { folderOf, roomNames, sampleOf } from './sample.ts'
import { isOpen, judges, statuses, testsOf, type Drawn, type Fate, type Judge, type Result } from './tests.ts'

const reports = join(root, 'reports/mutation')

const usage = `npm run lab -- mutation --room LIST [options]: checks whether a test or a gate notices a small change in our code.
  --room LIST    any of ${roomNames.join(',')}
  --sample N     mutants drawn from each room (default 300; a large number takes all)
  --seed N       seed of the draw (default 1)
  --by LIST      any of ${judges.join(',')} (default all), each for the survivors of the previous one: the tests of the room,
                 all other tests that load it, and gates in memory against a few services
  --before FILE  lists each mutant that was killed in an earlier reports/mutation/ROOM.json and now survives
The results are written to reports/mutation/ROOM.json. Ends with 1 if --before lists a mutant.
`

async function judged(room: string, sample: number, seed: number, by: readonly Judge[]) {
  const began = performance.now()
  const drawing = await sampleOf(room, sample, seed)
  const { mutants, drawn } = drawing
  const fates = new Map<Drawn, Fate>()
  const tests = testsOf(drawing, folderOf(room))
  try {
    for (const judge of by) {
      for (const name of await tests.meet(judge))
        process.stderr.write(`skipped because it fails without a mutant: ${name}\n`)
      const isFirst = fates.size === 0
      for (const mutant of drawn) {
        const known = fates.get(mutant)
        if (known === undefined ? !isFirst : !isOpen(known)) continue
        const fate = await tests.fateOf(mutant)
        // A mutant that survived stays a survivor if no other test reaches it.
        if (fate.status !== 'no coverage' || known === undefined) fates.set(mutant, fate)
        const { id, original, replacement } = mutant
        process.stderr.write(`${judge} ${fate.status}: ${id} ${original} → ${replacement}\n`)
      }
    }
  } finally {
    tests.end()
  }
  const seconds = Math.round((performance.now() - began) / 1_000)
  const results = [...fates].map(([mutant, fate]): Result => ({ ...mutant, ...fate }))
  return { room, seed, by, mutants, seconds, results }
}

type RoomResult = Awaited<ReturnType<typeof judged>>

function rowOf({ room, mutants, seconds, results }: RoomResult): readonly (string | number)[] {
  const counts = statuses.map((wanted) => results.filter(({ status }) => status === wanted).length)
  return [room, mutants, results.length, ...counts, seconds]
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      room: { type: 'string', default: '' },
      sample: { type: 'string', default: '300' },
      seed: { type: 'string', default: '1' },
      by: { type: 'string', default: judges.join(',') },
      before: { type: 'string' },
    },
  })
  const rooms = namesOf('--room', values.room, roomNames)
  if (rooms.length === 0) {
    process.stdout.write(usage)
    return 0
  }
  const [sample, seed] = [countGiven('--sample', values.sample), countGiven('--seed', values.seed)]
  const by = namesOf('--by', values.by, judges)
  const text = values.before === undefined ? '{"results":[]}' : await readFile(values.before, 'utf8')
  const before: { readonly results: readonly Result[] } = JSON.parse(text)
  await mkdir(reports, { recursive: true })
  const all: RoomResult[] = []
  for (const room of rooms) {
    const result = await judged(room, sample, seed, by)
    all.push(result)
    await writeFile(join(reports, `${room}.json`), `${JSON.stringify(result, null, 1)}\n`)
  }
  const heads = ['room', 'mutants', 'sampled', ...statuses, 'seconds']
  process.stdout.write(`${markdownTable(heads, all.map(rowOf))}\n`)
  const killed = new Set(before.results.filter((one) => !isOpen(one)).map(({ id }) => id))
  // Mutants that were not drawn both times are ignored.
  const gone = all.flatMap(({ results }) => results).filter((one) => killed.has(one.id) && isOpen(one))
  for (const { file, line, original, replacement } of gone)
    process.stdout.write(`✗ killed before, and not any more: ${file}:${line} ${original} → ${replacement}\n`)
  return gone.length === 0 ? 0 : 1
}

await endIn(main, usage)
