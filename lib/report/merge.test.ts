import { describe, expect, it } from 'vitest'
import { elsewhere } from '../judge/untested.ts'
import type { RuleId } from '../spec/rules.ts'
import { merged } from './merge.ts'
import { validVerdict } from './merge.testing.ts'
import { errorVerdict, exchange, findingWith, ruleWith, verdictWith } from './verdict.testing.ts'
import type { Verdict, VerdictWaiver } from './verdict.ts'

const violated: RuleId = 'authentication/api-key-missing'

function shard(place: string, changes: Partial<Verdict> = {}) {
  return {
    path: `shard-${place}`,
    verdict: verdictWith({ selection: { only: null, shard: place }, ...changes }),
  }
}

function mistakesOf(...shards: Parameters<typeof merged>[0]): readonly string[] {
  const result = merged(shards)
  return result.kind === 'mistakes' ? result.mistakes : []
}

describe('joined shards', () => {
  it('have sums of requests, the worst percentiles, and the time from the first beginning to the last end', () => {
    const joined = validVerdict(
      merged([
        shard('2/2', {
          startedAt: '2026-11-20T02:00:01.000Z',
          durationMs: 5_000,
          latencyMs: { p50: 2, p95: 10, p99: 11, max: 12 },
          requests: { sent: 5, retried: 1, confirming: 2, budget: 250, byRule: { a: 1, b: 4 } },
        }),
        shard('1/2', {
          startedAt: '2026-11-20T02:00:00.000Z',
          durationMs: 1_000,
          latencyMs: { p50: 3, p95: 9, p99: 14, max: 20 },
          requests: { sent: 7, retried: 0, confirming: 1, budget: 250, byRule: { a: 3 } },
        }),
      ]),
    )

    expect(joined).toMatchObject({
      startedAt: '2026-11-20T02:00:00.000Z',
      durationMs: 6_000,
      latencyMs: { p50: 3, p95: 10, p99: 14, max: 20 },
      requests: { sent: 12, retried: 1, confirming: 3, budget: 500, byRule: { a: 4, b: 4 } },
      verdict: 'conformant',
    })
  })

  it('have every waiver once, used where any shard used it', () => {
    const known: Omit<VerdictWaiver, 'used'> = {
      rule: 'endpoints/list-succeeds',
      fingerprint: null,
      reason: 'known',
      owner: 'Kim',
      expires: '2999-12-31',
      expired: false,
    }
    const joined = validVerdict(
      merged([
        shard('1/2', { waivers: [{ ...known, used: false }] }),
        shard('2/2', { waivers: [{ ...known, used: true }] }),
      ]),
    )

    expect(joined.waivers).toEqual([{ ...known, used: true }])
  })

  it('show the first exchange that any of them has of a rule', () => {
    const without = ruleWith('endpoints/list-succeeds', {
      status: 'untested',
      because: elsewhere,
      sample: null,
      answers: 0,
    })
    const joined = validVerdict(
      merged([
        shard('1/2', { rules: [without] }),
        shard('2/2', { rules: [ruleWith('endpoints/list-succeeds')] }),
      ]),
    )

    expect(joined.rules).toEqual([ruleWith('endpoints/list-succeeds', { sample: exchange })])
  })

  it('in acceptance judge the whole, unless only some rules were selected', () => {
    const acceptance = {
      profile: 'acceptance' as const,
      exitCode: 3 as const,
      verdict: 'incomplete' as const,
    }
    const some = { only: ['quota/*'], shard: '1/1' }

    expect(validVerdict(merged([shard('1/1', acceptance)]))).toMatchObject({ exitCode: 0 })
    expect(validVerdict(merged([shard('1/1', { ...acceptance, selection: some })]))).toMatchObject({
      exitCode: 3,
      selection: { only: ['quota/*'], shard: null },
    })
  })
})

describe('shards of which one lacks', () => {
  it('pass no rule, are incomplete, and say which', () => {
    const joined = validVerdict(merged([shard('1/3'), shard('3/3')]))

    expect(joined).toMatchObject({
      verdict: 'incomplete',
      exitCode: 3,
      because: ['the run ended early: shard 2/3 is missing'],
    })
    expect(new Set(joined.rules.map(({ status, because }) => `${status}: ${because}`))).toEqual(
      new Set(['inconclusive: shard 2/3 is missing']),
    )
  })

  it('still violate what one of the others found violated', () => {
    const failed = ruleWith(violated, { status: 'failed', findings: [findingWith()] })

    expect(validVerdict(merged([shard('1/2', { rules: [failed] })]))).toMatchObject({
      verdict: 'nonconformant',
      exitCode: 1,
      rules: [{ status: 'failed' }],
    })
  })

  it('leave untested what could not be tested anyway', () => {
    const untested = ruleWith('quota/exhausted', {
      status: 'untested',
      because: 'needs a client',
      answers: 0,
    })

    expect(validVerdict(merged([shard('1/2', { rules: [untested] })])).rules).toMatchObject([
      { status: 'untested', because: 'needs a client' },
    ])
  })
})

describe('a shard whose run came to nothing', () => {
  const nothing = (exitCode: 2 | 4) => ({
    path: 'shard-2/2',
    verdict: { ...errorVerdict(), exitCode, selection: { only: null, shard: '2/2' } },
  })

  it.each([2, 4] as const)('with exit %i is an error of the whole, whatever the others found', (exitCode) => {
    const failed = ruleWith(violated, { status: 'failed', findings: [findingWith()] })
    const joined = validVerdict(merged([shard('1/2', { rules: [failed] }), nothing(exitCode)]))

    expect(joined).toMatchObject({ verdict: 'error', exitCode, rules: [{ status: 'failed' }] })
    expect(joined.because[0]).toBe('shard 2/2: TARGET_BASE_URL: given nothing, expected an address')
    expect(joined.because.join()).toContain('authentication/api-key-missing is violated')
    expect(joined.target.baseUrl).toBe(verdictWith().target.baseUrl)
  })

  it('alone is an error, too', () => {
    const alone = {
      ...nothing(2),
      verdict: { ...nothing(2).verdict, selection: { only: null, shard: '1/1' } },
    }

    expect(validVerdict(merged([alone]))).toMatchObject({ verdict: 'error', exitCode: 2, rules: [] })
  })

  it('is worse where a run failed in its suite than where settings were wrong', () => {
    const mishap = shard('1/2', {
      verdict: 'error',
      exitCode: 4,
      because: ['the suite itself failed: a rule threw'],
    })

    expect(validVerdict(merged([mishap, nothing(2)]))).toMatchObject({
      exitCode: 4,
      because: [
        'the suite itself failed: a rule threw',
        'the run ended early: the run of shard 2/2 came to nothing',
      ],
    })
  })
})

describe('a failure of the suite in one shard', () => {
  it.each([
    ['the suite itself failed: a rule threw', 'the suite itself failed: a rule threw'],
    ['the baseline cannot be written', 'the suite itself failed: shard 1/1: the baseline cannot be written'],
  ])('is one of the whole: %s', (told, expected) => {
    const joined = validVerdict(merged([shard('1/1', { verdict: 'error', exitCode: 4, because: [told] })]))

    expect(joined).toMatchObject({ verdict: 'error', exitCode: 4, because: [expected] })
  })
})

describe('what is not the shards of one run', () => {
  it.each<[string, Partial<Verdict>, RegExp]>([
    [
      'another version of the suite',
      { suite: { version: '9.9.9' } },
      /versions of the suite.*0\.1\.0 in shard-1.*9\.9\.9/,
    ],
    [
      'another target',
      { target: { ...verdictWith().target, baseUrl: 'https://b.example' } },
      /different targets/,
    ],
    [
      'another version of the API',
      { target: { ...verdictWith().target, version: '2' } },
      /versions of the API/,
    ],
    ['another label', { target: { ...verdictWith().target, label: 'B' } }, /different labels/],
    ['another profile', { profile: 'nightly' }, /different profiles/],
    ['strict', { strict: true }, /values of strict/],
    ['another seed', { seed: 7 }, /different seeds.*give all one --seed/],
    ['other cases', { fuzzCases: 7 }, /numbers of fuzz cases/],
    ['other rules', { selection: { only: ['quota/*'], shard: '2/2' } }, /different selections/],
    [
      'another split',
      { selection: { only: null, shard: '2/3' } },
      /numbers of shards.*: 2 in shard-1\/2; 3 in shard-2\/2/,
    ],
    [
      'the same shard',
      { selection: { only: null, shard: '1/2' } },
      /shard 1\/2 is there more than once: shard-1\/2, /,
    ],
    ['a whole run', { selection: { only: null, shard: null } }, /shard-2\/2 is no shard/],
  ])('%s is said, with the files', (_, changes, sentence) => {
    const mistakes = mistakesOf(shard('1/2'), shard('2/2', changes))

    expect(mistakes).toHaveLength(1)
    expect(mistakes[0]).toMatch(sentence)
  })

  it('is all said at once', () => {
    expect(mistakesOf(shard('1/3'), shard('1/3', { seed: 7, profile: 'nightly' }))).toHaveLength(3)
  })

  it('is no shard of the embedded service on another port', () => {
    const at = (baseUrl: string) => ({ target: { baseUrl, embedded: true, version: '1', label: null } })

    expect(
      mistakesOf(shard('1/2', at('http://127.0.0.1:1')), shard('2/2', at('http://127.0.0.1:2'))),
    ).toEqual([])
  })

  it('is nothing at all', () => {
    expect(mistakesOf()).toEqual(['no shard was given'])
  })
})
