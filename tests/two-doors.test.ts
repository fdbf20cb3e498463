import { readFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { allureOf, readAllure } from '../lib/report/allure/allure.testing.ts'
import { junitXml } from '../lib/report/render/junit.ts'
import { view } from '../lib/report/view.ts'
import { countedRules, ruleIds } from '../lib/specification/rules.ts'
import { serviceRules } from '../lib/specification/testing/rule-counts.ts'
import type { Verdict } from '../lib/verdict/verdict.ts'
import { credentialsIn, leaks } from './leaks/leaks.ts'
import { ownFolder } from './support/own-folder.ts'
import { against, type Against } from './support/program-test.ts'
import { rulesThat, runProgram } from './support/program.ts'
import { withYesterdays, yesterdays } from './support/yesterday.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const vitest = join(root, 'node_modules/vitest/vitest.mjs')

/** Files of the earlier reports. */
const leftInPlace = ['allure-results', 'allure-results/a-result.json', 'junit.xml', 'verdict.json']

/** A later run has the reports of an earlier one in its folder. */
type Asked = Against & { readonly isLater?: boolean }

type Door = Awaited<ReturnType<typeof throughVitest>>

/** Runs vitest in the checkout, as a developer would, against a service. */
async function throughVitest(words = '', { isLater = false, ...options }: Asked = {}) {
  const { service, cwd, run } = await against(options)
  const reports = isLater ? await withYesterdays(cwd) : join(cwd, 'reports')
  const env = { NO_COLOR: '1', RUN_REPORTS_DIR: reports }
  const line = words === 'list' ? words : `run ${words}`
  const { code, stdout, stderr, verdict } = await run(line, { main: vitest, cwd: root, env }, runProgram)
  return { service, code, text: stdout + stderr, reports, verdict }
}

/** Fails unless the earlier reports are still in place. */
async function expectLeft({ reports, verdict }: Door): Promise<void> {
  expect((await readdir(reports, { recursive: true })).toSorted()).toEqual(leftInPlace)
  expect(verdict).toEqual(JSON.parse(yesterdays))
}

/** What both doors must agree on, whatever the order of answers. */
function told(verdict: Verdict | null): unknown {
  if (verdict === null) return null
  const { exitCode, because, seed, requests, rules, selection } = verdict
  const results = rules.map(({ id, status, because: why, findings }) => {
    return [id, status, why, findings.map(({ fingerprint }) => fingerprint).toSorted()]
  })
  // The number of requests for a breach depends on the order of answers. Health checks count for the rule about success, and a busy
  // machine may need one more.
  const isSteady = ({ id, status }: Verdict['rules'][number]): boolean =>
    status === 'passed' && id !== 'endpoints/list-succeeds'
  const sent = rules.filter(isSteady).map(({ id }) => [id, requests.byRule[id]])
  return { exitCode, reasons: because.length, seed, sent, selection, results }
}

/** Allure's results without the names of files. */
function toldByAllure({ results }: ReturnType<typeof readAllure>): unknown {
  const text = JSON.stringify(results, (key, value) => (/^(?:uuid|source)$/.test(key) ? null : value))
  const parsed: typeof results = JSON.parse(text)
  return parsed.toSorted((a, b) => (a.testCaseId ?? '').localeCompare(b.testCaseId ?? ''))
}

/** The ids of the rules whose tests are red. */
function redIn({ text }: Door): readonly string[] {
  const red = text.matchAll(/^ × [^\n]* > ([a-z-]+\/[a-z-]+|the verdict)\b/gm)
  return Array.from(red, ([, id = '']) => id).toSorted()
}

test.for([[], ['missing-api-key-secret-named']])('vitest agrees with the program: %o', async (faults) => {
  // The budget has room for every confirmation. Health checks depend on time and must not displace one.
  const env = { RUN_MAX_REQUESTS: '600' }
  const other = await against({ faults, env })
  const door = await throughVitest('', { faults, env })
  const { code, verdict } = await other.run()

  expect(told(door.verdict)).toEqual(told(verdict))
  expect(door.code).toBe(code === 0 ? 0 : 1)
  const red = code === 0 ? [] : [...rulesThat(verdict, 'failed'), 'the verdict']
  expect(redIn(door)).toEqual(red.toSorted())
  expect(door.text).toMatch(new RegExp(`Tests .*\\(${serviceRules + 1}\\)`))

  // The reports are those that `run` makes from this verdict, durations included.
  if (door.verdict === null) throw new Error('vitest wrote no verdict')
  const { reports, text: stdout } = door
  const made = toldByAllure(readAllure(join(reports, 'allure-results')))
  expect(made).toEqual(toldByAllure(allureOf(door.verdict)))
  expect(await readFile(join(reports, 'junit.xml'), 'utf8')).toBe(junitXml(view(door.verdict)))
  const names = await readdir(join(other.cwd, 'reports'))
  expect((await readdir(reports)).toSorted()).toEqual(names.toSorted())
  // The files that Allure's reporter writes after our reports are also sealed.
  const listed = await readFile(join(reports, 'run.sha256'), 'utf8')
  const sealed = listed.match(/ {2}allure-results\/[\w-]+-result\.json$/gm) ?? []
  expect(sealed).toHaveLength(serviceRules)
  const bundled = await other.run(`bundle ${reports} --out e.tar.gz`)
  expect(bundled).toMatchObject({ code: 0, stderr: '' })
  expect(await leaks({ stdout, stderr: '', reportsFolder: reports }, credentialsIn())).toEqual([])
})

test('vitest judges the selected rules of two areas and leaves earlier reports in place', async () => {
  const door = await throughVitest('authentication fuzz -t api-key-', { isLater: true })

  const passed = door.text.matchAll(/✓ [^\n]* > ([a-z-]+\/[a-z-]+): /g)
  const ids = ruleIds.filter((id) => id.includes('api-key-'))
  expect(new Set(Array.from(passed, ([, id]) => id))).toEqual(new Set(ids))
  expect(door.service.requests()).toBeGreaterThan(1)
  expect(door.service.requests()).toBeLessThan(60)
  await expectLeft(door)
  expect(door.code).toBe(0)
})

test('vitest is not green if the selected rules were not judged', async () => {
  const env = { TARGET_BASE_URL: 'http://127.0.0.1:9' }
  const door = await throughVitest('-t versioning/version-missing', { env })

  expect(door.text).toContain('incomplete:')
  expect([door.code, redIn(door)]).toEqual([1, []])
})

test("vitest judges the user's rules", async () => {
  const env = { RUN_SUITES: 'docs/examples/suites', RUN_ONLY: 'acme/*' }
  const { code, text, verdict } = await throughVitest('', { faults: ['list-property-removed'], env })

  const statuses = { 'acme/every-logo': 'failed', 'acme/tracking-parameters': 'passed' }
  const came = Object.fromEntries(verdict?.rules.map(({ id, status }) => [id, status]) ?? [])
  expect([code, came], text).toEqual([1, statuses])
  expect(text).toContain('acme/every-logo: every customization of the list has a logo')
  expect(text).toContain('a customization has no logo')
})

test('vitest sends nothing if it only lists tests', async () => {
  const { code, text, service } = await throughVitest('list')

  for (const { id } of countedRules(ruleIds.map((one) => ({ id: one })))) expect(text).toContain(id)
  expect([code, service.requests()]).toEqual([0, 0])
})

test.for(['', 'versioning'])('vitest reports mistakes and keeps earlier reports: "%s"', async (words) => {
  const env = { TARGET_BASE_URL: 'ftp://example.com' }
  const door = await throughVitest(words, { env, isLater: true })

  expect(door.text).toMatch(/^TARGET_BASE_URL[^]*expected/m)
  expect([door.code, redIn(door)]).toEqual([1, words === '' ? ['the verdict'] : []])
  await expectLeft(door)
})

test("vitest moves earlier reports aside before loading the user's code", async () => {
  const RUN_SUITES = await ownFolder({ 'a.mjs': 'process.kill(process.pid, "SIGKILL")' })
  const { code, reports } = await throughVitest('', { env: { RUN_SUITES }, isLater: true })

  expect(code).toBe(1)
  expect(await readdir(reports)).not.toContain('verdict.json')
  expect(await readFile(join(reports, '.previous', 'verdict.json'), 'utf8')).toBe(yesterdays)
})
