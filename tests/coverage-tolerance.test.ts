import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe } from 'vitest'
import type { RuleId } from '../lib/spec/rules.ts'
import { run, test } from './program-test.ts'
import { emptyFolder, ruleIn, settingsFor } from './program.ts'

const only = 'endpoints/*,authentication/api-key-missing,tolerance/*'

/** What an endpoints file may ask of the list that the reference service meets today, and need not tomorrow. */
const demands: readonly (readonly [RuleId, object])[] = [
  ['tolerance/added-properties', { properties: { total: {} }, additionalProperties: { type: 'array' } }],
  [
    'tolerance/opaque-strings',
    // Where the check of the file at the start does not look.
    {
      examples: [{ pattern: '^(?:Evening|Daylight|High contrast)$' }],
      properties: { customizations: { items: { properties: { name: { $ref: '#/examples/0' } } } } },
    },
  ],
]

describe.concurrent('an endpoints file that demands too much is told by', () => {
  test.for(demands)('%s', async ([rule, success], { reference, expect }) => {
    const service = await reference()
    const cwd = await emptyFolder()
    const list = { method: 'GET', path: '/api/customizations/list', versions: [1], success }
    await writeFile(join(cwd, 'endpoints.json'), JSON.stringify([list]))
    const env = { ...settingsFor(service), TARGET_ENDPOINTS: 'endpoints.json' }

    const { code, verdict } = await run(['--only', only], { cwd, env })

    expect(code).toBe(2)
    expect(ruleIn(verdict, rule).findings[0]?.blames).toBe('endpoints-file')
  })
})
