import { describe, expect, test } from 'vitest'
import type { RuleId } from '../lib/specification/rules.ts'
import { reference, run } from './support/program-test.ts'
import { folderWith, ruleIn, rulesThat, settingsFor } from './support/program.ts'

/** Judges a service by this endpoints file. Its additional endpoint `/api/cards/list` answers as the list endpoint does. */
async function judged(endpoints: unknown, ...flags: readonly string[]) {
  /** The requests for the additional endpoint. */
  const asked: string[] = []
  const service = await reference({
    intervene: (request) => {
      if (request.url?.startsWith('/api/cards/list') === true) {
        asked.push(`${request.method} ${request.url}`)
        request.url = request.url.replace('/api/cards/list', '/api/customizations/list')
      }
      return false
    },
  })
  const env = { ...settingsFor(service), TARGET_ENDPOINTS: 'endpoints.json' }
  const cwd = await folderWith({ 'endpoints.json': JSON.stringify(endpoints) })
  return { asked, ...(await run(['--max-requests', '1000', ...flags], { cwd, env })) }
}

describe('an endpoints file', () => {
  test('adds an endpoint for which every generic rule is judged', async () => {
    const success = { required: ['customizations'] }
    const { asked, code, verdict } = await judged([
      { method: 'GET', path: '/api/cards/list', invalidQuery: 'limit=abc', success },
    ])

    expect(rulesThat(verdict, 'failed', 'warned', 'inconclusive', 'untested')).toEqual([
      'conventions/http-messages',
      'tolerance/no-breaking-change',
    ])
    expect(code).toBe(0)
    // A gate sends an additional endpoint one request per flaw and its share of the generated requests.
    expect(asked.length).toBeGreaterThan(50)
    expect(asked.length).toBeLessThan(120)
    expect(asked).toContain('GET /api/cards/list?limit=abc')
  })

  test('that expects a different success makes only endpoints/list-succeeds fail', async () => {
    const { code, verdict } = await judged([
      { method: 'GET', path: '/api/cards/list', success: { type: 'object', required: ['cards'] } },
    ])

    expect(rulesThat(verdict, 'failed')).toEqual(['endpoints/list-succeeds'])
    expect(ruleIn(verdict, 'endpoints/list-succeeds').findings[0]?.summary).toContain(
      "must have required property 'cards'",
    )
    expect(code).toBe(1)
  })

  test('must permit a method with side effects before it is sent', async () => {
    const { asked, code } = await judged([{ method: 'POST', path: '/api/cards/list' }])

    expect(asked).toEqual([])
    expect(code).toBe(0)
  })

  /** Demands on the list that the reference service fulfils today but does not promise. */
  const demands: readonly (readonly [RuleId, object])[] = [
    ['tolerance/added-properties', { properties: { total: {} }, additionalProperties: { type: 'array' } }],
    [
      'tolerance/opaque-strings',
      // The check of the file at the start does not cover this.
      {
        examples: [{ pattern: '^(?:Evening|Daylight|High contrast)$' }],
        properties: { customizations: { items: { properties: { name: { $ref: '#/examples/0' } } } } },
      },
    ],
  ]
  test.for(demands)(
    'that demands too much is the user’s mistake, reported by %s',
    async ([rule, success]) => {
      const list = { method: 'GET', path: '/api/customizations/list', versions: [1], success }
      const only = 'endpoints/*,versioning/*,authentication/api-key-*,tolerance/*'
      const { code, verdict, stdout } = await judged([list], '--only', only)

      expect([code, verdict?.verdict]).toEqual([2, 'error'])
      expect(ruleIn(verdict, rule).findings[0]?.blames).toBe('endpoints-file')
      expect(stdout).toContain('TARGET_ENDPOINTS expects what the specification does not promise')
    },
  )
})
