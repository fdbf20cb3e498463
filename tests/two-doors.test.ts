import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe } from 'vitest'
import type { Verdict } from '../lib/verdict/verdict.ts'
import { readAllure } from '../lib/report/allure/allure.testing.ts'
import { isRuleId, ruleIds } from '../lib/specification/rules.ts'
import { leaks } from './leaks/leaks.ts'
import { emptyFolder, readVerdict, settingsFor } from './support/program.ts'
import { run, test } from './support/program-test.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

interface Door {
  readonly code: number | null
  readonly text: string
  readonly reports: string
  readonly verdict: Verdict | null
}

/** Runs vitest in the checkout, as somebody would who works there. */
async function throughVitest(
  env: Readonly<Record<string, string>>,
  args: readonly string[] = [],
  command: 'run' | 'list' = 'run',
): Promise<Door> {
  const reports = join(await emptyFolder(), 'reports')
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

/** What both doors must come to alike, whichever of several answers comes first. */
function told(verdict: Verdict | null): unknown {
  if (verdict === null) return null
  const { exitCode, because, seed, requests, rules, selection } = verdict
  const results = rules.map(({ id, status, because: why, findings }) => [
    id,
    status,
    why,
    findings.map(({ fingerprint }) => fingerprint).toSorted(),
  ])
  // What a breach costs depends on which of several answers comes first; health checks count for the rule about success, and a busy
  // machine may need one more.
  const isSteady = ({ id, status }: Verdict['rules'][number]): boolean =>
    status === 'passed' && id !== 'endpoints/list-succeeds'
  const sent = rules.filter(isSteady).map(({ id }) => [id, requests.byRule[id]])
  return { exitCode, reasons: because.length, seed, sent, selection, results }
}

/** What Allure says of each rule through both doors. How often a breach was met depends on health checks, too. */
function toldByAllure(reports: string): unknown {
  const { results } = readAllure(join(reports, 'allure-results'))
  const ofRules = results.filter(({ testCaseId = '' }) => isRuleId(testCaseId))
  return ofRules
    .map(({ testCaseId = '', historyId, name, labels, attachments, steps }) => ({
      ids: [testCaseId, historyId, name],
      labels: labels
        .filter((label) => ['epic', 'feature', 'story', 'suite', 'severity', 'tag'].includes(label.name))
        .map((label) => `${label.name} ${label.value}`),
      attachments: attachments.map((one) => [one.name, one.type]),
      steps: steps
        .map((step) => [step.name?.replace(/ \([^(]*\)$/, ''), step.status, step.attachments.length].join())
        .toSorted(),
    }))
    .toSorted((a, b) => a.ids.join().localeCompare(b.ids.join()))
}

describe.concurrent('vitest as another front door', () => {
  test.for([[], ['missing-api-key-secret-named']])(
    'comes to the same verdict, reports and exit, and has no green file beside a red verdict: faults %o',
    async (faults, { reference, expect }) => {
      const [one, other] = [await reference({ faults }), await reference({ faults })]
      // With room for every confirmation: health checks, which depend on time, must not displace one.
      const room = { RUN_MAX_REQUESTS: '600' }
      const door = await throughVitest({ ...settingsFor(one), ...room })
      const { code, verdict, cwd } = await run([], { env: { ...settingsFor(other), ...room } })

      expect(told(door.verdict)).toEqual(told(verdict))
      expect(toldByAllure(door.reports)).toEqual(toldByAllure(join(cwd, 'reports')))
      expect(door.code).toBe(code === 0 ? 0 : 1)
      for (const id of ruleIds) expect(door.text).toContain(id)
      const [, failed, files] = /Test Files +(?:(\d+) failed)?.*\((\d+)\)/.exec(door.text) ?? []
      expect(failed).toBe(code === 0 ? undefined : files)
      if (code !== 0) expect(door.text).toMatch(/FAIL .*own\.ts > the run comes to a verdict/)
      for (const name of ['index.html', 'junit.xml', 'summary.md', 'history.jsonl', 'allure-results'])
        expect(existsSync(join(door.reports, name)), name).toBe(true)
      // What the reporter of Allure writes behind our reports is sealed, too.
      const listed = await readFile(join(door.reports, 'run.sha256'), 'utf8')
      const sealed = listed.match(/ {2}allure-results\/[\w-]+-result\.json$/gm) ?? []
      expect(sealed.length).toBeGreaterThan(ruleIds.length)
      const out = join(await emptyFolder(), 'evidence.tar.gz')
      expect(await run(['bundle', door.reports, '--out', out])).toMatchObject({ code: 0, stderr: '' })
      const { text: stdout, reports: reportsFolder } = door
      const secrets = Object.entries(settingsFor(one)).flatMap(([name, value]) =>
        name.endsWith('_KEY') ? [value] : [],
      )
      expect(await leaks({ stdout, stderr: '', reportsFolder }, secrets)).toEqual([])
    },
  )

  test('judges what is selected of two areas, and leaves no report of it', async ({ reference, expect }) => {
    const service = await reference()
    const args = ['authentication', 'fuzz', '-t', 'api-key-']
    const { code, text, reports } = await throughVitest(settingsFor(service), args)

    const passed = text.matchAll(/✓ [^\n]* > ([a-z-]+\/[a-z-]+): /g)
    const ids = ruleIds.filter((id) => id.includes('api-key-'))
    expect(new Set(Array.from(passed, ([, id]) => id))).toEqual(new Set(ids))
    expect(service.requests()).toBeGreaterThan(1)
    expect(service.requests()).toBeLessThan(60)
    expect(await readdir(reports)).toEqual(['allure-results'])
    expect(code).toBe(0)
  })

  test('is never green where the selected rules were not judged', async ({ reference, expect }) => {
    const service = await reference()
    await service.close()
    const { code, text } = await throughVitest(settingsFor(service), ['-t', 'versioning/version-missing'])

    expect(text).toContain('incomplete:')
    expect(code).toBe(1)
  })

  test("judges rules of the user's own", async ({ reference, expect }) => {
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

  test('sends nothing while tests are only listed', async ({ reference, expect }) => {
    const service = await reference()
    const { code, text } = await throughVitest(settingsFor(service), [], 'list')

    expect(code).toBe(0)
    for (const id of ruleIds) expect(text).toContain(id)
    expect(service.requests()).toBe(0)
  })

  test('says what is wrong with the settings', async ({ expect }) => {
    const { code, text } = await throughVitest({ TARGET_BASE_URL: 'ftp://example.com' })

    expect(text).toContain('TARGET_BASE_URL')
    expect(text).toContain('expected')
    expect(code).toBe(1)
  })
})
