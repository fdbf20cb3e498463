import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { rulesMarkdown } from '../lib/report/rules-list.ts'
import { isRuleId, ruleIds, ruleOf, runWideRules, type RuleId } from '../lib/spec/rules.ts'
import { suiteOrder } from '../lib/suite/suite-sequencer.ts'

const suitesFolder = fileURLToPath(new URL('../suites', import.meta.url))
const sharedSchema = fileURLToPath(new URL('../../shared/verdict.schema.json', import.meta.url))

/** A rule as a suite declares it. */
interface Declared {
  readonly id: string
  readonly area: string
  /** Whether it sums up what the run has met by then, besides cases of its own. */
  readonly sums: boolean
}

const areas = readdirSync(suitesFolder).map((name) => name.replace(/\.suite\.ts$/, ''))
const declared = areas.flatMap(declaredIn)

function textOf(path: string): string {
  return readFileSync(new URL(`../${path}`, import.meta.url), 'utf8')
}

function declaredIn(area: string): readonly Declared[] {
  const text = textOf(`suites/${area}.suite.ts`)
  const calls = [...text.matchAll(/\b(rule|fuzzed|sumOfRun)\(\s*(?:'([^']+)'|"([^"]+)"|(\w+))/g)]

  return calls.flatMap(([, call, single, double, variable]): readonly Declared[] => {
    const sums = call === 'sumOfRun'
    if (variable === undefined) return [{ id: single ?? double ?? '', area, sums }]
    // The run-wide rules are declared by a loop over their list.
    expect(text).toContain(`for (const ${variable} of runWideRules)`)
    return runWideRules.map((id) => ({ id, area, sums }))
  })
}

describe('the rules of the catalogue', () => {
  it('are declared by exactly one suite each', () => {
    for (const id of ruleIds) {
      expect(
        declared.filter((one) => one.id === id).map(({ area }) => area),
        id,
      ).toHaveLength(1)
    }
  })

  it('are all that suites declare', () => {
    expect(declared.filter(({ id }) => !isRuleId(id))).toEqual([])
    expect(declared).toHaveLength(ruleIds.length)
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

  it('lets what uses a quota up, or sums up, wait for all that runs before', () => {
    const lastly = (area: string): boolean =>
      declared.some(({ id, ...one }) => one.area === area && isRuleId(id) && ruleOf(id).when === 'last')
    const before = (area: string): readonly RuleId[] =>
      declared.flatMap(({ id, sums, ...one }) =>
        one.area === area && isRuleId(id) && !sums && ruleOf(id).when !== 'last' ? [id] : [],
      )
    const firstLast = suiteOrder.findIndex(lastly)

    expect(firstLast).toBeGreaterThan(0)
    expect(suiteOrder.slice(firstLast).flatMap(before)).toEqual([])
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
  it.skipIf(!existsSync(sharedSchema))('is the one that was agreed', () => {
    const shipped: unknown = JSON.parse(textOf('lib/report/verdict.schema.json'))

    expect(shipped).toEqual(JSON.parse(readFileSync(sharedSchema, 'utf8')))
  })
})
