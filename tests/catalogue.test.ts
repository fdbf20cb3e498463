import { existsSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { withEmbedded } from '../lib/cli/embedded.ts'
import { loadSuites } from '../lib/cli/suites.ts'
import { rulesMarkdown } from '../lib/report/rules-list.ts'
import { read, settingsOf } from '../lib/settings/testing/read.ts'
import { isRuleId, ruleIds, ruleOf, runWideRules, type RuleId } from '../lib/spec/rules.ts'
import { suiteOrder } from '../lib/suite/suite-sequencer.ts'
import { filesIn, nameOf, nodesOf, textOf, type SyntaxNode } from './syntax.ts'

const sharedSchema = fileURLToPath(new URL('../../shared/verdict.schema.json', import.meta.url))

/** A rule as a suite declares it. */
interface Declared {
  readonly id: string
  readonly area: string
  /** Whether it sums up what the run has met by then, besides cases of its own. */
  readonly sums: boolean
}

const suites = filesIn('suites', '.suite.ts')
const areas = suites.map((file) => basename(file, '.suite.ts'))
const declared = suites.flatMap(declaredIn)

function declaredIn(file: string): readonly Declared[] {
  return nodesOf(textOf(file)).flatMap((node): readonly Declared[] => {
    const { type, parts } = node
    const call = type === 'CallExpression' ? nameOf(parts['callee']) : null
    if (call !== 'rule' && call !== 'fuzzed' && call !== 'sumOfRun') return []

    const one = { area: basename(file, '.suite.ts'), sums: call === 'sumOfRun' }
    return idsOf(node).map((id) => ({ id, ...one }))
  })
}

/** The ids that a call declares: its first argument, or each of a list where a loop over that list gives it. */
function idsOf({ parts, within }: SyntaxNode): readonly string[] {
  const [first]: readonly unknown[] = Array.isArray(parts['arguments']) ? parts['arguments'] : []
  const written = textIn(first)
  if (written !== null) return [written]

  const loop = within.find(({ type }) => type === 'ForOfStatement')
  // The run-wide rules are declared by a loop over their list.
  expect(nameOf(loop?.parts['right'])).toBe('runWideRules')
  return runWideRules
}

function textIn(literal: unknown): string | null {
  if (typeof literal !== 'object' || literal === null || !('value' in literal)) return null
  return typeof literal.value === 'string' ? literal.value : null
}

describe('the rules of the catalogue', () => {
  it('are each judged by exactly one test that vitest collects, and no test judges anything else', async () => {
    const settings = settingsOf(await read({ TARGET_BASE_URL: 'embedded' }))
    const now = new Date('2026-11-20T02:00:00Z')
    const loaded = await loadSuites({ settings: withEmbedded(settings, 'embedded'), now, allure: false })
    try {
      expect(loaded.mishaps).toEqual([])
      expect(loaded.plan.map(({ id }) => id).toSorted()).toEqual(ruleIds.toSorted())
      expect(declared.map(({ id }) => id).toSorted()).toEqual(ruleIds.toSorted())
    } finally {
      await loaded.close()
    }
  })

  it.each(suites)('are all that %s holds: it has no tests besides', (file) => {
    const nodes = nodesOf(textOf(file))
    const fromVitest = nodes
      .filter(
        ({ type, within }) => type === 'ImportSpecifier' && textIn(within[0]?.parts['source']) === 'vitest',
      )
      .map(({ parts }) => nameOf(parts['imported']))

    expect(fromVitest).toEqual(['describe'])
  })

  it('stand in the README, as the program lists them', () => {
    const held = /<!-- rules -->\n([^]*?)<!-- \/rules -->/.exec(textOf('README.md'))?.[1]

    expect(held?.trim()).toBe(rulesMarkdown().trim())
  })
})

describe('the order of the suites', () => {
  it('holds every suite, and no other', () => {
    expect(areas.toSorted()).toEqual(suiteOrder.toSorted())
  })

  const later = new Set<string>(['quota', 'summary'])

  it('lets what uses a quota up, or sums up, wait for all that runs before', () => {
    const lastly = (area: string): boolean =>
      declared.some(({ id, ...one }) => one.area === area && isRuleId(id) && later.has(ruleOf(id).phase))
    const before = (area: string): readonly RuleId[] =>
      declared.flatMap(({ id, sums, ...one }) =>
        one.area === area && isRuleId(id) && !sums && !later.has(ruleOf(id).phase) ? [id] : [],
      )
    const firstLast = suiteOrder.findIndex(lastly)

    // What may lock a client or have the sender banned waits even for the quotas.
    const after = suiteOrder.slice(firstLast).filter((area) => area !== 'last')
    expect(firstLast).toBeGreaterThan(0)
    expect(suiteOrder.indexOf('last')).toBeGreaterThan(suiteOrder.indexOf('quota'))
    expect(after.flatMap(before)).toEqual([])
  })

  it('judges what every plain request counts for after the quotas, and what every answer counts for at the very end', () => {
    const at = (area: (typeof suiteOrder)[number]): number => suiteOrder.indexOf(area)

    expect(at('quota')).toBeLessThan(at('endpoints'))
    expect(at('endpoints')).toBeLessThan(at('run-wide'))
    expect(suiteOrder.slice(-2)).toEqual(['run-wide', 'tolerance'])
  })

  it('fits what the catalogue says: rules that sum up are declared as such, and only those', () => {
    const summing = declared.filter(({ sums }) => sums).map(({ id }) => id)

    const tolerance = ruleIds.filter((id) => id.startsWith('tolerance/'))

    expect(summing.toSorted()).toEqual(['endpoints/list-succeeds', ...runWideRules, ...tolerance].toSorted())
  })
})

describe('the schema of the verdict', () => {
  it.skipIf(!existsSync(sharedSchema))(
    'is the one that was agreed, with further properties that are optional',
    () => {
      const shipped: unknown = JSON.parse(textOf('lib/report/verdict.schema.json'))

      expect(shipped).toMatchObject(JSON.parse(readFileSync(sharedSchema, 'utf8')))
    },
  )
})
