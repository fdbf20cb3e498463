import { rmSync } from 'node:fs'
import { mkdtemp, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { rolldown, type InputOptions } from 'rolldown'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Bundles a module into one file. */
export async function bundledInto(file: string, options: InputOptions): Promise<string> {
  const bundle = await rolldown({ platform: 'node', ...options })
  await bundle.write({ file, format: 'esm', codeSplitting: false })
  await bundle.close()
  return file
}

/**
 * Bundles a module of the lab with all its imports into one file in a new folder, so that a process starts
 * without compiling. Returns the file, which is removed when this process ends.
 */
export async function bundled(entry: string): Promise<string> {
  // Inside the checkout, where its packages are found.
  const builds = join(root, '.build')
  await mkdir(builds, { recursive: true })
  const folder = await mkdtemp(join(builds, 'lab-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  const plugin = {
    name: 'each module finds what lies beside its source',
    transform: (code: string, id: string) =>
      code.replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id).href)),
  }
  return bundledInto(join(folder, 'worker.mjs'), {
    input: join(root, entry),
    external: /^[^./]/,
    plugins: [plugin],
  })
}
