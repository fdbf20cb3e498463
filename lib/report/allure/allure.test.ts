import { parseEnvInfo } from 'allure-js-commons/sdk/reporter'
import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { anyText } from '../../text/any-text.testing.ts'
import { findingWith, ruleWith, verdictWith } from '../../verdict/verdict.testing.ts'
import { allureOf, resultIn } from './allure.testing.ts'
import { properties } from './allure.ts'

it('the Allure environment can be read back', () => {
  const name = anyText({ minLength: 1 }).filter((text) => text !== '__proto__')
  const texts = fc.dictionary(name, anyText(), { noNullPrototype: true })

  fc.assert(
    fc.property(texts, (values) => {
      expect(parseEnvInfo(properties(values))).toEqual(values)
    }),
  )
})

it('the findings of a rule are attached as text, once per fingerprint, and the rest are counted', () => {
  const findings = Array.from({ length: 400 }, (_, index) =>
    findingWith({ fingerprint: `${index % 200}`.padStart(16, '0'), count: 1, examples: [] }),
  )
  const folder = allureOf(verdictWith({ rules: [ruleWith('fuzz/path', { status: 'failed', findings })] }))
  const { attachments, statusDetails } = resultIn(folder, 'fuzz/path')
  const [text = ''] = attachments.map(({ source }) => folder.text(source))

  expect(statusDetails.message).toMatch(/^answered 401 .*\(and 199 further findings\)$/)
  expect(text.match(/met 2 times/g)).toHaveLength(10)
  expect(text).toContain('<TARGET_SECRET_KEY>')
  expect(text).toMatch(/\n\n… and 190 more in verdict\.json$/)
  expect(folder.names.filter((name) => name.startsWith('.'))).toEqual([])
})
