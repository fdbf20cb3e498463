import type { RequestListener } from 'node:http'
import { describe, type onTestFinished } from 'vitest'
import { service as listening } from '../lib/serve/proxy/testing/proxies.ts'
import { settingsFor } from './support/program.ts'
import { run, test } from './support/program-test.ts'

/** Something that is not the service: its settings, and how often it was asked. */
async function foreign(
  answers: RequestListener,
  onFinished: typeof onTestFinished,
): Promise<{ readonly env: Readonly<Record<string, string>>; readonly asked: () => number }> {
  let asked = 0
  const TARGET_BASE_URL = await listening((request, response) => {
    asked += 1
    answers(request, response)
  }, onFinished)
  return { env: { TARGET_BASE_URL, ...client }, asked: () => asked }
}

const lastLine = (text: string): string => text.trimEnd().split('\n').at(-1) ?? ''

const client = {
  TARGET_API_KEY: 'pk_9fQ2mLx7Tzv4Rk1wYc83',
  TARGET_SECRET_KEY: 'sk_Jd7Wq0Bn5Xe2Hs9Vt6Pa41GuKm',
}

describe.concurrent('doctor', () => {
  test('finds all well, whether or not the disposable client is used up today', async ({
    reference,
    expect,
  }) => {
    const env = settingsFor(await reference())

    const fresh = await run(['doctor'], { env })
    await run(['--only', 'quota/*'], { env })
    const used = await run(['doctor'], { env })

    expect([fresh.code, used.code]).toEqual([0, 0])
    expect(fresh.stdout).toContain('FIXTURE_DISPOSABLE_API_KEY: served (200 with JSON)')
    expect(used.stdout).toContain(
      'ok     the client of FIXTURE_DISPOSABLE_API_KEY: used up today (429 / 1020), which is what it is for',
    )
    expect(used.stdout).toContain('All is well')
    expect(lastLine(used.stdout)).toMatch(/^ {2}node .*card-switch-conformance\.mjs plan$/)
  })

  test('repeats the flags in the next command, but not where one is wrong', async ({ reference, expect }) => {
    const { TARGET_BASE_URL = '', ...env } = settingsFor(await reference())
    const flags = ['--label', 'vendor a', '--strict', '--base-url', TARGET_BASE_URL]

    const right = await run(['doctor', ...flags], { env })
    const wrong = await run(['doctor', '--base-url', 'https://user:password@a.example'], { env })

    const [, ...words] = lastLine(right.stdout).split(' plan ')
    expect(words.join()).toBe(`--base-url ${TARGET_BASE_URL} --label 'vendor a' --strict`)
    expect(lastLine(wrong.stderr)).toMatch(/\.mjs doctor$/)
    expect([right.code, wrong.code]).toEqual([0, 2])
  })

  test('does not call another client well whose quota is used up', async ({ reference, expect }) => {
    const settings = settingsFor(await reference())
    const { FIXTURE_EXHAUSTED_API_KEY, FIXTURE_EXHAUSTED_SECRET_KEY, ...env } = settings
    const { code, stdout } = await run(['doctor'], {
      env: {
        ...env,
        FIXTURE_SECOND_API_KEY: FIXTURE_EXHAUSTED_API_KEY ?? '',
        FIXTURE_SECOND_SECRET_KEY: FIXTURE_EXHAUSTED_SECRET_KEY ?? '',
      },
    })

    expect(code).toBe(3)
    expect(stdout).toContain('WRONG  the client of FIXTURE_SECOND_API_KEY: answered 429 / 1020')
    expect(lastLine(stdout)).toMatch(/\.mjs doctor$/)
  })

  test('says what an answer looks like, without a credential or control characters in it', async ({
    onTestFinished,
    expect,
  }) => {
    const body = `<html><title>Sign in\u001b[31m\u202e ${client.TARGET_SECRET_KEY}</title>`
    const { env, asked } = await foreign(
      (_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end(body),
      onTestFinished,
    )
    const { code, stdout } = await run(['doctor'], { env })

    expect([code, asked()]).toEqual([3, 1])
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain(
      String.raw`it looks like a login page: Sign in\u001b[31m\u202e <TARGET_SECRET_KEY>: is TARGET_BASE_URL right?`,
    )
  })

  test('says where it is redirected to, and does not go there', async ({
    reference,
    onTestFinished,
    expect,
  }) => {
    const elsewhere = await reference()
    const place = `${elsewhere.baseUrl}/api/customizations/list`
    const { env, asked } = await foreign(
      (_, response) => response.writeHead(302, { location: `${place}?key=1` }).end(),
      onTestFinished,
    )
    const { code, stdout } = await run(['doctor'], { env })

    expect([code, asked(), elsewhere.requests()]).toEqual([3, 1, 0])
    expect(stdout).toContain(`it is redirected to ${place}: is TARGET_BASE_URL right?`)
  })

  test.for(['/api', '/api/', '/api/customizations', '/api/customizations/list'])(
    'asks back where the address ends in %s, and the service is above it',
    async (path, { reference, expect }) => {
      const service = await reference()
      const env = { ...settingsFor(service), TARGET_BASE_URL: `${service.baseUrl}${path}` }
      const { code, stdout } = await run(['doctor'], { env })

      expect([code, service.requests()]).toEqual([2, 2])
      expect(stdout).toContain(`did you mean ${service.baseUrl}?`)
      expect(stdout).toContain(`Set TARGET_BASE_URL (--base-url) to ${service.baseUrl}, and ask again.`)
    },
  )

  test('asks back where a page answers there, and the service has a path prefix', async ({
    reference,
    expect,
  }) => {
    const service = await reference({
      intervene: (request, response) => {
        if (request.url?.startsWith('/v1/api/api/') === true) {
          response.writeHead(404, { 'content-type': 'text/html' }).end('<title>Not found</title>')
          return true
        }
        request.url = request.url?.replace(/^\/v1/, '') ?? ''
        return false
      },
    })
    const env = { ...settingsFor(service), TARGET_BASE_URL: `${service.baseUrl}/v1/api` }
    const { code, stdout } = await run(['doctor'], { env })

    expect(code).toBe(2)
    expect(stdout).toContain('it is an HTML page: Not found')
    expect(stdout).toContain(`did you mean ${service.baseUrl}/v1?`)
  })

  test.for([
    ['the service refuses the client there, too', { TARGET_API_KEY: 'pk_another-key-entirely' }, '/api'],
    ['the address ends in something else', {}, '/v1'],
  ] as const)('does not ask back where %s', async ([, changes, path], { reference, expect }) => {
    const service = await reference()
    const env = { ...settingsFor(service), ...changes, TARGET_BASE_URL: `${service.baseUrl}${path}` }
    const { code, stdout } = await run(['doctor'], { env })

    expect(code).toBe(3)
    expect(stdout).not.toContain('did you mean')
  })

  test('asks nothing else where an address that ends in /api is served', async ({ reference, expect }) => {
    const service = await reference({
      intervene: (request) => {
        request.url = request.url?.replace(/^\/api(?=\/api\/)/, '') ?? ''
        return false
      },
    })
    const env = { ...settingsFor(service), TARGET_BASE_URL: `${service.baseUrl}/api` }
    const { code } = await run(['doctor'], { env })

    expect(code).toBe(0)
  })
})
