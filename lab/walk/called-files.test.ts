import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, it } from 'vitest'
import { folderWith } from '../../tests/support/program.ts'
import { watchCalls } from './called-files.ts'

const modules = {
  'first.mjs': `import { second } from './second.mjs'
export const first = (again) => again ? second() : 1`,
  'second.mjs': `import { third } from './third.mjs'
export function second() { return third }`,
  'third.mjs': `export class Third { static two = 1 + 1; static { Third.three = 3 } }
export const third = Third.two + Third.three`,
}

/** Two modules with functions and one with only top-level code, watched before any is loaded. */
async function watchedTree(below = '') {
  const folder = await folderWith(modules)
  const called = watchCalls(pathToFileURL(`${folder}/${below}`))
  // Loaded by Node, because vitest would wrap each module in a function.
  const { first }: { readonly first: (again: boolean) => number } = createRequire(import.meta.url)(
    join(folder, 'first.mjs'),
  )
  return { called, first }
}

it('a file counts if one of its functions was called since the last query, not if it is only loaded', async () => {
  const { called, first } = await watchedTree()

  expect(called()).toEqual([])
  expect([first(false), called()]).toEqual([1, ['first.mjs']])
  expect([first(true), called()]).toEqual([5, ['first.mjs', 'second.mjs']])
  expect(called()).toEqual([])
})

it('files outside of the folder do not count', async () => {
  const { called, first } = await watchedTree('elsewhere/')

  expect([first(true), called()]).toEqual([5, []])
})
