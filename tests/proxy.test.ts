import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { serve } from '../lib/http/testing/servers.ts'
import { service as startService } from '../lib/serve/proxy/testing/proxies.ts'
import { clients } from '../lib/serve/reference/clients.ts'
import { wordsOf } from './support/command-lines.ts'
import { against, expectEnds, reference, run as runAlone, runWhole } from './support/program-test.ts'
import { rulesThat, settingsFor, whileServing } from './support/program.ts'

/** Runs the built program's proxy until this has been done with its address. */
function proxied(words: string, act: (address: string) => Promise<unknown>, signal?: NodeJS.Signals) {
  const acting = (text: string) => act(/listens at (http:\/\/\S+)/.exec(text)?.[1] ?? '')
  return whileServing(['proxy', ...wordsOf(words)], acting, {}, runWhole, signal)
}

test('a run through the proxy finds no fault or breaking change in a conformant service, whatever it changes', async () => {
  const { service, run } = await against({ env: { RUN_BASELINE: 'baseline.json' } })
  await run('', { env: settingsFor(await reference()) })

  const ended = await proxied(`--base-url ${service.baseUrl}`, async (TARGET_BASE_URL) => {
    const judged = await run('', { env: { TARGET_BASE_URL } })

    expect(rulesThat(judged.verdict, 'failed', 'warned', 'inconclusive')).toEqual([])
    // Only an acceptance judges it.
    expect(rulesThat(judged.verdict, 'untested')).toEqual(['conventions/http-messages'])
    expect(judged).toMatchObject({ code: 0, verdict: { verdict: 'conformant', because: [] } })
  })

  expect(ended.code).toBe(0)
  expect(ended.stdout.match(/ms: added \d+ propert/g)?.length).toBeGreaterThan(100)
})

test('the proxy streams 100 MB without keeping them in memory', async () => {
  const megabyte = Buffer.alloc(1_000_000, '[1]')
  const behind = await startService((request, response) => {
    const type = request.url === '/json' ? 'application/json' : 'application/octet-stream'
    response.writeHead(200, { 'content-type': type })
    Readable.from(Array.from({ length: 100 }, () => megabyte)).pipe(response)
  })

  const lengths = { '/': 0, '/json': 0 }
  const { memoryMiB, stdout } = await proxied(`--base-url ${behind}`, async (address) => {
    for (const path of ['/', '/json'] as const) {
      const { body } = await fetch(address + path)
      for await (const chunk of body ?? []) lengths[path] += chunk.length
    }
  })

  expect(lengths).toEqual({ '/': 100_000_000, '/json': 100_000_000 })
  expect(stdout).toContain('none: the answer is longer than 4 MiB')
  expect(memoryMiB).toBeGreaterThan(20)
  expect(memoryMiB).toBeLessThan(180)
})

test.for(['SIGINT', 'SIGTERM'] as const)('the proxy ends on %s, even amid a request', async (signal) => {
  const behind = await serve(() => {})
  let asked: Promise<unknown> = Promise.resolve()
  const asking = async (address: string): Promise<void> => {
    asked = fetch(address).catch((error: unknown) => error)
    await expect.poll(() => behind.heads.length).toBe(1)
  }
  const { code, stderr } = await proxied(`--base-url http://127.0.0.1:${behind.port}`, asking, signal)

  expect(await asked).toBeInstanceOf(Error)
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
})

test('the proxy forwards to the embedded service on request, and prints what it does and how to use it', async () => {
  const { apiKey, secretKey } = clients.permitted
  const headers = { 'x-api-key': apiKey, 'x-secret-key': secretKey, 'x-version': '1' }
  let at = ''
  const words = '--base-url embedded --changes order,added --seed 5'
  const ended = await proxied(words, async (address) => {
    at = address
    const answer = await fetch(`${address}/api/customizations/list`, { headers })
    expect([answer.status, answer.headers.get('x-tolerated-changes')]).toEqual([
      200,
      expect.stringContaining('added'),
    ])
  })

  expectEnds(
    ended,
    0,
    new RegExp(`^The proxy listens at ${at} and forwards requests to http://127`, 'm'),
    /\n {2}added {3}properties added to every object\n {2}order .*\n {2}seed {4}5\n/,
    `Set the service address of your client application to ${at}`,
  )
  expect(ended.stdout).not.toContain('opaque')
  expect(ended.stderr).toContain('The command serve prints its clients')
})

test('the proxy does not start on a port that is already in use', async () => {
  const { port } = await serve(() => {})
  const ended = await runAlone(`proxy --base-url https://service.example --port ${port}`)

  expectEnds(ended, 2, `the proxy cannot be started on 127.0.0.1:${port}: listen EADDRINUSE`)
  expect(ended.stdout).toBe('')
})
