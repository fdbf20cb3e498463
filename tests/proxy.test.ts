import type { ChildProcess } from 'node:child_process'
import { expect, onTestFinished, test } from 'vitest'
import { serve } from '../lib/http/testing/servers.ts'
import { service as startService } from '../lib/serve/proxy/testing/proxies.ts'
import { clients } from '../lib/serve/reference/clients.ts'
import { credentialsIn, leaks } from './leaks/leaks.ts'
import { wordsOf } from './support/command-lines.ts'
import { against, reference, run as runAlone } from './support/program-test.ts'
import { emptyFolder, rulesThat, runProgram, settingsFor, type ProgramResult } from './support/program.ts'

/** Starts the built program's proxy and waits until it listens. `end` sends a signal and waits for the program to end. */
async function proxy(words: string) {
  let shown = ''
  let running: ChildProcess | null = null
  const started = (child: ChildProcess): void => {
    running = child
    child.stdout?.on('data', (text) => (shown += String(text)))
  }
  onTestFinished(() => void running?.kill('SIGKILL'))
  const ended = runProgram(['proxy', ...wordsOf(words)], { started })
  await expect.poll(() => shown).toContain('Ctrl-C')
  const end = (signal: NodeJS.Signals = 'SIGINT'): Promise<ProgramResult> => {
    running?.kill(signal)
    return ended
  }
  return { address: /listens at (http:\/\/\S+)/.exec(shown)?.[1] ?? '', end }
}

/** Fails if the output of a proxy shows a credential. */
async function expectNoLeak({ stdout, stderr }: ProgramResult, credentials: readonly string[]) {
  expect(await leaks({ stdout, stderr, reportsFolder: await emptyFolder() }, credentials)).toEqual([])
}

test('a run through the proxy finds no fault or breaking change in a conformant service, whatever it changes', async () => {
  const { service, run } = await against({ env: { RUN_BASELINE: 'baseline.json' } })
  await run('', { env: settingsFor(await reference()) })
  const { address, end } = await proxy(`--base-url ${service.baseUrl}`)

  const judged = await run('', { env: { TARGET_BASE_URL: address } })
  const ended = await end()

  expect(rulesThat(judged.verdict, 'failed', 'warned', 'inconclusive')).toEqual([])
  // Only an acceptance judges it.
  expect(rulesThat(judged.verdict, 'untested')).toEqual(['conventions/http-messages'])
  expect(judged.verdict).toMatchObject({ verdict: 'conformant', because: [] })
  expect([judged.code, ended.code]).toEqual([0, 0])
  expect(ended.stdout.match(/ms: added \d+ propert/g)?.length).toBeGreaterThan(100)
  await expectNoLeak(ended, credentialsIn())
})

test('the proxy streams 100 MB without keeping them in memory', async () => {
  const megabyte = Buffer.alloc(1_000_000, '[1]')
  const behind = await startService((request, response) => {
    let left = 100
    const type = request.url === '/json' ? 'application/json' : 'application/octet-stream'
    response.writeHead(200, { 'content-type': type })
    const more = (): void => {
      while (left > 0) {
        left -= 1
        if (!response.write(megabyte)) return
      }
      response.end()
    }
    response.on('drain', more)
    more()
  })
  const { address, end } = await proxy(`--base-url ${behind}`)

  const lengths: number[] = []
  for (const path of ['/', '/json']) {
    let length = 0
    const { body } = await fetch(address + path)
    for await (const chunk of body ?? []) length += chunk.length
    lengths.push(length)
  }
  const { memoryMiB, stdout } = await end()

  expect(lengths).toEqual([100_000_000, 100_000_000])
  expect(stdout).toContain('none: the answer is longer than 4 MiB')
  expect(memoryMiB).toBeGreaterThan(20)
  expect(memoryMiB).toBeLessThan(180)
})

test.for(['SIGINT', 'SIGTERM'] as const)(
  'the proxy ends on %s, even with a request in flight',
  async (signal) => {
    const behind = await serve(() => {})
    const { address, end } = await proxy(`--base-url http://127.0.0.1:${behind.port}`)
    const asked = fetch(address).catch((error: unknown) => error)
    await expect.poll(() => behind.heads.length).toBe(1)

    const { code, stderr } = await end(signal)

    expect(await asked).toBeInstanceOf(Error)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  },
)

test('the proxy forwards to the embedded service on request, and prints what it does and how to use it', async () => {
  const { address, end } = await proxy('--base-url embedded --changes order,added --seed 5')
  const { apiKey, secretKey } = clients.permitted
  const headers = { 'x-api-key': apiKey, 'x-secret-key': secretKey, 'x-version': '1' }

  const answer = await fetch(`${address}/api/customizations/list`, { headers })
  const { stdout, stderr, code } = await end()

  expect(stdout).toMatch(
    new RegExp(`^The proxy listens at ${address} and forwards requests to http://127`, 'm'),
  )
  expect(stdout).toMatch(/\n {2}added {3}properties added to every object\n {2}order .*\n {2}seed {4}5\n/)
  expect(stdout).not.toContain('opaque')
  expect(stdout).toContain(`Set the service address of your client application to ${address}`)
  expect(answer.status).toBe(200)
  expect(answer.headers.get('x-tolerated-changes')).toContain('added')
  expect(stderr).toContain('The command serve prints its clients')
  expect(code).toBe(0)
})

test('the proxy does not start on a port that is already in use', async () => {
  const { port } = await serve(() => {})
  const args = ['proxy', '--base-url', 'https://service.example', '--port', String(port)]

  const { code, stdout, stderr } = await runAlone(args)

  expect(stderr).toContain(`the proxy cannot be started on 127.0.0.1:${port}: listen EADDRINUSE`)
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
})
