import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { fieldsOf } from '../http/exchange.ts'
import { certainFlaws } from '../judge/facts.ts'
import { whole } from '../run/plan/suite-context.ts'
import { forAll } from '../text/properties.testing.ts'
import type { CaseClass, MutatedRequest } from './case-class.ts'
import { caseClass, draw, drawNamed, judged, schedule } from './case-class.ts'
import { caseClasses } from './case-classes.ts'
import { unchanged } from './request-changes.ts'
import { combinedFlawClasses } from './request-rows.ts'
import { inputOf, sentBy, sentOf, simplest, type Sent } from './testing/requests.ts'

const opaqueKey = 'ak_live_7Qm2vXk1Rb84TzNe'
const shrunkInput = inputOf(opaqueKey, '0d7c1f3e-8a55-4b6e-9c3d-2f1a0b9e8d7c')
const keys = caseClasses['fuzz/api-key'](shrunkInput)
const headers = caseClasses['fuzz/headers'](shrunkInput)
const paths = caseClasses['fuzz/path'](shrunkInput)
const queries = caseClasses['fuzz/query'](shrunkInput)
const versions = caseClasses['fuzz/version'](shrunkInput)
const flaws = combinedFlawClasses(shrunkInput)

const keyOf = ({ request }: Sent): string => fieldsOf(request, 'x-api-key').join()
const queryOf = ({ request }: Sent): string => request.target.split('?').slice(1).join('?')
const joined = (key: string) => key.replaceAll(/[ \t]/g, '')
const hasSpacesInside = (one: Sent) => joined(keyOf(one)) === opaqueKey && /[ \t]/.test(keyOf(one).trim())
const isLate = (one: Sent) =>
  keyOf(one).startsWith(opaqueKey.slice(0, 8)) && / \w in place of its/.test(one.says)
const hasOneBefore = (one: Sent): boolean => keyOf(one).length > opaqueKey.length && keyOf(one).endsWith('e')
const hasQuote = (one: Sent): boolean => keyOf(one).includes("'") && keyOf(one).length === 25
const hasCapitalSecond = ({ request }: Sent): boolean => /[A-Z]/.test(request.fields[1]?.name ?? '')
const countOf = (one: Sent): number => certainFlaws(one.facts).length

/** The classes of the case, a pattern of its name, when it fails, and the result of shrinking. */
type Row = readonly [from: readonly CaseClass[], RegExp, fails: (one: Sent) => boolean, says: string | RegExp]

const any = (): boolean => true

const hasZeroWidth = (one: Sent): boolean => /\xe2\x80[\x8b-\x8d]/.test(keyOf(one))
const hasRequestId = ({ request }: Sent): boolean => fieldsOf(request, 'x-request-id').length > 0
const hasMany = ({ request }: Sent): boolean => request.fields.length >= 22
const hasFurther = ({ says }: Sent): boolean => says.includes('/9f8')

const sent = new Map<readonly CaseClass[], readonly Sent[]>()

/** The first cases of these classes, drawn once for all rows. */
function sentOnce(from: readonly CaseClass[]): readonly Sent[] {
  const all = sent.get(from) ?? sentBy(from, shrunkInput, 2_000)
  sent.set(from, all)
  return all
}

test.each<Row>([
  [keys, /^unicode/, hasZeroWidth, 'with U+200B (e2 80 8b) after character 1'],
  [keys, /^added.* times /, hasOneBefore, 'with x before its first character'],
  // The significant character and position are kept.
  [keys, /^/, (one) => keyOf(one).indexOf('\xe2\x80\x8d') >= 9, 'with U+200D (e2 80 8d) after character 9'],
  [keys, /^/, hasSpacesInside, 'with a space after character 1'],
  [keys, /^/, hasQuote, "with a single quote (') before its first character"],
  // The first one is listed, so it does not shrink.
  [keys, /^changed-character\.[1-9]/, isLate, 'with x in place of its character 9'],
  [keys, /^white-space-around/, (one) => keyOf(one).trim() === opaqueKey, 'with a space after it'],
  [headers, /^control-character\./, (one) => keyOf(one).includes('\0'), 'with U+0000 (00) after character 1'],
  [headers, /^name-case/, hasCapitalSecond, /^field names written [^A-Z]*[A-Z][^A-Z]*$/],
  [headers, /^unrelated-fields/, hasRequestId, 'with x-request-id'],
  [headers, /^many-unrelated-fields/, hasMany, /^with 1[78] unrelated fields x-zz…$/],
  [paths, /^unknown-path-with-segments/, hasFurther, /^the unknown path \/api\/zz…\/9f8e7d$/],
  [paths, /^near-path-of-strangers/, any, / \[api-key-absent\]$/],
  [queries, /^random-parameters/, (one) => queryOf(one).includes('%27'), /^the parameters (?:%27=|=%27)$/],
  [queries, /^many-parameters/, (one) => queryOf(one).split('&').length > 30, '31 parameters'],
  [versions, /^nine-digits/, any, 'x-version 100000000'],
  [versions, /^small-integer/, any, 'x-version 3'],
  [versions, /^long-integer/, any, 'x-version of 11 digits (1)'],
  [flaws, /^/, any, 'nothing wrong'],
  [flaws, /^/, ({ facts }) => facts.secretKey !== 'valid', 'x-secret-key: invented'],
  [flaws, /^/, (one) => countOf(one) >= 2, /^[^;]+; [^;]+$/],
])('%#: shrinking a finding leaves only what matters', (from, name, fails, says) => {
  const isFound = (one: Sent): boolean => name.test(`${one.name}: ${one.says}`) && fails(one)
  const failing = sentOnce(from).filter(isFound).slice(0, 40)
  const simplestOf = ({ drawn }: Sent): string => {
    const isFailing = (mutated: MutatedRequest): boolean => fails(sentOf({ ...drawn, mutated }, shrunkInput))
    const { says: said, base } = simplest(drawn, isFailing).mutated
    return base === 'api-key-absent' ? `${said} [${base}]` : said.replace('TARGET_API_KEY ', '')
  }
  const isOther = (one: string): boolean => (typeof says === 'string' ? one !== says : !says.test(one))

  expect(failing.length).toBeGreaterThan(0)
  expect(failing.map(simplestOf).filter(isOther)).toEqual([])
})

const changed = (says: string | number): MutatedRequest => judged(String(says), unchanged)

/** A class that draws numbers up to a million. */
const classOf = (name: string, weight = 1, more: Partial<CaseClass> = {}): CaseClass => ({
  ...caseClass(name, { weight }, [fc.nat(1_000_000).map(changed)]),
  ...more,
})

const listed = caseClass('listed', { weight: 1 }, ['the 0th', 'the 1th'].map(changed))

it('a drawn case depends only on the root seed, the rule and its name', () => {
  const place = { caseClass: classOf('numbers'), nth: 3 }
  const says = (seed: number, rule: string, nth = 3) => draw({ ...place, nth }, seed, rule).mutated.says

  expect(says(1, 'fuzz/query')).toBe(says(1, 'fuzz/query'))
  const others = [says(2, 'fuzz/query'), says(1, 'fuzz/path'), says(1, 'fuzz/query', 4)]
  expect(new Set([says(1, 'fuzz/query'), ...others]).size).toBe(4)
})

it('a drawn case is found again by its name, even after shrinking', () => {
  const classList = [listed, classOf('numbers')]
  forAll(fc.nat(), fc.nat(50), fc.integer({ min: 1, max: 1_000 }), (seed, nth, bound) => {
    const first = draw({ caseClass: classList[1] ?? listed, nth }, seed, 'fuzz/query')
    fc.pre(Number(first.mutated.says) >= bound)
    const smallest = simplest(first, ({ says }) => Number(says) >= bound)

    expect(smallest.mutated.says).toBe(String(bound))
    expect(drawNamed(smallest.name, classList, seed, 'fuzz/query')?.mutated.says).toBe(String(bound))
  })
})

it('a drawn case is not found under an unknown name', () => {
  const names = 'numbers numbers. numbers.x other.1 numbers.1: numbers.1:99999 listed.0:0'.split(' ')

  for (const name of [...names, ''])
    expect(drawNamed(name, [listed, classOf('numbers')], 1, 'fuzz/query'), name).toBeNull()
})

describe('the schedule', () => {
  const classList = [classOf('near', 6), classOf('rare', 1), classOf('sometimes', 2), classOf('often', 3)]
  const names = (count: number) => [...schedule(classList, count)].map(({ caseClass: { name } }) => name)

  it('starts with the same cases for any number, so a larger number only adds cases', () => {
    expect(names(50).slice(0, 20)).toEqual(names(20))
  })

  it('starts with the cases that are always sent; a class of weight 0 sends no more', () => {
    const always = [classOf('first', 0, { always: 2, count: 5 }), classOf('both', 1, { always: 1, count: 5 })]
    const scheduled = [...schedule(always, 2)].map(({ caseClass: { name }, nth }) => `${name}.${nth}`)

    expect(scheduled).toEqual(['first.0', 'first.1', 'both.0', 'both.1', 'both.2'])
    expect([...schedule(whole(always), 0)]).toHaveLength(10)
  })
})
