import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ruleIds, type RuleId } from '../spec/rules.ts'
import { read, settingsOf, target } from '../settings/testing/read.ts'
import { inShard, shareOf } from './shard.ts'

/** Cases as rules name them: every rule with many names. */
const cases: readonly (readonly [RuleId, string])[] = ruleIds.flatMap((rule) =>
  Array.from({ length: 80 }, (_, index) => [rule, `character-${index}-changed`] as const),
)

function casesOf(index: number, of: number): readonly (readonly [RuleId, string])[] {
  return cases.filter(([rule, name]) => inShard({ index, of }, rule, name))
}

describe('a shard', () => {
  it.each([1, 2, 3, 8, 17])('is one of %i that together hold every case once', (of) => {
    const shares = Array.from({ length: of }, (_, at) => casesOf(at + 1, of))

    expect(shares.flat()).toHaveLength(cases.length)
    expect(new Set(shares.flat().map((one) => one.join(':'))).size).toBe(cases.length)
  })

  it('holds about its share', () => {
    for (let index = 1; index <= 8; index += 1) {
      const part = casesOf(index, 8).length / cases.length
      expect(part).toBeGreaterThan(0.09)
      expect(part).toBeLessThan(0.16)
    }
  })

  it('is everything where there is none', () => {
    expect(cases.every(([rule, name]) => inShard(null, rule, name))).toBe(true)
  })

  it('goes by rule and case alone, so that cases which come and go move no others', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...ruleIds),
        fc.string(),
        fc.integer({ min: 1, max: 64 }),
        (rule, name, of) => {
          const holding = Array.from({ length: of }, (_, at) => at + 1).filter((index) =>
            inShard({ index, of }, rule, name),
          )
          expect(holding).toHaveLength(1)
        },
      ),
    )
    const byRule = new Set(ruleIds.map((rule) => inShard({ index: 1, of: 2 }, rule, 'absent')))
    expect(byRule).toEqual(new Set([true, false]))
  })
})

describe('what a shard may spend', () => {
  const given = async (env: Readonly<Record<string, string>>): Promise<ReturnType<typeof shareOf>> =>
    shareOf(settingsOf(await read({ ...target, ...env })).run)

  it('is everything where there is none', async () => {
    expect(await given({ RUN_MAX_REQUESTS: '500', RUN_MAX_RPS: '25' })).toEqual({
      maxRequests: 500,
      maxRps: 25,
    })
  })

  it('is its part of the budget and of the pace', async () => {
    expect(await given({ RUN_MAX_REQUESTS: '500', RUN_MAX_RPS: '25', RUN_SHARD: '2/4' })).toEqual({
      maxRequests: 125,
      maxRps: 6.25,
    })
  })

  it('stays unlimited where the pace is', async () => {
    const loopback = { TARGET_BASE_URL: 'http://127.0.0.1:1', RUN_SHARD: '1/2' }

    expect(await given(loopback)).toMatchObject({ maxRps: null })
  })

  it.each([
    [500, 8],
    [10, 3],
    [9, 9],
  ])('of %i requests is no more than that for all %i together', async (requests, of) => {
    const shares = await Promise.all(
      Array.from({ length: of }, (_, at) =>
        given({ RUN_MAX_REQUESTS: String(requests), RUN_SHARD: `${at + 1}/${of}` }),
      ),
    )

    expect(shares.reduce((sum, { maxRequests }) => sum + maxRequests, 0)).toBeLessThanOrEqual(requests)
    expect(shares.every(({ maxRequests }) => maxRequests >= 1)).toBe(true)
  })
})
