import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { readAllure, resultIn } from '../lib/report/allure/allure.testing.ts'
import { declaring, ownEntry, ownFolder } from './support/own-folder.ts'
import { against, reference, run as runAlone, runWhole } from './support/program-test.ts'
import { instead, ruleIn, rulesThat, settingsFor, type Texts } from './support/program.ts'

const suites = fileURLToPath(new URL('../docs/examples/suites', import.meta.url))
const own = ['acme/every-logo', 'acme/tracking-parameters'] as const
const only = '--only acme/*,input/*'
const says = 'every customization of the list has a logo'
const missed = 'acme/every-logo:20260101:plain'
const bent = { faults: ['list-property-removed'], env: { RUN_SUITES: suites } }

test("a user's rules pass for a conformant service, together with the other rules", async () => {
  const { run } = await against({ env: { RUN_SUITES: suites } })
  const { code, stdout, verdict } = await run(only)

  expect([code, stdout]).toEqual([0, expect.stringContaining(' CONFORMANT')])
  expect(rulesThat(verdict, 'passed')).toEqual(['input/invalid-parameters', ...own])
  expect(ruleIn(verdict, own[0])).toMatchObject({ section: 'Acme agreement, 4.1', says, answers: 2 })
})

test("a user's rules fail with a finding in every report, which report writes again without the folder", async () => {
  const { cwd, run, read } = await against(bent)
  const { code, stdout, verdict } = await run(only, { env: { GITHUB_ACTIONS: 'true' } })
  const names = ['verdict.json', 'junit.xml', 'summary.md', 'index.html', 'history.jsonl']
  const reports = (): Promise<readonly string[]> => Promise.all(names.map((name) => read(`reports/${name}`)))

  expect([code, rulesThat(verdict, 'failed')]).toEqual([1, [own[0]]])
  const summary: unknown = expect.stringContaining('no logo')
  const finding = { case: missed, count: 2, reproduced: '3 of 3', summary }
  expect(ruleIn(verdict, own[0]).findings).toMatchObject([finding])
  expect(verdict?.causes).toMatchObject([{ rules: [own[0]] }])
  for (const words of [own[0], 'a customization has no logo']) expect(stdout).toContain(words)
  expect(stdout).toMatch(
    /^::error title=[^:]*a customization has no logo[^:]*::Expected: .*%0ABreaks 1 rule: acme\/every-logo%0AReplay: /m,
  )
  const first = await reports()
  for (const text of first) expect(text).toContain(own[0])
  const name = `${own[0]}: ${says}`
  expect(first[1]).toContain(name)
  const ofAllure = resultIn(readAllure(join(cwd, 'reports/allure-results')), own[0])
  expect(ofAllure).toMatchObject({ fullName: own[0], name, status: 'failed', titlePath: ['acme'] })
  expect(await read('reports/metrics.prom')).toMatch(/_rules\{.*status="failed"\} 1$/m)

  expect((await runAlone(['report', 'reports'], { cwd })).code).toBe(0)
  expect((await reports()).slice(0, 3)).toEqual(first.slice(0, 3))
})

test("a user's rules can be replayed only with their folder, waived by id, planned and listed", async () => {
  const waiver = { rule: own[0], reason: 'agreed', owner: 'Kim', expires: '2999-01-31' }
  const { cwd, run } = await against({ ...bent, files: { 'w.json': JSON.stringify([waiver]) } })
  const again = await run(`replay ${missed}`)
  const unknown = await run(`replay ${missed}`, { env: { RUN_SUITES: '' } })
  const waived = await run(`${only} --waivers w.json`)
  const without = await runAlone('plan --base-url embedded --waivers w.json'.split(' '), { cwd })
  const planned = await run(`plan ${only}`)
  const listed = await runAlone(['rules', '--suites', suites, '--format', 'markdown'])

  expect([again.code, again.stdout]).toEqual([1, expect.stringContaining('has no logo')])
  expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining('CASE')])
  expect([waived.code, ruleIn(waived.verdict, own[0]).status]).toEqual([0, 'waived'])
  expect([without.code, without.stderr]).toEqual([2, expect.stringContaining('the id of a rule')])
  expect(planned.stdout).toMatch(/^ {2}acme\/every-logo +\d+$/m)
  expect(listed.stdout).toContain('| `acme/tracking-parameters` | implied |')
})

test("a user's rules are compared with their sentences, even without the folder", async () => {
  const { cwd, run } = await against(bent)
  await run(only)
  await run(`${only} --reports-dir sound`, { env: settingsFor(await reference()) })
  const compared = (format: string) => runAlone(['compare', 'sound', 'reports', '--format', format], { cwd })

  const text = await compared('text')
  expect([text.code, text.stdout]).toEqual([1, expect.stringContaining(`${own[0]}: passed → failed`)])
  expect(text.stdout).toContain('but a customization has no logo')
  const json: unknown = JSON.parse((await compared('json')).stdout)
  expect(json).toHaveProperty('matrix.1', { rule: own[0], says, statuses: ['passed', 'failed'] })
  expect((await compared('html')).stdout).toContain(says.slice(1))
})

test("a user's rules with generated cases can also fail", async () => {
  const { run } = await against({
    env: { RUN_SUITES: suites },
    intervene: ({ url = '' }, response) => url.includes('utm_') && instead(response, 404, '{}'),
  })
  const { code, verdict, stdout } = await run(`${only} --strict`)

  expect([code, rulesThat(verdict, 'failed')]).toEqual([1, [own[1]]])
  expect(ruleIn(verdict, own[1]).findings[0]?.summary).toContain('; sent: a campaign')
  expect(stdout).toContain(own[1])
})

const stripsTypes = Boolean(Reflect.get(process.features, 'typescript'))
const listed = async (by: typeof runAlone, env: Texts = {}) =>
  by(['rules', '--suites', await ownFolder({ 'a.mts': declaring(`${ownEntry} as const`) })], { env })

test('a module in TypeScript loads if Node strips types; an older version names a way to load it', async () => {
  const { code, stdout, stderr } = await listed(runAlone)

  expect(code).toBe(stripsTypes ? 0 : 2)
  const needed = `a Node version that strips types (22.18 or newer); this is ${process.versions.node}`
  expect(stripsTypes ? stdout : stderr).toContain(stripsTypes ? 'acme/one (documented)' : needed)
  if (!stripsTypes) expect(stderr).toContain("set NODE_OPTIONS='--import tsx'")
})

test('a module in TypeScript loads on any Node version with a loader', async () => {
  const NODE_OPTIONS = `--import=${import.meta.resolve('tsx')}`
  const { code, stdout } = await listed(runWhole, { NODE_OPTIONS })

  expect([code, stdout]).toEqual([0, expect.stringContaining('acme/one (documented)')])
})

test.for(['plan', 'doctor', 'run', 'replay fuzz/api-key:1:presence.0'])(
  'code named in .env is not run by %s, and a message says so',
  async (words) => {
    const module = `import { writeFileSync } from 'node:fs'; writeFileSync(new URL('ran', import.meta.url), '')`
    const env = 'RUN_SUITES=.\nTARGET_BASE_URL=embedded\nRUN_ONLY=endpoints/*\n'
    const cwd = await ownFolder({ 'own.suite.mjs': module, '.env': env })

    const { stderr } = await runAlone(words.split(' '), { cwd })

    expect(existsSync(join(cwd, 'ran'))).toBe(false)
    expect(stderr).toContain('RUN_SUITES in .env is ignored')
  },
)
