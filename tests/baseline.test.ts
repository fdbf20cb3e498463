import type { IncomingMessage } from 'node:http'
import { expect, test } from 'vitest'
import { clients } from '../lib/serve/reference/clients.ts'
import { against, expectEnds, inOneLine, mendable, type Against } from './support/program-test.ts'
import { argumentsOf, findingOf, instead, ruleIn } from './support/program.ts'

const only = 'endpoints/*,versioning/*,authentication/api-key-*,tolerance/*'
const noBreakingChange = 'tolerance/no-breaking-change'

function items(more: object = {}): string {
  const palette = { primary: '#fff', shade: '#000' }
  const customizations = Array.from({ length: 6 }, (_, id) => ({ id: `c${id}`, palette, ...more }))
  return JSON.stringify({ customizations })
}

/** Whether a permitted client requests the list as in the specification's example. */
function isServed({ url, headers }: IncomingMessage): boolean {
  if (url !== '/api/customizations/list' || headers['x-version'] !== '1') return false
  const permitted = [clients.permitted, clients.second].map((one) => `${one.apiKey} ${one.secretKey}`)
  return permitted.includes(`${String(headers['x-api-key'])} ${String(headers['x-secret-key'])}`)
}

/** The program in a folder with this baseline, and a service that answers with the body in `listing`. */
async function judged(text: string | null) {
  const listing = { text: items() }
  const intervene: Against['intervene'] = (request, response) =>
    isServed(request) && instead(response, 200, listing.text)
  const given = await against({ files: text === null ? {} : { 'baseline.json': text }, intervene })
  const judge = (flags = '') => given.run(`--baseline baseline.json --only ${only} ${flags}`)
  return { ...given, listing, judge, baseline: () => given.read('baseline.json') }
}

const added = { added: { anything: [1, null] }, id: '00000000-0000-4000-8000-000000000000' }
const notAll = items().replace(',"shade":"#000"', '')
const shadeless = items().replaceAll(',"shade":"#000"', '')

/** The baseline that a run against a conformant service writes, once for all tests. */
let making: Promise<string> | undefined
const written = (): Promise<string> =>
  (making ??= judged(null).then(async ({ judge, baseline }) => judge().then(baseline)))

test('a baseline is created and reported by a run without violations, and contains no values or addresses', async () => {
  const { judge, baseline } = await judged(null)
  const { code, verdict, stdout } = await judge()
  const text = await baseline()

  expect([code, verdict?.baseline]).toEqual([0, { file: 'baseline.json', did: 'written' }])
  expect(stdout).toMatch(/baseline written:\s+baseline\.json\n/)
  expect(ruleIn(verdict, noBreakingChange)).toMatchObject({ status: 'untested' })
  expect(JSON.parse(text)).toMatchObject({ format: 'card-switch-conformance/baseline/1' })
  expect(text).not.toMatch(/127\.0\.0\.1|#fff|c0/)
  expect(text).toContain('shade')
})

const leftAlone = 'left alone: only a run without violations writes it'
test.for([
  ['passes after tolerated changes', items(added), '', 0, 'compared', 'passed'],
  ['warns of a property that only some items lack', notAll, '', 0, 'compared', 'warned'],
  ['is widened on request', items({ more: 'text' }), '--update-baseline', 0, 'widened', ['more', 'shade']],
  ['is replaced on request', '{"customizations":[]}', '--reset-baseline', 0, 'replaced', []],
  ['stays after a run with violations, even with --reset-baseline', 'no', '--reset-baseline', 1, leftAlone],
] as const)('a baseline %s', async ([, text, flags, exit, did, then]) => {
  const known = await written()
  const { judge, listing, baseline } = await judged(known)
  listing.text = text
  const { code, verdict } = await judge(flags)

  expect([code, verdict?.baseline?.did]).toEqual([exit, did])
  const after = await baseline()
  if (typeof then === 'object') expect(['more', 'shade'].filter((one) => after.includes(one))).toEqual(then)
  else expect(after).toBe(known)
  if (did === 'compared') expect(ruleIn(verdict, noBreakingChange).status).toBe(then)
})

test('a baseline reports a removed property with its path and both shapes, and replay compares it again', async () => {
  const known = await written()
  const { judge, run, listing, baseline } = await judged(known)
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
  expect(inOneLine(stdout)).toContain(says)
  expect(stdout).toMatch(/expected {4}(\$\..*palette) \{ shade: string, primary: string \}[^]*got {9}\1 \{/)
  expect(await baseline()).toBe(known)

  const line = [...argumentsOf(finding)]
  const ofFile = line.splice(-4)
  const plain = ['replay', 'endpoints/list-succeeds:1:plain']
  const again = [...line, ...ofFile]
  const missing = [...line, '--baseline', 'missing.json']
  const replay = await run(again)
  const others: (number | null)[] = []
  for (const args of [[...plain, ...ofFile.slice(0, 2)], plain]) others.push((await run(args)).code)
  listing.text = items()
  others.push((await run(again)).code)

  expect(ofFile).toEqual(['--baseline', 'baseline.json', '--times', '20'])
  expectEnds(replay, 1, `✗ 20 of 20: ${noBreakingChange}: ${says}`)
  expect(others).toEqual([1, 0, 0])
  expectEnds(await run(missing), 2, 'the baseline file does not exist yet')
  expectEnds(await run(line), 2, 'no baseline is given (RUN_BASELINE)')
})

test('a baseline reports a changed answer once, in the cause of the more severe fault', async () => {
  const { run, fault } = await mendable({ isBent: false })
  const line = `--baseline baseline.json --only ${only}`
  await run(line)
  fault.isBent = true
  const { verdict } = await run(line)

  const summary = expect.stringContaining('the answer changed from 400 / 1001 to 401 / 1006')
  expect(ruleIn(verdict, noBreakingChange).findings).toMatchObject([{ summary }])
  const says = 'A request without x-api-key: 401 / 1006, documented 400 / 1001 (api key header is missing)'
  const rules = expect.arrayContaining(['authentication/api-key-missing', noBreakingChange])
  expect(verdict?.causes).toMatchObject([{ sentence: says, rules }])
})
