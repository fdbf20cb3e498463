import { basename, dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { folderWith } from '../../tests/support/program.ts'
import { bundledInto } from '../judge/bundle.ts'
import { referenceFolder } from './instrumented.ts'

const reference = fileURLToPath(new URL(`../../${referenceFolder}`, import.meta.url))

/**
 * Writes the reference service, made from these texts, as one module into a temporary folder of this process,
 * and returns its path. A single module can be loaded again for each mutant, so that constants outside of
 * functions are mutated, too. Files without a text come from the checkout.
 */
export async function bundled(texts: ReadonlyMap<string, string>): Promise<string> {
  const sources = await folderWith(Object.fromEntries(texts))
  return bundledInto(join(sources, 'service.mjs'), {
    input: join(sources, 'service.ts'),
    treeshake: false,
    plugins: [
      {
        name: 'the rest comes from the checkout',
        resolveId: (id, importer, { kind }) => {
          if (importer === undefined) return null
          if (!id.startsWith('.')) return { id, external: true }
          const path = join(dirname(importer), id)
          const ours = dirname(path) === sources && texts.has(basename(path))
          // Modules loaded on demand serve endpoints that a user describes, which mutants do not have.
          const theirs = join(reference, relative(sources, path))
          return ours ? path : { id: theirs, external: kind === 'dynamic-import' }
        },
      },
    ],
  })
}
