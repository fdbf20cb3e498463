import { describe, expect, it } from 'vitest'
import { blamesClient, documentedPairs, isDocumentedPair, isErrorCode } from './answers.ts'
import { catalogueOf, entryOf, placeOfRule } from './catalogue.ts'
import {
  defaultVersion,
  filledPath,
  listPath,
  maySend,
  requiredFieldNamed,
  requiredFields,
} from './endpoints.ts'
import { areaOf, isRuleId, ruleIds, ruleOf, runWideRules } from './rules.ts'

describe('the catalogue', () => {
  it('has ids that consist of an area and a name in kebab case', () => {
    for (const id of ruleIds) {
      expect(id).toMatch(/^[a-z]+\/[a-z]+(?:-[a-z]+)*$/)
      expect(id.startsWith(`${areaOf(id)}/`)).toBe(true)
    }
    expect(new Set(ruleIds).size).toBe(ruleIds.length)
  })

  it('states each rule in one sentence, with its source', () => {
    for (const id of ruleIds) {
      const { says, section, needs } = ruleOf(id)
      expect(says, id).toMatch(/^\S.*[^.\s]$/)
      expect(says, id).not.toContain('\n')
      expect(section.length, id).toBeGreaterThan(3)
      if (needs !== undefined) expect(needs, id).toMatch(/(?:FIXTURE|RUN|TARGET)_[A-Z]/)
    }
    expect(new Set(ruleIds.map((id) => ruleOf(id).says)).size).toBe(ruleIds.length)
  })

  it('accepts only its ids', () => {
    expect(ruleIds.every(isRuleId)).toBe(true)
    const others = ['', 'authentication', 'authentication/', 'toString', '__proto__', 'Quota/exhausted']
    expect(others.filter(isRuleId)).toEqual([])
  })

  it('orders rules independently of their declaration, with a user’s rules last', () => {
    const declared = ['acme/own', ...ruleIds.slice(0, 3).toReversed()] as const
    const rules = declared.map((id) => ({ id, entry: ruleOf(ruleIds[0] ?? 'quota/exhausted') }))
    const catalogue = catalogueOf([
      { title: 'one', rules: rules.slice(0, 2) },
      { title: 'other', rules: rules.slice(2) },
    ])

    expect([...catalogue.keys()]).toEqual([...ruleIds.slice(0, 3), 'acme/own'])
    expect(ruleIds.map(placeOfRule)).toEqual(ruleIds.map((_, place) => place))
    expect(() => entryOf(catalogue, 'acme/other')).toThrow('this run has no rule acme/other')
  })

  it('judges the run-wide rules last', () => {
    expect(runWideRules).toHaveLength(6)
    for (const id of runWideRules) expect(ruleOf(id).phase).toBe('summary')
  })
})

describe('the documented answers', () => {
  it('are the eleven pairs of the tables', () => {
    const pairs = documentedPairs.map(({ status, errorCode }) => `${status}/${errorCode}`)
    expect(pairs.filter((pair) => pair.startsWith('400')).join()).toBe(
      '400/1001,400/1002,400/1003,400/1010,400/1030',
    )
    expect(pairs.slice(5).join()).toBe('401/1006,401/1007,401/1011,401/1012,401/1013,429/1020')
  })

  it('accept neither a code under another status nor a number as a code', () => {
    for (const { status, errorCode } of documentedPairs) {
      for (const other of [200, 400, 401, 403, 429, 500]) {
        expect(isDocumentedPair(other, errorCode)).toBe(other === status)
      }
      expect(isDocumentedPair(status, Number(errorCode))).toBe(false)
      expect(isErrorCode(errorCode)).toBe(true)
      expect(isErrorCode(Number(errorCode))).toBe(false)
    }
    for (const other of ['1000', '', null, undefined, {}, ['1001'], '1001 '])
      expect(isErrorCode(other)).toBe(false)
  })

  it('blame the client if its credentials or permissions are wrong', () => {
    const blaming = documentedPairs.map(({ errorCode }) => errorCode).filter(blamesClient)

    expect(blaming).toEqual(['1006', '1007', '1011', '1012', '1013'])
    expect(['9999', null, undefined].some(blamesClient)).toBe(false)
  })
})

describe('the documented endpoint', () => {
  it('is the list under version 1, with three required headers', () => {
    expect([listPath, defaultVersion]).toEqual(['/api/customizations/list', '1'])
    expect(requiredFields).toEqual(['x-api-key', 'x-secret-key', 'x-version'])
    expect(['X-Version', 'x-version-2', ''].map(requiredFieldNamed)).toEqual(['x-version', null, null])
  })
})

describe('an endpoint of the endpoints file', () => {
  it('has a path with percent-encoded parameters, and leaves unknown parameters empty', () => {
    expect(filledPath('/api/{id}/cards/{card id}/{}', { id: 'a/b', 'card id': '7' })).toBe(
      '/api/a%2Fb/cards/7/',
    )
  })

  it('accepts methods without side effects, and other methods if the file permits them', () => {
    const permitted = ['GET', 'HEAD', 'OPTIONS', 'POST', 'get'].map((method) =>
      maySend({ method, fuzz: false }),
    )

    expect(permitted).toEqual([true, true, true, false, false])
    expect(maySend({ method: 'POST', fuzz: true })).toBe(true)
  })
})
