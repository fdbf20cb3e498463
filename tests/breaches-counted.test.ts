import { describe } from 'vitest'
import { serviceRules } from '../lib/specification/testing/rule-counts.ts'
import type { ReferenceOptions } from '../lib/serve/reference/service.ts'
import { run, test as base } from './support/program-test.ts'
import { folderWith, ruleIn, settingsFor, type ProgramResult } from './support/program.ts'
import { reportTexts } from './support/report-texts.ts'

/** Judges a service by these flags and waivers. */
const test = base.extend<{
  readonly judge: (
    options: ReferenceOptions,
    flags: readonly string[],
    waivers?: readonly object[],
  ) => Promise<ProgramResult>
}>({
  judge: async ({ reference }, use) => {
    await use(async (options, flags, waivers = []) => {
      const service = await reference(options)
      const cwd = await folderWith({ 'waivers.json': JSON.stringify(waivers) })
      return run(flags, { cwd, env: { ...settingsFor(service), RUN_WAIVERS: 'waivers.json' } })
    })
  },
})

const fault = 'missing-api-key-called-invalid'
const agreed = { reason: 'mended in the next release', owner: 'Kim', expires: '2999-12-31' }
const rate = 'with 95 % confidence fewer than one in'

/** The sentence that every report has of a verdict with breaches. */
function sentenceOf({ verdict }: ProgramResult): string {
  const { answers = 0, faulty = 0 } = verdict?.power ?? {}
  return `${faulty} of ${answers} answers showed a breach; confirmations are not counted`
}

describe.concurrent('answers with a breach', () => {
  test('are each counted once, although several rules blame them, and confirmations are not', async ({
    judge,
    expect,
  }) => {
    let wrong = 0
    const { verdict, code } = await judge(
      {
        faults: [fault],
        intervene: ({ headers }) => {
          if (headers['x-api-key'] === undefined) wrong += 1
          return false
        },
      },
      ['--only', 'authentication/api-key-missing,authentication/no-bypass,errors/*'],
    )
    const missing = ruleIn(verdict, 'authentication/api-key-missing')
    const bypass = ruleIn(verdict, 'authentication/no-bypass')
    const findings = missing.findings.length + bypass.findings.length

    expect(code).toBe(1)
    expect([missing.power?.faulty, bypass.power?.faulty]).toEqual([2, 18])
    // One request is of both rules. Each finding is confirmed by two more requests.
    expect(verdict?.power).toMatchObject({ faulty: 19, unanswered: 0, excludes: null })
    expect(wrong).toBe(19 + 2 * findings)
  })

  test('are told of a service that fails, with no rate', async ({ judge, expect }) => {
    const result = await judge({ faults: [fault] }, [])
    const { terminal, power } = await reportTexts(result)

    expect(result.code).toBe(1)
    expect(result.verdict?.power?.faulty).toBeGreaterThan(19)
    for (const text of [terminal, power]) {
      expect(text).toContain(sentenceOf(result))
      expect(text).not.toContain(rate)
    }
  })

  test('are told of a service whose breaches are waived, with no rate', async ({ judge, expect }) => {
    const flags = ['--profile', 'acceptance', '--fuzz-cases', '0', '--only', 'authentication/*,errors/*']
    const waivers = ['authentication/api-key-missing', 'authentication/no-bypass'].map((rule) => ({
      rule,
      ...agreed,
    }))
    const whole = await judge({ faults: [fault] }, ['--only', 'authentication/*,errors/*'], waivers)
    const partial = await judge({ faults: [fault] }, flags, waivers)
    const { terminal, power, summary } = await reportTexts(whole)

    expect([whole.code, whole.verdict?.power?.excludes]).toEqual([0, null])
    expect(whole.verdict?.power?.faulty).toBeGreaterThan(18)
    for (const text of [terminal, power, summary]) {
      expect(text).toContain(sentenceOf(whole))
      expect(text).not.toContain(rate)
    }
    expect((await reportTexts(partial)).cover).toContain(`${sentenceOf(partial)}.`)
  })

  test('are told of a service that only earns warnings, with no rate', async ({ judge, expect }) => {
    const result = await judge({ faults: ['success-labelled-html'] }, [])
    const { terminal, power, summary } = await reportTexts(result)
    const { answers, faulty } = ruleIn(result.verdict, 'conventions/json-content-type').power ?? {}

    expect([result.code, result.verdict?.power?.excludes]).toEqual([0, null])
    expect(faulty).toBeGreaterThan(10)
    expect(faulty).toBeLessThan(answers ?? 0)
    expect(result.verdict?.power?.faulty).toBe(faulty)
    for (const text of [terminal, power, summary]) {
      expect(text).toContain(sentenceOf(result))
      expect(text).not.toContain(rate)
    }
  })

  test('are none where no answer came, which is told by a number of its own', async ({ judge, expect }) => {
    const only = ['--only', 'versioning/version-missing,errors/*']
    const result = await judge(
      {
        intervene: (request) => {
          const isUnanswered = request.headers['x-version'] === undefined
          if (isUnanswered) request.socket.destroy()
          return isUnanswered
        },
      },
      only,
    )
    const { answers = 0 } = result.verdict?.power ?? {}

    expect(result.code).toBe(1)
    expect(result.verdict?.power).toMatchObject({ faulty: 0, unanswered: 3, excludes: null })
    expect((await reportTexts(result)).terminal).toContain(
      `${answers === 1 ? '1 answer' : `${answers} answers`} could have shown a breach, 3 requests were left unanswered; confirmations are not counted`,
    )
  })
})

describe.concurrent('a run without a breach', () => {
  test('states a rate, and counts the rules about the service', async ({ judge, expect }) => {
    const result = await judge({}, ['--profile', 'acceptance', '--fuzz-cases', '2'])
    const { terminal, summary, hero, cover, power } = await reportTexts(result)

    expect(result.verdict?.power).toMatchObject({ faulty: 0, unanswered: 0 })
    for (const text of [terminal, summary, cover, power]) expect(text).toContain(rate)
    expect(terminal).toContain(
      `${serviceRules} rules: ${serviceRules - 1} passed, 0 failed, 1 untested; and 3 of the suite's own expectations`,
    )
    expect(summary).toContain(`| ${serviceRules - 1} | 0 | 0 | 0 | 0 | 1 |`)
    for (const text of [summary, hero, cover])
      expect(text).toContain(`${serviceRules - 1} rules passed, 1 rule untested`)
    expect(cover).toContain(`by ${serviceRules} rules of the rule set`)
  })

  test('of few answers states none', async ({ judge, expect }) => {
    const result = await judge({}, ['--essential'])
    const { answers = 0 } = result.verdict?.power ?? {}
    const { terminal, power } = await reportTexts(result)

    expect(answers).toBeLessThan(30)
    for (const text of [terminal, power]) {
      expect(text).toContain(`${answers} answers could have shown a breach`)
      expect(text).not.toMatch(/fewer than one in/)
    }
  })

  test('of a target that cannot be reached claims nothing', async ({ reference, expect }) => {
    const service = await reference()
    await service.close()
    const result = await run([], { env: settingsFor(service) })
    const { terminal, power } = await reportTexts(result)

    expect([result.code, result.verdict?.target.endpoints]).toEqual([3, []])
    expect(terminal).toContain(`INCOMPLETE: ${service.baseUrl}, profile gate`)
    expect(terminal).toContain('Not judged: /api/customizations/list (the run ended before)')
    for (const text of [terminal, power]) expect(text).toContain('No answer could have shown a breach')
  })
})
