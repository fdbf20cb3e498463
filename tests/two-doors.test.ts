import { spawn } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { allureOf, readAllure } from '../lib/report/allure/allure.testing.ts'
import { junitXml } from '../lib/report/render/junit.ts'
import { view } from '../lib/report/view.ts'
import { ruleIds } from '../lib/specification/rules.ts'
import { serviceRules } from '../lib/specification/testing/rule-counts.ts'
import { countedRules } from '../lib/verdict/counted-rules.ts'
import type { Verdict } from '../lib/verdict/verdict.ts'
import { leaks } from './leaks/leaks.ts'
import { ownFolder } from './support/own-folder.ts'
import { reference, run } from './support/program-test.ts'
import { emptyFolder, readVerdict, settingsFor } from './support/program.ts'
import { withYesterdays, yesterdays } from './support/yesterday.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

interface Door {
  readonly code: number | null
  readonly text: string
  readonly reports: string
  readonly verdict: Verdict | null
}

/** Files of the earlier reports. */
const leftInPlace = ['allure-results', 'allure-results/a-result.json', 'junit.xml', 'verdict.json']

async function filesIn(folder: string): Promise<readonly string[]> {
  return (await readdir(folder, { recursive: true })).toSorted()
}

/** Runs vitest in the checkout, as a developer would. */
async function throughVitest(
  env: Readonly<Record<string, string>>,
  args: readonly string[] = [],
  {
    command = 'run',
    reports: given = null,
  }: { readonly command?: 'run' | 'list'; readonly reports?: string | null } = {},
): Promise<Door> {
  const reports = given ?? join(await emptyFolder(), 'reports')
  const { PATH, HOME } = process.env
  const child = spawn(process.execPath, [join(root, 'node_modules/vitest/vitest.mjs'), command, ...args], {
    cwd: root,
    env: { PATH, HOME, NO_COLOR: '1', ...env, RUN_REPORTS_DIR: reports },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let text = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (part: Buffer) => (text += part.toString()))
  const code = await new Promise<number | null>((ended) => child.once('close', ended))
  return { code, text, reports, verdict: await readVerdict(join(reports, 'verdict.json')) }
}

/** What both doors must agree on, whatever the order of answers. */
function told(verdict: Verdict | null): unknown {
  if (verdict === null) return null
  const { exitCode, because, seed, requests, rules, selection } = verdict
  const results = rules.map(({ id, status, because: why, findings }) => [
    id,
    status,
    why,
    findings.map(({ fingerprint }) => fingerprint).toSorted(),
  ])
  // The number of requests for a breach depends on the order of answers. Health checks count for the rule about success, and a busy
  // machine may need one more.
  const isSteady = ({ id, status }: Verdict['rules'][number]): boolean =>
    status === 'passed' && id !== 'endpoints/list-succeeds'
  const sent = rules.filter(isSteady).map(({ id }) => [id, requests.byRule[id]])
  return { exitCode, reasons: because.length, seed, sent, selection, results }
}

/** Allure's results without the names of files. */
function toldByAllure({ results }: ReturnType<typeof readAllure>): unknown {
  const text = JSON.stringify(results, (key, value: unknown) =>
    key === 'uuid' || key === 'source' ? null : value,
  )
  const parsed: typeof results = JSON.parse(text)
  return parsed.toSorted((a, b) => (a.testCaseId ?? '').localeCompare(b.testCaseId ?? ''))
}

/** The ids of the rules whose tests are red. */
function redIn({ text }: Door): readonly string[] {
  const red = text.matchAll(/^ × [^\n]* > ([a-z-]+\/[a-z-]+|the verdict)\b/gm)
  return Array.from(red, ([, id = '']) => id).toSorted()
}

describe('vitest as a way to run the suite', () => {
  test.for([[], ['missing-api-key-secret-named']])(
    'gives the same verdict, reports and exit code, with red tests for violated rules: faults %o',
    async (faults) => {
      const [one, other] = [await reference({ faults }), await reference({ faults })]
      // The budget has room for every confirmation. Health checks depend on time and must not displace one.
      const room = { RUN_MAX_REQUESTS: '600' }
      const door = await throughVitest({ ...settingsFor(one), ...room })
      const { code, verdict, cwd } = await run([], { env: { ...settingsFor(other), ...room } })

      expect(told(door.verdict)).toEqual(told(verdict))
      expect(door.code).toBe(code === 0 ? 0 : 1)
      const failed = verdict?.rules.filter(({ status }) => status === 'failed').map(({ id }) => id) ?? []
      expect(redIn(door)).toEqual(code === 0 ? [] : [...failed, 'the verdict'].toSorted())
      expect(door.text).toMatch(new RegExp(`Tests .*\\(${serviceRules + 1}\\)`))

      // The reports are those that `run` makes from this verdict, durations included.
      if (door.verdict === null) throw new Error('vitest wrote no verdict')
      expect(toldByAllure(readAllure(join(door.reports, 'allure-results')))).toEqual(
        toldByAllure(allureOf(door.verdict)),
      )
      expect(await readFile(join(door.reports, 'junit.xml'), 'utf8')).toBe(junitXml(view(door.verdict)))
      expect((await readdir(door.reports)).toSorted()).toEqual(
        (await readdir(join(cwd, 'reports'))).toSorted(),
      )
      // The files that Allure's reporter writes after our reports are also sealed.
      const listed = await readFile(join(door.reports, 'run.sha256'), 'utf8')
      const sealed = listed.match(/ {2}allure-results\/[\w-]+-result\.json$/gm) ?? []
      expect(sealed).toHaveLength(serviceRules)
      const out = join(await emptyFolder(), 'evidence.tar.gz')
      expect(await run(['bundle', door.reports, '--out', out])).toMatchObject({ code: 0, stderr: '' })
      const { text: stdout, reports: reportsFolder } = door
      const secrets = Object.entries(settingsFor(one)).flatMap(([name, value]) =>
        name.endsWith('_KEY') ? [value] : [],
      )
      expect(await leaks({ stdout, stderr: '', reportsFolder }, secrets)).toEqual([])
    },
  )

  test('judges the selected rules of two areas and leaves earlier reports in place', async () => {
    const service = await reference()
    const args = ['authentication', 'fuzz', '-t', 'api-key-']
    const reports = await withYesterdays(await emptyFolder())
    const { code, text, verdict } = await throughVitest(settingsFor(service), args, { reports })

    const passed = text.matchAll(/✓ [^\n]* > ([a-z-]+\/[a-z-]+): /g)
    const ids = ruleIds.filter((id) => id.includes('api-key-'))
    expect(new Set(Array.from(passed, ([, id]) => id))).toEqual(new Set(ids))
    expect(service.requests()).toBeGreaterThan(1)
    expect(service.requests()).toBeLessThan(60)
    expect([await filesIn(reports), verdict]).toEqual([leftInPlace, JSON.parse(yesterdays)])
    expect(code).toBe(0)
  })

  test('is not green if the selected rules were not judged', async () => {
    const service = await reference()
    await service.close()
    const door = await throughVitest(settingsFor(service), ['-t', 'versioning/version-missing'])

    expect(door.text).toContain('incomplete:')
    expect([door.code, redIn(door)]).toEqual([1, []])
  })

  test("judges the user's rules", async () => {
    const bent = await reference({ faults: ['list-property-removed'] })
    const env = { ...settingsFor(bent), RUN_SUITES: 'docs/examples/suites', RUN_ONLY: 'acme/*' }
    const { code, text, verdict } = await throughVitest(env)

    const statuses = [
      ['acme/every-logo', 'failed'],
      ['acme/tracking-parameters', 'passed'],
    ]
    expect([code, verdict?.rules.map(({ id, status }) => [id, status])], text).toEqual([1, statuses])
    expect(text).toContain('acme/every-logo: every customization of the list has a logo')
    expect(text).toContain('a customization has no logo')
  })

  test('sends no request if it only lists tests', async () => {
    const service = await reference()
    const { code, text } = await throughVitest(settingsFor(service), [], { command: 'list' })

    expect(code).toBe(0)
    for (const { id } of countedRules(ruleIds.map((one) => ({ id: one })))) expect(text).toContain(id)
    expect(service.requests()).toBe(0)
  })

  test.for([[], ['versioning']])(
    'reports wrong settings, only the verdict is red, and earlier reports stay in place: %o',
    async (args) => {
      const reports = await withYesterdays(await emptyFolder())
      const door = await throughVitest({ TARGET_BASE_URL: 'ftp://example.com' }, args, { reports })

      expect(door.text).toMatch(/^TARGET_BASE_URL[^]*expected/m)
      expect([door.code, redIn(door)]).toEqual([1, args.length === 0 ? ['the verdict'] : []])
      expect([await filesIn(reports), door.verdict]).toEqual([leftInPlace, JSON.parse(yesterdays)])
    },
  )

  test('exits 1 if no file matches', async () => {
    const { code, text } = await throughVitest({ TARGET_BASE_URL: 'embedded' }, ['no-area'])

    expect([code, text]).toEqual([1, expect.stringContaining('No test files found')])
  })

  test("moves earlier reports aside before loading the user's code", async () => {
    const reports = await withYesterdays(await emptyFolder())
    const suites = await ownFolder({ 'a.mjs': 'process.kill(process.pid, "SIGKILL")' })
    const { code } = await throughVitest({ TARGET_BASE_URL: 'embedded', RUN_SUITES: suites }, [], { reports })

    expect(code).toBe(1)
    expect(await readdir(reports)).not.toContain('verdict.json')
    expect(await readFile(join(reports, '.previous', 'verdict.json'), 'utf8')).toBe(yesterdays)
  })
})
