import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Response, Request } from '../http/exchange.ts'
import type { ShownExchange } from '../judge/record.ts'
import { answer, credentials, exchange, fieldsWith, refused } from '../judge/testing/exchanges.ts'
import { requestWith } from '../judge/testing/exchanges.ts'
import { redactorFor } from '../redact/redact.ts'
import { Secret } from '../redact/secret.ts'
import { looksLike } from './looks-like.ts'
import { show } from './show.ts'

const { apiKey, secretKey } = credentials
const [key, secret] = [apiKey.reveal(), secretKey.reveal()]
const options = { baseUrl: 'https://staging.example/cards', redactor: redactorFor([apiKey, secretKey]) }
const ok = answer(200, {})

function shownOf(response: Response, request: Partial<Request> = {}): ShownExchange {
  return show(exchange(response, requestWith(request)), options)
}

const request = {
  method: 'GET',
  url: 'https://staging.example/cards/api/customizations/list',
  headers: Object.entries({
    'x-api-key': '<TARGET_API_KEY>',
    'x-secret-key': '<TARGET_SECRET_KEY>',
    'x-version': '1',
    accept: 'application/json',
    'user-agent': 'card-switch-conformance/test',
  }),
}

it('an exchange shows names instead of credentials, also without an answer', () => {
  const headers = [['Content-Type', 'application/json']]
  const body = '{"error_code":"1006","error_message":"a text of some length"}'
  const alone = show({ request: requestWith(), response: null, durationMs: 0 }, options)

  const response = { status: 401, headers, body, bodyCut: 0 }
  expect(shownOf(refused(401, '1006'))).toEqual({ request, response, durationMs: 3.2 })
  expect(alone).toEqual({ request, response: null, durationMs: 0 })
})

it.each(['', 'Unauthorized', 'UNAUTHORIZED'])('the usual reason phrase is left out: %j', (reason) => {
  expect(shownOf({ ...refused(401, '1006'), reason }).response).not.toHaveProperty('reason')
})

it('echoed credentials are hidden in reason phrase, fields, trailers, their names and the body', () => {
  const near = new Secret('TARGET_API_KEY with a digit changed', `${key.slice(0, 5)}#${key.slice(6)}`)
  const echo = `seen ${secret}, ${btoa(key)} and ${near.reveal()}.`
  const seen = `seen <TARGET_SECRET_KEY>, <TARGET_API_KEY>== and <${near.name}>.`
  const fields = [['x-echo', echo] as const, [secret, 'x'] as const]
  const trailers = [['x-seen', echo] as const, [secret, 'x'.repeat(2_000)] as const]
  const response = { ...answer(401, { error_message: echo }, { fields }), reason: echo, trailers }

  expect(shownOf(response, { fields: fieldsWith({ 'x-api-key': near }) }).response).toEqual({
    status: 401,
    reason: seen,
    headers: Object.entries({ 'x-echo': seen, '<TARGET_SECRET_KEY>': 'x' }),
    trailers: Object.entries({ 'x-seen': seen, '<TARGET_SECRET_KEY>': 'x'.repeat(500) }),
    body: JSON.stringify({ error_message: seen }),
    bodyCut: 0,
  })
})

it('a request names values made from a credential, and hides credentials in its path, fields and body', () => {
  const dropped = new Secret('TARGET_API_KEY with its last character dropped', key.slice(0, -1))
  const sent = shownOf(answer(401, `known: ${key};`), {
    target: `/api/customizations/list?key=${key}`,
    fields: fieldsWith({ 'x-api-key': dropped, 'x-secret-key': `Bearer ${secret}` }),
    body: `{"note":"${key}"}`,
  })

  expect(sent.request).toMatchObject({
    url: `${request.url}?key=<TARGET_API_KEY>`,
    headers: [['x-api-key', `<${dropped.name}>`], ['x-secret-key', 'Bearer <TARGET_SECRET_KEY>'], {}, {}, {}],
    body: '{"note":"<TARGET_API_KEY>"}',
  })
  expect(sent.request).not.toHaveProperty('bodyCut')
  // A whole credential is named, even if only a part of it was sent.
  expect(sent.response?.body).toBe('known: <TARGET_API_KEY>;')
  expect(shownOf(ok, { target: '.other.example/' }).request.url).toBe(
    'https://staging.example/cards .other.example/',
  )
})

it('opaque data is shown by its beginning, unless the request contained it', () => {
  const session = 'H4sIAAAAAAAAA6tWKi1OLVKyUjIxNzRU0lEqTk0uSi0BihXnJxbkZCoBAH0JpVQeAAAA'
  const own = 'qX7Zt2Bv9Kp4Lm8Rw3Ys6Nd1Hf5Gj0Tc2Va'
  const fields = [['Location', `/session/${session}?back=${own}`] as const, [`x-${session}`, 'a'] as const]
  const shown = shownOf(answer(400, { error_code: session }, { fields }), { target: `/${own}` })

  expect(shown.response).toMatchObject({
    headers: [
      ['Location', `/session… (opaque: ${session.length + 9} characters)?back=${own}`],
      [`x-H4sIAA… (opaque: ${session.length + 2} characters)`, 'a'],
    ],
    body: `{"error_code":"H4sIAAAA… (opaque: ${session.length} characters)"}`,
  })
  expect(shown.request.url).toContain(own)
})

const ofBody = [[1_900, 2_050] as const, [65_450, 65_600] as const, [0, 3_000] as const]
const field = [[460, 510] as const, [7_960, 8_010] as const]

it.each<[string, readonly (readonly [number, number])[], (echo: string) => ShownExchange]>([
  ['the body of a request', [[1_900, 2_050]], (body) => shownOf(ok, { body })],
  ['a body', ofBody, (echo) => shownOf(answer(200, echo))],
  ['a field', field, (echo) => shownOf({ ...ok, fields: [['x-echo', echo]] })],
  ['the name of a field', field, (echo) => shownOf({ ...ok, fields: [[echo, 'x']] })],
  ['the reason phrase', field, (reason) => shownOf({ ...ok, reason })],
  ['a trailer', field, (echo) => shownOf({ ...ok, trailers: [['x-echo', echo]] })],
])('truncating %s never shows eight characters of a credential', (_, ranges, shown) => {
  const keys = [key, secret]
  const parts = keys.flatMap((one) =>
    Array.from({ length: one.length - 7 }, (__, at) => one.slice(at, at + 8)),
  )
  const position = fc.oneof(...ranges.map(([min, max]) => fc.integer({ min, max })))
  fc.assert(
    fc.property(position, fc.constantFrom(...keys), fc.nat({ max: 40 }), (at, one, rest) => {
      const text = JSON.stringify(shown(`${'.'.repeat(at)}${one}${'.'.repeat(rest)}`))
      for (const part of parts) expect(text.includes(part)).toBe(false)
    }),
  )
})

it.each([
  [0, 0, 0],
  [2_000, 2_000, 0],
  [2_001, 2_000, 1],
  [100_000, 2_000, 98_000],
])('a body of %i characters is cut to %i, and %i more are counted', (length, shown, bodyCut) => {
  const body = '.'.repeat(length)
  const sent = { ...(length === 0 ? { body } : {}), ...(bodyCut === 0 ? {} : { bodyCut }) }

  expect(shownOf(answer(200, body)).response).toMatchObject({ body: '.'.repeat(shown), bodyCut })
  expect(shownOf(ok, { body }).request).toMatchObject(sent)
})

it.each([
  [300, Array.from({ length: 60 }, () => 300)],
  [5_000, [500, 500, 500]],
  [60_000, [500, 500]],
])('200 header fields of %i characters each are cut', (length, shown) => {
  const fields = Array.from({ length: 200 }, (_, index) => [`x-${index}`, 'v'.repeat(length)] as const)

  expect(shownOf({ ...ok, fields }).response?.headers.map(([, value]) => value.length)).toEqual(shown)
})

const url = 'http://staging.example:8080/cards/api/customizations/list'
const https = url.replace('http:', 'https:')
const html: Response['fields'] = [['Content-Type', 'text/html; charset=utf-8']]
const seen = (response: Response, redact: (text: string) => string = String, asked = url): string | null =>
  looksLike(response, { url: asked, redact })
const redirect = (location: string, status = 302, text = ''): Response =>
  answer(status, text, { fields: [['Location', location]] })
const challenge = (value: string, status = 401): Response =>
  answer(status, '', { fields: [['WWW-Authenticate', value]] })

const page = (text: string): Response => answer(200, text, { fields: [] })
const staging = 'is redirected to http://staging.example:8080'
const elsewhere = 'is redirected to https://a.example/'
const long = 'x'.repeat(80)

it.each<[says: string | null, Response, url?: string]>([
  ['is redirected to https://sso.example/authorize', redirect('https://sso.example/authorize?token=abc#x')],
  ['is redirected to https://sso.example/a', redirect('https://me:pw@sso.example/a')],
  [`${staging}/login`, redirect('/login?next=%2Fapi')],
  [`${staging}/cards/api/login`, redirect('../login')],
  [`is redirected to ${https} (should TARGET_BASE_URL begin with https://?)`, redirect(https)],
  ['is redirected to an invalid address', redirect('javascript:alert(1)')],
  ['is redirected to an invalid address', redirect('https-x://a')],
  ['is redirected to an invalid address', redirect('xhttp://a')],
  ['is redirected to an invalid address', redirect('http://')],
  [`${staging}/${'x'.repeat(200 - 28)}… (328 more characters)`, redirect(`/${'x'.repeat(500)}`)],
  // It gets no hint if it redirects from an encrypted address.
  ['is redirected to https://b.example/b', redirect('https://b.example/b'), 'https://b.example/a'],
  // The first and the last status of redirects, and their neighbours.
  [null, redirect('https://a.example/', 299, 'x')],
  [elsewhere, redirect('https://a.example/', 300, 'x')],
  [elsewhere, redirect('https://a.example/', 399, 'x')],
  [null, redirect('https://a.example/', 400, 'x')],
  [null, answer(302, '', { fields: [] })],
  ['looks like a login page: Sign in', page('<!doctype html><title>Sign in</title><p>x')],
  ['is an HTML page: Log-on to A', page('<html><title>Log-on\n  to A</title>')],
  ['looks like a login page: Log on', page('<html><title> Log on </title>')],
  ['looks like a login page: Hi', page('<html><title>Hi</title><form><input name=p type="password">')],
  ['looks like a login page without a title', page("<HTML><form><INPUT TYPE='password'>")],
  ['is an HTML page: 404 Not Found', page('<!DOCTYPE html>\n<title lang="en">404 Not Found</title>')],
  ['is an HTML page without a title', page('<!doctype html><h1>x</h1>')],
  [`is an HTML page: ${long}… (120 more characters)`, page(`<html><title>${'x'.repeat(200)}</title>`)],
  ['looks like a login page: Logon', page('<html><title>Logon</title>')],
  ['looks like a login page: Signin', page('<html><title>Signin</title>')],
  ['looks like a login page: Sign-on', page('<html><title>Sign-on</title>')],
  ['looks like a login page: Company SSO', page('<html><title>Company SSO</title>')],
  ['looks like a login page: x', page('<html><title>x</title><input type = "password">')],
  ['looks like a login page: x', page('<html><title>x</title><input type= password>')],
  [`is an HTML page: ${long}`, page(`<html><title>${long}</title>`)],
  ['is an HTML page without a title', page(`<html>${' '.repeat(65_536)}<title>far</title>`)],
  [null, page('see <html><title>x</title>')],
  [null, page('hello')],
  [null, page('')],
  [null, page('<?xml version="1.0"?><Error/>')],
  ['asks for HTTP Basic (www-authenticate)', challenge('Basic realm="staging"')],
  ['asks for HTTP Bearer (www-authenticate)', challenge('Bearer')],
  ['asks for HTTP OAuth2-x (www-authenticate)', challenge('OAuth2-x realm="a"')],
  ['asks for HTTP authentication (www-authenticate)', challenge('\u001b[2J')],
  // A challenge needs its status, and a refusal its challenge.
  [null, challenge('Basic', 403)],
  [null, answer(401, '', { fields: [] })],
  ['is an HTML page: Down', answer(503, 'x <title>Down</title>', { fields: html })],
  // JSON, even if it is labelled as a page.
  [null, answer(200, { a: 1 }, { fields: html })],
  [null, answer(403, { message: 'no' })],
])('an answer that is not from the service is described in words: it %s', (says, response, asked) => {
  expect(seen(response, String, asked)).toBe(says)
})

it('an answer that is not from the service shows no credential, even if a title or address is cut inside it', () => {
  const redact = (text: string): string => text.replaceAll('5ecr3t-5ecr3t-5ecr3t', '<K>')
  const title = `${'x'.repeat(70)}5ecr3t-5ecr3t-5ecr3t`
  const place = `/${'x'.repeat(165)}5ecr3t-5ecr3t-5ecr3t`

  expect(seen(answer(200, `<html><title>${title}</title>`, { fields: [] }), redact)).not.toContain('5ecr3t')
  expect(seen(redirect(place), redact)).not.toContain('5ecr3t')
})

it('an answer is quickly described in a bounded phrase, whatever it contains', () => {
  const tags = ['<html>', '<title', '>', '<input ', ' type=', 'password', '</title>']
  const parts = fc.constantFrom(...tags, 'x'.repeat(50), ' ')
  fc.assert(
    fc.property(fc.array(parts, { maxLength: 60 }), fc.nat({ max: 2_000 }), (texts, times) => {
      const phrase = seen(answer(200, texts.join('').repeat(times), { fields: html }))

      expect((phrase ?? '').length).toBeLessThan(300)
    }),
  )
})
