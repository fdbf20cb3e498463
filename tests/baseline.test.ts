import { readFile, writeFile } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { startService } from '../lab/service/start.ts'
import { clients } from '../lib/serve/reference/clients.ts'
import { mendable } from './support/mendable.ts'
import { run } from './support/program-test.ts'
import { emptyFolder, ruleIn, settingsFor, type ProgramResult } from './support/program.ts'
import { argumentsOf, findingOf } from './support/replayed.ts'

const only = 'endpoints/*,versioning/*,authentication/api-key-*,tolerance/*'
const noBreakingChange = 'tolerance/no-breaking-change'
const baseline = ['--baseline', 'baseline.json']

function items(more: object = {}): string {
  const palette = { primary: '#fff', shade: '#000' }
  return JSON.stringify({
    customizations: Array.from({ length: 6 }, (_, id) => ({ id: `c${id}`, palette, ...more })),
  })
}

/** Whether a permitted client requests the list as in the specification's example. */
function isServed({ url, headers }: IncomingMessage): boolean {
  if (url !== '/api/customizations/list' || headers['x-version'] !== '1') return false
  return [clients.permitted, clients.second].some(
    ({ apiKey, secretKey }) => headers['x-api-key'] === apiKey && headers['x-secret-key'] === secretKey,
  )
}

interface Judged {
  readonly file: string
  /** The body of the service's answer. */
  readonly listing: { text: string }
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly judge: (...flags: readonly string[]) => Promise<ProgramResult>
}

/** The baseline that a run against a conformant service writes. */
let written = ''

/** A service and a folder with this baseline. */
async function judged(
  text: string | null = written,
  close: (end: () => Promise<void>) => void = onTestFinished,
): Promise<Judged> {
  const listing = { text: items() }
  const service = await startService({
    intervene: (request, response) => {
      if (!isServed(request)) return false
      response.writeHead(200, { 'content-type': 'application/json' }).end(listing.text)
      return true
    },
  })
  close(() => service.close())
  const [cwd, env] = [await emptyFolder(), settingsFor(service)]
  const file = join(cwd, 'baseline.json')
  if (text !== null) await writeFile(file, text)
  const judge = (...flags: readonly string[]) => run([...baseline, '--only', only, ...flags], { env, cwd })
  return { file, listing, cwd, env, judge }
}

const unwrapped = (text = ''): string => text.replaceAll(/\s+/g, ' ')
const read = (file: string): Promise<string> => readFile(file, 'utf8')
const notAll = items().replace(',"shade":"#000"', '')
const shadeless = items().replaceAll(',"shade":"#000"', '')

let first: ProgramResult

beforeAll(async () => {
  const closing: (() => Promise<void>)[] = []
  const { judge, file } = await judged(null, (close) => void closing.push(close))
  first = await judge()
  written = await read(file)
  for (const close of closing) await close()
})

describe('a baseline', () => {
  test('is created and reported by a run without violations, and contains no values or addresses', () => {
    expect([first.code, first.verdict?.baseline]).toEqual([0, { file: 'baseline.json', did: 'written' }])
    expect(first.stdout).toMatch(/baseline written:\s+baseline\.json\n/)
    expect(ruleIn(first.verdict, noBreakingChange)).toMatchObject({ status: 'untested' })
    expect(JSON.parse(written)).toMatchObject({ format: 'card-switch-conformance/baseline/1' })
    expect(written).not.toMatch(/127\.0\.0\.1|#fff|c0/)
    expect(written).toContain('shade')
  })

  test.for<readonly [what: string, listing: string, flags: readonly string[], code: number, did: string]>([
    [
      'passes after tolerated changes',
      items({ added: { anything: [1, null] }, id: '00000000-0000-4000-8000-000000000000' }),
      [],
      0,
      'compared; passed',
    ],
    ['warns of a property that only some items lack', notAll, [], 0, 'compared; warned'],
    ['is widened on request', items({ more: 'text' }), ['--update-baseline'], 0, 'widened; +more'],
    [
      'is replaced on request',
      JSON.stringify({ customizations: [] }),
      ['--reset-baseline'],
      0,
      'replaced; -shade',
    ],
    [
      'stays unchanged after a run with violations, even with --reset-baseline',
      'not JSON',
      ['--reset-baseline'],
      1,
      'left alone: only a run without violations writes it; same',
    ],
  ])('%s', async ([, text, flags, exit, expected]) => {
    const { judge, listing, file } = await judged()
    listing.text = text
    const { code, verdict } = await judge(...flags)

    const [did, then] = expected.split('; ')
    expect([code, verdict?.baseline?.did]).toEqual([exit, did])
    const after = await read(file)
    if (then === '+more') expect(after).toContain('more')
    else if (then === '-shade') expect(after).not.toContain('shade')
    else expect(after).toBe(written)
    if (did === 'compared') expect(ruleIn(verdict, noBreakingChange).status).toBe(then)
  })

  test('reports a removed property with its path and both shapes, and replay compares it again', async () => {
    const { judge, listing, file, cwd, env } = await judged()
    listing.text = shadeless
    const result = await judge()
    const { code, verdict, stdout } = result
    const finding = findingOf(result, noBreakingChange)

    const says = '$.customizations[].palette.shade was removed'
    expect([code, verdict?.causes.length]).toEqual([1, 1])
    expect(finding.summary.startsWith(says)).toBe(true)
    expect(finding.shapes).toEqual({
      before: '$.customizations[].palette { shade: string, primary: string }',
      after: '$.customizations[].palette { primary: string }',
    })
    expect(finding.curl).toContain('/api/customizations/list')
    expect(unwrapped(stdout)).toContain(says)
    expect(stdout).toContain('expected    $.customizations[].palette { shade: string, primary: string }')
    expect(stdout).toContain('got         $.customizations[].palette {')
    expect(await read(file)).toBe(written)

    const line = argumentsOf(finding)
    const at = line.indexOf('--baseline')
    const without = [...line.slice(0, at), ...line.slice(at + 2)]
    const plain = ['replay', 'endpoints/list-succeeds:1:plain']
    const replays: ProgramResult[] = []
    for (const args of [
      line,
      [...plain, ...baseline],
      plain,
      [...without, '--baseline', 'missing.json'],
      without,
    ])
      replays.push(await run(args, { cwd, env }))
    listing.text = items()
    replays.push(await run(line, { cwd, env }))

    expect(line.slice(at)).toEqual([...baseline, '--times', '20'])
    expect(replays.map((one) => one.code)).toEqual([1, 1, 0, 2, 2, 0])
    expect(unwrapped(replays[0]?.stdout)).toContain(`✗ 20 of 20: ${noBreakingChange}: ${says}`)
    expect(replays[3]?.stderr).toContain('the baseline file does not exist yet')
    expect(replays[4]?.stderr).toContain('no baseline is given (RUN_BASELINE)')
  })

  test('reports a changed answer once, in the cause of the more severe fault', async () => {
    const { service, fault } = await mendable({ isBent: false })
    const options = { cwd: await emptyFolder(), env: settingsFor(service) }
    await run(baseline, options)
    fault.isBent = true
    const { verdict } = await run(baseline, options)

    const summary = expect.stringContaining('the answer was 401 / 1006, and 400 / 1001 before')
    expect(ruleIn(verdict, noBreakingChange).findings).toMatchObject([{ summary }])
    expect(verdict?.causes).toMatchObject([
      {
        sentence:
          'A request without x-api-key: 401 / 1006, documented 400 / 1001 (api key header is missing)',
        rules: expect.arrayContaining(['authentication/api-key-missing', noBreakingChange]),
      },
    ])
  })

  test('in another format is an error and is never overwritten', async () => {
    const foreign = '{"format":"card-switch-conformance/baseline/99"}'
    const { judge, file } = await judged(foreign)
    for (const flags of [[], ['--update-baseline'], ['--reset-baseline']]) {
      const { code, stderr, verdict } = await judge(...flags)
      expect([code, verdict?.verdict]).toEqual([2, 'error'])
      expect(stderr).toContain('RUN_BASELINE')
      expect(stderr).toContain('its format is card-switch-conformance/baseline/99')
    }
    expect(await read(file)).toBe(foreign)
  })

  test.for([
    ['updated and reset at once', [...baseline, '--update-baseline', '--reset-baseline']],
    ['updated without a name', ['--update-baseline']],
  ] as const)('is a mistake if it is %s', async ([, flags]) => {
    const { code, stderr } = await run(['--base-url', 'embedded', ...flags])

    expect([code, stderr]).toEqual([2, expect.stringContaining('BASELINE')])
  })
})
