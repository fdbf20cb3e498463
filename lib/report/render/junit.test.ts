import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { serviceRules } from '../../specification/testing/rule-counts.ts'
import { findingWith, ruleWith, rulesWith, verdictWith } from '../../verdict/verdict.testing.ts'
import type { Verdict } from '../../verdict/verdict.ts'
import { hostileText, hostileVerdict } from '../testing/hostile.ts'
import { failing, violated } from '../testing/verdicts.ts'
import { view } from '../view.ts'
import { junitXml } from './junit.ts'
import { elementsOf, parseXml, type ParsedElement } from './xml.testing.ts'

/**
 * Attributes (with ! if required) and children that Jenkins' schema allows in the elements that we use. Source: junit-10.xsd in
 * jenkinsci/xunit-plugin. The same documents were also validated against it with libxml2.
 */
const schema: Readonly<Record<string, readonly [attributes: string, children: string]>> = {
  testsuites: ['name time tests failures errors', 'testsuite'],
  testsuite: ['name! tests! failures! errors! time skipped timestamp', 'properties testcase'],
  properties: ['', 'property'],
  property: ['name! value!', ''],
  testcase: ['name! time classname', 'skipped error failure system-out'],
  skipped: ['type message', ''],
  error: ['type message', ''],
  failure: ['type message', ''],
  'system-out': ['', ''],
}
/** The type of `time`, which allows neither exponents nor signs. */
const seconds = /^(?:(?:[0-9]{0,3},)*[0-9]{3}|[0-9]{0,3})*(?:\.[0-9]*)?$/

function mistakesIn({ name, attributes, children }: ParsedElement): readonly string[] {
  const [allowed, inside] = (schema[name] ?? ['', '']).map((words) => words.split(' '))
  const required = (allowed ?? []).filter((one) => one.endsWith('!')).map((one) => one.slice(0, -1))
  const known = [...required, ...(allowed ?? [])]
  return [
    ...(schema[name] === undefined ? [`<${name}> is unknown`] : []),
    ...Object.keys(attributes).flatMap((one) => (known.includes(one) ? [] : [`<${name} ${one}>`])),
    ...required.filter((one) => attributes[one] === undefined).map((one) => `<${name}> lacks ${one}`),
    ...(seconds.test(attributes['time'] ?? '') ? [] : [`<${name} time="${attributes['time']}">`]),
    ...children.flatMap((one) => (inside?.includes(one.name) ? [] : [`<${name}><${one.name}>`])),
    ...children.flatMap(mistakesIn),
  ]
}

const read = (verdict: Verdict): ParsedElement => parseXml(junitXml(view(verdict)))

describe('JUnit XML', () => {
  it('gives the request time of each rule and area in seconds', () => {
    const rules = [
      ruleWith('authentication/api-key-missing', { durationMs: 1_204 }),
      ruleWith('authentication/no-bypass', { durationMs: 96 }),
      ruleWith('errors/body-shape'),
    ]
    const root = read(verdictWith({ rules }))
    const times = (name: string) => elementsOf(root, name).map(({ attributes }) => attributes['time'])

    expect([times('testsuite'), times('testcase')]).toEqual([
      ['1.3', '0'],
      ['1.204', '0.096', '0'],
    ])
  })

  it('has an error if no reason was given', () => {
    const [error] = elementsOf(read(violated()), 'error')

    expect(error?.attributes).toEqual({ type: 'exit 1', message: 'nonconformant: no reason was given' })
  })

  it('is well-formed, fits the schema and shows the failure, whatever a service answers', () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        const root = read(hostileVerdict(text))
        expect(mistakesIn(root)).toEqual([])
        expect(root.attributes).toMatchObject({ tests: String(serviceRules + 1), failures: '1', errors: '0' })
        expect(junitXml(view(hostileVerdict(text))).replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}]/u)
      }),
    )
  })

  it('stays small enough for pipelines with thousands of findings, and counts those not shown', () => {
    const response = { status: 500, headers: [], body: 'x'.repeat(4_000), bodyCut: 0 }
    const of = { curl: 'z'.repeat(50_000), exchange: { ...findingWith().exchange, response } }
    const findings = Array.from({ length: 250 }, (_, index) =>
      findingWith({ fingerprint: `f${index}`, case: `GET ${index}`, summary: 'y'.repeat(5_000), ...of }),
    )
    const rules = rulesWith([]).slice(0, 8)
    const xml = junitXml(view(violated(...rules.map(({ id }) => failing(id, ...findings)))))

    expect(xml.length).toBeLessThan(1_500_000)
    expect(xml).toContain('… and 240 more in verdict.json')
    expect(xml).toContain('(and 249 further findings)')
  })
})
