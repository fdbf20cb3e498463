import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { type Response, type Request, trimOws, valueOf } from '../http/exchange.ts'
import { ok, serve } from '../http/testing/servers.ts'
import type { ShownExchange } from '../judge/record.ts'
import { answer, credentials, exchange } from '../judge/testing/exchanges.ts'
import { fieldsWith, refused, requestWith } from '../judge/testing/exchanges.ts'
import { redactorFor } from '../redact/redact.ts'
import { Secret } from '../redact/secret.ts'
import { characterIn, forAll } from '../text/properties.testing.ts'
import { looksLike, show, bashWord, inDoubleQuotes } from './show.ts'
import { curlLine, parseCaseName, repeatedly, replayLine } from './show.ts'
import { has, runInBash } from './testing/run-in-bash.ts'

const { apiKey, secretKey } = credentials
const [key, secret] = [apiKey.reveal(), secretKey.reveal()]
const options = { baseUrl: 'https://staging.example/cards', redactor: redactorFor([apiKey, secretKey]) }
const success = answer(200, {})

function shownOf(response: Response, request: Partial<Request> = {}): ShownExchange {
  return show(exchange(response, requestWith(request)), options)
}

const shownKeys = { 'x-api-key': '<TARGET_API_KEY>', 'x-secret-key': '<TARGET_SECRET_KEY>' }
const agent = { 'user-agent': 'card-switch-conformance/test' }
const plain = {
  method: 'GET',
  url: 'https://staging.example/cards/api/customizations/list',
  headers: Object.entries({ ...shownKeys, 'x-version': '1', accept: 'application/json', ...agent }),
}

it('an exchange shows names instead of credentials, also without an answer', () => {
  const headers = [['Content-Type', 'application/json']]
  const body = '{"error_code":"1006","error_message":"a text of some length"}'
  const alone = show({ request: requestWith(), response: null, durationMs: 0 }, options)

  const response = { status: 401, headers, body, bodyCut: 0 }
  expect(shownOf(refused(401, '1006'))).toEqual({ request: plain, response, durationMs: 3.2 })
  expect(alone).toEqual({ request: plain, response: null, durationMs: 0 })
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
    url: `${plain.url}?key=<TARGET_API_KEY>`,
    headers: [['x-api-key', `<${dropped.name}>`], ['x-secret-key', 'Bearer <TARGET_SECRET_KEY>'], {}, {}, {}],
    body: '{"note":"<TARGET_API_KEY>"}',
  })
  expect(sent.request).not.toHaveProperty('bodyCut')
  // A whole credential is named, even if only a part of it was sent.
  expect(sent.response?.body).toBe('known: <TARGET_API_KEY>;')
  const { request } = shownOf(success, { target: '.other.example/' })
  expect(request.url).toBe('https://staging.example/cards .other.example/')
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
const ofField = [[460, 510] as const, [7_960, 8_010] as const]

it.each<[string, readonly (readonly [number, number])[], (echo: string) => ShownExchange]>([
  ['the body of a request', [[1_900, 2_050]], (body) => shownOf(success, { body })],
  ['a body', ofBody, (echo) => shownOf(answer(200, echo))],
  ['a field', ofField, (echo) => shownOf({ ...success, fields: [['x-echo', echo]] })],
  ['the name of a field', ofField, (echo) => shownOf({ ...success, fields: [[echo, 'x']] })],
  ['the reason phrase', ofField, (reason) => shownOf({ ...success, reason })],
  ['a trailer', ofField, (echo) => shownOf({ ...success, trailers: [['x-echo', echo]] })],
])('truncating %s never shows eight characters of a credential', (_, ranges, shown) => {
  const keys = [key, secret]
  const partsOf = (one: string) => Array.from({ length: one.length - 7 }, (__, at) => one.slice(at, at + 8))
  const parts = keys.flatMap(partsOf)
  const position = fc.oneof(...ranges.map(([min, max]) => fc.integer({ min, max })))
  forAll(position, fc.constantFrom(...keys), fc.nat({ max: 40 }), (at, one, rest) => {
    const text = JSON.stringify(shown(`${'.'.repeat(at)}${one}${'.'.repeat(rest)}`))
    for (const part of parts) expect(text.includes(part)).toBe(false)
  })
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
  expect(shownOf(success, { body }).request).toMatchObject(sent)
})

it.each([
  [300, Array.from({ length: 60 }, () => 300)],
  [5_000, [500, 500, 500]],
  [60_000, [500, 500]],
])('200 header fields of %i characters each are cut', (length, shown) => {
  const fields = Array.from({ length: 200 }, (_, index) => [`x-${index}`, 'v'.repeat(length)] as const)

  expect(shownOf({ ...success, fields }).response?.headers.map(([, value]) => value.length)).toEqual(shown)
})

const url = 'http://staging.example:8080/cards/api/customizations/list'
const https = url.replace('http:', 'https:')
const html: Response['fields'] = [['Content-Type', 'text/html; charset=utf-8']]
const seen = (response: Response, redact: (text: string) => string = String, asked = url) =>
  looksLike(response, { url: asked, redact })
const withField = (status: number, text: string, name: string, value: string) =>
  answer(status, text, { fields: [[name, value]] })
const redirect = (to: string, status = 302, text = '') => withField(status, text, 'Location', to)
const challenge = (value: string, status = 401) => withField(status, '', 'WWW-Authenticate', value)

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
  forAll(fc.array(parts, { maxLength: 60 }), fc.nat({ max: 2_000 }), (texts, times) => {
    const phrase = seen(answer(200, texts.join('').repeat(times), { fields: html }))

    expect((phrase ?? '').length).toBeLessThan(300)
  })
})

const printable = characterIn(0x20, 0x7e)
const special = fc.constantFrom(...'\'"\\$`!~*#{}')
const anyByte = characterIn(1, 0xff)

it.each([
  ['as one word', bashWord, fc.oneof(anyByte, special, fc.constantFrom(...' \t\r\n0'))],
  ['in quotes', (text: string) => `"${inDoubleQuotes(text)}"`, fc.oneof(printable, special)],
] as const)('bash reads a text %s unchanged, even if "!" recalls lines', async (_, write, unit) => {
  const texts = fc.sample(fc.string({ unit, maxLength: 30 }), { numRuns: 300, seed: 3 })
  const words = texts.map((text) => `printf '%s\\0' ${write(text)}`)
  const { stdout, stderr } = await runInBash(['set -o history -o histexpand', ...words])

  expect(stderr).toBe('')
  expect(stdout.toString('latin1').split('\0').slice(0, -1)).toEqual(texts)
})

it.each([
  ['', "''"],
  ['a b', "'a b'"],
  ["it's", String.raw`'it'\''s'`],
  ['\xff', String.raw`$'\377'`],
  ['\xe2\x80\x8bab\t', String.raw`$'\342\200\213''ab'$'\011'`],
])('a word is written as simply as possible: %j, %s', (text, word) => {
  expect(bashWord(text)).toBe(word)
})

function lineOf(request: Partial<Request> = {}, of: Partial<Parameters<typeof curlLine>[1]> = {}): string {
  return curlLine(requestWith(request), { ...options, ...of }) ?? 'curl cannot express it'
}

/** The arguments of a line in a bash in which `curl` is replaced by a function that prints them. */
async function argumentsIn(...lines: readonly string[]): Promise<readonly string[]> {
  const { stdout, stderr } = await runInBash([String.raw`curl() { printf '%s\0' "$@"; }`, ...lines])

  expect(stderr).toBe('')
  return stdout.toString('latin1').split('\0').slice(0, -1)
}

/** The value after each `-H`. */
function headersIn(args: readonly string[]): readonly string[] {
  return args.filter((_, index) => args[index - 1] === '-H')
}

it('a curl line is the request, with credentials as variables named like the settings', () => {
  // Without --globoff, curl expands [1-3] and {a,b} in a URL and refuses page[size]=1.
  expect(lineOf()).toBe(
    'curl --http1.1 --path-as-is --globoff -sSi ' +
      '-H "x-api-key: $TARGET_API_KEY" -H "x-secret-key: $TARGET_SECRET_KEY" ' +
      "-H 'x-version: 1' -H 'accept: application/json' -H 'user-agent: card-switch-conformance/test' " +
      "-H 'connection: keep-alive' 'https://staging.example/cards/api/customizations/list'",
  )
  expect(lineOf({ method: 'HEAD' })).toBe(lineOf().replace('-sSi', '-sSi --head'))
  expect(lineOf({ method: 'OPTIONS' })).toBe(lineOf().replace('-sSi', '-sSi -X OPTIONS'))
})

const kept = 'connection: keep-alive'

it.each<[string, Readonly<Record<string, string>>, readonly string[]]>([
  ['keeps curl from adding fields', { 'X-Version': '1' }, ['X-Version: 1', 'accept:', 'user-agent:', kept]],
  ['repeats no field', { ACCEPT: 'a', Connection: 'x' }, ['ACCEPT: a', 'Connection: x', 'user-agent:']],
  ['ends an empty field with a semicolon', { accept: '', x: ' \t' }, ['accept;', 'x;', 'user-agent:', kept]],
  ['keeps bytes', { accept: 'caf\xc3\xa9 \xff' }, ['accept: caf\xc3\xa9 \xff', 'user-agent:', kept]],
])('a curl line %s: %j', async (_, given, headers) => {
  const fields = Object.entries(given).map(([name, value]) => ({ name, value }))

  expect(headersIn(await argumentsIn(lineOf({ fields })))).toEqual(headers)
})

it("a curl line names certificates by their settings, not by the operator's files", async () => {
  const variables = String.raw`RUN_CA_FILE='/tmp/it'\''s here/ca $1.pem' RUN_CERT_FILE='a b' RUN_KEY_FILE=c`
  const args = await argumentsIn(variables, lineOf({}, { ca: {}, clientCertificate: {} }))
  const files = ['--cacert', "/tmp/it's here/ca $1.pem", '--cert', 'a b', '--key', 'c']

  expect(args.slice(args.indexOf('--cacert')).slice(0, 6)).toEqual(files)
})

it('a curl line means the same if a user types it where "!" recalls lines', async () => {
  const fields = [credentials.apiKey, '!!'].map((value) => ({ name: 'x!$`', value }))
  const args = await argumentsIn('set -o history -o histexpand', lineOf({ fields }))

  expect(headersIn(args).slice(0, 2)).toEqual([`x!$\`: ${credentials.apiKey.reveal()}`, 'x!$`: !!'])
})

const controls = Array.from({ length: 0x20 }, (_, code) => String.fromCharCode(code)).concat('\u007f')
const unsayable = controls.filter((one) => one !== '\t').map((one) => `a${one}b`)
const targets = ['/a#b', '/caf\u00e9', '/a b', '/a\u0000', '?a=b', 'a/b', 'http://a/b', '']
const ofValues = (...all: readonly (string | Secret)[]): readonly Partial<Request>[] =>
  all.map((value) => ({ fields: [{ name: 'x', value }] }))

it.each<[string, readonly Partial<Request>[]]>([
  ['a control character', ofValues(...unsayable)],
  ['a control character in a credential', ofValues(...unsayable.map((value) => new Secret('a key', value)))],
  ['a character beyond bytes', ofValues('a\u0141')],
  ['half a credential', ofValues(credentials.apiKey.derived('cut in half', key.slice(0, 11)))],
  ['more than a credential', ofValues(credentials.apiKey.derived('followed by a zero', `${key}0`))],
  ['a field name of two words', [{ fields: [{ name: 'a b', value: '' }] }]],
  ['raw bytes', [{ route: 'raw' }]],
  ['a target that curl changes', targets.map((target) => ({ target }))],
])('no curl line exists for a request with %s', (_, requests) => {
  const lines = requests.map((request) => curlLine(requestWith(request), options))

  expect(lines).toEqual(requests.map(() => null))
})

/** The head that a request has on the wire. */
function headOf({ method, target, fields }: Request): string {
  const written = (value: string) => (trimOws(value) === '' ? '' : ` ${value}`)
  const lines = fields.map((field) => `${field.name}:${written(valueOf(field))}\r\n`)
  return `${method} ${target} HTTP/1.1\r\n${lines.join('')}connection: keep-alive\r\n\r\n`
}

it.skipIf(!has('curl'))('curl sends exactly the request in its line, whatever bytes it has', async () => {
  const bytes = Array.from({ length: 0x100 }, (_, code) => String.fromCharCode(code))
  const sayable = bytes.filter((one) => one === '\t' || (one >= ' ' && one !== '\u007f'))
  const visible = sayable.filter((one) => one > ' ' && one < '\x7f' && one !== '#')
  const path = visible.filter((one) => one !== '?').map((one) => `${one}a/../`)
  // One request has a field per value, because a curl process for each value would take too long.
  const values = [
    sayable.map((one) => `${one}a${one}b${one}`),
    sayable.filter((one) => one > ' '),
    [credentials.apiKey, 'caf\xc3\xa9', credentials.secretKey, '', ' '],
  ].map((some) => some.map((value, index) => ({ name: `X-${index}`, value })))
  const names = Array.from("!#$%&'*+-.^_`|~09azAZ", (one) => ({ name: `x${one}`, value: 'a' }))
  const target = `/${path.join('')}?${visible.join('=')}`
  const requests = [...values.map((fields) => ({ fields })), { target, fields: names }].map(requestWith)
  const server = await serve((socket) => socket.end(ok('{}', ['Connection: close'])))
  const host = `127.0.0.1:${server.port}`
  const lines = requests.map((request) => lineOf(request, { baseUrl: `http://${host}` }))
  const { stderr } = await runInBash(lines)

  expect(stderr).toBe('')
  const heads = server.heads.map((head) => head.replace(`\r\nHost: ${host}\r\n`, '\r\n'))
  expect(heads).toEqual(requests.map(headOf))
})

const ofPath = 'fuzz/path:7:random.12:0:1'
const path = { rule: 'fuzz/path', seed: 7, case: 'random.12:0:1' }

it.each([
  ['fuzz/api-key:7:near-miss.3', { rule: 'fuzz/api-key', seed: 7, case: 'near-miss.3' }],
  [ofPath, path],
  ['fuzz/path:0:random.12', { rule: 'fuzz/path', seed: 0, case: 'random.12' }],
  ["fuzz/query:9007199254740991:it's", { rule: 'fuzz/query', seed: 9_007_199_254_740_991, case: "it's" }],
  [`tolerance/no-breaking-change:7:compared:${ofPath}`, { ...path, againstBaseline: true }],
  ['quota/exhausted:1:two\nlines', { rule: 'quota/exhausted', seed: 1, case: 'two\nlines' }],
  ['', null],
  ['fuzz/api-key', null],
  ['fuzz/api-key:7:', null],
  ['fuzz/api-key::near-miss.3', null],
  ['fuzz/api-key:x7:near-miss.3', null],
  ['fuzz/api-key:7x:near-miss.3', null],
  ['fuzz/api-key:-7:near-miss.3', null],
  ['fuzz/api-key:9007199254740992:near-miss.3', null],
  ['fuzz/none:7:near-miss.3', null],
  ['constructor:7:near-miss.3', null],
  ['tolerance/no-breaking-change:7:compared:plain', null],
  [':7:near-miss.3', null],
  ['a:fuzz/api-key:7:near-miss.3', null],
])('a case name is parsed: %j', (text, expected) => {
  expect(parseCaseName(text)).toEqual(expected)
})

const own = ['--base-url', 'https://a.example/v1', '--query', "q=it's&page=1", '--settings-file', 'a b.env']

const ofOwn = String.raw`--base-url https://a.example/v1 --query 'q=it'\''s&page=1' --settings-file 'a b.env'`

it.each<[string, readonly string[], string]>([
  ['fuzz/api-key:7:near-miss.3', [], "'fuzz/api-key:7:near-miss.3'"],
  ["fuzz/query:7:it's $HOME 'here'", [], String.raw`'fuzz/query:7:it'\''s $HOME '\''here'\'''`],
  ['fuzz/query:7:near-miss.3', own, `'fuzz/query:7:near-miss.3' ${ofOwn}`],
])('the replay line for %s with %j quotes each part as one shell word', (name, flags, words) => {
  const line = replayLine(name, flags)

  expect(line).toBe(`npx --no -- card-switch-conformance replay ${words}`)
  expect(repeatedly(line)).toBe(`${line} --times 20`)
})
