import { describe, expect, test } from 'vitest'
import { servedBy } from '../lab/judge/described-cards.ts'
import type { ServedEndpoint } from '../lib/serve/reference/described.ts'
import { importedText, judgingBy } from './support/described.ts'
import { expectConformant } from './support/program-test.ts'
import { ruleIn, rulesThat, type ProgramResult } from './support/program.ts'

const imported = servedBy(importedText)
// The document has no examples for the other methods, so they are not sent and would make an acceptance incomplete.
const entries = imported.filter(({ method }) => method === 'GET')

const judge = judgingBy(JSON.stringify(entries))

/** The imported endpoints with `from` replaced by `to` in the file. */
function servedWith(from: string, to: string): readonly ServedEndpoint[] {
  const changed = JSON.stringify(entries).replace(from, to)
  if (changed === JSON.stringify(entries)) throw new Error(`the file does not contain ${from}`)
  return JSON.parse(changed)
}

const enough = [
  '--only',
  'fuzz/query,endpoints/*,errors/*,tolerance/*',
  '--fuzz-cases',
  '300',
  '--max-requests',
  '3000',
]

function expectTold({ code, verdict }: ProgramResult, told: RegExp): void {
  expect(rulesThat(verdict, 'failed')).toEqual(['fuzz/query'])
  const { findings } = ruleIn(verdict, 'fuzz/query')
  expect(findings.map(({ summary }) => summary)).toContainEqual(expect.stringMatching(told))
  expect(verdict?.causes?.map(({ sentence }) => sentence)).toContainEqual(expect.stringMatching(told))
  expect(code).toBe(1)
}

describe('input that an endpoints file describes', () => {
  test.for([['gate', '--max-requests', '2000'], ['acceptance']])(
    'is judged, and a service that follows the file passes: %s',
    async (flags) => {
      expectConformant(await judge(entries, ['--profile', ...flags]))
    },
  )

  test.for([
    ['"maximum":100', '"maximum":101', /limit=101, must be <= 100\), which it forbids/],
    ['"minimum":1', '"minimum":0', /limit=0, must be >= 1\), which it forbids/],
    ['"maximum":100', '"maximum":99', /limit=100\), which it allows/],
    ['"enum":["active","blocked"]', '"enum":["active"]', /status=blocked\), which it allows/],
    [
      '"enum":["active","blocked"]',
      '"type":"string"',
      /status=activezz, must be equal to one of the allowed values\), which it forbids/,
    ],
    [
      '"required":["status"]',
      '"required":[]',
      /without status, must have required property 'status'\), which it forbids/,
    ],
    ['"format":"date"', '"minLength":1', /since=zz, must match format "date"\), which it forbids/],
    [
      '"maxLength":40',
      '"maxLength":41',
      /holder=41 characters, must NOT have more than 40 characters\), which it forbids/,
    ],
    ['"type":"boolean"', '"type":["boolean","string"]', /locked=zz, must be boolean\), which it forbids/],
    [
      '"enum":["day","month"]',
      '"type":"string"',
      /\{kind\} dayzz, must be equal to one of the allowed values\), which it forbids/,
    ],
    ['"pattern":"^c-[0-9]+$"', '"minLength":1', /\{cardId\} ~!~, must match pattern .*\), which it forbids/],
  ] as const)('detects a service with %s changed to %s', async ([from, to, told]) => {
    expectTold(await judge(servedWith(from, to), enough), told)
  })

  test('detects a success that breaks its schema, and names the file', async () => {
    const { code, verdict } = await judge(
      servedWith('"items":{"type":"array"', '"items":{"type":"object"'),
      enough,
    )
    const told =
      'GET /api/cards answered 200 without what cards.json demands of it (entry 1: /items must be array)'

    expect(rulesThat(verdict, 'failed')).toEqual(['endpoints/list-succeeds'])
    expect(verdict?.causes?.map(({ sentence }) => sentence)).toEqual([told])
    expect(code).toBe(1)
  })

  test('can be replayed by case name', async () => {
    const served = servedWith('"maximum":100', '"maximum":101')
    const { verdict } = await judge(served, enough)
    const [name = ''] = ruleIn(verdict, 'fuzz/query').findings.map((finding) => finding.case)
    const { code, stdout } = await judge(served, ['replay', name])

    expect(name).toContain(':described-outside.')
    expect(stdout).toContain('/api/cards?status=active&limit=101')
    expect(code).toBe(1)
  })

  test('does not blame a service for another maximum of list items', async () => {
    const { verdict } = await judge(servedWith('"maxItems":2', '"maxItems":3'), enough)

    expect(rulesThat(verdict, 'failed', 'warned')).toEqual([])
  })

  test('does not blame a service for accepting odd spellings of a value', async () => {
    const odd = /(?<=limit=)(?:%2B|0|%20|\+)*(\d+)(?:\.0)?(?=&|$)/
    const lenient = await judge(entries, enough, {
      intervene: (request) => {
        request.url = request.url?.replace(odd, '$1') ?? ''
        return false
      },
    })

    expect(rulesThat(lenient.verdict, 'failed', 'warned')).toEqual([])
  })
})
