import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Instrumenter } from '@stryker-mutator/instrumenter'
import { digestOf, halfOf, shortened, type Mutant } from './mutant.ts'

export const root = fileURLToPath(new URL('../..', import.meta.url))

/** Folder of the mutated code, relative to the root. */
export const referenceFolder = 'lib/serve/reference'

/**
 * The files that every run of the plain service executes. Files with only types are left out, and so are
 * those that serve endpoints described by a user (`described.ts`, `sample.ts`).
 */
const mutatedFiles =
  'answer bend call checks clients deliver gateway list quota reading refused-by-parser service writing'
    .split(' ')
    .map((name) => `${name}.ts`)

/** Says nothing, whatever is called. */
const logger = new Proxy({}, { get: () => () => false })
const instrumenter: Instrumenter = Reflect.construct(Instrumenter, [logger])

/** Texts of files by their names. */
type Texts = ReadonlyMap<string, string>

/**
 * The texts of files of a folder. Stryker does not mutate `as const` values, so these words, which have no
 * effect at run time, are removed.
 */
export async function textsOf(folder: string, files: readonly string[]) {
  const texts = await Promise.all(files.map((name) => readFile(join(root, folder, name), 'utf8')))
  return new Map(files.map((name, at) => [name, texts[at]?.replaceAll(' as const', '') ?? '']))
}

/** The original texts of the mutated files. */
export const mutatedTexts = (): Promise<Texts> => textsOf(referenceFolder, mutatedFiles)

/**
 * Puts the mutants of all Stryker operators into these texts: everywhere, or only if the replaced part lies
 * within these places.
 */
export async function instrument(texts: Texts, where: (name: string) => true | Location[]) {
  const given = [...texts].map(([name, content]) => ({ name, content, mutate: where(name) }))
  const options = { plugins: null, ignorers: [], excludedMutations: [] }
  const { files, mutants } = await instrumenter.instrument(given, options)
  return { files: new Map(files.map(({ name, content }) => [name, content])), mutants }
}

/**
 * The files of the reference service with every mutant in them, switched by `globalThis.__stryker__.activeMutant`, and the mutants,
 * each with the number that activates it.
 */
export async function instrumented(texts: Texts) {
  const made = await instrument(texts, () => true)
  const mutants = named(texts, made.mutants, (original) => original).map(
    ({ found, ...mutant }): Mutant & { readonly active: string } => ({
      ...mutant,
      family: found.mutatorName,
      file: `${referenceFolder}/${mutant.file}`,
      half: halfOf(mutant.id),
      active: found.id,
    }),
  )
  return { files: made.files, mutants }
}

type Digested = (original: string, replacement: string) => string

/** Mutants with ids from their file, operator, a digest of this text, and their place among equals. */
export function named(texts: Texts, mutants: readonly FoundMutant[], digested: Digested) {
  const places = new Map<string, number>()
  return mutants.map((found) => {
    const { fileName: file, mutatorName, location, replacement } = found
    const original = textAt(texts.get(file) ?? '', location)
    const digest = digestOf(digested(original, replacement)).toString('hex').slice(0, 8)
    const kind = `${file}:${mutatorName}:${digest}`
    const place = (places.get(kind) ?? 0) + 1
    places.set(kind, place)
    const line = location.start.line + 1
    return { id: `${kind}:${place}`, file, line, ...shortened(original, replacement), found }
  })
}

/** A mutant as named by Stryker. Its id activates it. */
export type FoundMutant = Awaited<ReturnType<Instrumenter['instrument']>>['mutants'][number]

/** The replaced part. Its lines and columns count from 0. */
type Location = FoundMutant['location']

/** The text at a place. */
function textAt(text: string, { start, end }: Location): string {
  const lines = text.split('\n')
  const offset = ({ line, column }: Location['start']): number =>
    lines.slice(0, line).reduce((sum, { length }) => sum + length + 1, 0) + column
  return text.slice(offset(start), offset(end))
}
