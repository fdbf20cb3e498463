import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { changesBetween } from '../report/history/changes.ts'
import { historyLine, type HistoryLine, type HistoryRule } from './history-line.ts'
import { historyText, longestLine, parsedLine, unreadFormat } from './history-text.ts'
import { findingWith, nonconformantVerdict, ruleWith, verdictWith } from './verdict.testing.ts'
import { statuses } from './verdict.ts'

const rule = 'fuzz/path'

/** A run in which a rule has so many findings. */
function runWith(count: number, changes: Partial<HistoryRule> = {}): HistoryLine {
  const findings = Array.from({ length: count }, (_, index) =>
    findingWith({ fingerprint: index.toString(16).padStart(16, '0') }),
  )
  const { observations: _, ...line } = historyLine(
    verdictWith({ rules: [ruleWith(rule, { status: 'failed', findings })] }),
  )
  return { ...line, rules: line.rules.map((one) => ({ ...one, ...changes })) }
}

function readAgain(line: HistoryLine): HistoryLine {
  const read = parsedLine(historyText(line))
  if (read === null) throw new Error('the line was not read')
  return read
}

describe('a line of the history', () => {
  it('has all of a run but its observations, if there is room', () => {
    const { observations: _, ...line } = historyLine(nonconformantVerdict())

    expect(readAgain({ ...line, digest: 'ab'.repeat(32) })).toEqual({ ...line, digest: 'ab'.repeat(32) })
    expect(line.causes).toMatchObject([
      { severity: 'form', warning: false, rule: 'authentication/api-key-missing' },
      { rule: 'versioning/unknown-endpoint' },
      { warning: true, rule: 'conventions/json-content-type' },
    ])
  })

  it('keeps what is said of each finding', () => {
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
        const line = runWith(0, {
          ...changes,
          ...(waived.length === 0 ? {} : { waived }),
          ...(unconfirmed.length === 0 ? {} : { unconfirmed }),
          ...(underConditions.length === 0 ? {} : { underConditions }),
        })

        expect(readAgain(line)).toEqual(line)
      }),
    )
  })

  it.each([0, 10, 100, 1_000, 10_000])('has at most 3,000 bytes with %i findings', (count) => {
    const text = historyText(runWith(count))

    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(longestLine)
    expect(parsedLine(text)?.rules[0]?.status).toBe('failed')
  })

  it('keeps the gravest causes, and says how many it left out, also before', () => {
    const { causes, ...line } = runWith(1)
    const [cause] = causes
    const many = Array.from({ length: 40 }, () => cause).flatMap((one) => one ?? [])

    expect(readAgain({ ...line, causes: many })).toMatchObject({
      causes: many.slice(0, 8),
      causesLeftOut: 32,
    })
    expect(readAgain({ ...line, causes: many, causesLeftOut: 2 }).causesLeftOut).toBe(34)
    expect(readAgain({ ...line, causes: many.slice(0, 8) })).not.toHaveProperty('causesLeftOut')
  })

  it('keeps an entry of each cause before it keeps the fingerprints of a rule', () => {
    const { causes, ...line } = runWith(500)
    const [cause] = causes
    const few = Array.from({ length: 5 }, () => cause).flatMap((one) => one ?? [])
    const read = readAgain({ ...line, causes: few })

    expect(read.causes).toEqual(few)
    expect(read.rules[0]?.fingerprints.length).toBeLessThan(500)
  })

  it('says of findings that it has no room for whether they came every time, and needed conditions', () => {
    const all = runWith(500).rules[0]?.fingerprints ?? []
    const rest = (changes: Partial<HistoryRule>): unknown => readAgain(runWith(500, changes)).rules[0]?.rest

    const { fingerprints = [] } = readAgain(runWith(500)).rules[0] ?? {}

    expect(fingerprints).toEqual(all.slice(0, fingerprints.length))
    expect(rest({})).toEqual({ upTo: fingerprints.at(-1), intermittent: false, underConditions: false })
    expect(rest({ intermittent: all.slice(-1) })).toMatchObject({ intermittent: true })
    expect(rest({ underConditions: all.slice(-1) })).toMatchObject({ underConditions: true })
    expect(rest({ intermittent: all.slice(0, 1) })).toMatchObject({ intermittent: false })
  })
})

describe('a line that holds something else', () => {
  const { observations: _, ...run } = historyLine(nonconformantVerdict())
  const full = { ...run, digest: 'ab', exceptions: 1, causesLeftOut: 1 }
  const stored: unknown = JSON.parse(historyText({ ...full, selection: { only: ['*'], essential: true } }))
  const mayBeNull = /^\/(?:target\/(?:baseUrl|label|build)|selection\/only|latencyMs)$/
  const isFree = /^\/(?:connection|validUntil)/

  /** The stored line with another kind of value at one place. */
  function* others(value: unknown, place = ''): Generator<readonly [place: string, line: unknown]> {
    const kinds: readonly unknown[] = [null, 'x', 7, true, [7], { a: 7 }]
    const same = (one: unknown): boolean =>
      one === null
        ? mayBeNull.test(place)
        : typeof one === typeof value && Array.isArray(one) === Array.isArray(value)
    for (const one of kinds)
      if (!same(one) || (typeof one === 'object' && one !== null))
        yield [`${place} ${JSON.stringify(one)}`, one]
    if (typeof value !== 'object' || value === null) return
    for (const [name, member] of Object.entries(value))
      for (const [inner, changed] of others(member, `${place}/${name}`))
        yield [
          inner,
          Array.isArray(value)
            ? value.map((one: unknown, at) => (String(at) === name ? changed : one))
            : { ...value, [name]: changed },
        ]
  }

  it('of another kind at any place is not read', () => {
    const read = [...others(stored)].filter(
      ([place, line]) => !isFree.test(place) && parsedLine(JSON.stringify(line)) !== null,
    )

    expect(parsedLine(JSON.stringify(stored))).not.toBeNull()
    expect(read.map(([place]) => place)).toEqual([])
  })

  it.each([
    ['profile', 'daily'],
    ['verdict', 'fine'],
    ['exitCode', 5],
    ['exitCode', 0],
    ['startedAt', 'yesterday'],
    ['format', 'card-switch-conformance/history/1'],
    ['causes', [{ ...full.causes[0], severity: 'grave' }]],
    ['rules', { fine: { fuzz: ['path'] } }],
  ])('%s %j is not read', (name, value) => {
    expect(parsedLine(JSON.stringify(Object.assign({ ...Object(stored) }, { [name]: value })))).toBeNull()
  })

  it.each([
    ['{"format":"card-switch-conformance/history/1","a":1}', 'card-switch-conformance/history/1'],
    [historyText(run), null],
    ['{"format":"other/1"}', null],
    ['[{"format":"card-switch-conformance/history/1"}]', null],
    ['', null],
  ])('of another format is told by its name: %s', (text, name) => {
    expect(unreadFormat(text)).toBe(name)
  })
})

describe('a run whose line had no room for all its findings', () => {
  const before = readAgain(runWith(500))
  const kindAfter = (after: HistoryLine, from = before): unknown => changesBetween(from, after)[0]?.kind

  it('is no worse and no better than the same run', () => {
    expect(before.rules[0]?.fingerprints.length).toBeLessThan(100)
    expect(kindAfter(runWith(500))).toBe('unchanged')
    expect(kindAfter(before, runWith(500))).toBe('unchanged')
  })

  it('is worse for a finding that it would have had room for, and mended if nothing is found', () => {
    const [kept = ''] = before.rules[0]?.fingerprints ?? []
    const fingerprints = [...(runWith(500).rules[0]?.fingerprints ?? []), `${kept.slice(0, -1)}+`]

    expect(kindAfter(runWith(500, { fingerprints }))).toBe('worse')
    expect(kindAfter(runWith(0, { status: 'passed' }))).toBe('mended')
  })

  it('is not called mended if some of the others need conditions that the later run need not send', () => {
    const all = runWith(500).rules[0]?.fingerprints ?? []
    const under = readAgain(runWith(500, { underConditions: all.slice(-1) }))
    const passed = { ...runWith(0, { status: 'passed' }), seed: 7 }

    expect(kindAfter(passed, under)).toBe('better')
    expect(kindAfter({ ...passed, seed: under.seed }, under)).toBe('mended')
  })
})
