import { writeFile } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { describe } from 'vitest'
import { run, test } from './support/program-test.ts'
import { emptyFolder, settingsFor } from './support/program.ts'
import { argumentsOf, findingOf } from './support/replayed.ts'

/** What arrived of a request: its line, and its header lines as they came. */
function arrivedAs({ method, url, rawHeaders }: IncomingMessage): string {
  return JSON.stringify([method, url, rawHeaders])
}

describe.concurrent('replay', () => {
  test.for([
    ['a suite', 'authentication/api-key-missing', 'missing-api-key-unauthorized'],
    ['fuzzing, shrunk', 'fuzz/api-key', 'api-key-with-quote-fails'],
  ] as const)(
    'sends a case of %s again, whatever the profile and the seed, and judges it',
    async ([, rule, fault], { reference, expect }) => {
      const heads: string[] = []
      const intervene = (request: IncomingMessage): boolean => heads.push(arrivedAs(request)) < 0
      const service = await reference({ faults: [fault], intervene })
      const env = settingsFor(service)
      const finding = findingOf(await run(['--only', rule], { env }), rule)
      const before = heads.length

      const again = await run(['replay', finding.case, '--profile', 'nightly', '--seed', '77'], { env })
      expect([again.code, heads.length - before]).toEqual([1, 2])
      expect(heads.slice(0, before)).toContain(heads.at(-1))
      expect(again.stdout).toContain('answered')
      expect(again.stdout.replaceAll(/\s+/g, ' ')).toContain(`${rule}: answered`)
      expect(again.verdict).toBeNull()

      const mended = await reference()
      const healthy = await run(['replay', finding.case], { env: settingsFor(mended) })
      expect([healthy.code, mended.requests()]).toEqual([0, 2])
      expect(healthy.stdout).toContain('the answer is allowed')
    },
  )

  test('sends the same by the line alone, whatever flags and files the run was given', async ({
    reference,
    expect,
  }) => {
    const heads: string[] = []
    const intervene = (request: IncomingMessage): boolean => heads.push(arrivedAs(request)) < 0
    const service = await reference({ faults: ['missing-api-key-unauthorized'], intervene })
    const cwd = await emptyFolder()
    const lines = Object.entries(settingsFor(service)).map(([name, value]) => `${name}='${value}'`)
    await writeFile(join(cwd, 'it is.env'), lines.join('\n'))
    await writeFile(
      join(cwd, 'further.json'),
      JSON.stringify([{ method: 'GET', path: '/api/customizations/list', query: {} }]),
    )

    const rule = 'authentication/api-key-missing'
    const flags = ['--only', rule, '--settings-file', 'it is.env', '--endpoints', 'further.json']
    const finding = findingOf(await run([...flags, '--query', "page=1&q='$HOME'"], { cwd }), rule)
    const before = heads.length
    const again = await run(argumentsOf(finding), { cwd })

    expect([again.code, heads.length - before]).toEqual([1, 2])
    expect(heads.slice(0, before)).toContain(heads.at(-1))
    expect(heads.at(-1)).toContain("list?page=1&q='$HOME'")
    expect(again.stdout.replaceAll(/\s+/g, ' ')).toContain(`${rule}: answered`)
  })

  test.for([
    ['its own case of a run-wide rule', 'errors/body-shape', 'invalid-api-key-with-two-codes', 1],
    ['a case that a gate alone sends', 'authentication/no-side-door', 'no-credentials-served', 1],
    ['a pair', 'conventions/header-case-insensitive', 'only-lower-case-names-seen', 1],
    ['a scene', 'authentication/not-cached', 'success-cached-by-url', 1],
    ['a quota', 'quota/stays-exhausted', 'exhausted-client-served-every-second-time', 1],
    ['a quota that the run has used up', 'quota/exhausted', 'quota-counts-every-second-request', 3],
    ['what an acceptance alone sends', 'conventions/http-messages', 'content-behind-head-of-success', 1],
  ] as const)(
    'of %s acquits no fault that is still there',
    async ([, rule, fault, exit], { reference, expect }) => {
      const env = settingsFor(await reference({ faults: [fault] }))
      const profile = rule === 'conventions/http-messages' ? 'acceptance' : 'gate'
      const found = findingOf(await run(['--only', rule, '--profile', profile], { env }), rule)
      const again = await run(argumentsOf(found), { env })

      expect(again.code).toBe(exit)
    },
  )

  test('sends a case of the raw socket again, byte for byte', async ({ reference, expect }) => {
    const heads: string[] = []
    const service = await reference({
      intervene: (request, response) => {
        if (!/x-api-key/.test(request.headers.connection ?? '')) return false
        heads.push(arrivedAs(request))
        response.writeHead(500, { 'content-type': 'application/json' }).end('{"oops":true}')
        return true
      },
    })
    const env = settingsFor(service)
    const flags = ['--only', 'fuzz/headers,errors/*', '--profile', 'nightly', '--fuzz-cases', '60']
    const finding = findingOf(await run(flags, { env }), 'errors/documented-pairs')
    expect(finding.case).toMatch(/^fuzz\/headers:\d+:hop-by-hop\.\d+$/)
    expect(finding.curl).toBeNull()

    const [first] = heads
    heads.length = 0
    const again = await run(['replay', finding.case], { env })
    expect([again.code, heads]).toEqual([1, [first]])
    expect(again.stdout.replaceAll(/\s+/g, ' ')).toContain('errors/documented-pairs: answered 500')
  })

  test.for([
    ['what is no case', 'fuzz/api-key', 'CASE'],
    ['a rule that nobody knows', 'fuzz/nothing:1:a.1', 'CASE'],
    ['a case that nobody knows', 'fuzz/api-key:1:nothing.1', 'no case is called nothing.1'],
    [
      'a case that needs what is not given',
      'authentication/customer-not-found:1:no-customer',
      'are not given',
    ],
  ] as const)('of %s is a mistake, and sends nothing', async ([, name, says], { reference, expect }) => {
    const service = await reference()
    const {
      FIXTURE_NO_CUSTOMER_API_KEY: _,
      FIXTURE_NO_CUSTOMER_SECRET_KEY: __,
      ...env
    } = settingsFor(service)
    const { code, stderr } = await run(['replay', name], { env })

    expect([code, service.requests()]).toEqual([2, 0])
    expect(stderr).toContain(says)
  })

  const unwelcome: readonly (readonly [string, (secret: string) => string])[] = [
    ['a credential', (secret) => secret],
    ['one in base64', (secret) => Buffer.from(secret).toString('base64')],
    [
      'one reversed, in hexadecimal',
      (secret) => Buffer.from(Array.from(secret).toReversed().join('')).toString('hex'),
    ],
    ['most of one', (secret) => secret.slice(0, -1)],
  ]
  test.for(unwelcome)(
    'of a case that is %s is a mistake, and does not show it',
    async ([, write], { reference, expect }) => {
      const service = await reference()
      const secret = 'sk_9fQ2mLx7Tzv4Rk1wYc83'
      const env = { ...settingsFor(service), TARGET_SECRET_KEY: secret }
      const text = write(secret)

      for (const name of [`fuzz/api-key:1:${text}`, `fuzz/nothing:1:${text}`, text, `${text}:1:a`]) {
        const { code, stdout, stderr } = await run(['replay', name], { env })

        expect([code, stdout, service.requests()]).toEqual([2, '', 0])
        expect(stderr).not.toContain(text)
        if (name.startsWith('fuzz/')) expect(stderr).toContain('TARGET_SECRET_KEY')
      }
    },
  )

  test.for([
    ['an escape', '\u001b[2J\u001b]0;title\u0007', String.raw`\u001b[2J\u001b]0;title\u0007`],
    ['a line with a command of a pipeline', 'a\r\n::error::x', String.raw`a\r\n::error::x`],
    ['the other direction of reading', 'a\u202eb', String.raw`a\u202eb`],
  ] as const)('of a case with %s shows it escaped', async ([, name, shown], { reference, expect }) => {
    const env = settingsFor(await reference())

    for (const rule of ['fuzz/api-key', 'fuzz/nothing']) {
      const { code, stderr } = await run(['replay', `${rule}:1:${name}`], { env })

      expect(code).toBe(2)
      expect(stderr).toContain(shown)
      expect(stderr).not.toContain(name)
    }
  })

  test('is incomplete where nobody listens', async ({ reference, expect }) => {
    const service = await reference()
    const env = settingsFor(service)
    await service.close()

    expect((await run(['replay', 'fuzz/api-key:1:presence.0'], { env })).code).toBe(3)
  })
})
