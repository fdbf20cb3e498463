import { execFile, type ChildProcess } from 'node:child_process'
import type { IncomingMessage } from 'node:http'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { against, expectEnds, reference, run as runAlone, type Against } from './support/program-test.ts'
import { argumentsOf, findingOf, folderWith, instead, settingsFor } from './support/program.ts'
import type { ProgramResult } from './support/program.ts'

const rule = 'authentication/api-key-missing'
const absent = `${rule}:20260101:absent`

/** Records the request line and header lines of each request. */
function noting() {
  const heads: string[] = []
  const intervene = ({ method, url, rawHeaders }: IncomingMessage): boolean =>
    heads.push(JSON.stringify([method, url, rawHeaders])) < 0
  return { heads, intervene }
}

/** Fails unless a replay sends, after a health check, a request that the run sent, and finds the breach again. */
async function expectAgain(heads: string[], again: () => Promise<ProgramResult>, broken: string) {
  const before = heads.length
  const replayed = await again()
  expectEnds(replayed, 1, `${broken}: answered`)
  expect(heads.length - before).toBe(2)
  expect(heads.slice(0, before)).toContain(heads.at(-1))
  return replayed
}

// The lab replays a finding of every fault: npm run lab -- judge --to replay.
test.for([
  ['a suite', rule, 'missing-api-key-unauthorized'],
  ['fuzzing after simplification', 'fuzz/api-key', 'api-key-with-quote-fails'],
] as const)('replay sends and judges a case of %s under any profile and seed', async ([, broken, fault]) => {
  const { heads, intervene } = noting()
  const { run } = await against({ faults: [fault], intervene })
  const result = await run(`--only ${broken}`)
  const replay = `replay ${findingOf(result, broken).case}`

  const again = await expectAgain(heads, () => run(`${replay} --profile nightly --seed 77`), broken)
  expect(again.verdict, 'the reports of the run stay').toEqual(result.verdict)

  const mended = await against()
  expectEnds(await mended.run(replay), 0, 'the answer is allowed')
  expect(mended.service.requests()).toBe(2)
})

test('replay sends the same request from the replay line alone, whatever flags and files the run had', async () => {
  const { heads, intervene } = noting()
  const service = await reference({ faults: ['missing-api-key-unauthorized'], intervene })
  const lines = Object.entries(settingsFor(service)).map(([name, value]) => `${name}='${value}'`)
  const further = [{ method: 'GET', path: '/api/customizations/list', query: {} }]
  const files = { 'it is.env': lines.join('\n'), 'further.json': JSON.stringify(further) }
  const cwd = await folderWith(files)

  const flags = ['--only', rule, '--settings-file', 'it is.env', '--endpoints', 'further.json']
  const finding = findingOf(await runAlone([...flags, '--query', "page=1&q='$HOME'"], { cwd }), rule)

  await expectAgain(heads, () => runAlone(argumentsOf(finding), { cwd }), rule)
  expect(heads.at(-1)).toContain("list?page=1&q='$HOME'")
})

test('replay works if the replay line of a finding is pasted into a shell in a checkout', async () => {
  const { service, env, run } = await against({ faults: ['missing-api-key-unauthorized'] })
  const { replay } = findingOf(await run(`--only ${rule}`), rule)
  const before = service.requests()
  const { PATH, HOME } = process.env
  const pasted = promisify(execFile)('bash', ['-c', replay ?? 'false'], {
    cwd: fileURLToPath(new URL('..', import.meta.url)),
    env: { PATH, HOME, npm_config_offline: 'true', ...env, TARGET_BASE_URL: 'http://nobody.invalid' },
  })

  const stdout = expect.stringContaining(`✗ ${rule}: answered`)
  await expect(pasted).rejects.toMatchObject({ code: 1, stdout })
  expect(service.requests() - before).toBe(2)
})

test('replay sends a raw socket case again, byte for byte', async () => {
  const { heads, intervene } = noting()
  const { run } = await against({
    intervene: (request, response) =>
      /x-api-key/.test(request.headers.connection ?? '') &&
      (intervene(request) || instead(response, 500, '{"oops":true}')),
  })
  const result = await run('--only fuzz/headers,errors/* --profile nightly --fuzz-cases 60')
  const finding = findingOf(result, 'errors/documented-pairs')
  expect(finding.case).toMatch(/^fuzz\/headers:\d+:hop-by-hop\.\d+$/)
  expect(finding.curl).toBeNull()

  const [first] = heads
  heads.length = 0
  expectEnds(await run(`replay ${finding.case}`), 1, 'errors/documented-pairs: answered 500')
  expect(heads).toEqual([first])
})

test('replay is incomplete if nothing is listening', async () => {
  const { service, run } = await against()
  await service.close()

  expectEnds(await run('replay fuzz/api-key:1:presence.0'), 3)
})

test('the replay line of an intermittent finding reports how often the answer was wrong', async () => {
  let met = 0
  // Serves every fifth request without x-api-key, beginning with the first.
  const intervene: Against['intervene'] = ({ headers, url }, response) => {
    if (headers['x-api-key'] !== undefined || url !== '/api/customizations/list') return false
    met += 1
    return met % 5 === 1 && instead(response, 200, '[]')
  }
  const { service, run } = await against({ intervene })
  const finding = findingOf(await run(`--only ${rule}`), rule)
  const before = service.requests()
  const again = await run(argumentsOf(finding))

  expect(finding.reproduced).toMatch(/^1 of [23]$/)
  const words = ['replay', finding.case, '--base-url', service.baseUrl, '--times', '20']
  expect(argumentsOf(finding)).toEqual(words)
  expect(service.requests() - before).toBe(21)
  const wrong = `${rule}: answered 200 with JSON where 400 / 1001 is documented`
  const often = `✗ wrong 4 of 20 times ✗ 4 of 20: ${wrong}`
  expectEnds(again, 1, 'Sent 20 requests of the case again, 20 times, to ', often)
  expectEnds(again, 1, 'documented  400 / 1001\nanswered    200 after')
})

test.for([
  ['20', 21, '0 of 20: not seen. A fault in one of 7 answers shows in 20 tries (95 % confidence)'],
  ['5', 6, '0 of 5: not seen. A fault in one of 2 answers shows in 5 tries (95 % confidence)'],
  ['2', 3, '0 of 2: not seen. A fault in 78 % of the answers shows in 2 tries (95 % confidence)'],
  ['20 --max-requests 10', 9, 'RUN_MAX_REQUESTS (10) allows only 8 of 20 repetitions.'],
] as const)('replay --times %s excludes a fault by %i requests', async ([times, requests, says]) => {
  const { service, run } = await against()
  const replayed = await run(`replay ${absent} --times ${times}`)

  expectEnds(replayed, 0, `✓ 0 of ${requests - 1}: not seen`, says)
  expect(service.requests()).toBe(requests)
})

test('replay --times sends all requests of a scenario each time and shows the requests that broke the rule', async () => {
  const replay = 'replay authentication/not-cached:20260101:secret-key-wrong'
  const [healthy, bent] = [await against(), await against({ faults: ['success-cached-by-url'] })]
  const thrice = await healthy.run(`${replay} --times 3`)
  const broken = await bent.run(replay)

  expectEnds(thrice, 0, 'Sent 9 requests of the case again, 3 times, to ', '… and 8 more requests')
  expect([healthy.service.requests(), broken.code]).toEqual([1 + 3 * 3, 1])
  const shown = broken.stdout.split('Broke authentication/not-cached\n')[1] ?? ''
  expect(shown.match(/^documented {2}401 \/ 1007\nanswered {4}200 after/gm)?.length).toBeGreaterThan(1)
  expect(shown).not.toContain('x-secret-key: <TARGET_SECRET_KEY>')
  expect(shown).toContain('✗ authentication/not-cached: answered 200 with JSON where 401 / 1007 is')
})

test('replay --times exits 3 with the results so far if the quota runs out, or 1 if an answer was wrong', async () => {
  const plain = 'replay endpoints/list-succeeds:20260101:plain --times 20'
  const exhausted = await against({ quotas: { permitted: 6 } })
  const wrong = await against({
    quotas: { permitted: 6 },
    intervene: ({ headers }, response) =>
      headers['user-agent'] !== undefined && wrong.service.requests() === 3 && instead(response, 500, '{}'),
  })
  const usedUp = 'of 20: the daily quota of the client of TARGET_API_KEY is used up'
  const few = '✓ 0 of 5: not seen. A fault in one of 2 answers shows in 5 tries (95 % confidence)'
  expectEnds(await exhausted.run(plain), 3, few, `ended after 5 ${usedUp}`)
  expectEnds(await wrong.run(plain), 1, new RegExp(`wrong 1 of .*${usedUp}`))
})

test('replay --times exits 3 with the results so far if it is interrupted', async () => {
  let child: ChildProcess | null = null
  const intervene = (): boolean => service.requests() === 8 && child?.kill('SIGINT') === false
  const { service, run } = await against({ intervene, latencyMs: 50 })
  const started = (one: ChildProcess): void => void (child = one)
  const ended = await run(`replay ${absent} --times 1000 --max-requests 2000`, { started })

  expectEnds(ended, 3, /ended after \d+ of 1000: the run was interrupted \(SIGINT\)/)
  expect(ended.stderr).toContain('the run was interrupted (SIGINT): the results so far follow')
})
