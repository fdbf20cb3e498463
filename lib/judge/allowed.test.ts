import { describe, expect, it } from 'vitest'
import { documentedPairs, type Answer } from '../specification/answers.ts'
import { allowed, certainFlaws, hasUncertainFlaw } from './allowed.ts'
import { factValues, flawless, type Facts } from './facts.ts'

/** The table "What a request may be answered", one row per line, in independent words. */
const table: readonly (readonly [facts: Partial<Facts>, answers: string])[] = [
  [{}, 'success'],
  [{ apiKey: 'absent' }, '1001'],
  [{ apiKey: 'blank' }, '1001 1006'],
  [{ apiKey: 'invalid' }, '1006'],
  [{ secretKey: 'absent' }, '1002'],
  [{ secretKey: 'blank' }, '1002 1007'],
  [{ secretKey: 'nobodys' }, '1007'],
  [{ secretKey: 'another-clients' }, '1007 1012'],
  [{ apiKey: 'invalid', secretKey: 'nobodys' }, '1006 1007 1012'],
  [{ version: 'absent' }, '1003'],
  [{ version: 'blank' }, 'success 1003 1010 1030'],
  [{ version: 'malformed' }, '1010 1030'],
  [{ version: 'odd' }, 'success 1010 1030'],
  [{ version: 'unsupported' }, '1010'],
  [{ version: 'out-of-range' }, '1010 1030'],
  [{ version: 'other' }, 'success 1010 1030 1011 1013'],
  [{ endpoint: 'unknown' }, '1010'],
  [{ endpoint: 'uncertain' }, 'success 1001 1002 1003 1010 1030 1006 1007 1011 1012 1013 1020'],
  [{ state: 'inactive' }, '1011'],
  [{ customer: 'none' }, '1012'],
  [{ permission: 'denied' }, '1013'],
  [{ quota: 'used-up' }, '1020'],
  [{ input: 'invalid' }, '1030'],
  [{ input: 'uncertain' }, 'success 1030'],
]

const dimensions = Object.keys(factValues).filter((name): name is keyof Facts =>
  Object.hasOwn(flawless, name),
)

function words(answers: readonly Answer[]): ReadonlySet<string> {
  return new Set(answers.map((answer) => answer.errorCode ?? 'success'))
}

function* allFacts(): Generator<Facts> {
  for (const apiKey of factValues.apiKey)
    for (const secretKey of factValues.secretKey)
      for (const version of factValues.version)
        for (const endpoint of factValues.endpoint)
          for (const state of factValues.state)
            for (const customer of factValues.customer)
              for (const permission of factValues.permission)
                for (const quota of factValues.quota)
                  for (const input of factValues.input)
                    yield { apiKey, secretKey, version, endpoint, state, customer, permission, quota, input }
}

/** The union of the matching rows, from the table's text alone. */
function expected(facts: Facts): ReadonlySet<string> {
  const rows = dimensions
    .filter((name) => facts[name] !== flawless[name])
    .map((name) => rowFor(name, facts))
    .map((row) => row.split(' ').filter((word) => word !== ''))
  const codes = rows.flat().filter((word) => word !== 'success')
  const certain = rows.some((row) => row.length > 0 && !row.includes('success'))

  return new Set(certain ? codes : ['success', ...codes])
}

function rowFor(name: keyof Facts, facts: Facts): string {
  if (name === 'secretKey' && facts.apiKey !== 'valid') {
    // Without a valid key, a secret's owner is unknown; with a wrong one, the pair may be looked up at once.
    if (facts.secretKey === 'another-clients') return ''
    if (facts.secretKey === 'absent') return '1002'
    if (facts.apiKey !== 'absent') return facts.secretKey === 'blank' ? '1002 1007 1012' : '1007 1012'
  }
  // Wrong credentials without a customer may be entirely unknown.
  const isWrong = facts.apiKey !== 'valid' || facts.secretKey !== 'valid'
  if (name === 'customer' && facts.customer === 'none' && isWrong) return '1006 1007 1012'
  const row = table.find(([given]) => Object.keys(given).length === 1 && given[name] === facts[name])
  if (row === undefined) throw new Error(`no row for ${name} ${facts[name]}`)
  return row[1]
}

describe('what a request may be answered', () => {
  it.each(table)('%o: %s', (facts, answers) => {
    expect(words(allowed({ ...flawless, ...facts }))).toEqual(new Set(answers.split(' ')))
  })

  it('is the union of the rows that hold, never success once a flaw is certain, over all combinations of facts', () => {
    let combinations = 0
    for (const facts of allFacts()) {
      combinations += 1
      const found = words(allowed(facts))
      const wanted = expected(facts)
      if (found.size !== wanted.size || [...wanted].some((word) => !found.has(word))) {
        expect.fail(`${JSON.stringify(facts)}: ${[...found].join(' ')} instead of ${[...wanted].join(' ')}`)
      }
      if (certainFlaws(facts).length > 0 !== !found.has('success'))
        expect.fail(`success: ${JSON.stringify(facts)}`)
    }

    expect(combinations).toBe(4 * 5 * 8 * 3 * 2 * 2 * 2 * 2 * 3)
  })

  it('pairs every code with its documented status, and names none twice', () => {
    for (const facts of allFacts()) {
      const answers = allowed(facts)
      if (answers.length === 0) expect.fail(`nothing is allowed for ${JSON.stringify(facts)}`)
      if (words(answers).size !== answers.length) expect.fail(`twice: ${JSON.stringify(answers)}`)
      for (const { status, errorCode } of answers) {
        const documented = documentedPairs.some(
          (pair) => pair.status === status && pair.errorCode === errorCode,
        )
        if (errorCode !== null && !documented) expect.fail(`${status} / ${errorCode} is not documented`)
      }
    }

    expect(documentedPairs).toHaveLength(11)
  })
})

describe('the flaws of a request', () => {
  it.each(table.filter(([facts]) => Object.keys(facts).length === 1))(
    'are certain unless success is allowed, and named with their codes: %o',
    (facts, answers) => {
      const given = { ...flawless, ...facts }
      const isUncertain = answers.startsWith('success')
      const [fact] = Object.keys(facts)

      expect(hasUncertainFlaw(given)).toBe(isUncertain)
      expect(certainFlaws(given)).toEqual(isUncertain ? [] : [{ fact, codes: answers.split(' ') }])
    },
  )

  it('are none for a plain valid request', () => {
    expect(hasUncertainFlaw(flawless)).toBe(false)
    expect(certainFlaws(flawless)).toEqual([])
  })

  it('are all that a request may be refused for where none is uncertain, over all combinations of facts', () => {
    let judged = 0
    for (const facts of allFacts()) {
      const certain = certainFlaws(facts)
      if (!hasUncertainFlaw(facts)) judged += 1

      const codes = new Set(certain.flatMap((flaw) => flaw.codes))
      const refusals = allowed(facts).flatMap(({ errorCode }) => errorCode ?? [])
      const unexplained = refusals.filter((code) => !codes.has(code))
      if (!hasUncertainFlaw(facts) && unexplained.length > 0) {
        expect.fail(`${unexplained.join(' ')}: ${JSON.stringify(facts)}`)
      }
    }

    expect(judged).toBeGreaterThan(100)
  })
})
