import { readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { httpMutants } from './http/http-mutants.ts'
import { instrumented, mutatedTexts } from './instrumented.ts'
import type { Mutant } from './mutant.ts'

const beside = (name: string): string => fileURLToPath(new URL(name, import.meta.url))

/** The data in the folder. */
interface Kept {
  readonly mutants: readonly Mutant[]
  /** Mutants that conform to the specification, with the reason. Written before their results were known. */
  readonly conformant: Readonly<Record<string, string>>
  /** Ids of mutants in the seen half that were caught when the page was written, by profile, at most a hundred. */
  readonly published: Readonly<Record<string, readonly string[]>>
}

/** Every mutant of the current code, with the instrumented code. */
export async function freshMutants() {
  const code = await instrumented(await mutatedTexts())
  return { mutants: [...code.mutants, ...httpMutants].map(listed), code }
}

function listed({ id, family, file, line, original, replacement, half }: Mutant): Mutant {
  return { id, family, file, line, original, replacement, half }
}

/** Reads the list and the notes about it. */
export async function readKept(): Promise<Kept> {
  const read = async (name: string) => JSON.parse(await readFile(beside(name), 'utf8'))
  const [mutants, conformant] = [await read('mutants.json'), await read('conformant.json')]
  return { mutants, conformant, published: await read('published.json') }
}

/** Writes the list again, with one mutant per line. */
export async function writeMutants(mutants: readonly Mutant[]): Promise<void> {
  const lines = mutants.map((mutant) => JSON.stringify(mutant)).join(',\n')
  await writeFile(beside('mutants.json'), `[\n${lines}\n]\n`)
}
