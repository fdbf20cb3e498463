import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bashWord, inDoubleQuotes, curlLine, parseCaseName, repeatedly, replayLine } from './shell-lines.ts'
import { runInBash } from './testing/run-in-bash.ts'
import { spawnSync } from 'node:child_process'
import { derivedSecret } from '../generate/mutated-value.ts'
import type { Request } from '../http/request.ts'
import { Secret } from '../redact/secret.ts'
import { credentials, fieldsWith, requestWith } from '../judge/testing/exchanges.ts'

describe('a text as one word of bash', () => {
  it.each([
    ['', "''"],
    ['a b', "'a b'"],
    ["it's", String.raw`'it'\''s'`],
    ['\xff', String.raw`$'\377'`],
    ['\xe2\x80\x8bab\t', String.raw`$'\342\200\213''ab'$'\011'`],
  ])('%j: %s', (text, word) => {
    expect(bashWord(text)).toBe(word)
  })

  it('means to bash what it says', async () => {
    const text = fc.string({
      unit: fc.oneof(
        fc.integer({ min: 1, max: 0xff }).map((code) => String.fromCharCode(code)),
        fc.constantFrom(...'\'"\\$`!~*#{} \t\r\n0'),
      ),
      maxLength: 30,
    })
    const texts = fc.sample(text, { numRuns: 300, seed: 3 })

    expect(await printedByBash(texts.map(bashWord))).toEqual(texts)
  })
})

describe('a text between double quotes', () => {
  it.each([
    ['a b', 'a b'],
    [' "$`\\', String.raw` \"\$\`\\`],
    ['!', `"'!'"`],
  ])('%j: %s', (text, written) => {
    expect(inDoubleQuotes(text)).toBe(written)
  })

  it('means to bash what it says', async () => {
    const printable = fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code))
    const unit = fc.oneof(printable, fc.constantFrom(...'\'"\\$`!{'))
    const texts = fc.sample(fc.string({ unit, maxLength: 30 }), { numRuns: 300, seed: 3 })

    expect(await printedByBash(texts.map((text) => `"${inDoubleQuotes(text)}"`))).toEqual(texts)
  })
})

/** These words as an interactive bash reads them, with history expansion by `!`. */
async function printedByBash(words: readonly string[]): Promise<readonly string[]> {
  const typed = 'set -o history -o histexpand'
  const { stdout, stderr } = await runInBash([typed, ...words.map((word) => `printf '%s\\0' ${word}`)])

  expect(stderr).toBe('')
  return stdout.toString('latin1').split('\0').slice(0, -1)
}

const options = { baseUrl: 'https://staging.example/cards' }

function lineOf(request: Partial<Request> = {}, of: Partial<Parameters<typeof curlLine>[1]> = {}): string {
  const line = curlLine(requestWith(request), { ...options, ...of })
  if (line === null) throw new Error('curl cannot say it')
  return line
}

/** A line to run, and the values of its variables. */
interface Shown {
  readonly line: string
  readonly variables?: Readonly<Record<string, string>>
}

/** Runs lines in one bash, `curl` replaced by a function that prints its arguments; gives the arguments of each. */
function argumentsIn(lines: readonly Shown[]): readonly (readonly string[])[] {
  const script = lines.flatMap(({ line, variables = {} }) => [
    ...Object.entries(variables).map(
      ([name, value]) => `${name}='${value.replaceAll("'", String.raw`'\''`)}'`,
    ),
    line,
  ])
  const { stdout, stderr, status } = spawnSync('bash', ['--noprofile', '--norc', '-s'], {
    input: [String.raw`curl() { printf '%s\0' "$@"; printf 'end of the line\0'; }`, ...script, ''].join('\n'),
    env: { PATH: process.env['PATH'], LC_ALL: 'C.UTF-8' },
    maxBuffer: 64 * 1024 * 1024,
    encoding: 'latin1',
  })
  expect(stderr).toBe('')
  expect(status).toBe(0)
  return stdout
    .split('end of the line\0')
    .slice(0, -1)
    .map((one) => one.split('\0').slice(0, -1))
}

function argumentsOf(request: Partial<Request>): readonly string[] {
  const variables = {
    TARGET_API_KEY: credentials.apiKey.reveal(),
    TARGET_SECRET_KEY: credentials.secretKey.reveal(),
  }
  return argumentsIn([{ line: lineOf(request), variables }])[0] ?? []
}

/** What follows each `-H`. */
function headersIn(args: readonly string[]): readonly string[] {
  return args.flatMap((argument, index) => (args[index - 1] === '-H' ? [argument] : []))
}

describe('a curl line', () => {
  it('is the request, credentials as variables that are named as the settings are', () => {
    const line = lineOf()

    expect(line).toMatch(/^curl (?:--?[\w.-]+ )+-H "x-api-key/)
    expect(line).toContain(
      '-H "x-api-key: $TARGET_API_KEY" -H "x-secret-key: $TARGET_SECRET_KEY" ' +
        "-H 'x-version: 1' -H 'accept: application/json' -H 'user-agent: card-switch-conformance/test' " +
        "-H 'connection: keep-alive' 'https://staging.example/cards/api/customizations/list'",
    )
  })

  it('sends what the request sends, as a shell understands it', () => {
    expect(headersIn(argumentsOf({}))).toEqual([
      `x-api-key: ${credentials.apiKey.reveal()}`,
      `x-secret-key: ${credentials.secretKey.reveal()}`,
      'x-version: 1',
      'accept: application/json',
      'user-agent: card-switch-conformance/test',
      // As our pool says.
      'connection: keep-alive',
    ])
    expect(argumentsOf({}).at(-1)).toBe('https://staging.example/cards/api/customizations/list')
  })

  it('keeps curl from adding fields of its own', () => {
    const fields = [{ name: 'X-Version', value: '1' }]

    expect(headersIn(argumentsOf({ fields }))).toEqual([
      'X-Version: 1',
      'accept:',
      'user-agent:',
      'connection: keep-alive',
    ])
    expect(
      headersIn(
        argumentsOf({
          fields: [
            { name: 'ACCEPT', value: 'a' },
            { name: 'Connection', value: 'close' },
          ],
        }),
      ),
    ).toEqual(['ACCEPT: a', 'Connection: close', 'user-agent:'])
  })

  it('writes an empty value with a semicolon, else curl would leave the field out', () => {
    const fields = fieldsWith({ 'x-api-key': '', 'x-secret-key': ' \t' })

    expect(headersIn(argumentsOf({ fields })).slice(0, 2)).toEqual(['x-api-key;', 'x-secret-key;'])
  })

  it('sends byte for byte: HTTP/1.1, the path as it is, and the whole answer shown', () => {
    expect(argumentsOf({})).toEqual(expect.arrayContaining(['--http1.1', '--path-as-is', '-sSi']))
  })

  it('names the method where it is not GET', () => {
    const plain = new Set(argumentsOf({}))
    const besides = (method: string): readonly string[] =>
      argumentsOf({ method }).filter((argument) => !plain.has(argument))

    expect(besides('GET')).toEqual([])
    expect(besides('HEAD')).toEqual(['--head'])
    expect(besides('OPTIONS')).toEqual(['-X', 'OPTIONS'])
  })

  it('names a private authority and a client certificate by their settings, and no file of the operator', () => {
    const variables = { RUN_CA_FILE: "/tmp/it's here/ca $1.pem", RUN_CERT_FILE: 'a b', RUN_KEY_FILE: 'c' }
    const line = lineOf({}, { ca: {}, clientCertificate: {} })
    const [args = []] = argumentsIn([{ line, variables }])

    expect(args.slice(args.indexOf('--cacert')).slice(0, 6)).toEqual([
      '--cacert',
      variables.RUN_CA_FILE,
      '--cert',
      'a b',
      '--key',
      'c',
    ])
  })

  it('passes every visible value on unchanged, in a field and in the path', () => {
    const text = fc.string({
      unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)),
      minLength: 1,
      maxLength: 30,
    })
    const odd = [
      "a'b",
      '"',
      '$HOME `id` $(id) \\',
      '!!',
      '~',
      '*',
      '#a',
      "''",
      '\\\'"',
      '%0d%0a',
      '-H x',
      '@/etc/hosts',
    ]
    const values = odd.concat(
      fc.sample(
        text.filter((value) => value.trim() !== ''),
        { seed: 7 },
      ),
    )
    const targetOf = (value: string): string =>
      `/api/customizations/list?q=${value.replaceAll(/[ #]/g, encodeURIComponent)}`
    const lines = values.map((value) => ({
      line: lineOf({ fields: [{ name: 'x-probe', value }], target: targetOf(value) }),
    }))

    expect(argumentsIn(lines).map((args) => [headersIn(args)[0], args.at(-1)])).toEqual(
      values.map((value) => [`x-probe: ${value}`, `https://staging.example/cards${targetOf(value)}`]),
    )
  })

  it('says bytes beyond ASCII as octal escapes', () => {
    const fields = [{ name: 'x-probe', value: 'caf\xc3\xa9 \xff' }]

    expect(lineOf({ fields })).toContain("-H 'x-probe: caf'$'\\303\\251'' '$'\\377' ")
    expect(headersIn(argumentsOf({ fields }))[0]).toBe('x-probe: caf\xc3\xa9 \xff')
  })

  it('means the same where a user types it, with a history to which "!" refers', () => {
    const line = lineOf({
      fields: [
        { name: 'x!$`', value: credentials.apiKey },
        { name: 'x', value: '!!' },
      ],
    })
    const key = credentials.apiKey.reveal()
    const [args = []] = argumentsIn([
      { line: 'set -o history -o histexpand' },
      { line, variables: { TARGET_API_KEY: key } },
    ])

    expect(headersIn(args).slice(0, 2)).toEqual([`x!$\`: ${key}`, 'x: !!'])
  })

  it('is none where curl cannot say it, or a value was made from a credential', () => {
    const sent = (value: string | Secret): string | null =>
      curlLine(requestWith({ fields: [{ name: 'x-probe', value }] }), options)

    const controls = Array.from({ length: 0x20 }, (_, code) => String.fromCharCode(code)).concat('\u007f')
    const unsayable = controls.filter((one) => one !== '\t')

    expect(unsayable.map((one) => sent(`a${one}b`))).toEqual(unsayable.map(() => null))
    expect(unsayable.map((one) => sent(new Secret('a key', `a${one}b`)))).toEqual(unsayable.map(() => null))
    expect(sent('a\u0141')).toBeNull()
    expect(
      sent(derivedSecret(credentials.apiKey, 'cut in half', credentials.apiKey.reveal().slice(0, 11))),
    ).toBeNull()
    expect(
      sent(derivedSecret(credentials.apiKey, 'with a zero behind it', `${credentials.apiKey.reveal()}0`)),
    ).toBeNull()
    expect(curlLine(requestWith({ fields: [{ name: 'a b', value: '' }] }), options)).toBeNull()
    expect(curlLine(requestWith({ route: 'raw' }), options)).toBeNull()
    for (const target of ['/a#b', '/caf\u00e9', '/a b', '/a\u0000', '?a=b', 'a/b', 'http://a/b', ''])
      expect(curlLine(requestWith({ target }), options)).toBeNull()
  })

  // Without it, curl expands [1-3] and {a,b} in a URL and refuses page[size]=1.
  it('keeps curl from reading brackets and braces in the address as patterns', () => {
    const args = argumentsOf({ target: '/api/customizations/list?page[size]=1&filter={a,b}' })

    expect(args.some((argument) => ['-g', '--globoff'].includes(argument))).toBe(true)
  })

  it('never holds a credential', () => {
    fc.assert(
      fc.property(
        fc.string({ minLength: 12, maxLength: 64 }).filter((key) => key.trim() === key),
        (key) => {
          const fields = [{ name: 'x-api-key', value: new Secret('TARGET_API_KEY', key) }]
          expect(lineOf({ fields })).not.toContain(key)
        },
      ),
    )
  })
})

describe('the name of a case', () => {
  it.each([
    ['fuzz/api-key:7:near-miss.3', { rule: 'fuzz/api-key', seed: 7, case: 'near-miss.3' }],
    ['fuzz/path:0:random.12:0:1', { rule: 'fuzz/path', seed: 0, case: 'random.12:0:1' }],
    ["fuzz/query:9007199254740991:it's", { rule: 'fuzz/query', seed: 9_007_199_254_740_991, case: "it's" }],
    [
      'tolerance/no-breaking-change:7:compared:fuzz/path:7:random.12:0:1',
      { rule: 'fuzz/path', seed: 7, case: 'random.12:0:1', againstBaseline: true },
    ],
    ['quota/exhausted:1:two\nlines', { rule: 'quota/exhausted', seed: 1, case: 'two\nlines' }],
  ])('is read: %j', (text, expected) => {
    expect(parseCaseName(text)).toEqual(expected)
  })

  it.each([
    ['nothing', ''],
    ['a rule alone', 'fuzz/api-key'],
    ['no case', 'fuzz/api-key:7:'],
    ['no seed', 'fuzz/api-key::near-miss.3'],
    ['a seed that is no number', 'fuzz/api-key:x7:near-miss.3'],
    ['a seed with more behind it', 'fuzz/api-key:7x:near-miss.3'],
    ['a negative seed', 'fuzz/api-key:-7:near-miss.3'],
    ['a seed beyond what a double holds', 'fuzz/api-key:9007199254740992:near-miss.3'],
    ['an unknown rule', 'fuzz/none:7:near-miss.3'],
    ['a name that every object has', 'constructor:7:near-miss.3'],
    ['what no case showed to depart from the baseline', 'tolerance/no-breaking-change:7:compared:plain'],
    ['no rule', ':7:near-miss.3'],
    ['more before the rule', 'a:fuzz/api-key:7:near-miss.3'],
  ])('is none: %s', (_, text) => {
    expect(parseCaseName(text)).toBeNull()
  })
})

describe('the line that sends a case again', () => {
  it('holds the name as one word of a shell', () => {
    expect(replayLine('fuzz/api-key:7:near-miss.3')).toBe(
      "npx --no -- card-switch-conformance replay 'fuzz/api-key:7:near-miss.3'",
    )
    expect(replayLine("fuzz/query:7:it's $HOME 'here'")).toBe(
      String.raw`npx --no -- card-switch-conformance replay 'fuzz/query:7:it'\''s $HOME '\''here'\'''`,
    )
  })

  it('ends in the times that show what is only sometimes wrong', () => {
    expect(repeatedly(replayLine('fuzz/api-key:7:near-miss.3'))).toBe(
      "npx --no -- card-switch-conformance replay 'fuzz/api-key:7:near-miss.3' --times 20",
    )
  })

  it('holds further words, quoted where a shell would read them in another way', () => {
    const flags = [
      '--base-url',
      'https://a.example:8443/v1',
      '--query',
      "q=it's&page=1",
      '--settings-file',
      'a b.env',
    ]

    expect(replayLine('fuzz/query:7:near-miss.3', flags)).toBe(
      String.raw`npx --no -- card-switch-conformance replay 'fuzz/query:7:near-miss.3' --base-url https://a.example:8443/v1 --query 'q=it'\''s&page=1' --settings-file 'a b.env'`,
    )
  })
})
