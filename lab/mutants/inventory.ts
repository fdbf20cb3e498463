import { readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { httpMutants } from './http/http-mutants.ts'
import { instrumented, mutatedTexts, type Instrumented } from './instrumented.ts'
import { unique, type Mutant } from './mutant.ts'

const beside = (name: string): string => fileURLToPath(new URL(name, import.meta.url))

/** Sentences by id of a mutant. */
export type Sentences = Readonly<Record<string, string>>

/** Ids of mutants of the seen half that were caught when the page was written, by profile: at most a hundred. */
export type Published = Readonly<Record<string, readonly string[]>>

/** What the folder holds besides code. */
export interface Kept {
  readonly mutants: readonly Mutant[]
  /** Mutants that keep to the specification, with the reason: written before anybody knew what became of them. */
  readonly conformant: Sentences
  /** What the suite does not judge, and why, by the first parts of ids. Named after mutants of the seen half that survived. */
  readonly limits: Sentences
  readonly published: Published
}

/** The limit that a mutant is beyond; undefined if there is none. The first parts of its id are those of the limit; `*` is any part. */
export function limitOf(id: string, limits: Sentences): string | undefined {
  const parts = id.split(':')
  return Object.keys(limits).find((limit) =>
    limit.split(':').every((part, at) => part === '*' || part === parts[at]),
  )
}

/** Every mutant as the code is now, with the instrumented code. */
export async function freshMutants(): Promise<{
  readonly mutants: readonly Mutant[]
  readonly code: Instrumented
}> {
  const code = await instrumented(await mutatedTexts())
  return { mutants: unique([...code.mutants, ...httpMutants].map(listed)), code }
}

function listed({ id, family, file, line, original, replacement, half }: Mutant): Mutant {
  return { id, family, file, line, original, replacement, half }
}

/** Reads the list and what was written about it. */
export async function readKept(): Promise<Kept> {
  const read = async (name: string) => JSON.parse(await readFile(beside(name), 'utf8'))
  const [mutants, conformant, limits, published] = await Promise.all(
    ['mutants.json', 'conformant.json', 'limits.json', 'published.json'].map(read),
  )
  return { mutants, conformant, limits, published }
}

/** Writes the list anew, a mutant a line. */
export async function writeMutants(mutants: readonly Mutant[]): Promise<void> {
  const lines = mutants.map((mutant) => JSON.stringify(mutant)).join(',\n')
  await writeFile(beside('mutants.json'), `[\n${lines}\n]\n`)
}
