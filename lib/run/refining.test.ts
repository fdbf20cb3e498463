import { describe, expect, it } from 'vitest'
import { answers } from '../judge/judge.ts'
import type { Finding } from '../judge/record.ts'
import { example, type Example, type Property } from './plan/cases.ts'
import type { TestRequest } from './plan/test-request.ts'
import { open, told, type Arrived, type OpenOptions, type Opened, type Reply } from './testing/open.ts'
import { judgeRule } from './judge-rule.ts'

const rule = 'fuzz/combined-flaws'
const failure: Reply = { status: 500, body: { oops: true } }

/** Flaws, and what is documented for each. */
const flaws = {
  key: { field: 'x-api-key', check: answers({ status: 401, errorCode: '1006' }) },
  secret: { field: 'x-secret-key', check: answers({ status: 401, errorCode: '1007' }) },
} as const

interface RowOf {
  readonly flaw?: keyof typeof flaws
  /** What the condition s is made of, as letters. */
  readonly parts?: string
  /** A letter each, sent as a parameter. */
  readonly under: string
  readonly alone?: boolean
}

function rowOf(
  plain: TestRequest,
  name: string,
  { flaw = 'key', under, alone = false, parts = '' }: RowOf,
): Example {
  const { field, check } = flaws[flaw]
  const conditions = [...under]
  const flawed = plain.with(field, 'x')
  const request = [...under.replace('s', parts)]
    .reduce((one, condition) => one.withQuery(`${condition}=1`), flawed)
    .trait({ conditions })
  return {
    ...example(name, request, check),
    again: true,
    says: under === '' ? 'nothing' : `under ${under}`,
    ...(alone ? { alone } : {}),
    simpler: function* simpler() {
      for (const at of conditions.keys())
        yield rowOf(plain, `${name}:${at}`, {
          flaw,
          alone,
          parts,
          under: conditions.toSpliced(at, 1).join(''),
        })
      for (const [at, part] of under.includes('s') ? [...parts].entries() : [])
        yield rowOf(plain, `${name}:${under.length + at}`, { flaw, alone, under: under.replace('s', part) })
    },
  }
}

interface Told extends Opened {
  readonly findings: readonly Finding[]
  /** Of the rule for every answer. */
  readonly wide: readonly Finding[]
  readonly unjudged: readonly string[]
  /** Requests beyond the rows and the control that opens a run. */
  readonly more: number
}

/** Judges these rows of a service that answers so. */
async function judged(
  rows: readonly RowOf[],
  reply: OpenOptions['reply'],
  refining: number | 'as it is' = 40,
): Promise<Told> {
  const opened = await open(reply === undefined ? {} : { reply })
  const { run, plain, arrived } = opened
  const property: Property = {
    kind: 'generated',
    size: rows.length,
    requests: rows.length,
    cases: () => rows.map((row, at) => rowOf(plain, `row.${at}`, row)),
    ...(refining === 'as it is' ? {} : { refining }),
  }
  run.sender.budget.reserve(rule, 100)
  const { unjudged } = told(await judgeRule(run, rule, property))
  const { findings } = run.record.findings.of(rule)
  const { findings: wide } = run.record.findings.of('errors/documented-pairs')
  return { ...opened, findings, wide, unjudged, more: arrived.length - rows.length - 1 }
}

function failsUnder(conditions: string, flaw?: keyof typeof flaws): (one: Arrived) => Reply | null {
  return ({ target, apiKey }) => {
    const isUnder = [...conditions].every((one) => target.includes(`${one}=1`))
    const isOfFlaw = flaw === undefined || (flaw === 'key') === (apiKey === 'x')
    return isUnder && isOfFlaw && target.includes('=1') ? failure : null
  }
}

function short(findings: readonly Finding[]): readonly unknown[] {
  return findings.map(({ case: name, sent, reproduced, count }) => [
    name.replace(/^.*:row/, 'row'),
    sent?.conditions?.join('') ?? '',
    reproduced,
    count,
  ])
}

const usual: readonly RowOf[] = [{ under: 'abc' }, { under: 'acd' }, { under: 'bde' }, { under: 'ef' }]

describe('what rows show', () => {
  it('is told with the one condition that makes it, by each rule, and counted once a row', async () => {
    const { findings, wide, more } = await judged(usual, failsUnder('b'))

    expect(short(findings)).toEqual([['row.0:2:0', 'b', '3 of 3', 2]])
    expect(short(wide)).toEqual([['row.0:2:0', 'b', '3 of 3', 2]])
    expect(findings[0]?.summary).toContain('sent: under b')
    // The row twice more, the condition alone, and the finding confirmed with a control between.
    expect(more).toBe(2 + 1 + 3)
  })

  it('is told with one part of a condition, of all rows with the condition', async () => {
    const rows = ['sb', 'cs', 'be', 'ef'].map((under) => ({ under, parts: 'xyz' }))
    const { findings, more } = await judged(rows, failsUnder('y'))

    expect(short(findings)).toEqual([['row.0:1:2', 'y', '3 of 3', 2]])
    // The row twice more, the condition alone, two of its parts, and the finding confirmed with a control between.
    expect(more).toBe(2 + 1 + 2 + 3)
  })

  it('is told with a condition of several parts where it takes two of them', async () => {
    const rows = ['sb', 'cs', 'be', 'ef'].map((under) => ({ under, parts: 'xyz' }))
    const { findings } = await judged(rows, failsUnder('xz'))

    expect(short(findings)).toEqual([['row.0:1', 's', '3 of 3', 2]])
  })

  it('is nothing where all is right', async () => {
    const { findings, wide, more } = await judged(usual, undefined)

    expect([findings, wide, more]).toEqual([[], [], 0])
  })

  it('needs no condition where the flaw alone shows it', async () => {
    const { findings } = await judged(usual, ({ apiKey }) => (apiKey === 'x' ? failure : null))

    expect(short(findings)).toEqual([['row.0:2:1:0', '', '3 of 3', 4]])
  })

  it('may need two conditions together', async () => {
    const { findings } = await judged(usual, failsUnder('ac'))

    expect(short(findings)).toEqual([['row.0:1', 'ac', '3 of 3', 2]])
  })

  it('has a finding for each flaw, of which the first is looked into', async () => {
    const rows: readonly RowOf[] = [
      ...usual,
      { flaw: 'secret', under: 'bf' },
      { flaw: 'secret', under: 'ac' },
    ]
    const { findings, more } = await judged(rows, failsUnder('b'))

    expect(short(findings)).toEqual([
      ['row.0:2:0', 'b', '3 of 3', 2],
      ['row.4', 'b', '1 of 1', 1],
    ])
    expect(more).toBe(2 + 1 + 3)
  })

  it('is not laid to a condition under which a row of the flaw is right', async () => {
    const rows: readonly RowOf[] = [
      ...usual,
      { flaw: 'secret', under: 'bf' },
      { flaw: 'secret', under: 'bd' },
      { flaw: 'secret', under: 'ad' },
    ]
    const fails = [failsUnder('b', 'key'), failsUnder('f', 'secret')]
    const { findings } = await judged(
      rows,
      (one) => fails.map((each) => each(one)).find((each) => each !== null) ?? null,
    )

    expect(short(findings)).toEqual([
      ['row.0:2:0', 'b', '3 of 3', 2],
      ['row.4:0', 'f', '3 of 3', 1],
    ])
  })

  it('is shown as it came, and not refined, where it comes only sometimes', async () => {
    let times = 0
    const fails = failsUnder('b')
    const { findings, more } = await judged([{ under: 'abc' }, { under: 'cd' }], (one) => {
      const reply = fails(one)
      times += reply === null ? 0 : 1
      return times === 1 ? reply : null
    })

    expect(short(findings)).toEqual([['row.0', '', '1 of 3', 1]])
    expect(more).toBe(2)
  })

  it('has at most four causes, and others under several conditions', async () => {
    const rows = [...'abcdef'].flatMap((one) => [{ under: `${one}x` }, { under: `${one}y` }])
    const { findings } = await judged([...rows, { under: 'xy' }], ({ target }) =>
      /[abcdef]=1/.test(target) ? failure : null,
    )

    expect(findings.map(({ sent }) => sent?.conditions)).toEqual([
      ['a'],
      ['b'],
      ['c'],
      ['d'],
      ['several conditions'],
    ])
    expect(findings.at(-1)).toMatchObject({ count: 4, reproduced: '1 of 1' })
  })

  it('is not looked into without requests, and is told all the same', async () => {
    const { findings, more } = await judged(usual, failsUnder('b'), 0)

    expect(short(findings)).toEqual([['row.0', 'several conditions', '1 of 1', 2]])
    expect(more).toBe(0)
  })

  it('is told as it is where a case is sent again', async () => {
    const { findings } = await judged([{ under: 'ab' }], failsUnder('b'), 'as it is')

    expect(short(findings)).toEqual([['row.0', 'ab', '3 of 3', 1]])
  })

  it('is looked into first where it lets somebody in', async () => {
    const served: Reply = { status: 200, body: { customizations: [] } }
    const rows = [{ under: 'ax' }, { under: 'ay' }, { under: 'by' }, { under: 'xy' }]
    const { findings } = await judged(rows, ({ target }) =>
      target.includes('b=1') ? served : target.includes('a=1') ? failure : null,
    )

    expect(findings.map(({ answered, sent }) => [answered?.status, sent?.conditions])).toEqual([
      [200, ['b']],
      [500, ['a']],
    ])
  })

  it('is confirmed on connections of its own where it was sent so', async () => {
    const { findings, arrived } = await judged(
      [
        { under: 'ab', alone: true },
        { under: 'cd', alone: true },
      ],
      failsUnder('b'),
    )
    const connections = arrived
      .filter(({ target }) => target.includes('b=1'))
      .map(({ connection }) => connection)

    expect(short(findings)).toEqual([['row.0:0', 'b', '3 of 3', 1]])
    expect(new Set(connections).size).toBe(connections.length)
  })
})
