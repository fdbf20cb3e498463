import type { Category } from 'allure-js-commons/sdk'
import { parseEnvInfo } from 'allure-js-commons/sdk/reporter'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ShownExchange } from '../../judge/record.ts'
import { anyText } from '../../text/any-text.testing.ts'
import { printable } from '../../text/printable.ts'
import {
  exchange,
  findingWith,
  nonconformantVerdict,
  ruleWith,
  verdictWith,
} from '../../verdict/verdict.testing.ts'
import { hostileText, hostileVerdict } from '../testing/hostile.ts'
import { allureOf, resultIn } from './allure.testing.ts'
import { attachmentText, properties } from './allure.ts'

const nonconformant = allureOf(nonconformantVerdict())

it('the Allure environment can be read back', () => {
  const name = anyText({ minLength: 1 }).filter((text) => text !== '__proto__')
  const texts = fc.dictionary(name, anyText(), { noNullPrototype: true })

  fc.assert(
    fc.property(texts, (values) => {
      expect(parseEnvInfo(properties(values))).toEqual(values)
    }),
  )
})

const response = { status: 401, headers: [], body: '', bodyCut: 0 } as const
const html = [['content-type', 'text/html']] as const
const fields = (...all: readonly (readonly [string, string])[]) =>
  all.map(([name, value]) => ({ name, value }))
const json = { contentType: 'application/json', encoding: 'utf8', truncated: false }

it.each<[string, Partial<ShownExchange>, unknown]>([
  [
    'with credentials replaced by their names',
    {},
    {
      schemaVersion: 1,
      request: {
        method: 'GET',
        url: exchange.request.url,
        headers: fields(['x-secret-key', '<TARGET_SECRET_KEY>'], ['x-version', '1']),
      },
      response: {
        status: 401,
        headers: fields(['content-type', 'application/json']),
        body: { ...json, value: exchange.response?.body },
      },
    },
  ],
  [
    'with an error if there is no answer',
    { response: null },
    expect.objectContaining({ error: { name: 'no answer', message: 'no answer came' } }),
  ],
  [
    'with a reason and trailers in printable characters',
    { response: { ...response, reason: 'not\u202Eso', trailers: [['x-sum', 'a\u001B[1m']] } },
    expect.objectContaining({
      response: expect.objectContaining({
        statusText: String.raw`not\u202eso`,
        trailers: fields(['x-sum', String.raw`a\u001b[1m`]),
      }),
    }),
  ],
  [
    'with the body as plain text, whatever its content-type',
    { response: { ...response, headers: html, body: '<script>alert(1)</script>\u202E\n\tb', bodyCut: 3 } },
    expect.objectContaining({
      response: {
        status: 401,
        headers: fields(...html),
        body: {
          contentType: 'text/plain',
          encoding: 'utf8',
          value: `<script>alert(1)</script>${printable('\u202E')}\n\tb… (3 more characters)`,
          truncated: true,
        },
      },
    }),
  ],
])('an Allure exchange is shown %s', (_, changes, shown) => {
  expect(JSON.parse(attachmentText({ ...exchange, ...changes }))).toEqual(shown)
})

describe('Allure findings', () => {
  it('are steps with their exchange, next to a judged exchange', () => {
    const { attachments, steps } = resultIn(nonconformant, 'authentication/api-key-missing')
    const sources = [attachments, ...steps.map((step) => step.attachments)].flat().map(({ source }) => source)

    expect(sources.map((name) => nonconformant.text(name))).toEqual([exchange, exchange].map(attachmentText))
  })

  it('appear once per fingerprint, at most twenty, and the rest are counted', () => {
    const findings = Array.from({ length: 400 }, (_, index) =>
      findingWith({ fingerprint: `${index % 200}`.padStart(16, '0'), count: 1, examples: [] }),
    )
    const rule = ruleWith('fuzz/path', { status: 'failed', findings })
    const folder = allureOf(verdictWith({ rules: [rule] }))
    const { steps, statusDetails } = resultIn(folder, 'fuzz/path')

    expect(steps).toHaveLength(21)
    expect(steps[0]?.name).toContain('met 2 times')
    expect(steps.at(-1)).toMatchObject({
      name: '… and 180 more findings in verdict.json',
      status: 'skipped',
      attachments: [],
    })
    expect(statusDetails.message?.split('\n')).toHaveLength(22)
    expect(folder.names.filter((name) => name.includes('-attachment'))).toHaveLength(21)
  })
})

describe('the folder of Allure results', () => {
  it('has a category for every result that did not simply pass, causes first', () => {
    const categories: readonly Category[] = JSON.parse(nonconformant.text('categories.json'))
    const of = (id: string): readonly (string | undefined)[] => {
      const { status, statusDetails } = resultIn(nonconformant, id)
      return categories.flatMap(({ name, matchedStatuses = [], messageRegex = '' }) =>
        matchedStatuses.some((one) => one === status) &&
        new RegExp(`^(?:${String(messageRegex)})$`).test(statusDetails.message ?? '')
          ? [name]
          : [],
      )
    }

    expect(of('versioning/unknown-endpoint')).toEqual([
      expect.stringMatching(/^Cause 2: answered 404/),
      'Violations',
    ])
    expect(of('conventions/json-content-type')).toEqual([expect.stringMatching(/^Cause 3: /), 'Warnings'])
    expect(of('authentication/no-side-door')).toEqual(['Waived'])
    expect(of('versioning/selected-per-request')).toEqual(['Not judged'])
    expect(of('quota/exhausted')).toEqual(['Not judged'])
    expect(of('fuzz/api-key')).toEqual([])
  })

  it('contains no half-written files', () => {
    expect(nonconformant.names.filter((name) => name.startsWith('.'))).toEqual([])
  })
})

describe('a hostile service', () => {
  const invisible = /[\p{Cf}\p{Cs}\p{Zl}\p{Zp}]|(?![\n\t])\p{Cc}/u

  it('cannot put invisible or text-moving characters into a result', () => {
    const property = fc.property(hostileText, (text) => {
      const folder = allureOf(hostileVerdict(text))
      for (const name of folder.names.filter((one) => one.endsWith('.json') || one.includes('attachment'))) {
        const value: unknown = JSON.parse(folder.text(name))
        const shown = stringsIn(value)
        expect(shown.filter((one) => invisible.test(one))).toEqual([])
      }
    })
    fc.assert(property, { numRuns: 15 })
  })
})

/** Every string in a value, including property names. */
function stringsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, one]) => [name, ...stringsIn(one)])
}
