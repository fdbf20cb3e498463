import { describe, expect, it } from 'vitest'
import { serviceRules } from '../../specification/testing/rule-counts.ts'
import { specification } from '../../specification/specification.ts'
import { errorVerdict, nonconformantVerdict, targetWith, verdictWith } from '../../verdict/verdict.testing.ts'
import type { Verdict } from '../../verdict/verdict.ts'
import { statement } from './statement.ts'
import { htmlPage } from './html-page.ts'

const acceptance = { profile: 'acceptance', strict: true } as const

/** The text of the cover; empty without one. */
function coverOf(verdict: Verdict): string {
  const [cover = ''] = /<section class="cover".*?<table/s.exec(htmlPage(verdict)) ?? []
  return cover
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/ ([:,.])/g, '$1')
}

describe('the sentence to quote', () => {
  it('names day, suite, service, build, version, number of rules and verdict', () => {
    expect(statement(verdictWith())).toBe(
      `On 2026-11-20 card-switch-conformance 1.0.0 judged the service at https://staging.example.com/cards/api/customizations/list (vendor, build 42), version 1, by ${serviceRules} rules and found it conformant: nothing is violated, ${serviceRules} rules passed.`,
    )
  })

  it('names violations, exceptions and what is no verdict', () => {
    expect(statement(nonconformantVerdict())).toContain(
      `by ${serviceRules} rules and found it nonconformant: 2 of ${serviceRules} rules are violated; waived: authentication/no-side-door.`,
    )
    expect(statement(verdictWith({ verdict: 'incomplete', exitCode: 3 }))).toContain(
      'and came to no verdict (incomplete): what was judged is not enough for a verdict.',
    )
    expect(statement(verdictWith({ selection: { only: ['quota/*'] } }))).toContain(
      'found it partial, conformant',
    )
  })

  it('never passes the embedded service for another', () => {
    const target = targetWith({ baseUrl: 'http://127.0.0.1:4000', embedded: true, label: null, build: null })

    expect(statement(verdictWith({ target }))).toContain('judged the EMBEDDED REFERENCE SERVICE, version 1')
  })
})

describe('the statement', () => {
  it('is there for an acceptance that judged something, and for nothing else', () => {
    expect(coverOf(verdictWith(acceptance))).not.toBe('')
    expect(coverOf(verdictWith())).toBe('')
    expect(coverOf({ ...errorVerdict(), ...acceptance })).toBe('')
  })

  it('names the exceptions with reason, owner and last day, or says that there are none', () => {
    expect(coverOf({ ...nonconformantVerdict(), ...acceptance })).toContain(
      'Agreed exceptions (1, for 1 rule) waived answered 401 / 1006 where 400 / 1001 is documented Wrong form, convention: 1 finding of authentication/no-side-door Agreed: mended in the next release (Kim, until 2027-01-31)',
    )
    expect(coverOf(verdictWith(acceptance))).toContain('No exceptions were agreed.')
  })

  it('names the build, and what the verdict is worth', () => {
    const { target } = verdictWith()
    const power = { confidence: 0.95, answers: 309, excludes: 0.0097, situations: [] }
    const text = coverOf(
      verdictWith({
        ...acceptance,
        target: { ...target, build: 'sha256:ab' },
        power,
      }),
    )

    expect(text).toContain(`by ${serviceRules} rules and found it`)
    expect(text).toContain('309 answers could have shown a breach')
    expect(text).toContain('Service vendor Build sha256:ab')
  })

  it('names the specification with its hash, and leaves room for what no run knows', () => {
    const text = coverOf(verdictWith(acceptance))

    expect(text).toContain(`Specification ${specification.title}`)
    expect(text).toContain('Its version none is named in its text')
    expect(text).toContain(`SHA-256 of its text ${specification.sha256}`)
    for (const line of ['Supplier', 'Client', 'Judged by']) expect(text).toContain(line)
  })
})

it('names the specification at the head of every other page', () => {
  expect(htmlPage(verdictWith())).toContain(specification.sha256)
})
