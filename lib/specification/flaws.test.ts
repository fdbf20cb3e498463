import { describe, expect, it } from 'vitest'
import { allowed } from '../judge/facts.ts'
import { documentedPairs, pairCount, refusalOf } from './answers.ts'
import { clientCount, clientNames, ofClients } from './client-rows.ts'
import { flawNamed, flawOf, flawRows, refusedClients, flawless } from './flaws.ts'
import { promiseOf, ruleOf } from './rules.ts'

const words = ['five', 'six', 'seven', 'eight', 'nine', 'ten', 'eleven', 'twelve', 'thirteen', 'fourteen']

describe('the flaws', () => {
  it.each(flawRows)('have exactly the code that the oracle allows: $id', ({ fact, value, code }) => {
    const answers = allowed({ ...flawless, [fact]: value })

    expect(answers.length === 1 ? answers : null).toEqual(code === null ? null : [refusalOf(code)])
  })

  it.each(flawRows.flatMap(({ id, code, rule }) => (code && rule ? [{ id, code, rule }] : [])))(
    'have a rule whose sentence and promise state their answer: $id',
    ({ code, rule }) => {
      const { status } = refusalOf(code)

      expect(ruleOf(rule).says).toMatch(new RegExp(`\\b(?:get|with) ${status} and ${code}\\b`))
      expect(promiseOf(rule)).toMatch(new RegExp(`\\b${status} (?:and|with) error_code ${code}\\b`))
    },
  )

  it('cover every code', () => {
    const shown = new Set(flawRows.map(({ code }) => code))
    expect(documentedPairs.filter(({ errorCode }) => !shown.has(errorCode))).toEqual([])
  })

  it('are found only by their exact name', () => {
    for (const row of flawRows) expect(flawNamed(row.id)).toBe(row)
    expect(['', 'version', 'version served', 'toString x'].map(flawNamed)).toEqual([null, null, null, null])
  })
})

describe('the clients', () => {
  it('and the pairs have the right counts in words', () => {
    expect(words[clientNames.length - 5]).toBe(clientCount)
    expect(words[documentedPairs.length - 5]).toBe(pairCount)
  })

  it('each get one value, in order', () => {
    expect(Object.entries(ofClients((name) => name))).toEqual(clientNames.map((name) => [name, name]))
  })

  it('are refused for a flaw, or served', () => {
    expect(clientNames.filter((name) => flawOf(name) === null)).toEqual(['target', 'second', 'disposable'])
    expect(
      refusedClients.map(({ client, refusal }) => `${client} ${refusal.status}/${refusal.errorCode}`),
    ).toEqual(['noCustomer 401/1012', 'inactive 401/1011', 'unauthorized 401/1013'])
  })
})
