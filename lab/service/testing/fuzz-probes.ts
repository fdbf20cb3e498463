import type { ReferenceClients } from '../../../lib/serve/reference/clients.ts'
import { headersOf, type Question } from '../../../lib/serve/reference/testing/ask.ts'

const listPath = '/api/customizations/list'

/** Requests on which faults show that only generated cases meet, asked one after the other. */
export function fuzzProbes(clients: ReferenceClients): readonly Question[] {
  const { permitted } = clients
  return [
    ...valuesLike(permitted.apiKey).map((apiKey) => ({ headers: headersOf({ ...permitted, apiKey }) })),
    ...valuesLike(permitted.secretKey).map((secretKey) => ({
      headers: headersOf({ ...permitted, secretKey }),
    })),
    ...versions.map((version) => ({ headers: headersOf(permitted, version) })),
    ...paths.flatMap((target) => [{ target }, { target, headers: [] }]),
    ...queries.map((query) => ({ target: `${listPath}?${query}` })),
    ...headerLines(clients),
    ...severalFlaws(clients),
  ]
}

/** Values that are not valid, and that are for a service which strips, decodes, folds or never compares. */
function valuesLike(valid: string): readonly string[] {
  const inside = (text: string): string => valid.slice(0, 9) + utf8(text) + valid.slice(9)
  const ends = [`"${valid}"`, `Bearer ${valid}`, `${valid},`, `${valid};`, `${valid}' and '1'='1`]
  const encoded = [
    Buffer.from(valid).toString('hex').replaceAll(/../g, '%$&'),
    Buffer.from(valid).toString('base64'),
  ]
  const forms = [
    valid.slice(0, 9) + valid.slice(10),
    valid.replace(/.$/, '$&$&'),
    valid.replaceAll(/[a-z]/gi, (one) => (/[a-z]/.test(one) ? one.toUpperCase() : one.toLowerCase())),
    valid.slice(0, -1) + utf8(String.fromCodePoint(valid.charCodeAt(valid.length - 1) + 0xfee0)),
    inside('\u00AD'),
    inside('\u009F'),
    inside('\u200B'),
    inside('\u0301'),
    inside('\t'),
    `${valid.slice(0, 9)}\xff${valid.slice(9)}`,
    ...["'", '"', '%', '\\'].map(inside),
  ]
  const others = ["' or '1'='1", '{"$ne":null}', 'null', '*', 'true', 'x'.repeat(256), 'x'.repeat(2_000)]
  return [...ends, ...encoded, ...forms, ...others]
}

const versions = [
  '0',
  '2',
  '64',
  '-1',
  '883259221',
  '2147483648',
  '4294967297',
  '18446744073709551617',
  '9'.repeat(36),
  '1'.padEnd(310, '0'),
  '01',
  '+1',
  utf8('\uFF11'),
  'null',
  "1'",
  'x'.repeat(1_024),
  '100000001',
  '268435457',
]

const paths = [
  `${listPath}/1`,
  `${listPath}/`,
  `${listPath}.json`,
  `${listPath}.html`,
  '/api/customizations/LIST',
  '/api/customizations/lis%74',
  '/api/customizations',
  '/api/qwzxv/a/b/',
  '/api/qwzxv/list.txt',
  '/api/qwzxv/%C3%A9',
  '/api/qwzxv/%zz',
  `/api/qwzxv/${'a'.repeat(256)}`,
]

const queries = [
  'q=%27',
  'q=2147483648',
  'q=9007199254740993',
  'q=1e309',
  'q=NaN',
  'limit=-1',
  'page=-1',
  'q=',
  `q=${'a'.repeat(1_000)}`,
  'q=%F0%9F%8E%A8',
  'q=%7B%22%24ne%22%3Anull%7D',
  'q=%ff',
  '__proto__=1',
  '=1',
  'a%5B%5D=1',
  'q=1&q=2',
  Array.from({ length: 50 }, (_, index) => `zz${index}=1`).join('&'),
  'zzb=1&zza=2',
]

function headerLines({ permitted }: ReferenceClients): readonly Question[] {
  const usual = headersOf(permitted)
  const [, apiKey = ''] = usual
  const withoutKey = usual.slice(2)
  const strange = headersOf({ ...permitted, secretKey: 'wrong' })
  const more = [
    ['content-type', 'application/json'],
    ['accept-language', 'de'],
    ['traceparent', '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'],
    ['x-request-id', 'one'],
    ['x-request-id', 'one'],
    Array.from({ length: 50 }, (_, index) => [`x-zz${index}`, '1']).flat(),
    ['x-zz', 'x'.repeat(8_192)],
    ['x-api-key', 'wrong'],
    ['x-secret-key', 'wrong'],
  ]
  return [
    ...more.map((lines) => ({ headers: [...usual, ...lines] })),
    ...['x-api-key2', 'xapikey', 'api-key'].map((name) => ({ headers: [name, apiKey, ...withoutKey] })),
    ...[`Bearer ${apiKey}`, apiKey].map((value) => ({ headers: ['authorization', value, ...withoutKey] })),
    { headers: [...strange, 'user-agent', 'Mozilla/5.0'] },
    { headers: [...strange, 'user-agent', 'okhttp/5.1.0'] },
    { headers: [...withoutKey, 'user-agent', 'Firefox/144.0'] },
    { headers: [...strange, 'forwarded', 'for=127.0.0.1'] },
    { headers: [...strange, 'if-none-match', '"abc"'] },
    { headers: headersOf({ ...permitted, apiKey: utf8(`${apiKey}\u009F`) }) },
  ]
}

function severalFlaws({ permitted }: ReferenceClients): readonly Question[] {
  const { apiKey, secretKey } = permitted
  const headers = headersOf({ apiKey: `${apiKey}0`, secretKey: `${secretKey}0` })
  const wrongSecret = headersOf({ apiKey, secretKey: 'wrong' })
  return [
    { headers },
    { headers: wrongSecret.with(5, '-1') },
    { headers: headersOf({ apiKey: 'wrong', secretKey }, '883259221') },
    { headers: ['x-secret-key', secretKey, 'x-version', '883259221'] },
    { headers: ['X-Api-Key', '', ...wrongSecret.slice(2)] },
    { headers: ['x-version', '1', ...wrongSecret.slice(0, 4)] },
    { headers: [...wrongSecret.slice(0, 4), 'authorization', 'Basic Og=='] },
    { target: '/api/qwzxv', headers: wrongSecret },
  ]
}

/** Bytes of UTF-8 as characters up to U+00FF, as they are put on the wire. */
function utf8(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1')
}
