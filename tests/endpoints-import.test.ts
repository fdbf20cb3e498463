import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { run } from './support/program-test.ts'
import { folderWith } from './support/program.ts'
import { textOf } from './support/syntax.ts'

test('endpoints import writes an endpoints file and lists what it left out', async () => {
  const ping = 'paths:\n  /api/ping: { options: {}, get: { security: [] } }\n'
  const cwd = await folderWith({
    'cards.yaml': textOf('docs/examples/cards.openapi.yaml').replace('paths:\n', ping),
  })
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
  expect(stdout).toContain('no request is sent for these until they have "fuzz": true')
  expect(stdout).toContain('left out  it needs no credentials (security): GET /api/ping\n')
  expect(stdout).toContain('left out  browsers send OPTIONS without credentials (CORS): OPTIONS /api/ping\n')
})
