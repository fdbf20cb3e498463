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

/**
 * Draws small changes of the code of a room, each with the number that activates it. Their ids contain the file, the operator and a
 * digest of both texts, but no line; their relative order depends only on the seed and on these ids. The texts of the files, by path
 * from the root, contain only the drawn mutants, so that they run almost at full speed.
 */
export async function sampleOf(room: string, count: number, seed: number) {
  const texts = await textsOf('', filesOf(room))
  const { mutants } = await instrument(texts, () => true)
  const all = named(texts, mutants, (original, replacement) => `${original}\0${replacement}`)
  const placeOf = ({ id }: { readonly id: string }): Buffer => digestOf(`${seed} ${id}`)
  const drawn = all.toSorted((one, other) => placeOf(one).compare(placeOf(other))).slice(0, count)
  const made = await instrument(await textsOf('', [...new Set(drawn.map(({ file }) => file))]), (name) =>
    drawn.filter(({ file }) => file === name).map(({ found }) => found.location),
  )
  const numbers = new Map(made.mutants.map((mutant) => [keyOf(mutant), mutant.id]))
  return {
    /** The number of mutants in the room. */
    mutants: all.length,
    drawn: drawn.map(({ found, ...mutant }) => {
      const active = numbers.get(keyOf(found))
      if (active === undefined) throw new Error(`${mutant.id} does not exist in the instrumented code`)
      return { ...mutant, active }
    }),
    texts: made.files,
  }
}

const keyOf = ({ fileName, mutatorName, location, replacement }: FoundMutant): string =>
  JSON.stringify([fileName, mutatorName, location, replacement])
