import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startReference, type ReferenceService } from '../lib/reference/service.ts'
import { runInProcess } from './in-process.ts'
import { emptyFolder, ruleIn, rulesThat, settingsFor, type ProgramResult } from './program.ts'

/** A service with a further endpoint, which answers as the list endpoint does; every request for it is noted. */
async function serviceWithCards(): Promise<{ readonly service: ReferenceService; readonly asked: string[] }> {
  const asked: string[] = []
  const service = await startReference({
    intervene: (request) => {
      if (request.url?.startsWith('/api/cards/list') === true) {
        asked.push(`${request.method} ${request.url}`)
        request.url = request.url.replace('/api/cards/list', '/api/customizations/list')
      }
      return false
    },
  })
  onTestFinished(() => service.close())
  return { service, asked }
}

async function run(service: ReferenceService, endpoints: unknown): Promise<ProgramResult> {
  const cwd = await emptyFolder()
  await writeFile(join(cwd, 'endpoints.json'), JSON.stringify(endpoints))
  return runInProcess(['--max-requests', '1000'], {
    cwd,
    env: { ...settingsFor(service), TARGET_ENDPOINTS: 'endpoints.json' },
  })
}

test('every generic rule is judged for a further endpoint, too', async () => {
  const { service, asked } = await serviceWithCards()

  const { code, verdict } = await run(service, [
    {
      method: 'GET',
      path: '/api/cards/list',
      invalidQuery: 'limit=abc',
      success: { required: ['customizations'] },
    },
  ])

  expect(rulesThat(verdict, 'failed', 'warned', 'inconclusive', 'untested')).toEqual([
    'tolerance/no-breaking-change',
  ])
  expect(code).toBe(0)
  // A gate sends a further endpoint one request for each flaw, and its share of the generated ones.
  expect(asked.length).toBeGreaterThan(50)
  expect(asked.length).toBeLessThan(120)
  expect(asked).toContain('GET /api/cards/list?limit=abc')
})

test('a success that is not what the endpoints file expects violates endpoints/list-succeeds, and nothing else', async () => {
  const { service } = await serviceWithCards()

  const { code, verdict } = await run(service, [
    { method: 'GET', path: '/api/cards/list', success: { type: 'object', required: ['cards'] } },
  ])

  expect(rulesThat(verdict, 'failed')).toEqual(['endpoints/list-succeeds'])
  expect(ruleIn(verdict, 'endpoints/list-succeeds').findings[0]?.summary).toContain(
    "must have required property 'cards'",
  )
  expect(code).toBe(1)
})

test('an endpoint whose method has side effects is not sent to, unless the file allows it', async () => {
  const { service, asked } = await serviceWithCards()

  const { code } = await run(service, [{ method: 'POST', path: '/api/cards/list' }])

  expect(asked).toEqual([])
  expect(code).toBe(0)
})
