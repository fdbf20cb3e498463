import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { linesFromEnd } from './lines-from-end.ts'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lines-'))
})
afterAll(() => rm(folder, { recursive: true }))

async function all(file: string, blockBytes?: number): Promise<readonly string[]> {
  const lines: string[] = []
  for await (const line of linesFromEnd(file, blockBytes)) lines.push(line)
  return lines
}

describe('the lines of a file, read from its end', () => {
  it('are all of them, wherever a block ends', async () => {
    const file = join(folder, 'any')
    const text = fc.string({ unit: fc.constantFrom('\n', 'a', 'é', '😀', '\r'), minLength: 1, maxLength: 40 })
    await fc.assert(
      fc.asyncProperty(text, fc.integer({ min: 1, max: 50 }), async (written, blockBytes) => {
        await writeFile(file, written)

        expect(await all(file, blockBytes)).toEqual(written.split('\n').toReversed())
      }),
      { numRuns: 60 },
    )
  })

  it('are none of an empty file, of a missing one, or of what is no file', async () => {
    const file = join(folder, 'empty')
    await writeFile(file, '')

    expect(await all(file)).toEqual([])
    expect(await all(join(folder, 'missing'))).toEqual([])
    expect(await all(folder)).toEqual([])
  })
})
