import * as fc from 'fast-check'
import { serviceRules } from '../../specification/testing/rule-counts.ts'
import { describe, expect, it } from 'vitest'
import { hostileText, hostileVerdict } from '../testing/hostile.ts'
import { junitXml } from './junit.ts'
import type { Verdict } from '../../verdict/verdict.ts'
import {
  errorVerdict,
  findingWith,
  nonconformantVerdict,
  ruleWith,
  verdictWith,
} from '../../verdict/verdict.testing.ts'
import { elementsOf, parseXml, type ParsedElement } from './xml.testing.ts'

const read = (verdict: Verdict): ParsedElement => parseXml(junitXml(verdict))
describe('JUnit XML', () => {
  it('has the time of the requests of each rule and area, in seconds', () => {
    const rules = [
      ruleWith('authentication/api-key-missing', { durationMs: 1_204 }),
      ruleWith('authentication/no-bypass', { durationMs: 96 }),
      ruleWith('errors/body-shape'),
    ]
    const root = read(verdictWith({ rules }))

    expect(elementsOf(root, 'testsuite').map(({ attributes }) => attributes['time'])).toEqual(['1.3', '0'])
    expect(elementsOf(root, 'testcase').map(({ attributes }) => attributes['time'])).toEqual([
      '1.204',
      '0.096',
      '0',
    ])
  })

  it('counts right', () => {
    const root = read(nonconformantVerdict())
    expect(root.attributes).toMatchObject({ tests: String(serviceRules), failures: '2', errors: '0' })
    expectCountsOf(root)
  })

  it('says when the run began, and what was judged before the cases', () => {
    for (const suite of elementsOf(read(nonconformantVerdict()), 'testsuite')) {
      const [first, ...others] = suite.children.map(({ name }) => name)
      expect([first, ...new Set(others)]).toEqual(['properties', 'testcase'])
      expect(suite.attributes['timestamp']).toBe('2026-11-20T02:00:00')
    }
  })
})

describe('a run without a verdict', () => {
  it.each([
    ['an error before any rule', errorVerdict(), 'exit 2', /^error: TARGET_BASE_URL/],
    [
      'an incomplete run, whose rules are all green or skipped',
      verdictWith({ verdict: 'incomplete', exitCode: 3, because: ['the quota ran out'] }),
      'exit 3',
      /^incomplete: the quota ran out$/,
    ],
    [
      'an error of the suite beside failed rules',
      { ...nonconformantVerdict(), verdict: 'error', exitCode: 4, because: ['it threw'] } as const,
      'exit 4',
      /^error: it threw$/,
    ],
    [
      'a nonconformant run in which no rule carries the failure',
      verdictWith({ verdict: 'nonconformant', exitCode: 1 }),
      'exit 1',
      /^nonconformant: no reason was given$/,
    ],
  ])('is an error of its own: %s', (_, verdict, type, message) => {
    const root = read(verdict)
    const [error] = elementsOf(root, 'error')

    expect(error?.attributes['type']).toBe(type)
    expect(error?.attributes['message']).toMatch(message)
    expect(root.attributes['errors']).toBe('1')
    expectCountsOf(root)
  })

  it('is not reported where the rules say it all', () => {
    expect(elementsOf(read(nonconformantVerdict()), 'error')).toEqual([])
    expect(elementsOf(read(verdictWith()), 'error')).toEqual([])
  })
})

describe('whatever a service answers', () => {
  it('is well-formed, and still shows it', () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        const root = read(hostileVerdict(text))
        expect(root.attributes).toMatchObject({ tests: String(serviceRules + 1), failures: '1', errors: '0' })
        expect(junitXml(hostileVerdict(text)).replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}]/u)
      }),
    )
  })
})

/** The counts of the root and of each suite are those of the cases in them. */
function expectCountsOf(root: ParsedElement): void {
  for (const element of [root, ...elementsOf(root, 'testsuite')]) {
    expect(element.attributes).toMatchObject({
      tests: `${elementsOf(element, 'testcase').length}`,
      failures: `${elementsOf(element, 'failure').length}`,
      errors: `${elementsOf(element, 'error').length}`,
    })
    const skipped = `${elementsOf(element, 'skipped').length}`
    expect(element.attributes['skipped']).toBe(element === root ? undefined : skipped)
  }
}

/** What an element may and must have. */
interface Allowed {
  readonly attributes: readonly string[]
  readonly required: readonly string[]
  readonly children: readonly string[]
}

/**
 * What Jenkins' schema allows of the elements that we use. Source: junit-10.xsd of jenkinsci/xunit-plugin, against which the same
 * documents were also held themselves, by libxml2.
 */
const schema: Readonly<Record<string, Allowed>> = {
  testsuites: {
    attributes: ['name', 'time', 'tests', 'failures', 'errors'],
    required: [],
    children: ['testsuite'],
  },
  testsuite: {
    attributes: ['name', 'tests', 'failures', 'errors', 'time', 'skipped', 'timestamp'],
    required: ['name', 'tests', 'failures', 'errors'],
    children: ['properties', 'testcase'],
  },
  properties: { attributes: [], required: [], children: ['property'] },
  property: { attributes: ['name', 'value'], required: ['name', 'value'], children: [] },
  testcase: {
    attributes: ['name', 'time', 'classname'],
    required: ['name'],
    children: ['skipped', 'error', 'failure', 'system-out'],
  },
  skipped: { attributes: ['type', 'message'], required: [], children: [] },
  error: { attributes: ['type', 'message'], required: [], children: [] },
  failure: { attributes: ['type', 'message'], required: [], children: [] },
  'system-out': { attributes: [], required: [], children: [] },
}
/** The type of `time`, which knows neither exponents nor signs. */
const seconds = /^(?:(?:[0-9]{0,3},)*[0-9]{3}|[0-9]{0,3})*(?:\.[0-9]*)?$/

function mistakesIn(element: ParsedElement): readonly string[] {
  const { name, attributes, children } = element
  const allowed = schema[name]
  if (allowed === undefined) return [`<${name}> is none`]
  return [
    ...Object.keys(attributes)
      .filter((one) => !allowed.attributes.includes(one))
      .map((one) => `<${name} ${one}>`),
    ...allowed.required.filter((one) => attributes[one] === undefined).map((one) => `<${name}> lacks ${one}`),
    ...(seconds.test(attributes['time'] ?? '') ? [] : [`<${name} time="${attributes['time']}">`]),
    ...children.filter((one) => !allowed.children.includes(one.name)).map((one) => `<${name}><${one.name}>`),
    ...children.flatMap(mistakesIn),
  ]
}

const idle = {
  rule: 'quota/exhausted',
  fingerprint: null,
  reason: 'agreed',
  owner: 'Kim',
  expires: '2027-01-31',
  expired: false,
  used: false,
}

describe('what Jenkins and GitLab read', () => {
  it.each<readonly [string, Verdict]>([
    ['a conformant run', verdictWith()],
    ['a run with a rule of every status', nonconformantVerdict()],
    ['a run that never began', errorVerdict()],
    ['a long run', verdictWith({ durationMs: 3_723_456 })],
    ['waivers to look at', verdictWith({ waivers: [idle] })],
  ])('fits the schema: %s', (_, verdict) => {
    expect(mistakesIn(parseXml(junitXml(verdict)))).toEqual([])
  })

  it('fits the schema whatever a service answers', () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        expect(mistakesIn(parseXml(junitXml(hostileVerdict(text))))).toEqual([])
      }),
    )
  })

  it('shows waivers to look at as a skipped case, which stops no pipeline', () => {
    const root = parseXml(junitXml(verdictWith({ waivers: [{ ...idle, gone: true }] })))
    const found = elementsOf(root, 'testcase').find(({ attributes }) => attributes['classname'] === 'run')

    expect(found?.attributes['name']).toBe('run: every waiver is still needed')
    expect(found?.children.map(({ name }) => name)).toEqual(['skipped', 'system-out'])
    expect(found?.children[0]?.attributes['message']).toContain('its fault is gone')
    expect(root.attributes).toMatchObject({ failures: '0', errors: '0' })
  })
})

describe('10,000 findings', () => {
  const body = 'x'.repeat(4_000)
  const { exchange } = findingWith()
  const findings = Array.from({ length: 250 }, (_, index) =>
    findingWith({
      fingerprint: `f${index}`,
      summary: 'y'.repeat(5_000),
      curl: 'z'.repeat(50_000),
      exchange: { ...exchange, response: { status: 500, headers: [], body, bodyCut: 0 } },
    }),
  )
  const rules = verdictWith().rules.map(({ id }) => ruleWith(id, { status: 'failed', findings }))
  const xml = junitXml(verdictWith({ rules, verdict: 'nonconformant', exitCode: 1 }))

  it('stay a file that pipelines take, and say how many are not shown', () => {
    expect(xml.length).toBeLessThan(8_000_000)
    expect(xml).toContain('… and 240 more in verdict.json')
    expect(xml).toContain('(and 249 further findings)')
  })

  it('show each fingerprint once, with its count and three examples', () => {
    const same = Array.from({ length: 10_000 }, (_, index) => findingWith({ case: `a:1:${index}`, count: 1 }))
    const rule = ruleWith('errors/body-shape', { status: 'failed', findings: same })
    const [failure] = elementsOf(parseXml(junitXml(verdictWith({ rules: [rule] }))), 'failure')

    expect(failure?.text.match(/^ {2}case /gm)).toHaveLength(1)
    expect(failure?.text).toContain('met 10000 times')
    expect(failure?.text.match(/^ {2}also /gm)).toHaveLength(3)
  })
})
