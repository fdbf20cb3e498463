import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { RuleStatus } from '../../judge/record.ts'
import { serviceRules } from '../../specification/testing/rule-counts.ts'
import { folderWith } from '../../text/folder.testing.ts'
import { historyLine, type HistoryLine } from '../../verdict/history-line.ts'
import {
  errorVerdict,
  findingWith,
  nonconformantVerdict,
  ruleWith,
  targetWith,
  verdictWith,
} from '../../verdict/verdict.testing.ts'
import type { Verdict } from '../../verdict/verdict.ts'
import { ReportsFolderError } from '../folder/reports-folder.ts'
import { bent } from '../testing/bent.ts'
import { appendHistory, historyText, lastJudgedIn, parsedLine, readHistory } from './history.ts'
import { runsComparedWith } from './last-judged.ts'

const folder = await folderWith()
const missing = join(folder, 'missing', 'history.jsonl')

async function fileWith(...lines: readonly (string | HistoryLine)[]): Promise<string> {
  const texts = lines.map((line) => `${typeof line === 'string' ? line : historyText(line)}\n`)
  return join(await folderWith({ 'history.jsonl': texts.join('') }), 'history.jsonl')
}

/** A run that began at this minute of the day. */
function runAt(minute: number, changes: Partial<Verdict> = {}): HistoryLine {
  const startedAt = new Date(Date.UTC(2026, 10, 20, 2, minute)).toISOString()
  return historyLine(verdictWith({ startedAt, rules: [ruleWith('endpoints/list-succeeds')], ...changes }))
}

describe('the history line of a run', () => {
  it('contains every rule with the fingerprints of its findings, including waived ones, and no exchange', () => {
    const line = historyLine(nonconformantVerdict())
    const id = 'authentication/api-key-missing'
    const found = ['3f2a9c0d1e4b5a67']

    expect(line.rules).toContainEqual({ id, status: 'failed', fingerprints: found, intermittent: [] })
    expect(line.rules.find((rule) => rule.id === 'authentication/no-side-door')).toMatchObject({
      status: 'waived',
      waived: found,
    })
    expect(JSON.stringify(line)).not.toContain('x-secret-key')
    expect(line.exceptions).toBe(1)
  })

  it('contains an expectation about the suite only if it failed', () => {
    const broken = ruleWith('tolerance/property-order', { status: 'failed', findings: [findingWith()] })

    expect(historyLine(verdictWith()).rules).toHaveLength(serviceRules)
    expect(historyLine(verdictWith({ rules: [broken] })).rules).toMatchObject([{ status: 'failed' }])
  })

  it('contains the breaches that a waived rule follows from', () => {
    const follows = [{ rule: 'fuzz/query', fingerprint: 'abcdabcdabcdabcd' }] as const
    const lineOf = (status: RuleStatus) =>
      historyLine(verdictWith({ rules: [ruleWith('fuzz/path', { status, because: 'why', follows })] }))

    expect(parsedLine(historyText(lineOf('waived')))?.rules[0]?.follows).toEqual(['abcdabcdabcdabcd'])
    expect(lineOf('inconclusive').rules[0]).not.toHaveProperty('follows')
    expect(lineOf('waived')).not.toHaveProperty('exceptions')
  })
})

describe('adding to the history', () => {
  it('creates the file, ends a line that a crash cut short, and loses nothing', async () => {
    const error = historyLine({ ...errorVerdict(), startedAt: '2026-11-20T02:02:00.000Z' })
    const lines = [runAt(1), error] as const
    const made = join(folder, 'made', 'history.jsonl')
    for (const line of lines) await appendHistory(made, line)
    const [first, second] = lines.map(historyText)
    const cut = join(await folderWith({ cut: `${first}\n${first?.slice(0, 100)}` }), 'cut')
    await appendHistory(cut, lines[1])

    for (const file of [made, cut]) expect(await readHistory(file)).toEqual(lines)
    expect(await readFile(cut, 'utf8')).toBe(`${first}\n${first?.slice(0, 100)}\n${second}\n`)
  })

  it('reports the path and the reason if it fails', async () => {
    const written = appendHistory(folder, runAt(1))

    await expect(written).rejects.toThrow(ReportsFolderError)
    await expect(written).rejects.toThrow(new RegExp(`${folder}: EISDIR.*RUN_HISTORY`))
  })

  it.runIf(process.platform === 'linux')('reports a full disk', async () => {
    await expect(appendHistory('/dev/full', runAt(1))).rejects.toThrow(/\/dev\/full: ENOSPC/)
  })
})

describe('reading the history', () => {
  const good = runAt(1)
  const stored: Readonly<Record<string, unknown>> = JSON.parse(historyText(good))
  const old = '{"format":"card-switch-conformance/history/2","suite":{}}'

  it('skips invalid lines and accepts fields from later versions', async () => {
    const wrong = { ...stored, rules: [{ ...good.rules[0], status: 'fine' }] }
    const notime = { ...stored, startedAt: 'yesterday' }
    const others = [wrong, notime, [stored], null].map((one) => JSON.stringify(one))
    const later = JSON.stringify({ ...stored, weather: 'fair' })
    const file = await fileWith(...others, '', '{"format"', 'null\u0000', old, good, '', later)

    expect(await readHistory(file)).toMatchObject([good, { startedAt: good.startedAt }])
    expect(await readHistory(missing)).toEqual([])
  })

  it('sorts runs by start time, because an earlier run can end later', async () => {
    const file = await fileWith(...[2, 1, 3].map((minute) => runAt(minute)))

    expect(await readHistory(file)).toEqual([runAt(1), runAt(2), runAt(3)])
  })

  it('returns only the last thousand of ten thousand runs', async () => {
    const long = Array.from({ length: 10_000 }, (_, minute) => runAt(minute))
    const read = await readHistory(await fileWith(...long))

    expect(read).toHaveLength(1_000)
    expect([read[0], read.at(-1)]).toEqual([runAt(9_000), runAt(9_999)])
  })
})

describe('the previous run', () => {
  const current = runAt(10)
  const { target } = current
  const other = targetWith({ baseUrl: 'https://other.example', label: null })
  const findings = [findingWith()]
  const rules = [ruleWith('endpoints/list-succeeds', { status: 'failed', findings })]
  const unlike = { seed: 7, fuzzCases: 5, target: { ...target, build: '41' }, rules }

  it.each<[string, HistoryLine, boolean]>([
    ['cannot have another target', runAt(5, { target: other }), false],
    ['cannot have another label', runAt(5, { target: { ...target, label: 'another' } }), false],
    ['cannot have another API version', runAt(5, { target: { ...target, version: '2' } }), false],
    ['cannot have another profile', runAt(5, { profile: 'nightly' }), false],
    ['cannot have only some rules', runAt(5, { selection: { only: ['quota/*'] } }), false],
    ['cannot have one case per rule', runAt(5, { selection: { only: null, essential: true } }), false],
    ['cannot have ended in an error', runAt(5, { verdict: 'error', exitCode: 4 }), false],
    ['cannot have begun at the same time', runAt(10), false],
    ['cannot have begun later', runAt(11), false],
    ['can have another seed, build and number of cases', runAt(9, unlike), true],
  ])('%s', async (_, line, isOne) => {
    const runs = [...(isOne ? [line] : []), runAt(1)]

    expect(runsComparedWith([runAt(1), line], current)).toEqual(runs)
    expect(await lastJudgedIn(await fileWith(runAt(1), line), current)).toEqual({ run: runs[0], without: [] })
  })

  const review = { baseUrl: 'https://review-7.example' }
  const at = (port: number) => ({ embedded: true, baseUrl: `http://127.0.0.1:${port}` })

  it.each<[string, Partial<Verdict['target']>, Partial<Verdict['target']>, number]>([
    ['with the same label can have another address', { label: 'a', ...review }, { label: 'a' }, 1],
    ['without a label cannot have another address', review, {}, 0],
    ['without a label can have the same address', {}, {}, 1],
    ['that is the embedded service can have another port', at(1), at(2), 1],
  ])('of a target %s', (_, before, after, count) => {
    const earlier = runAt(1, { target: { ...other, ...before } })

    expect(runsComparedWith([earlier], runAt(2, { target: { ...other, ...after } }))).toHaveLength(count)
  })

  it('is null for a missing file, an empty file or a folder', async () => {
    for (const file of [missing, await fileWith(), folder])
      expect(await lastJudgedIn(file, current)).toBeNull()
  })
})

it('a history line preserves a whole run', () => {
  const line = historyLine(nonconformantVerdict())

  const stored = { ...line, digest: 'ab'.repeat(32) }
  expect(parsedLine(historyText(stored))).toEqual(stored)
  expect(line.causes).toMatchObject([
    { severity: 'form', warning: false, rule: 'authentication/api-key-missing' },
    { rule: 'versioning/unknown-endpoint' },
    { warning: true, rule: 'conventions/json-content-type' },
  ])
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
