import { hash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it, test } from 'vitest'
import { allowed } from '../judge/facts.ts'
import { blamesClient, documentedPairs, pairCount, refusalOf } from './answers.ts'
import { filledPath, maySend } from './endpoints.ts'
import { flawNamed, flawRows, flawless, refusedClients } from './flaws.ts'
import { areaOf, catalogueOf, entryOf, isRuleId, placeOfRule } from './rules.ts'
import { ruleIds, ruleOf, runWideRules } from './rules.ts'
import { specification } from './specification.ts'

it('the catalogue gives each rule an id in kebab case, one sentence, and its source', () => {
  for (const id of ruleIds) {
    const { says, section, needs = 'FIXTURE_X' } = ruleOf(id)
    expect(id).toMatch(/^[a-z]+\/[a-z]+(?:-[a-z]+)*$/)
    expect(id.startsWith(`${areaOf(id)}/`)).toBe(true)
    expect(says, id).toMatch(/^\S.*[^.\s]$/)
    expect(section.length, id).toBeGreaterThan(3)
    expect(needs, id).toMatch(/(?:FIXTURE|RUN|TARGET)_[A-Z]/)
  }
  for (const all of [ruleIds, ruleIds.map((id) => ruleOf(id).says)])
    expect(new Set(all).size).toBe(ruleIds.length)
})

it('the catalogue judges the run-wide rules last', () => {
  expect(runWideRules.map((id) => ruleOf(id).phase)).toEqual(Array(6).fill('summary'))
})

it('the catalogue accepts only its ids', () => {
  expect(ruleIds.every(isRuleId)).toBe(true)
  const others = ['', 'authentication', 'authentication/', 'toString', '__proto__', 'Quota/exhausted']
  expect(others.filter(isRuleId)).toEqual([])
})

it('the catalogue orders rules independently of their declaration, with a user’s rules last', () => {
  const declared = ['acme/own', ...ruleIds.slice(0, 3).toReversed()] as const
  const rules = declared.map((id) => ({ id, entry: ruleOf(ruleIds[0] ?? 'quota/exhausted') }))
  const catalogue = catalogueOf([{ rules: rules.slice(0, 2) }, { rules: rules.slice(2) }])

  expect([...catalogue.keys()]).toEqual([...ruleIds.slice(0, 3), 'acme/own'])
  expect(ruleIds.map(placeOfRule)).toEqual(ruleIds.map((_, place) => place))
  expect(() => entryOf(catalogue, 'acme/other')).toThrow('this run has no rule acme/other')
})

it('the documented answers are the eleven pairs of the tables', () => {
  const pairs = documentedPairs.map(({ status, errorCode }) => `${status}/${errorCode}`)

  const of401 = '401/1006 401/1007 401/1011 401/1012 401/1013'
  expect(pairs.join(' ')).toBe(`400/1001 400/1002 400/1003 400/1010 400/1030 ${of401} 429/1020`)
  expect(pairCount).toBe('eleven')
})

it('the documented answers blame the client if its credentials or permissions are wrong', () => {
  const blaming = documentedPairs.map(({ errorCode }) => errorCode).filter(blamesClient)

  expect(blaming).toEqual(['1006', '1007', '1011', '1012', '1013'])
  expect(['9999', null, undefined].some(blamesClient)).toBe(false)
})

test('a path of the endpoints file has percent-encoded parameters, and unknown ones are left empty', () => {
  const texts = { id: 'a/b', 'card id': '7' }

  expect(filledPath('/api/{id}/cards/{card id}/{}', texts)).toBe('/api/a%2Fb/cards/7/')
})

test('requests have methods without side effects, or others if the endpoints file permits them', () => {
  const methods = ['GET', 'HEAD', 'OPTIONS', 'POST', 'get']

  expect(methods.filter((method) => maySend({ method, fuzz: false }))).toEqual(methods.slice(0, 3))
  expect(maySend({ method: 'POST', fuzz: true })).toBe(true)
})

/**
 * The text of the specification, which is not part of this repository: SPECIFICATION_FILE, or a file in
 * `shared/` above it.
 */
function specificationText(): string | null {
  const named = process.env['SPECIFICATION_FILE']
  if (named !== undefined && named !== '') return readFileSync(named, 'utf8')
  for (let folder = import.meta.dirname; folder !== dirname(folder); folder = dirname(folder)) {
    const file = join(folder, 'shared', 'specification.md')
    if (existsSync(file)) return readFileSync(file, 'utf8')
  }
  return null
}

const text = specificationText()

test.skipIf(text === null)('the specification has the named hash, title, sections and codes', () => {
  const lines = (text ?? '').split('\n')
  const named = ruleIds
    .map(ruleOf)
    .filter(({ level }) => level === 'documented')
    .flatMap(({ section }) => section.split('; ').map((part) => part.split(',')[0] ?? ''))

  expect(hash('sha256', text ?? '')).toBe(specification.sha256)
  expect(lines[0]).toBe(`# ${specification.title}`)
  for (const section of named) expect(lines).toContain(`## ${section}`)
  for (const { errorCode, errorMessage } of documentedPairs)
    expect(text).toContain(`| ${errorCode} | ${errorMessage} |`)
})

test.each(flawRows)('a flaw has the only code that the oracle allows, which its rule states: $id', (row) => {
  const { fact, value, code, rule } = row
  const answers = allowed({ ...flawless, [fact]: value })

  expect(answers.length === 1 ? answers : null).toEqual(code === null ? null : [refusalOf(code)])
  if (answers[0] && code && rule)
    expect(ruleOf(rule).says).toMatch(new RegExp(`\\b(?:get|with) ${answers[0].status} and ${code}\\b`))
})

test('the flaws name the rule that is about exactly them', () => {
  const names = flawRows.flatMap(({ rule }) => rule?.split('/')[1] ?? [])

  expect(names.join(' ')).toBe(
    'api-key-missing api-key-invalid secret-key-missing secret-key-invalid secret-key-invalid version-missing ' +
      'malformed-version endpoint-not-in-version unknown-endpoint endpoint-inactive customer-not-found ' +
      'endpoint-unauthorized exhausted invalid-parameters',
  )
})

test('flaws are found only by their exact name', () => {
  for (const row of flawRows) expect(flawNamed(row.id)).toBe(row)
  expect(['', 'version', 'version served', 'toString x'].map(flawNamed)).toEqual([null, null, null, null])
})

test('three clients are refused every day, each with its code', () => {
  const refused = refusedClients.map((one) => `${one.client} ${one.refusal.status}/${one.refusal.errorCode}`)

  expect(refused).toEqual(['noCustomer 401/1012', 'inactive 401/1011', 'unauthorized 401/1013'])
})
