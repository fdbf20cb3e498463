import { expect, test } from 'vitest'
import { documentedPairs, type Answer } from '../specification/answers.ts'
import { flawless, type Facts } from '../specification/flaws.ts'
import { allowed, certainFlaws, hasUncertainFlaw } from './facts.ts'
import { factValues } from './testing/fact-values.ts'

/** The table of allowed answers, one row per line, written independently of the code. */
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

/** The union of the matching rows, using only the table. */
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
    // Without a valid key, the owner of a secret is unknown; with a wrong key, the service may look up the
    // pair at once.
    if (facts.secretKey === 'another-clients') return ''
    if (facts.secretKey === 'absent') return '1002'
    if (facts.apiKey !== 'absent') return facts.secretKey === 'blank' ? '1002 1007 1012' : '1007 1012'
  }
  // Wrong credentials without a customer may be completely unknown to the service.
  const isWrong = facts.apiKey !== 'valid' || facts.secretKey !== 'valid'
  if (name === 'customer' && facts.customer === 'none' && isWrong) return '1006 1007 1012'
  const row = table.find(([given]) => Object.keys(given).length === 1 && given[name] === facts[name])
  if (row === undefined) throw new Error(`no row for ${name} ${facts[name]}`)
  return row[1]
}

test.each(table)('a request with %o may be answered %s', (facts, answers) => {
  expect(words(allowed({ ...flawless, ...facts }))).toEqual(new Set(answers.split(' ')))
})

/** The mistakes in the allowed answers for these facts. */
function wrongWith(facts: Facts): readonly string[] {
  const answers = allowed(facts)
  const [found, wanted, certain] = [words(answers), expected(facts), certainFlaws(facts)]
  const codes = new Set(['success', ...certain.flatMap((flaw) => flaw.codes)])
  const isDocumented = ({ status, errorCode }: Answer): boolean =>
    errorCode === null || documentedPairs.some((one) => one.status === status && one.errorCode === errorCode)
  const isUnion = found.size === wanted.size && [...wanted].every((word) => found.has(word))
  return [
    ...(isUnion ? [] : [`${[...found].join(' ')} are not the union of the rows`]),
    ...(certain.length > 0 !== !found.has('success') ? ['success despite a certain flaw'] : []),
    ...(answers.length === 0 || found.size !== answers.length ? ['no answers, or a repeated one'] : []),
    ...(answers.every(isDocumented) ? [] : ['an undocumented pair']),
    ...(hasUncertainFlaw(facts) || [...found].every((word) => codes.has(word))
      ? []
      : ['a code without a flaw']),
  ]
}

test('the allowed answers for any facts are the union of the rows that apply', () => {
  let [combinations, judged] = [0, 0]
  for (const facts of allFacts()) {
    combinations += 1
    if (!hasUncertainFlaw(facts)) judged += 1
    const wrong = wrongWith(facts)
    if (wrong.length > 0) expect.fail(`${JSON.stringify(facts)}: ${wrong.join(', ')}`)
  }

  expect(combinations).toBe(4 * 5 * 8 * 3 * 2 * 2 * 2 * 2 * 3)
  expect(judged).toBeGreaterThan(100)
  expect(documentedPairs).toHaveLength(11)
})

test.each([[{}, 'success'] as const, ...table.filter(([facts]) => Object.keys(facts).length === 1)])(
  'a flaw is certain unless success is allowed, and lists its codes: %o',
  (facts, answers) => {
    const given = { ...flawless, ...facts }
    const mayBeServed = answers.startsWith('success')
    const [fact] = Object.keys(facts)

    expect(hasUncertainFlaw(given)).toBe(mayBeServed && fact !== undefined)
    expect(certainFlaws(given)).toEqual(mayBeServed ? [] : [{ fact, codes: answers.split(' ') }])
  },
)
