import { describe } from 'vitest'
import { expectIncomplete } from './expected.ts'
import { longestRunMs, mostMemoryMiB } from './proof/resources.ts'
import { targets } from './proof/targets/all-targets.ts'
import { rulesThat } from './program.ts'
import { runner, test } from './program-test.ts'

/** Most runs wait for a target rather than for the processor. */
const run = runner(5)

describe('the targets that are no service to be judged, or mean harm', () => {
  test('are many, each with a name of its own', ({ expect }) => {
    const names = targets.map(({ name }) => name)

    expect(names.length).toBeGreaterThanOrEqual(26)
    expect(names).toEqual([...new Set(names)])
    expect(names.filter((name) => !/^[a-z0-9]+(?:[-.][a-z0-9]+)*$/.test(name))).toEqual([])
  })

  test('say why in every case, and blame a rule where the exit is 1 and nobody where it is 3', ({
    expect,
  }) => {
    expect(targets.filter(({ says }) => says.length === 0)).toEqual([])
    expect(targets.filter(({ exit, rules }) => (exit === 1) === (rules.length === 0))).toEqual([])
    expect(targets.filter(({ kind, exit }) => kind === 'cannot be judged' && exit !== 3)).toEqual([])
  })
})

describe.concurrent('a gate', () => {
  for (const target of targets.filter(({ profiles = ['gate'] }) => profiles.includes('gate'))) {
    test(`against ${target.name}: exit ${target.exit}`, async ({ onTestFinished, expect }) => {
      const { env, close } = await target.start()
      onTestFinished(close)

      // This also fails where a credential can be read, or the verdict does not fit its schema.
      const result = await run([], { env, limitMs: longestRunMs })

      const { code, verdict, stdout, stderr, durationMs, memoryMiB } = result
      const because = verdict?.because.join('\n')
      expect([because, code]).toEqual([because, target.exit])
      for (const words of target.says) expect(because).toContain(words)
      if (target.exit === 3) expectIncomplete(expect, result, target.says)
      else {
        const failed = rulesThat(verdict, 'failed')
        expect(target.rules.filter((id) => failed.includes(id))).not.toEqual([])
        expect(verdict).toMatchObject({ verdict: 'nonconformant', exitCode: 1 })
      }
      expect(obeyed.exec(`${stdout}${stderr}`)?.[0]).toBeUndefined()
      expect(durationMs).toBeLessThan(longestRunMs)
      expect(memoryMiB ?? 0).toBeLessThan(mostMemoryMiB)
    })
  }
})

/** What a terminal obeys, or shows in another direction: nothing that a target says may reach one as it is. */
const obeyed = /[^\P{Cc}\n]|[\u202a-\u202e\u2066-\u2069]/u
