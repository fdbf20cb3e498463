import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { appendHistory, formatNotice, linesFromEnd, lastJudgedIn, readHistory } from './history.ts'
import { runsComparedWith } from './last-judged.ts'
import { historyLine, type HistoryLine } from '../../verdict/history-line.ts'
import { historyText, parsedLine } from '../../verdict/history-text.ts'
import type { RuleStatus } from '../../judge/record.ts'
import { ReportsFolderError } from '../folder/reports-folder.ts'
import {
  errorVerdict,
  findingWith,
  nonconformantVerdict,
  ruleWith,
  targetWith,
  verdictWith,
} from '../../verdict/verdict.testing.ts'
import type { Verdict } from '../../verdict/verdict.ts'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'history-'))
})
afterAll(() => rm(folder, { recursive: true }))

let files = 0
function newFile(): string {
  files += 1
  return join(folder, `${files}`, 'history.jsonl')
}

async function fileWith(...lines: readonly string[]): Promise<string> {
  const file = join(folder, `${(files += 1)}.jsonl`)
  await writeFile(file, lines.map((line) => `${line}\n`).join(''))
  return file
}

/** A run that began at this minute of a day. */
function runAt(minute: number, changes: Partial<Verdict> = {}): HistoryLine {
  const startedAt = new Date(Date.UTC(2026, 10, 20, 2, minute)).toISOString()
  return readAgain(verdictWith({ startedAt, rules: [ruleWith('endpoints/list-succeeds')], ...changes }))
}

/** A run as it comes back from a history, which keeps no observations. */
function readAgain(verdict: Verdict): HistoryLine {
  const { observations: _, ...line } = historyLine(verdict)
  return line
}

describe('the line of a run', () => {
  it('holds every rule with the fingerprints of its findings and of the waived ones, and no exchange', () => {
    const line = historyLine(nonconformantVerdict())

    expect(line.rules.find(({ id }) => id === 'authentication/api-key-missing')).toEqual({
      id: 'authentication/api-key-missing',
      status: 'failed',
      fingerprints: ['3f2a9c0d1e4b5a67'],
      intermittent: [],
    })
    expect(line.rules.find(({ id }) => id === 'authentication/no-side-door')).toMatchObject({
      status: 'waived',
      waived: ['3f2a9c0d1e4b5a67'],
    })
    expect(JSON.stringify(line)).not.toContain('x-secret-key')
    expect(line.exceptions).toBe(1)
  })

  it('holds the breaches because of which a rule is waived, too', () => {
    const follows = [
      { rule: 'authentication/endpoint-unauthorized', fingerprint: 'abcdabcdabcdabcd' },
    ] as const
    const lineOf = (status: RuleStatus) => {
      const rule = ruleWith('authentication/stays-refused', { status, because: 'why', follows })
      return historyLine(verdictWith({ rules: [rule] }))
    }

    expect(parsedLine(historyText(lineOf('waived')))?.rules[0]?.follows).toEqual(['abcdabcdabcdabcd'])
    expect(lineOf('inconclusive').rules[0]).not.toHaveProperty('follows')
    expect(lineOf('waived')).not.toHaveProperty('exceptions')
  })

  it('comes back as it was written, also of a run that ended in an error', async () => {
    const file = newFile()
    const lines = [runAt(1), readAgain({ ...errorVerdict(), startedAt: '2026-11-20T02:02:00.000Z' })]
    for (const line of lines) await appendHistory(file, line)

    expect(await readHistory(file)).toEqual(lines)
  })
})

describe('adding to the history', () => {
  it('ends the half line of a crash first, and loses nothing', async () => {
    const whole = historyText(runAt(1))
    const file = await fileWith(whole)
    await writeFile(file, `${whole}\n${whole.slice(0, 100)}`)

    await appendHistory(file, runAt(2))

    expect((await readFile(file, 'utf8')).split('\n')).toEqual([
      whole,
      whole.slice(0, 100),
      historyText(runAt(2)),
      '',
    ])
    expect(await readHistory(file)).toEqual([runAt(1), runAt(2)])
  })

  it('says the path and the reason where it cannot', async () => {
    const written = appendHistory(folder, runAt(1))

    await expect(written).rejects.toThrow(ReportsFolderError)
    await expect(written).rejects.toThrow(new RegExp(`${folder}: EISDIR.*RUN_HISTORY`))
  })

  it.runIf(process.platform === 'linux')('says that the disk is full', async () => {
    await expect(appendHistory('/dev/full', runAt(1))).rejects.toThrow(/\/dev\/full: ENOSPC/)
  })
})

describe('reading the history', () => {
  const good = runAt(1)
  const stored: Readonly<Record<string, unknown>> = JSON.parse(historyText(good))

  it.each<[string, unknown]>([
    ['of another format', { ...stored, format: 'card-switch-conformance/history/2' }],
    ['without rules', { ...stored, rules: undefined }],
    ['with a status that nobody knows', { ...stored, rules: [{ ...good.rules[0], status: 'fine' }] }],
    ['with rules that are none', { ...stored, rules: [null] }],
    ['without requests', { ...stored, requests: undefined }],
    ['with a cause of no severity', { ...stored, causes: [{ sentence: 'why' }] }],
    ['without a target', { ...stored, target: null }],
    ['of no time', { ...stored, startedAt: 'yesterday' }],
    ['without a selection', { ...stored, selection: {} }],
    ['that is a list', [stored]],
    ['that is null', null],
  ])('passes over a line %s', async (_, line) => {
    expect(await readHistory(await fileWith(JSON.stringify(line), historyText(good)))).toEqual([good])
  })

  it('says of lines of another format that they are not read, and of no other', async () => {
    const old = '{"format":"card-switch-conformance/history/2","suite":{}}'

    expect(await formatNotice(await fileWith(historyText(good), old, ''))).toMatch(
      /\.jsonl has lines of the format card-switch-conformance\/history\/2, which are not read/,
    )
    expect(await formatNotice(await fileWith(old, historyText(good)))).toBeNull()
    expect(await formatNotice(await fileWith('{"format":"another/1"}'))).toBeNull()
    expect(await formatNotice(join(folder, 'missing'))).toBeNull()
  })

  it('passes over what is no JSON, and empty lines', async () => {
    expect(await readHistory(await fileWith('', '{"format"', 'null\u0000', historyText(good), ''))).toEqual([
      good,
    ])
  })

  it('keeps what a later version adds to a line', async () => {
    const file = await fileWith(JSON.stringify({ ...stored, weather: 'fair' }))

    expect(await readHistory(file)).toMatchObject([{ startedAt: good.startedAt }])
  })

  it('puts runs in the order of their beginnings: one that began earlier may end later', async () => {
    const file = await fileWith(...[runAt(2), runAt(1), runAt(3)].map((line) => historyText(line)))

    expect(await readHistory(file)).toEqual([runAt(1), runAt(2), runAt(3)])
  })

  it('gives the last thousand of ten thousand runs, and reads no more', async () => {
    const long = Array.from({ length: 10_000 }, (_, minute) => historyText(runAt(minute)))
    const read = await readHistory(await fileWith(...long))

    expect(read).toHaveLength(1_000)
    expect(read[0]).toEqual(runAt(9_000))
    expect(read.at(-1)).toEqual(runAt(9_999))
  })

  it('gives nothing of a file that is not there', async () => {
    expect(await readHistory(join(folder, 'missing'))).toEqual([])
  })
})

describe('the run before', () => {
  const current = runAt(10)
  const other = targetWith({ baseUrl: 'https://other.example', label: null })

  it.each<[string, HistoryLine]>([
    ['of another target', runAt(5, { target: other })],
    ['of another label', runAt(5, { target: { ...current.target, label: 'another' } })],
    ['of another version of the API', runAt(5, { target: { ...current.target, version: '2' } })],
    ['of another profile', runAt(5, { profile: 'nightly' })],
    ['of some rules only', runAt(5, { selection: { only: ['quota/*'] } })],
    ['of one case a rule', runAt(5, { selection: { only: null, essential: true } })],
    ['that ended in an error', runAt(5, { verdict: 'error', exitCode: 4 })],
    ['that began at the same time', runAt(10)],
    ['that began later', runAt(11)],
  ])('is none %s', async (_, line) => {
    const file = await fileWith(historyText(runAt(1)), historyText(line))

    expect(runsComparedWith([line], current)).toEqual([])
    expect(runsComparedWith([runAt(1), line], current)).toEqual([runAt(1)])
    expect(await lastJudgedIn(file, current)).toEqual({ run: runAt(1), without: [] })
  })

  it('is the last one, with whatever seed, build and number of cases', async () => {
    const before = runAt(9, {
      seed: 7,
      fuzzCases: 5,
      target: { ...current.target, build: '41' },
      rules: [ruleWith('endpoints/list-succeeds', { status: 'failed', findings: [findingWith()] })],
    })
    const file = await fileWith(...[runAt(1), before].map((line) => historyText(line)))

    expect(runsComparedWith([runAt(1), before], current)[0]).toEqual(before)
    expect(await lastJudgedIn(file, current)).toEqual({ run: before, without: [] })
  })

  it('of a label is one at any address, and without a label one at the same address', () => {
    const before = (label: string | null, baseUrl: string): readonly HistoryLine[] =>
      runsComparedWith(
        [runAt(1, { target: { ...other, label, baseUrl } })],
        runAt(2, { target: { ...other, label } }),
      )

    expect(before('vendor', 'https://review-7.example')).toHaveLength(1)
    expect(before(null, 'https://review-7.example')).toEqual([])
    expect(before(null, other.baseUrl ?? '')).toHaveLength(1)
  })

  it('of the embedded service is one on another port', () => {
    const at = (port: number) => ({ ...other, embedded: true, baseUrl: `http://127.0.0.1:${port}` })

    expect(runsComparedWith([runAt(1, { target: at(1) })], runAt(2, { target: at(2) }))).toHaveLength(1)
  })

  it('is none in a file that is not there', async () => {
    expect(await lastJudgedIn(join(folder, 'missing'), current)).toBeNull()
  })
})

async function linesOf(file: string, blockBytes?: number): Promise<readonly string[]> {
  const lines: string[] = []
  for await (const line of linesFromEnd(file, blockBytes)) lines.push(line)
  return lines
}

describe('the lines of a file, read from its end', () => {
  it('are all of them, wherever a block ends', async () => {
    const file = join(folder, 'any')
    const text = fc.string({ unit: fc.constantFrom('\n', 'a', 'é', '😀', '\r'), minLength: 1, maxLength: 40 })
    await fc.assert(
      fc.asyncProperty(text, fc.integer({ min: 1, max: 50 }), async (written, blockBytes) => {
        await writeFile(file, written)

        expect(await linesOf(file, blockBytes)).toEqual(written.split('\n').toReversed())
      }),
    )
  })

  it('are none of an empty file, of a missing one, or of what is no file', async () => {
    const file = join(folder, 'empty')
    await writeFile(file, '')

    expect(await linesOf(file)).toEqual([])
    expect(await linesOf(join(folder, 'missing'))).toEqual([])
    expect(await linesOf(folder)).toEqual([])
  })
})
