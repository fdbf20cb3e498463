import { expect, test } from 'vitest'
import { fieldsOf } from '../http/request.ts'
import { certainFlaws } from '../judge/facts.ts'
import type { CaseClass } from './case-class.ts'
import { caseClasses, headerLineClasses, oddValueClasses } from './case-classes.ts'
import { combinedFlawClasses } from './combined-flaws.ts'
import { credentialClasses } from './testing/credentials.ts'
import { inputOf, sentBy, sentOf, simplest, type Sent } from './testing/requests.ts'

const key = 'ak_live_7Qm2vXk1Rb84TzNe'
const input = inputOf(key, '0d7c1f3e-8a55-4b6e-9c3d-2f1a0b9e8d7c')
const keys = credentialClasses('x-api-key', input)
const raw = oddValueClasses(input)
const lines = headerLineClasses(input)
const paths = caseClasses['fuzz/path'](input)
const queries = caseClasses['fuzz/query'](input)
const versions = caseClasses['fuzz/version'](input)
const flaws = combinedFlawClasses(input)

function keyOf({ request }: Sent): string {
  return fieldsOf(request, 'x-api-key').join()
}

function queryOf({ request }: Sent): string {
  return request.target.split('?').slice(1).join('?')
}

function hasSpacesInside(one: Sent): boolean {
  return /[ \t]/.test(keyOf(one).trim()) && keyOf(one).replaceAll(/[ \t]/g, '') === key
}

function isChangedLate(one: Sent): boolean {
  return keyOf(one).startsWith(key.slice(0, 8)) && / with \w in place of its/.test(one.says)
}

function hasOneBefore(one: Sent): boolean {
  return keyOf(one).length > key.length && keyOf(one).endsWith('e')
}

function hasQuote(one: Sent): boolean {
  return keyOf(one).length === key.length + 1 && keyOf(one).includes("'")
}

function hasCapitalSecond({ request }: Sent): boolean {
  return /[A-Z]/.test(request.fields[1]?.name ?? '')
}

function countOf(one: Sent): number {
  return certainFlaws(one.facts).length
}

/** The classes of the case, a pattern of its name, when it fails, and the result of shrinking. */
type Row = readonly [from: readonly CaseClass[], RegExp, fails: (one: Sent) => boolean, says: string | RegExp]

const any = (): boolean => true

const sent = new Map<readonly CaseClass[], readonly Sent[]>()

/** The first cases of these classes, drawn once for all rows. */
function sentOnce(from: readonly CaseClass[]): readonly Sent[] {
  const all = sent.get(from) ?? sentBy(from, input, 2_000)
  sent.set(from, all)
  return all
}

test.each<Row>([
  [
    keys,
    /^unicode/,
    (one) => /\xe2\x80[\x8b-\x8d]/.test(keyOf(one)),
    'with U+200B (e2 80 8b) after character 1',
  ],
  [keys, /^added.* times /, hasOneBefore, 'with x before its first character'],
  // The significant character and position are kept.
  [keys, /^/, (one) => keyOf(one).indexOf('\xe2\x80\x8d') >= 9, 'with U+200D (e2 80 8d) after character 9'],
  [keys, /^/, hasSpacesInside, 'with a space after character 1'],
  [keys, /^/, hasQuote, "with a single quote (') before its first character"],
  // The first one is listed, so it does not shrink.
  [keys, /^changed-character\.[1-9]/, isChangedLate, 'with x in place of its character 9'],
  [keys, /^white-space-around/, (one) => keyOf(one).trim() === key, 'with a space after it'],
  [raw, /^control-character\./, (one) => keyOf(one).includes('\0'), 'with U+0000 (00) after character 1'],
  [lines, /^name-case/, hasCapitalSecond, /^field names written [^A-Z]*[A-Z][^A-Z]*$/],
  [
    lines,
    /^unrelated-fields/,
    ({ request }) => fieldsOf(request, 'x-request-id').length > 0,
    'with x-request-id',
  ],
  [
    lines,
    /^many-unrelated-fields/,
    ({ request }) => request.fields.length >= 22,
    /^with 1[78] unrelated fields x-zz…$/,
  ],
  [
    paths,
    /^unknown-path-with-segments/,
    ({ says }) => says.includes('/9f8'),
    /^the unknown path \/api\/zz…\/9f8e7d$/,
  ],
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
  const failing = sentOnce(from)
    .filter((one) => name.test(`${one.name}: ${one.says}`) && fails(one))
    .slice(0, 40)
  const simplestOf = ({ drawn }: Sent): string => {
    const { says: said, base } = simplest(drawn, (mutated) => fails(sentOf({ ...drawn, mutated }, input)))
    return base === 'api-key-absent' ? `${said} [${base}]` : said.replace('TARGET_API_KEY ', '')
  }
  const isOther = (one: string): boolean => (typeof says === 'string' ? one !== says : !says.test(one))

  expect(failing.length).toBeGreaterThan(0)
  expect(failing.map(simplestOf).filter(isOther)).toEqual([])
})
