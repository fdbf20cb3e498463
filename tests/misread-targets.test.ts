import type { IncomingMessage, ServerResponse } from 'node:http'
import { describe } from 'vitest'
import { clients } from '../lib/serve/reference/clients.ts'
import type { ReferenceService } from '../lib/serve/reference/service.ts'
import { ruleIn, rulesThat, settingsFor } from './support/program.ts'
import { run, test } from './support/program-test.ts'

function page(response: ServerResponse, status: number, fields: Readonly<Record<string, string>> = {}): true {
  response.writeHead(status, { 'content-type': 'text/html', ...fields }).end('<h1>no</h1>')
  return true
}

function asksForTarget({ headers }: IncomingMessage): boolean {
  return headers['x-api-key'] === clients.permitted.apiKey
}

describe.concurrent('honest services that are easily misread', () => {
  test('a quota that is reset while it is used up: a warning', async ({ reference, expect }) => {
    let asked = 0
    const service = await reference({
      quotas: { disposable: 20 },
      now: () => (asked >= 15 ? 86_400_000 : 0),
      intervene: ({ headers }) => {
        if (headers['x-api-key'] === clients.disposable.apiKey) asked += 1
        return false
      },
    })
    const { FIXTURE_EXHAUSTED_API_KEY: _, FIXTURE_EXHAUSTED_SECRET_KEY: __, ...env } = settingsFor(service)

    const { code, verdict } = await run([], { env })

    expect(rulesThat(verdict, 'failed', 'warned')).toEqual(['quota/exhausted'])
    expect(ruleIn(verdict, 'quota/exhausted').status).toBe('warned')
    expect(code).toBe(0)
  })

  test('a quota that is one larger than declared: a warning, also where warnings count', async ({
    reference,
    expect,
  }) => {
    const service = await reference({ quotas: { disposable: 21 } })
    const env = { ...settingsFor(service), FIXTURE_DISPOSABLE_QUOTA: '20', RUN_ONLY: 'quota/*' }

    const { code, verdict } = await run(['--strict'], { env })

    const { status, findings } = ruleIn(verdict, 'quota/exhausted')
    expect([status, code]).toEqual(['warned', 0])
    expect(findings.map(({ summary, reproduced }) => [summary, reproduced])).toEqual([
      [
        'answered 200 with JSON where 429 / 1020 is documented, 21 times of a declared quota of 20, or FIXTURE_DISPOSABLE_QUOTA is not its quota',
        '1 of 1',
      ],
    ])
  })

  test('a CDN that does not reach the service for sixteen requests: conformant', async ({
    reference,
    expect,
  }) => {
    const service: ReferenceService = await reference({
      intervene: (_, response) =>
        service.requests() >= 60 && service.requests() < 76 ? page(response, 521) : false,
    })

    const { code, verdict } = await run([], { env: settingsFor(service) })

    expect(rulesThat(verdict, 'failed', 'warned', 'inconclusive')).toEqual([])
    expect(code).toBe(0)
  })

  test('UUIDs in another letter case: written down, not judged', async ({ reference, expect }) => {
    const service = await reference({ variant: 'credentials-uuids-in-any-letter-case' })

    const { verdict } = await run(['--only', 'authentication/*-invalid'], { env: settingsFor(service) })

    expect(verdict).toMatchObject({ verdict: 'conformant' })
    expect(verdict?.observations).toContainEqual({ id: 'letter-case-of-x-api-key', value: 'accepted' })
    expect(verdict?.observations).toContainEqual({ id: 'letter-case-of-x-secret-key', value: 'accepted' })
  })

  test('version 1, retired and inactive where version 2 is judged: untested', async ({
    reference,
    expect,
  }) => {
    const service = await reference({
      intervene: (request, response) => {
        if (request.headers['x-version'] === '1' && asksForTarget(request)) {
          response
            .writeHead(401, { 'content-type': 'application/json' })
            .end('{"error_code":"1011","error_message":"retired"}')
          return true
        }
        if (request.headers['x-version'] === '2') request.headers['x-version'] = '1'
        return false
      },
    })

    const { code, verdict } = await run([], { env: { ...settingsFor(service), TARGET_VERSION: '2' } })

    expect(ruleIn(verdict, 'versioning/default-version')).toMatchObject({ status: 'untested', findings: [] })
    expect(rulesThat(verdict, 'failed', 'warned')).toEqual([])
    expect(code).toBe(0)
  })
})

describe.concurrent('bent services that are easily missed', () => {
  test('near misses of the path that lead to a login page', async ({ reference, expect }) => {
    const service = await reference({
      intervene: ({ url }, response) =>
        url !== undefined && /list\/$|LIST$/.test(url) ? page(response, 302, { location: '/login' }) : false,
    })

    const { code, verdict } = await run([], { env: settingsFor(service) })

    expect(rulesThat(verdict, 'failed')).toContain('errors/documented-pairs')
    expect(code).toBe(1)
  })

  test('the same that lead to the known path are none', async ({ reference, expect }) => {
    const service = await reference({
      intervene: ({ url }, response) =>
        url !== undefined && /list\/$|LIST$/.test(url)
          ? page(response, 308, { location: '/api/customizations/list' })
          : false,
    })

    const { code, verdict } = await run(['--strict'], { env: settingsFor(service) })

    expect(rulesThat(verdict, 'failed', 'warned')).toEqual([])
    expect(code).toBe(0)
  })
})

describe.concurrent('wrong only sometimes, and blamed all the same:', () => {
  test('an answer that is wrong every ninth time is called intermittent', async ({ reference, expect }) => {
    const service = await reference({ faults: ['list-fails-every-ninth-time'] })

    const { verdict, stdout } = await run([], { env: settingsFor(service) })

    const [finding] = ruleIn(verdict, 'endpoints/list-succeeds').findings
    expect(finding?.summary).toContain('answered 500')
    expect(finding?.reproduced).toMatch(/^[12] of 3$/)
    expect(stdout).toContain(`reproduced  ${finding?.reproduced ?? ''}`)
  })
})

const pageOfNginx =
  '<html>\r\n<head><title>404 Not Found</title></head>\r\n<body>\r\n<center><h1>404 Not Found</h1></center>\r\n<hr><center>nginx</center>\r\n</body>\r\n</html>\r\n'

test('a gateway that refuses by itself is named for all that it breaks', async ({ reference, expect }) => {
  const service = await reference({
    intervene: ({ headers }, response) => {
      if (headers['x-version'] !== undefined) return false
      response.writeHead(404, { 'content-type': 'text/html', server: 'nginx' }).end(pageOfNginx)
      return true
    },
  })

  const { code, verdict, stdout } = await run([], { env: settingsFor(service) })

  const sentence = 'Answers that look like those of nginx, not of the service'
  expect(verdict?.causes.map((cause) => cause.sentence)).toEqual([sentence])
  expect(stdout).toContain(sentence)
  expect(code).toBe(1)
})
