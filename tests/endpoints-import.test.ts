import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe } from 'vitest'
import { run, test } from './support/program-test.ts'
import { folderWith } from './support/program.ts'

const example = await readFile(
  fileURLToPath(new URL('../docs/examples/cards.openapi.yaml', import.meta.url)),
  'utf8',
)

describe.concurrent('endpoints import', () => {
  test('writes an endpoints file, and says what it relaxed and left out', async ({ expect }) => {
    const cwd = await folderWith({ 'cards.yaml': example })
    const { code, stdout, stderr } = await run(['endpoints', 'import', 'cards.yaml'], { cwd })

    expect([code, stderr]).toEqual([0, ''])
    const entries: unknown = JSON.parse(await readFile(join(cwd, 'endpoints.json'), 'utf8'))
    expect(entries).toMatchObject([
      { method: 'GET', path: '/api/cards', query: { required: ['status'] } },
      { method: 'POST', path: '/api/cards', fuzz: false, body: { example: { limit: 500 } } },
      { method: 'GET', path: '/api/cards/{cardId}/limits/{kind}' },
      { method: 'DELETE', path: '/api/cards/{cardId}', fuzz: false },
      { definitions: { Card: {} } },
    ])
    expect(stdout).toContain('endpoints.json was written: 4 entries.')
    expect(stdout).toContain('relaxed   additionalProperties: new properties')
    expect(stdout).toContain('to give   example: a value that exists')
    expect(stdout).toContain('nothing is sent for these until they say "fuzz": true')
  })

  test('overwrites nothing', async ({ expect }) => {
    const cwd = await folderWith({ 'cards.yaml': example, 'mine.json': 'mine' })
    const { code, stderr } = await run(['endpoints', 'import', 'cards.yaml', '--out', 'mine.json'], { cwd })

    expect(code).toBe(2)
    expect(stderr).toContain('mine.json was not written: it exists')
    expect(await readFile(join(cwd, 'mine.json'), 'utf8')).toBe('mine')
  })

  test.for([
    ['none.yaml', 'given a file that does not exist'],
    ['broken.yaml', 'broken.yaml, line 2, column 1: expected YAML or JSON'],
    [
      'outside.yaml',
      'outside.yaml, #/paths/~1api~1a/$ref: expected a reference to a file in the folder of the document',
    ],
  ] as const)('tells what is wrong with %s, and writes nothing', async ([file, expected], { expect }) => {
    const cwd = await folderWith({
      'broken.yaml': 'a: [1\nb: 2',
      'outside.yaml': 'openapi: 3.1.0\npaths: { /api/a: { $ref: "http://127.0.0.1:9/a.yaml" } }',
    })
    const { code, stderr } = await run(['endpoints', 'import', file], { cwd })

    expect(code).toBe(2)
    expect(stderr).toContain(expected)
    expect(await readdir(cwd)).not.toContain('endpoints.json')
  })
})
