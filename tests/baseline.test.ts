import { readFile, writeFile } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { basename, join } from 'node:path'
import { describe } from 'vitest'
import { clients } from '../lib/serve/reference/clients.ts'
import { run, test as base } from './support/program-test.ts'
import { argumentsOf, findingOf } from './support/replayed.ts'
import { emptyFolder, ruleIn, settingsFor, type ProgramResult } from './support/program.ts'

const only = 'endpoints/*,versioning/*,authentication/api-key-*,tolerance/*'
const items = (more: object): string =>
  JSON.stringify({
    customizations: Array.from({ length: 6 }, (_, id) => ({
      id: `c${id}`,
      palette: { primary: '#fff', shade: '#000' },
      ...more,
    })),
  })

/** Whether a permitted client asks for the list as the specification shows it. */
function isServed({ url, headers }: IncomingMessage): boolean {
  if (url !== '/api/customizations/list' || headers['x-version'] !== '1') return false
  return [clients.permitted, clients.second].some(
    ({ apiKey, secretKey }) => headers['x-api-key'] === apiKey && headers['x-secret-key'] === secretKey,
  )
}

interface JudgedService {
  readonly file: string
  readonly run: (...flags: readonly string[]) => Promise<ProgramResult>
  readonly listing: { text: string }
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
}

/** A service, a folder with a baseline in it once a run has written one, and the way to run against both. */
const test = base.extend<{ readonly judged: JudgedService }>({
  judged: async ({ reference }, use) => {
    const listing = { text: items({}) }
    const service = await reference({
      intervene: (request, response) => {
        if (!isServed(request)) return false
        response.writeHead(200, { 'content-type': 'application/json' }).end(listing.text)
        return true
      },
    })
    const cwd = await emptyFolder()
    const env = settingsFor(service)
    const flags = ['--baseline', 'baseline.json', '--only', only]
    await use({
      file: join(cwd, 'baseline.json'),
      run: (...more) => run([...flags, ...more], { env, cwd }),
      listing,
      cwd,
      env,
    })
  },
})

const unwrapped = (text = ''): string => text.replaceAll(/\s+/g, ' ')
const read = (file: string): Promise<string> => readFile(file, 'utf8')
const noBreakingChange = 'tolerance/no-breaking-change'

describe.concurrent('a baseline', () => {
  test('that is missing is written by a run without violations, which says so, and holds no value and no address', async ({
    judged: { file, run: again },
    expect,
  }) => {
    const first = await again()

    expect([first.code, first.verdict?.baseline]).toEqual([0, { file: basename(file), did: 'written' }])
    expect(first.stdout).toContain(`Baseline written: ${basename(file)}\n`)
    expect(ruleIn(first.verdict, noBreakingChange)).toMatchObject({ status: 'untested' })
    const text = await read(file)
    expect(JSON.parse(text)).toMatchObject({ format: 'card-switch-conformance/baseline/1' })
    expect(text).not.toMatch(/127\.0\.0\.1|#fff|c0/)
    expect(text).toContain('shade')
  })

  test('that fits passes, whatever changed in a way that is tolerated', async ({
    judged: { run: again, listing },
    expect,
  }) => {
    await again()
    listing.text = items({ added: { anything: [1, null] }, id: '00000000-0000-4000-8000-000000000000' })
    const { code, verdict } = await again()

    expect([code, verdict?.baseline?.did]).toEqual([0, 'compared'])
    expect(ruleIn(verdict, noBreakingChange)).toMatchObject({ status: 'passed' })
  })

  test('that no longer fits is violated by its path, shown before and now, with lines that send the request again', async ({
    judged: { run: again, listing, file },
    expect,
  }) => {
    await again()
    const before = await read(file)
    listing.text = listing.text.replaceAll(',"shade":"#000"', '')
    const { code, verdict, stdout } = await again()
    const { status, findings } = ruleIn(verdict, noBreakingChange)
    const [finding] = findings

    expect([code, status, verdict?.causes.length]).toEqual([1, 'failed', 1])
    const says = '$.customizations[].palette.shade was removed'
    expect(finding?.summary.startsWith(says)).toBe(true)
    expect(finding?.shapes).toEqual({
      before: '$.customizations[].palette { shade: string, primary: string }',
      after: '$.customizations[].palette { primary: string }',
    })
    expect(finding?.curl).toContain('/api/customizations/list')
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain(says)
    expect(stdout).toContain('before      $.customizations[].palette { shade: string, primary: string }')
    expect(stdout).toContain('now         $.customizations[].palette {')
    expect(stdout).toMatch(/curl --http1\.1 .*customizations\/list/)
    expect(await read(file)).toBe(before)
  })

  test('is held against the answer again by the line of a finding, and by any that is given it', async ({
    judged: { run: again, listing, cwd, env },
    expect,
  }) => {
    await again()
    const before = listing.text
    listing.text = before.replaceAll(',"shade":"#000"', '')
    const finding = findingOf(await again(), noBreakingChange)
    const line = argumentsOf(finding)
    const plain = ['replay', 'endpoints/list-succeeds:1:plain']
    const lines = [line, [...plain, '--baseline', 'baseline.json'], plain]
    const broken = await Promise.all(lines.map((args) => run(args, { cwd, env })))
    const at = line.indexOf('--baseline')
    const without = [...line.slice(0, at), ...line.slice(at + 2)]
    const lacking = await Promise.all(
      [[...without, '--baseline', 'missing.json'], without].map((args) => run(args, { cwd, env })),
    )
    listing.text = before
    const fixed = await run(line, { cwd, env })

    expect(line.slice(at)).toEqual(['--baseline', 'baseline.json', '--times', '20'])
    expect([...broken, fixed].map(({ code }) => code)).toEqual([1, 1, 0, 0])
    expect(unwrapped(broken[0]?.stdout)).toContain(
      `✗ 20 of 20: ${noBreakingChange}: $.customizations[].palette.shade was removed`,
    )
    expect(lacking.map(({ code }) => code)).toEqual([2, 2])
    expect(lacking.map(({ stderr }) => stderr)).toEqual([
      expect.stringContaining('the baseline file does not exist yet'),
      expect.stringContaining('no baseline is given (RUN_BASELINE)'),
    ])
  })

  test('is told once, with the fault that changed an answer, which is graver', async ({
    reference,
    expect,
  }) => {
    let isBroken = false
    const service = await reference({
      intervene: (request, response) => {
        if (!isBroken || request.headers['x-api-key'] !== undefined) return false
        const body = JSON.stringify({ error_code: '1006', error_message: 'invalid api key' })
        response.writeHead(401, { 'content-type': 'application/json' }).end(body)
        return true
      },
    })
    const cwd = await emptyFolder()
    const judge = () => run(['--baseline', 'baseline.json'], { cwd, env: settingsFor(service) })
    await judge()
    isBroken = true
    const { verdict } = await judge()

    expect(ruleIn(verdict, noBreakingChange).findings).toMatchObject([
      { summary: expect.stringContaining('the answer was 401 / 1006, and 400 / 1001 before') },
    ])
    expect(verdict?.causes).toMatchObject([
      {
        sentence:
          'A request without x-api-key: 401 / 1006, documented 400 / 1001 (api key header is missing)',
        rules: expect.arrayContaining(['authentication/api-key-missing', noBreakingChange]),
      },
    ])
  })

  test('warns of what is missing in some items only', async ({ judged: { run: again, listing }, expect }) => {
    await again()
    listing.text = listing.text.replace(',"shade":"#000"', '')
    const { code, verdict } = await again()

    expect([code, ruleIn(verdict, noBreakingChange).status]).toEqual([0, 'warned'])
  })

  test('is widened and replaced where that is asked, by a run without violations', async ({
    judged: { run: again, listing, file },
    expect,
  }) => {
    await again()
    listing.text = items({ more: 'text' })
    expect((await again('--update-baseline')).verdict?.baseline?.did).toBe('widened')
    expect(await read(file)).toContain('more')

    listing.text = JSON.stringify({ customizations: [] })
    const replaced = await again('--reset-baseline')
    expect([replaced.code, replaced.verdict?.baseline?.did]).toEqual([0, 'replaced'])
    expect(await read(file)).not.toContain('shade')
  })

  test('is left alone by a run with violations, also where replacing it is asked', async ({
    judged: { run: again, listing, file },
    expect,
  }) => {
    await again()
    const before = await read(file)
    listing.text = 'not JSON'
    const { code, verdict } = await again('--reset-baseline')

    expect([code, verdict?.baseline?.did]).toEqual([1, 'left alone: only a run without violations writes it'])
    expect(await read(file)).toBe(before)
  })

  test('of another format is an error of its own, and is never overwritten', async ({
    judged: { run: again, file },
    expect,
  }) => {
    const foreign = '{"format":"card-switch-conformance/baseline/99"}'
    await writeFile(file, foreign)
    for (const flags of [[], ['--update-baseline'], ['--reset-baseline']]) {
      const { code, stderr, verdict } = await again(...flags)
      expect([code, verdict?.verdict]).toEqual([2, 'error'])
      expect(stderr).toContain('RUN_BASELINE')
      expect(stderr).toContain('its format is card-switch-conformance/baseline/99')
    }
    expect(await read(file)).toBe(foreign)
  })

  test('that is to be widened and replaced at once, or is not named, is a mistake', async ({
    judged: { run: again },
    expect,
  }) => {
    expect((await again('--update-baseline', '--reset-baseline')).code).toBe(2)
    const { code, stderr } = await run(['--base-url', 'embedded', '--update-baseline'])
    expect([code, stderr.includes('RUN_BASELINE')]).toEqual([2, true])
  })
})
