import { describe, expect, it } from 'vitest'
import { specCatalogue } from './catalogue.ts'
import { ruleSetOf, judgedBy, ruleSets, type RuleSet } from './rule-sets.ts'
import { isRuleId, ruleOf } from './rules.ts'

const own = { ...ruleOf('quota/exhausted'), says: 'a rule of the user' }
const catalogue = new Map([...specCatalogue, ['acme/own', own] as const])
const earlier: RuleSet = {
  name: '2025-01',
  suite: '0.0.1',
  rules: { 'authentication/api-key-missing': 'implied', 'quota/exhausted': 'documented' },
}

describe('rule sets', () => {
  it('hold rules that this version still has: none is ever dropped', () => {
    expect(ruleSets.length).toBeGreaterThan(0)
    for (const { name, rules } of ruleSets) {
      expect(name).toMatch(/^20\d\d-(?:0[1-9]|1[0-2])$/)
      expect(Object.keys(rules).filter((id) => !isRuleId(id))).toEqual([])
    }
  })

  it('are named after the newest only where that is what is judged', () => {
    expect(ruleSetOf(specCatalogue)).toBe('2026-11')
    expect(ruleSetOf(catalogue)).toBe('2026-11')
    const stricter = { ...ruleOf('fuzz/headers'), level: 'documented' } as const
    expect(ruleSetOf(new Map([...specCatalogue, ['fuzz/headers', stricter]]))).toBeNull()
  })

  it('are not named where a part of them is missing, also where they were asked for', () => {
    const [newest] = ruleSets
    const part = new Map([...specCatalogue].slice(1))
    expect(ruleSetOf(part)).toBeNull()
    expect(ruleSetOf(judgedBy(part, newest ?? null), newest)).toBeNull()
    expect(ruleSetOf(judgedBy(specCatalogue, earlier), earlier)).toBe('2025-01')
  })

  it('give rules the level of their time, and score nothing that came later but the user’s own rules', () => {
    const judged = judgedBy(catalogue, earlier)
    expect([...judged.keys()]).toEqual([...catalogue.keys()])
    expect(judged.get('authentication/api-key-missing')).toMatchObject({ level: 'implied' })
    expect(judged.get('authentication/api-key-missing')).not.toHaveProperty('notScored')
    expect(judged.get('fuzz/query')?.notScored).toBe('not scored: added later than the rule set 2025-01')
    expect(judged.get('acme/own')).toEqual(own)
    expect(judgedBy(catalogue, null)).toBe(catalogue)
  })
})
