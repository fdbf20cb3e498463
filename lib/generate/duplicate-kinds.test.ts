import { describe, expect, it } from 'vitest'
import { fieldsOf } from '../http/request.ts'
import { requiredFields } from '../spec/endpoints.ts'
import { duplicateKinds } from './duplicate-kinds.ts'
import { casesOf, materialOf, materials, requestOf } from './testing/requests.ts'

describe('duplicates', () => {
  it.each(Object.entries(materials))('are on the wire as observations call them: %s', (_, of) => {
    const values: Readonly<Record<string, readonly [valid: string, wrong: string]>> = {
      'x-api-key': [of.target.apiKey.reveal(), of.wrongKey],
      'x-secret-key': [of.target.secretKey.reveal(), of.wrongSecret],
      'x-version': [of.servedVersion, of.unsupportedVersion],
    }
    const duplicates = duplicateKinds(of).filter(({ name }) => name === 'duplicates')
    for (const { fuzzed } of casesOf(duplicates, 27)) {
      const [name = '', as = ''] = fuzzed.observe?.as.split(': ') ?? []
      const [valid, wrong] = values[name] ?? []
      const [one, other] = as.startsWith('valid twice')
        ? [valid, valid]
        : as.startsWith('valid')
          ? [valid, wrong]
          : [wrong, valid]
      const expected = as.includes('a comma') ? [`${one}, ${other}`] : [one, other]
      expect(fieldsOf(requestOf(of, fuzzed), name)).toEqual(expected)
    }
  })
})

describe('two wrong values', () => {
  it.each(Object.entries(materials))('are nobody’s: %s', (_, of) => {
    const wrong = duplicateKinds(of).filter(({ name }) => name === 'two-wrong')
    const issued = [of.target, of.second ?? of.target].flatMap(({ apiKey, secretKey }) => [apiKey, secretKey])
    for (const { fuzzed } of casesOf(wrong, 30)) {
      const request = requestOf(of, fuzzed)
      const repeated = requiredFields.flatMap((name) => {
        const values = fieldsOf(request, name)
        return values.length > 1 ? values : []
      })
      expect(repeated).toHaveLength(2)
      for (const secret of issued) expect(repeated).not.toContain(secret.reveal())
      expect(repeated).not.toContain(of.servedVersion)
    }
  })

  it('may be refused for being repeated, too', () => {
    const wrong = duplicateKinds(materialOf('ak0', 'secret')).filter(({ name }) => name === 'two-wrong')
    const codes = casesOf(wrong, 3).map(({ fuzzed }) => fuzzed.allowed?.map(({ errorCode }) => errorCode))
    expect(codes).toEqual([
      ['1006', '1030'],
      ['1007', '1030'],
      ['1010', '1030'],
    ])
  })

  it('are nobody’s where a credential is the wrong value with a digit behind it', () => {
    const of = { ...materialOf('ak0', 'secret'), wrongKey: 'ak' }
    const wrong = duplicateKinds(of).filter(({ name }) => name === 'two-wrong')
    const values = casesOf(wrong, 1).map(({ fuzzed }) => fieldsOf(requestOf(of, fuzzed), 'x-api-key'))
    expect(values).toEqual([['ak', 'ak1']])
  })
})
