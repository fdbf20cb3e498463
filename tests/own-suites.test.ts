import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe } from 'vitest'
import { readAllure, resultIn } from '../lib/report/allure/allure.testing.ts'
import { declaring, ownEntry, ownFolder } from './support/own-folder.ts'
import { emptyFolder, ruleIn, rulesThat, settingsFor } from './support/program.ts'
import { run, runWhole, test } from './support/program-test.ts'
import type { ReferenceService } from '../lib/serve/reference/service.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const suites = join(root, 'docs/examples/suites')
const own = ['acme/every-logo', 'acme/tracking-parameters'] as const
const only = ['--suites', suites, '--only', 'acme/*,input/*']
const bent = { faults: ['list-property-removed'] }

describe.concurrent('rules of a user', () => {
  test('pass with a conformant service, beside the others', async ({ reference, expect }) => {
    const { code, verdict, stdout } = await run(only, { env: settingsFor(await reference()) })

    expect([code, stdout]).toEqual([0, expect.stringContaining(' CONFORMANT')])
    expect(rulesThat(verdict, 'passed')).toEqual(['input/invalid-parameters', ...own])
    expect(ruleIn(verdict, own[0])).toMatchObject({
      section: 'Acme agreement, 4.1',
      says: 'every customization of the list has a logo',
      answers: 2,
    })
  })

  test('fail with a finding, in every report, and are made again without the folder', async ({
    reference,
    expect,
  }) => {
    const cwd = await emptyFolder()
    const env = { ...settingsFor(await reference(bent)), GITHUB_ACTIONS: 'true' }
    const { code, stdout, verdict } = await run(only, { cwd, env })

    expect([code, rulesThat(verdict, 'failed')]).toEqual([1, [own[0]]])
    const [finding] = ruleIn(verdict, own[0]).findings
    expect(finding).toMatchObject({
      case: 'acme/every-logo:20260101:plain',
      count: 2,
      reproduced: '3 of 3',
      summary: expect.stringContaining('has no logo'),
    })
    expect(verdict?.causes).toMatchObject([{ rules: [own[0]] }])
    const told = [own[0], 'a customization has no logo']
    for (const words of told) expect(stdout).toContain(words)
    expect(stdout).toMatch(
      /^::error title=[^:]*a customization has no logo[^:]*::severity [^|]*\| acme\/every-logo \| sent /m,
    )
    const files = ['verdict.json', 'junit.xml', 'summary.md', 'index.html', 'history.jsonl']
    const reports = () => Promise.all(files.map((name) => readFile(join(cwd, 'reports', name), 'utf8')))
    const first = await reports()
    for (const text of first) expect(text).toContain(own[0])
    const named = 'acme/every-logo: every customization of the list has a logo'
    expect(first[1]).toContain(named)
    expect(resultIn(readAllure(join(cwd, 'reports/allure-results')), own[0])).toMatchObject({
      fullName: own[0],
      name: named,
      status: 'failed',
      titlePath: ['acme'],
    })
    expect(await readFile(join(cwd, 'reports/metrics.prom'), 'utf8')).toMatch(
      /_rules\{.*status="failed"\} 1$/m,
    )

    expect((await run(['report', 'reports'], { cwd })).code).toBe(0)
    const again = (await reports()).map((text) => text.replaceAll(/ *<property name="madeAgainBy".*\n/g, ''))
    expect(again.slice(0, 3)).toEqual(first.slice(0, 3))

    const replayed = await run(['replay', finding?.case ?? '', '--suites', suites], { env })
    expect([replayed.code, replayed.stdout]).toEqual([1, expect.stringContaining('has no logo')])
    const unknown = await run(['replay', finding?.case ?? ''], { env })
    expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining('CASE')])
  })

  test('with generated cases fail, too', async ({ reference, expect }) => {
    const service = await reference({
      intervene: ({ url = '' }, response) => {
        const isTracked = url.includes('utm_')
        if (isTracked) response.writeHead(404).end('{}')
        return isTracked
      },
    })
    const { code, verdict, stdout } = await run([...only, '--strict'], { env: settingsFor(service) })

    expect([code, rulesThat(verdict, 'failed')]).toEqual([1, [own[1]]])
    expect(ruleIn(verdict, own[1]).findings[0]?.summary).toContain('; sent was a campaign')
    expect(stdout).toContain(own[1])
  })

  test('are compared under their own sentences, without the folder', async ({ reference, expect }) => {
    const cwd = await emptyFolder()
    const judged = async (name: string, service: ReferenceService) =>
      run([...only, '--reports-dir', name], { cwd, env: settingsFor(service) })
    await judged('sound', await reference())
    await judged('bent', await reference(bent))
    const compared = (format: string) => run(['compare', 'sound', 'bent', '--format', format], { cwd })
    const says = 'every customization of the list has a logo'

    const text = await compared('text')
    expect([text.code, text.stdout]).toEqual([1, expect.stringContaining(`${own[0]}: passed → failed`)])
    expect(text.stdout).toContain('but a customization has no logo')
    expect((await compared('markdown')).stdout).toContain(`| \`${own[0]}\` | passed | failed |`)
    const json: unknown = JSON.parse((await compared('json')).stdout)
    expect(json).toHaveProperty('matrix.1', { rule: own[0], says, statuses: ['passed', 'failed'] })
    expect((await compared('html')).stdout).toContain(`<p class="faint">E${says.slice(1)}</p>`)
  })

  test('are waived by their id, planned and listed', async ({ reference, expect }) => {
    const cwd = await emptyFolder()
    const env = settingsFor(await reference(bent))
    const waiver = { rule: own[0], reason: 'agreed', owner: 'Kim', expires: '2999-01-31' }
    await writeFile(join(cwd, 'waivers.json'), JSON.stringify([waiver]))
    const { code, verdict } = await run([...only, '--waivers', 'waivers.json'], { cwd, env })
    const without = await run(['plan', '--waivers', 'waivers.json'], { cwd, env })

    expect([code, ruleIn(verdict, own[0]).status]).toEqual([0, 'waived'])
    expect([without.code, without.stderr]).toEqual([2, expect.stringContaining('the id of a rule')])
    expect((await run(['plan', ...only], { cwd, env })).stdout).toMatch(/^ {2}acme\/every-logo +\d+$/m)
    expect((await run(['rules', '--suites', suites, '--format', 'markdown'])).stdout).toContain(
      '| `acme/tracking-parameters` | implied |',
    )
  })
})

describe.concurrent('a module in TypeScript', () => {
  const typed = { 'a.mts': declaring(`${ownEntry} as const`) }
  const loader = `--import=${import.meta.resolve('tsx')}`
  const stripsTypes = Boolean(Reflect.get(process.features, 'typescript'))

  test.runIf(stripsTypes)('is loaded by a Node that strips types', async ({ expect }) => {
    const { code, stdout } = await run(['rules', '--suites', await ownFolder(typed)])

    expect([code, stdout]).toEqual([0, expect.stringContaining('acme/one (documented)')])
  })

  test.skipIf(stripsTypes)('says to an older Node how it can be loaded', async ({ expect }) => {
    const { code, stderr } = await run(['rules', '--suites', await ownFolder(typed)])

    expect(code).toBe(2)
    expect(stderr).toContain(`a Node that strips types (22.18 or newer); this is ${process.versions.node}`)
    expect(stderr).toContain("set NODE_OPTIONS='--import tsx'")
  })

  test('is loaded by any Node with a loader', async ({ expect }) => {
    const env = { NODE_OPTIONS: loader }
    const { code, stdout } = await runWhole(['rules', '--suites', await ownFolder(typed)], { env })

    expect([code, stdout]).toEqual([0, expect.stringContaining('acme/one (documented)')])
  })
})

const anotherRule = `rule(${ownEntry.replace('one', 'two')}, () => [])`

describe.concurrent('mistakes in the folder of RUN_SUITES end in 2 and name the file:', () => {
  test.for<[string, Readonly<Record<string, string>>, string]>([
    ['no module', { 'a.txt': '' }, 'a folder with modules'],
    ['one that throws', { 'a.mjs': `throw new Error('broken on purpose')` }, 'broken on purpose'],
    ['one that is no JavaScript', { 'a.mjs': 'export const = 1' }, 'a module that can be loaded'],
    ['no area', { 'a.mjs': 'export const a = 1' }, 'a module that exports an area'],
    ['an area of ours', { 'a.mjs': declaring(ownEntry.replace('acme/', 'quota/')) }, 'quota is an area'],
    [
      'a malformed id',
      { 'a.mjs': declaring(ownEntry.replace('acme/one', 'Acme One')) },
      'instead of Acme One',
    ],
    ['no id', { 'a.mjs': declaring(ownEntry.replace("id: 'acme/one',", '')) }, 'instead of undefined'],
    [
      'nothing exported',
      { 'a.mjs': declaring(ownEntry).replace('export const', 'const') },
      'exports an area',
    ],
    [
      'a rule alone',
      { 'a.mjs': `${declaring(ownEntry)}\nexport const two = ${anotherRule}` },
      'a rule alone',
    ],
    [
      'a list of areas',
      { 'a.mjs': `${declaring(ownEntry)}\nexport const more = [area('B', [${anotherRule}])]` },
      'a list of areas',
    ],
    [
      'an area to come',
      { 'a.mjs': `${declaring(ownEntry)}\nexport const later = Promise.resolve(own)` },
      'instead of a promise',
    ],
    [
      'one id twice in a file',
      { 'a.mjs': declaring(ownEntry).replace(')])', `), rule(${ownEntry}, () => [])])`) },
      'an id that no other rule has',
    ],
    ['no sentence', { 'a.mjs': declaring(ownEntry.replace("says: 'it holds'", '')) }, 'acme/one: says'],
    [
      'another level',
      { 'a.mjs': declaring(ownEntry.replace('documented', 'expectation')) },
      'acme/one: a level',
    ],
    [
      'an id twice',
      { 'a.mjs': declaring(ownEntry), 'b.mjs': declaring(ownEntry) },
      'an id that no other rule has',
    ],
    [
      'a credential',
      { 'a.mjs': declaring(ownEntry.replace('it holds', 'never sk_live_51HzYq8Lk2')) },
      'without any of the configured credentials',
    ],
  ])('%s', async ([, files, says], { expect }) => {
    const folder = await ownFolder(files)
    const env = {
      TARGET_BASE_URL: 'http://127.0.0.1:9',
      TARGET_API_KEY: 'ak_live_93hTqLw0',
      TARGET_SECRET_KEY: 'sk_live_51HzYq8Lk2',
    }
    const { code, stderr } = await run(['plan', '--suites', folder], { env })

    expect([code, stderr]).toEqual([2, expect.stringContaining(says)])
    expect(stderr).toContain('RUN_SUITES (--suites)')
  })

  test('unless the rules of an area are exported, too', async ({ expect }) => {
    const module = `${declaring(ownEntry)}\nexport const [one] = own.rules\nexport const all = [own]`
    const { code, stdout } = await run(['rules', '--suites', await ownFolder({ 'a.mjs': module })])

    expect([code, stdout]).toEqual([0, expect.stringContaining('acme/one (documented)')])
  })

  test('as does a folder that is not there', async ({ expect }) => {
    const { code, stderr } = await run(['rules', '--suites', 'nowhere'])

    expect([code, stderr]).toEqual([2, expect.stringContaining('nowhere')])
  })
})

test('a module that is busy for long, as while something is compiled for it, is loaded all the same', async ({
  expect,
}) => {
  const busy = `Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 11_000)\nawait new Promise((later) => setTimeout(later, 50))\n`
  const folder = await ownFolder({ 'a.mjs': `${busy}${declaring(ownEntry)}` })
  const { code, stdout } = await run(['rules', '--suites', folder])

  expect([code, stdout]).toEqual([0, expect.stringContaining('acme/one (documented)')])
})
