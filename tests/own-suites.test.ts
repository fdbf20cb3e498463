import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, test } from 'vitest'
import { startService } from '../lab/service/start.ts'
import { readAllure, resultIn } from '../lib/report/allure/allure.testing.ts'
import type { ReferenceOptions } from '../lib/serve/reference/service.ts'
import { declaring, ownEntry, ownFolder } from './support/own-folder.ts'
import { run, runWhole } from './support/program-test.ts'
import { emptyFolder, ruleIn, rulesThat, settingsFor, type ProgramResult } from './support/program.ts'

const suites = join(fileURLToPath(new URL('..', import.meta.url)), 'docs/examples/suites')
const own = ['acme/every-logo', 'acme/tracking-parameters'] as const
const only = ['--suites', suites, '--only', 'acme/*,input/*']
const says = 'every customization of the list has a logo'

/** Runs the program with each list of arguments against a service with these options. */
async function against(
  options: ReferenceOptions,
  args: readonly (readonly string[])[],
  { cwd = '', env = {} }: { readonly cwd?: string; readonly env?: Readonly<Record<string, string>> } = {},
): Promise<readonly ProgramResult[]> {
  const service = await startService(options)
  const results: ProgramResult[] = []
  try {
    for (const one of args) results.push(await run(one, { cwd, env: { ...settingsFor(service), ...env } }))
    return results
  } finally {
    await service.close()
  }
}

describe("a user's rules", () => {
  const files = ['verdict.json', 'junit.xml', 'summary.md', 'index.html', 'history.jsonl'] as const
  let cwd = ''
  let sound: ProgramResult | undefined
  let bent: readonly ProgramResult[] = []
  const missed = 'acme/every-logo:20260101:plain'
  const read = (): Promise<readonly string[]> =>
    Promise.all(files.map((name) => readFile(join(cwd, 'reports', name), 'utf8')))

  // All tests below read these reports on a conformant service and on one whose list lacks logos.
  beforeAll(async () => {
    cwd = await emptyFolder()
    const waiver = { rule: own[0], reason: 'agreed', owner: 'Kim', expires: '2999-01-31' }
    await writeFile(join(cwd, 'waivers.json'), JSON.stringify([waiver]))
    const waived = [...only, '--waivers', 'waivers.json', '--reports-dir', 'waived']
    ;[sound] = await against({}, [[...only, '--reports-dir', 'sound']], { cwd })
    const commands = [
      only,
      ['replay', missed, '--suites', suites],
      ['replay', missed],
      waived,
      ['plan', ...only],
    ]
    const env = { GITHUB_ACTIONS: 'true' }
    bent = await against({ faults: ['list-property-removed'] }, commands, { cwd, env })
  })

  test('pass for a conformant service, together with the other rules', async () => {
    const verdict = JSON.parse(await readFile(join(cwd, 'sound', 'verdict.json'), 'utf8'))

    expect([sound?.code, sound?.stdout]).toEqual([0, expect.stringContaining(' CONFORMANT')])
    expect(rulesThat(verdict, 'passed')).toEqual(['input/invalid-parameters', ...own])
    expect(ruleIn(verdict, own[0])).toMatchObject({ section: 'Acme agreement, 4.1', says, answers: 2 })
  })

  test('fail with a finding in every report, which report writes again without the folder', async () => {
    const [{ code, stdout, verdict } = { code: null, stdout: '', verdict: null }] = bent
    const summary = expect.stringContaining('has no logo')

    expect([code, rulesThat(verdict, 'failed')]).toEqual([1, [own[0]]])
    expect(ruleIn(verdict, own[0]).findings).toMatchObject([
      { case: missed, count: 2, reproduced: '3 of 3', summary },
    ])
    expect(verdict?.causes).toMatchObject([{ rules: [own[0]] }])
    for (const words of [own[0], 'a customization has no logo']) expect(stdout).toContain(words)
    expect(stdout).toMatch(
      /^::error title=[^:]*a customization has no logo[^:]*::Expected: .*%0ABreaks 1 rule: acme\/every-logo%0AReplay: /m,
    )
    const first = await read()
    for (const text of first) expect(text).toContain(own[0])
    expect(first[1]).toContain(`${own[0]}: ${says}`)
    expect(resultIn(readAllure(join(cwd, 'reports/allure-results')), own[0])).toMatchObject({
      fullName: own[0],
      name: `${own[0]}: ${says}`,
      status: 'failed',
      titlePath: ['acme'],
    })
    const metrics = await readFile(join(cwd, 'reports/metrics.prom'), 'utf8')
    expect(metrics).toMatch(/_rules\{.*status="failed"\} 1$/m)

    expect((await run(['report', 'reports'], { cwd })).code).toBe(0)
    const again = await read()
    expect(again.slice(0, 3)).toEqual(first.slice(0, 3))
  })

  test('can be replayed only with their folder, waived by id, planned and listed', async () => {
    const [, again, unknown, waived, planned] = bent
    const without = await run(['plan', '--base-url', 'embedded', '--waivers', 'waivers.json'], { cwd })
    const listed = await run(['rules', '--suites', suites, '--format', 'markdown'])

    expect([again?.code, again?.stdout]).toEqual([1, expect.stringContaining('has no logo')])
    expect([unknown?.code, unknown?.stderr]).toEqual([2, expect.stringContaining('CASE')])
    expect([waived?.code, without.code]).toEqual([0, 2])
    const verdict = JSON.parse(await readFile(join(cwd, 'waived', 'verdict.json'), 'utf8'))
    expect(ruleIn(verdict, own[0]).status).toBe('waived')
    expect(without.stderr).toContain('the id of a rule')
    expect(planned?.stdout).toMatch(/^ {2}acme\/every-logo +\d+$/m)
    expect(listed.stdout).toContain('| `acme/tracking-parameters` | implied |')
  })

  test('are compared with their sentences, even without the folder', async () => {
    const compared = (format: string) => run(['compare', 'sound', 'reports', '--format', format], { cwd })

    const text = await compared('text')
    expect([text.code, text.stdout]).toEqual([1, expect.stringContaining(`${own[0]}: passed → failed`)])
    expect(text.stdout).toContain('but a customization has no logo')
    const json: unknown = JSON.parse((await compared('json')).stdout)
    expect(json).toHaveProperty('matrix.1', { rule: own[0], says, statuses: ['passed', 'failed'] })
    expect((await compared('html')).stdout).toContain(says.slice(1))
  })

  test('with generated cases can also fail', async () => {
    const options: ReferenceOptions = {
      intervene: ({ url = '' }, response) => {
        const isTracked = url.includes('utm_')
        if (isTracked) response.writeHead(404).end('{}')
        return isTracked
      },
    }
    const [result] = await against(options, [[...only, '--strict']], { cwd: await emptyFolder() })

    expect([result?.code, rulesThat(result?.verdict ?? null, 'failed')]).toEqual([1, [own[1]]])
    expect(ruleIn(result?.verdict ?? null, own[1]).findings[0]?.summary).toContain('; sent: a campaign')
    expect(result?.stdout).toContain(own[1])
  })
})

describe('a module in TypeScript', () => {
  const stripsTypes = Boolean(Reflect.get(process.features, 'typescript'))
  const listed = async (by: typeof run, env: Readonly<Record<string, string>> = {}) =>
    by(['rules', '--suites', await ownFolder({ 'a.mts': declaring(`${ownEntry} as const`) })], { env })

  test('loads on a Node version that strips types; an older version names a way to load it', async () => {
    const { code, stdout, stderr } = await listed(run)

    expect(code).toBe(stripsTypes ? 0 : 2)
    const needed = `a Node version that strips types (22.18 or newer); this is ${process.versions.node}`
    expect(stripsTypes ? stdout : stderr).toContain(stripsTypes ? 'acme/one (documented)' : needed)
    if (!stripsTypes) expect(stderr).toContain("set NODE_OPTIONS='--import tsx'")
  })

  test('loads on any Node version with a loader', async () => {
    const { code, stdout } = await listed(runWhole, {
      NODE_OPTIONS: `--import=${import.meta.resolve('tsx')}`,
    })

    expect([code, stdout]).toEqual([0, expect.stringContaining('acme/one (documented)')])
  })
})
