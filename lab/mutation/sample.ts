import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { instrument, named, root, textsOf, type FoundMutant } from '../mutants/instrumented.ts'
import { digestOf } from '../mutants/mutant.ts'

/** Folders of our code that are mutated separately. */
export const roomNames: readonly string[] = ['suites', ...readdirSync(join(root, 'lib'))]

/** Left out: tests and their helpers, code that is wrong on purpose, and a generated validator. */
const left =
  /\.(?:test|testing|d)\.ts$|-validator\.ts$|\/testing\/|^lib\/serve\/reference\/(?:faults|variants)\//

/** The folder of a room, relative to the root. */
export const folderOf = (room: string): string => (room === 'suites' ? 'suites/' : `lib/${room}/`)

/** The files of a room that are mutated, relative to the root, sorted. */
function filesOf(room: string): readonly string[] {
  const folder = folderOf(room)
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((name) => `${folder}${name}`)
    .filter((name) => name.endsWith('.ts') && !left.test(name))
    .toSorted()
}

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
export async function sampleOf(room: string, count: number, seed: number): Promise<Sample> {
  const texts = await textsOf('', filesOf(room))
  const { mutants } = await instrument(texts, () => true)
  const all = named(texts, mutants, (original, replacement) => `${original}\0${replacement}`)
  const drawn = draw(all, count, seed)
  const made = await instrument(await textsOf('', [...new Set(drawn.map(({ file }) => file))]), (name) =>
    drawn.filter(({ file }) => file === name).map(({ found }) => found.location),
  )
  const numbers = new Map(made.mutants.map((mutant) => [keyOf(mutant), mutant.id]))
  return {
    mutants: all.length,
    drawn: drawn.map(({ found, ...mutant }) => {
      const active = numbers.get(keyOf(found))
      if (active === undefined) throw new Error(`${mutant.id} does not exist in the instrumented code`)
      return { ...mutant, active }
    }),
    texts: made.files,
  }
}

function keyOf({ fileName, mutatorName, location, replacement }: FoundMutant): string {
  return JSON.stringify([fileName, mutatorName, location, replacement])
}
