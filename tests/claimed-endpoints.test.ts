import { readFile } from 'node:fs/promises'
import { serviceRules } from '../lib/specification/testing/rule-counts.ts'
import { join } from 'node:path'
import { describe } from 'vitest'
import { filesIn } from '../lib/report/evidence/bundle.testing.ts'
import { run, test as base } from './support/program-test.ts'
import { folderWith, settingsFor, type ProgramResult } from './support/program.ts'
import { reportTexts } from './support/report-texts.ts'

/** The paths that differ only by method must be told apart. */
const entries = [
  { method: 'GET', path: '/api/cards' },
  { method: 'POST', path: '/api/cards' },
  { method: 'GET', path: '/api/webhooks', versions: [1, 2] },
]

/** Judges a service of these endpoints by a file that names them all. */
const test = base.extend<{
  readonly judge: (flags: readonly string[], waivers?: readonly object[]) => Promise<ProgramResult>
}>({
  judge: async ({ reference }, use) => {
    const service = await reference({ endpoints: entries })
    await use(async (flags, waivers = []) => {
      const files = { 'endpoints.json': entries, 'waivers.json': waivers }
      const texts = Object.entries(files).map(([name, value]) => [name, JSON.stringify(value)])
      const cwd = await folderWith(Object.fromEntries(texts))
      const more = { TARGET_ENDPOINTS: 'endpoints.json', RUN_WAIVERS: 'waivers.json' }
      return run(flags, { cwd, env: { ...settingsFor(service), ...more } })
    })
  },
})

const list = '/api/customizations/list'
const asked = [list, '/api/cards', '/api/webhooks', '/api/webhooks (version 2)']
const noFuzz = 'POST is only sent where the endpoints file says "fuzz": true'
const left = `not judged: POST /api/cards (${noFuzz})`
const acceptance = ['--profile', 'acceptance', '--fuzz-cases', '2']

function notJudged({ verdict }: ProgramResult): readonly string[] {
  return (verdict?.target.notJudged ?? []).map(({ endpoint, because }) => `${endpoint}: ${because}`)
}

describe.concurrent('a method with side effects that the endpoints file does not permit', () => {
  test('is no part of a conformant gate, and every report and its attestation say so', async ({
    judge,
    expect,
  }) => {
    const result = await judge(['--max-requests', '1000'])
    const { verdict, code, cwd } = result
    const { terminal, summary, hero, junit, history } = await reportTexts(result)

    expect([code, verdict?.verdict]).toEqual([0, 'conformant'])
    expect(verdict?.target.endpoints).toEqual(asked)
    expect(notJudged(result)).toEqual([`POST /api/cards: ${noFuzz}`])
    expect(terminal).toContain(`${list}, /api/cards, /api/webhooks and 1 more endpoint, profile gate`)
    expect(terminal).toContain(`Not judged: POST /api/cards (${noFuzz})`)
    for (const text of [summary, hero]) {
      expect(text).toContain(
        `nothing is violated, ${serviceRules - 2} rules passed, 2 rules untested; ${left}.`,
      )
    }
    expect(junit).toContain(`<property name="endpoints" value="${left.replaceAll('"', '&quot;')}"/>`)
    // A line of the history has no room for what was not judged.
    expect({ ...verdict?.target, notJudged: undefined }).toEqual(JSON.parse(history).target)

    const { stdout } = await run(['bundle', 'reports', '--out', 'reports/evidence.tar.gz'], { cwd })
    const files = await filesIn(await readFile(join(cwd, 'reports', 'evidence.tar.gz')))
    const envelope = JSON.parse(files.get('attestation.json')?.toString() ?? '')
    const { predicate } = JSON.parse(Buffer.from(envelope.payload, 'base64').toString())
    const verified = await run(['verify', 'reports/evidence.tar.gz'], { cwd })

    expect(predicate).toMatchObject({
      result: 'WARNED',
      cardSwitchConformance: {
        verdict: 'conformant',
        endpoints: asked,
        notJudged: [{ endpoint: 'POST /api/cards', because: noFuzz, waived: null }],
      },
    })
    expect(files.get('README.txt')?.toString()).toMatch(/^1 endpoint NOT JUDGED, CONFORMANT: /)
    expect(verified.stdout).toContain('1 endpoint NOT JUDGED')
    expect([verified.code, stdout]).toEqual([0, expect.stringContaining('evidence.tar.gz')])
  })

  test('is named by the plan, which sends nothing', async ({ judge, expect }) => {
    const { stdout } = await judge(['plan'])

    expect(stdout).toContain(
      `Not judged with these settings (1 endpoint):\n  POST /api/cards\n    ${noFuzz}\n`,
    )
  })

  test('leaves an acceptance incomplete, until a waiver names exactly it', async ({ judge, expect }) => {
    const without = await judge(acceptance)
    const [fingerprint = ''] = (without.verdict?.target.notJudged ?? []).map((one) => one.fingerprint)
    const agreed = { reason: 'made by hand', owner: 'Kim', expires: '2999-12-31' }
    const rule = 'endpoints/list-succeeds'
    const waived = await judge(acceptance, [{ rule, fingerprint, ...agreed }])
    const { terminal, summary, cover } = await reportTexts(waived)

    expect([without.code, without.verdict?.because]).toEqual([
      3,
      [`POST /api/cards (fingerprint ${fingerprint}) must be judged in acceptance: ${noFuzz}`],
    ])
    expect((await reportTexts(without)).cover).toContain(
      `came to no verdict (incomplete): what was judged is not enough for a verdict; ${left}.`,
    )
    expect([waived.code, waived.verdict?.waivers[0]?.used]).toEqual([0, true])
    expect(terminal).toContain('CONFORMANT WITH 1 AGREED EXCEPTION: ')
    for (const text of [summary, cover]) {
      expect(text).toContain(
        `1 agreed exception, nothing else is violated, ${serviceRules - 1} rules passed, 1 rule untested; ${left}; waived: POST /api/cards`,
      )
    }
  })
})

describe.concurrent('a run of a part', () => {
  test('with one case a rule claims the list endpoint alone', async ({ judge, expect }) => {
    const result = await judge(['--essential'])
    const because = 'only one case a rule was selected, and none goes to it'

    expect(result.verdict?.target.endpoints).toEqual([list])
    expect(notJudged(result)).toEqual([
      `/api/cards: ${because}`,
      `POST /api/cards: ${noFuzz}`,
      `/api/webhooks: ${because}`,
      `/api/webhooks (version 2): ${because}`,
    ])
    expect(result.stdout).toMatch(
      /^PARTIAL, CONFORMANT: http:\/\/127\.0\.0\.1:\d+\/api\/customizations\/list, profile gate\n/,
    )
  })

  test('of some rules claims only what these asked', async ({ judge, expect }) => {
    const part = await judge(['--only', 'endpoints/*,conventions/accept-optional'])
    const unknown = await judge(['--only', 'versioning/unknown-endpoint'])

    expect(part.verdict?.target.endpoints).toEqual(asked)
    expect(notJudged(part)).toEqual([`POST /api/cards: ${noFuzz}`])
    // The first plain valid request is judged by none of the selected rules.
    expect(unknown.verdict?.target.endpoints).toEqual([])
    // Where a random name beside the list is served, the rule compares it with the list, which it then asks for.
    expect(notJudged(unknown)).toContain(`${list}: no rule judged an answer to a request for exactly it`)
    expect(unknown.stdout).toMatch(/^PARTIAL, CONFORMANT: http:\/\/127\.0\.0\.1:\d+, profile gate\n/)
    expect(unknown.code).toBe(0)
  })
})
