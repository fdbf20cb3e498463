import { expect, test } from 'vitest'
import { clients, type ClientName } from '../lib/serve/reference/clients.ts'
import type { ReferenceOptions } from '../lib/serve/reference/service.ts'
import { against, inOneLine } from './support/program-test.ts'
import { instead, type Texts } from './support/program.ts'

const lastLine = (text: string): string => text.trimEnd().split('\n').at(-1) ?? ''
const mend = '\nFix this first: a run would be incomplete, or would blame the service wrongly.\n'
const counts = '\nA run would report this as a fault of the service.\n'

type Intervene = NonNullable<ReferenceOptions['intervene']>

/** Gives this answer to every request from a client, by default as JSON. Status null closes the connection. */
function answering(client: ClientName, status: number | null, body = '', fields = {}): Intervene {
  return (request, response) => {
    if (request.headers['x-api-key'] !== clients[client].apiKey) return false
    if (status !== null) return instead(response, status, body, fields)
    request.destroy()
    return true
  }
}

/** Removes a part of the path before the service sees it. */
function moving(from: RegExp): Intervene {
  return (request) => {
    request.url = request.url?.replace(from, '') ?? ''
    return false
  }
}

const behindPrefix: Intervene = (request, response) => {
  if (request.url?.startsWith('/v1/api/api/') !== true) return moving(/^\/v1/)(request, response)
  return instead(response, 404, '<title>Not found</title>', { 'content-type': 'text/html' })
}

const login = `<html><title>Sign in\u001b[31m\u202e ${clients.permitted.secretKey}</title>`

const wrong = (name: string): string => `WRONG  the client of ${name}_API_KEY:`
const noCustomer = `${wrong('FIXTURE_NO_CUSTOMER')} answered 403 / 1012 where 401 / 1012 is documented: `
const looks = String.raw`it looks like a login page: Sign in\u001b[31m\u202e <TARGET_SECRET_KEY>: check TARGET_BASE_URL`
const above = ['TARGET_BASE_URL (--base-url)', 'did you mean HERE?']
const closing = 'closed the connection'
const ready = 'All checks passed: a run can judge this target.'

/** What the service does, the path of the address, and other settings. */
type Given = Partial<Record<'intervene', Intervene>> & { readonly path?: string; readonly env?: Texts }
type Code = 0 | 2 | 3

const firstIsSilent = { intervene: answering('permitted', null) }
const laterIsSilent = { intervene: answering('inactive', null) }
const isFaulty = { intervene: answering('noCustomer', 403, '{"error_code":"1012","error_message":"x"}') }
const isLogin = { intervene: answering('permitted', 200, login, { 'content-type': 'text/html' }) }
const isBehindPrefix = { intervene: behindPrefix, path: '/v1/api' }
const isUnknown = { env: { TARGET_API_KEY: 'pk_another-key-entirely' }, path: '/api' }
const isBelowApi = { intervene: moving(/^\/api(?=\/api\/)/), path: '/api' }

/** Texts are searched for in the output, ignoring line breaks. `HERE` stands for the address of the service. */
test.for<readonly [what: string, given: Given, Code, says: readonly string[], requests?: number]>([
  ['that the first client gets no answer, and stops', firstIsSilent, 3, [wrong('TARGET'), closing, mend], 1],
  ['that a later client gets no answer', laterIsSilent, 3, [wrong('FIXTURE_INACTIVE'), closing, mend], 7],
  ['that an answer counts against the service', isFaulty, 3, [noCustomer, counts]],
  ['what an answer looks like, without credentials or control characters', isLogin, 3, [looks], 1],
  ['that the service is above /api', { path: '/api' }, 2, above, 2],
  ['that the service is above /api/', { path: '/api/' }, 2, above, 2],
  ['that the service is above /api/customizations', { path: '/api/customizations' }, 2, above, 2],
  ['that the service is above the whole path', { path: '/api/customizations/list' }, 2, above, 2],
  ['that the service is above the address, behind a prefix', isBehindPrefix, 2, ['did you mean HERE/v1?']],
  ['nothing about another address if the service refuses the client there, too', isUnknown, 3, [mend]],
  ['nothing about another address after an unknown ending', { path: '/v1' }, 3, [mend]],
  ['nothing about another address if the address ends in /api and is served', isBelowApi, 0, [ready]],
])('doctor says %s', async ([, { path = '', env = {}, ...options }, code, says, requests]) => {
  const { service, run } = await against(options)
  const base = service.baseUrl
  const came = await run('doctor', { env: { TARGET_BASE_URL: `${base}${path}`, ...env } })

  for (const one of says) expect(inOneLine(came.stdout)).toContain(inOneLine(one).replaceAll('HERE', base))
  expect(came.stdout.includes('did you mean')).toBe(code === 2)
  expect(lastLine(came.stdout)).toMatch(code === 0 ? /\.mjs plan$/ : /\.mjs doctor$/)
  expect([came.code, service.requests()]).toEqual([code, requests ?? service.requests()])
})

test('doctor repeats the flags in the next command unless a flag is wrong', async () => {
  const { env, run } = await against()
  const { TARGET_BASE_URL = '' } = env

  const right = await run(`doctor --base-url ${TARGET_BASE_URL} --label 'vendor a' --strict`)
  const mistaken = await run('doctor --base-url https://user:password@a.example')

  const [, ...words] = lastLine(right.stdout).split(' plan ')
  expect(words.join()).toBe(`--base-url ${TARGET_BASE_URL} --label 'vendor a' --strict`)
  expect(lastLine(mistaken.stderr)).toMatch(/\.mjs doctor$/)
  expect([right.code, mistaken.code]).toEqual([0, 2])
})

test('a run reports an address that contains the path of the endpoint once, and sends nothing else', async () => {
  const { service, run } = await against()
  const TARGET_BASE_URL = `${service.baseUrl}/api/customizations/list`
  const { code, stdout, stderr, verdict } = await run('', { env: { TARGET_BASE_URL } })

  expect(stderr.split(`did you mean ${service.baseUrl}?`)).toHaveLength(2)
  expect(stdout).not.toContain('did you mean')
  expect(stderr).toContain('One mistake in the settings; 2 requests were sent to find out.')
  expect([code, verdict?.verdict, verdict?.exitCode, verdict?.requests.sent]).toEqual([2, 'error', 2, 2])
  expect(service.requests()).toBe(2)
})
