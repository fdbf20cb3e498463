import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { instrument, textAt, type Location } from '../mutants/instrumented.ts'
import { digestOf, shortened } from '../mutants/mutant.ts'
import { filesOf, root, type RoomName } from './rooms.ts'

/** One small change of our code. Its id contains the file, the operator and a digest of both texts, but no line. */
export interface CodeMutant {
  readonly id: string
  readonly file: string
  /** From 1. */
  readonly line: number
  readonly original: string
  readonly replacement: string
}

/** A drawn mutant, with the number that activates it. */
export interface Drawn extends CodeMutant {
  readonly active: string
}

/** The mutants drawn from a room, and the files with these mutants, by path from the root. */
export interface Sample {
  /** The number of mutants in the room. */
  readonly mutants: number
  readonly drawn: readonly Drawn[]
  readonly texts: ReadonlyMap<string, string>
}

/** Draws this many items by a seed. Their relative order does not depend on the others. */
export function draw<Mutant extends { readonly id: string }>(
  mutants: readonly Mutant[],
  count: number,
  seed: number,
): readonly Mutant[] {
  return mutants
    .map((mutant) => ({ mutant, key: digestOf(`${seed} ${mutant.id}`).toString('hex') }))
    .toSorted((one, other) => (one.key < other.key ? -1 : 1))
    .slice(0, count)
    .map(({ mutant }) => mutant)
}

/** Draws from a room. The files contain only the drawn mutants, so that they run almost at full speed. */
export async function sampleOf(room: RoomName, count: number, seed: number): Promise<Sample> {
  const all = await mutantsOf(await textsOf(filesOf(room)))
  const drawn = draw(all, count, seed)
  const made = await instrument(await textsOf([...new Set(drawn.map(({ file }) => file))]), (name) =>
    drawn.filter(({ file }) => file === name).map(({ location }) => location),
  )
  const numbers = new Map(made.mutants.map((mutant) => [keyOf(mutant), mutant.id]))
  return {
    mutants: all.length,
    drawn: drawn.map(({ id, file, line, original, replacement, key }) => {
      const active = numbers.get(key)
      if (active === undefined) throw new Error(`${id} does not exist in the instrumented code`)
      return { id, file, line, original, replacement, active }
    }),
    texts: made.files,
  }
}

/** Stryker does not mutate `as const` values, so these words, which have no effect at run time, are removed. */
async function textsOf(files: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const read = async (name: string): Promise<readonly [string, string]> => [
    name,
    (await readFile(join(root, name), 'utf8')).replaceAll(' as const', ''),
  ]
  return new Map(await Promise.all(files.map(read)))
}

interface Placed extends CodeMutant {
  readonly location: Location
  readonly key: string
}

async function mutantsOf(texts: ReadonlyMap<string, string>): Promise<readonly Placed[]> {
  const { mutants } = await instrument(texts, () => true)
  const places = new Map<string, number>()
  return mutants.map((mutant) => {
    const { fileName: file, mutatorName, location, replacement } = mutant
    const original = textAt(texts.get(file) ?? '', location)
    const kind = `${file}:${mutatorName}:${digestOf(`${original}\0${replacement}`).toString('hex').slice(0, 8)}`
    const place = (places.get(kind) ?? 0) + 1
    places.set(kind, place)
    const line = location.start.line + 1
    return {
      id: `${kind}:${place}`,
      file,
      line,
      ...shortened(original, replacement),
      location,
      key: keyOf(mutant),
    }
  })
}

function keyOf({
  fileName,
  mutatorName,
  location,
  replacement,
}: {
  readonly fileName: string
  readonly mutatorName: string
  readonly location: Location
  readonly replacement?: string
}): string {
  return JSON.stringify([fileName, mutatorName, location, replacement])
}
