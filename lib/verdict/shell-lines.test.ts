import fc from 'fast-check'
import { expect, it } from 'vitest'
import { type Request, trimOws, valueOf } from '../http/exchange.ts'
import { ok, serve } from '../http/testing/servers.ts'
import { credentials, requestWith } from '../judge/testing/exchanges.ts'
import { Secret } from '../redact/secret.ts'
import { bashWord, inDoubleQuotes, curlLine, parseCaseName, repeatedly, replayLine } from './shell-lines.ts'
import { has, runInBash } from './testing/run-in-bash.ts'

const printable = fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code))
const special = fc.constantFrom(...'\'"\\$`!~*#{}')
const anyByte = fc.integer({ min: 1, max: 0xff }).map((code) => String.fromCharCode(code))

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

const options = { baseUrl: 'https://staging.example/cards' }

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

const key = credentials.apiKey.reveal()
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
  const lines = fields.map((field) => {
    const value = valueOf(field)
    return `${field.name}:${trimOws(value) === '' ? '' : ` ${value}`}\r\n`
  })
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
