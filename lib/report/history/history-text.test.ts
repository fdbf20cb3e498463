import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { historyLine, type HistoryLine, type HistoryRule } from '../../verdict/history-line.ts'
import { nonconformantVerdict, ruleWith, verdictWith } from '../../verdict/verdict.testing.ts'
import { statuses } from '../../verdict/verdict.ts'
import { bent } from '../testing/bent.ts'
import { historyText, parsedLine } from './history.ts'

const rule = 'fuzz/path'

/** A run with one rule that fails, with changes. */
function runWith(changes: Partial<HistoryRule>): HistoryLine {
  const line = historyLine(verdictWith({ rules: [ruleWith(rule, { status: 'failed' })] }))
  return { ...line, rules: line.rules.map((one) => ({ ...one, ...changes })) }
}

function readAgain(line: HistoryLine): HistoryLine {
  const read = parsedLine(historyText(line))
  if (read === null) throw new Error('the line cannot be read')
  return read
}

it('a history line preserves a whole run', () => {
  const line = historyLine(nonconformantVerdict())

  expect(readAgain({ ...line, digest: 'ab'.repeat(32) })).toEqual({ ...line, digest: 'ab'.repeat(32) })
  expect(line.causes).toMatchObject([
    { severity: 'form', warning: false, rule: 'authentication/api-key-missing' },
    { rule: 'versioning/unknown-endpoint' },
    { warning: true, rule: 'conventions/json-content-type' },
  ])
})

it('a history line preserves the details of each finding', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', 'é', ' ', '"'), minLength: 1, maxLength: 6 })
  const found = fc.uniqueArray(text, { maxLength: 8 }).chain((fingerprints) =>
    fc.record({
      status: fc.constantFrom(...statuses),
      fingerprints: fc.constant(fingerprints.toSorted()),
      intermittent: fc.subarray(fingerprints.toSorted()),
      unconfirmed: fc.subarray(fingerprints.toSorted()),
      waived: fc.subarray(fingerprints.toSorted()),
      underConditions: fc.subarray(fingerprints.toSorted()),
    }),
  )
  fc.assert(
    fc.property(found, ({ waived, unconfirmed, underConditions, ...changes }) => {
      const some = Object.entries({ waived, unconfirmed, underConditions })
      const given = Object.fromEntries(some.filter(([, names]) => names.length > 0))
      const line = runWith({ ...changes, ...given })

      expect(readAgain(line)).toEqual(line)
    }),
  )
})

describe('an invalid history line', () => {
  const run = historyLine(nonconformantVerdict())
  const full = { ...run, digest: 'ab', exceptions: 1 }
  const stored: unknown = JSON.parse(historyText({ ...full, selection: { only: ['*'], essential: true } }))
  const mayBeNull = /^\/(?:target\/(?:baseUrl|label|build)|selection\/only|latencyMs)$/
  const isFree = /^\/(?:connection|validUntil)/

  const kinds: readonly unknown[] = [null, 'x', 7, true, [7], { a: 7 }]

  /** Values of another kind than this part of the line. */
  function othersOf(value: unknown, place: string): readonly unknown[] {
    const isSame = (one: unknown): boolean =>
      one === null
        ? mayBeNull.test(place)
        : typeof one === typeof value && Array.isArray(one) === Array.isArray(value)
    return kinds.filter((one) => !isSame(one) || (typeof one === 'object' && one !== null))
  }

  it('is not read if a value at any place has another type', () => {
    const read = [...bent(stored, othersOf)].filter(
      ([place, line]) => !isFree.test(place) && parsedLine(JSON.stringify(line)) !== null,
    )

    expect(parsedLine(JSON.stringify(stored))).not.toBeNull()
    expect(read.map(([place]) => place)).toEqual([])
  })

  it.each([
    ['profile', 'daily'],
    ['verdict', 'fine'],
    ['exitCode', 5],
    ['startedAt', 'yesterday'],
    ['format', 'card-switch-conformance/history/2'],
    ['causes', [{ ...full.causes[0], severity: 'grave' }]],
    ['rules', [{ id: 'fuzz/path', status: 'fine', fingerprints: [], intermittent: [] }]],
  ])('is not read with %s %j', (name, value) => {
    expect(parsedLine(JSON.stringify(Object.assign({ ...Object(stored) }, { [name]: value })))).toBeNull()
  })
})
