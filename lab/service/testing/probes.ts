import { headersOf, type Question } from '../../../lib/serve/reference/testing/ask.ts'
import type { ReferenceClients } from '../../../lib/serve/reference/clients.ts'
import { conditionProbes } from './condition-probes.ts'
import { crossedProbes } from './crossed-probes.ts'
import { familyProbes } from './family-probes.ts'
import { fuzzProbes } from './fuzz-probes.ts'

/** Requests on which, asked one after the other, most faults show. */
export function probes(clients: ReferenceClients): readonly Question[] {
  const { apiKey, secretKey } = clients.permitted
  return [
    {},
    ...keysLike(apiKey, secretKey).map((key) => ({ headers: headersOf({ apiKey: key, secretKey }) })),
    ...keysLike(secretKey, apiKey).map((secret) => ({ headers: headersOf({ apiKey, secretKey: secret }) })),
    ...secondsSecrets(clients),
    ...Object.values(clients).map((client) => ({ headers: headersOf(client) })),
    {},
    { headers: headersOf(clients.second) },
    ...['2147483647', '123456789', 'abc', 'v1', '1.5', '1,2', '1abc'].flatMap((version) => [
      { headers: headersOf(clients.permitted, version) },
      {},
    ]),
    { headers: headersOf(clients.permitted).slice(0, 4) },
    ...sideDoors(clients),
    { target: '/api/customizations/list?limit=abc' },
    ...spellings(clients),
    ...Object.values(clients).flatMap((client) => accepting(headersOf(client))),
    ...accepting(headersOf({ apiKey, secretKey: 'x'.repeat(40) })),
    ...accepting(headersOf(clients.permitted).slice(0, 4)),
    ...Array.from({ length: 12 }, () => ({})),
    ...Array.from({ length: 6 }, () => ({ headers: headersOf(clients.exhausted) })),
    ...combinations(clients.permitted),
    ...fuzzProbes(clients),
    ...conditionProbes(clients),
    ...familyProbes(clients),
    ...crossedProbes(clients),
    { headers: [...headersOf(clients.permitted), 'accept-encoding', 'gzip'] },
  ]
}

/** Requests that are to be in flight at once: valid ones, and one of each flaw. */
export function crowd(clients: ReferenceClients): readonly Question[] {
  const { permitted } = clients
  const flawed = [
    headersOf({ ...permitted, apiKey: 'ak_live_wrong' }),
    headersOf({ ...permitted, secretKey: 'wrong' }),
    headersOf(permitted, '2147483647'),
    headersOf(permitted).slice(0, 4),
    headersOf(clients.inactive),
  ].map((headers) => ({ headers }))
  return [...flawed, {}, ...flawed, {}, {}, {}, ...Array.from({ length: 10 }, () => ({}))]
}

function keysLike(key: string, other: string): readonly string[] {
  const [first = '', second = ''] = key
  const middle = key.length / 2
  const neighbours = `${key.slice(0, 9)}${key[10] ?? ''}${key[9] ?? ''}${key.slice(11)}`
  const changed = [0, middle, key.length - 1].map((at) => `${key.slice(0, at)}~${key.slice(at + 1)}`)
  return [
    ...changed,
    neighbours,
    `${first}${second}`,
    key.slice(0, -1),
    `${key}0`,
    `0${key}`,
    key.toLowerCase(),
    other,
    'wrong',
  ]
}

function secondsSecrets({ permitted, second }: ReferenceClients): readonly Question[] {
  const { secretKey } = second
  return [
    { headers: headersOf({ ...permitted, secretKey }) },
    ...[permitted.secretKey, `${secretKey}0`, secretKey.toUpperCase()].map((secret) => ({
      headers: headersOf({ ...second, secretKey: secret }),
    })),
  ]
}

function combinations({ apiKey, secretKey }: { apiKey: string; secretKey: string }): readonly Question[] {
  return ['/api/customizations/list', '/api/qwzxv'].flatMap((target) =>
    cells('x-api-key', apiKey, 'wrong').flatMap((key) =>
      cells('x-secret-key', secretKey, 'wrong').flatMap((secret) =>
        cells('x-version', '1', '2147483647').map((version) => ({
          target,
          headers: [...key, ...secret, ...version],
        })),
      ),
    ),
  )
}

function sideDoors({ permitted }: ReferenceClients): readonly Question[] {
  const headers = headersOf({ ...permitted, secretKey: 'wrong' })
  const path = '/api/customizations/list'
  return [
    ...[`${path}/`, '/api/Customizations/list', '/api//customizations/list', `${path}?debug=1`].map(
      (target) => ({
        target,
        headers,
      }),
    ),
    { method: 'HEAD', headers },
    { headers: [...headers, 'x-forwarded-for', '127.0.0.1'] },
    { headers: [...headers, 'cookie', 'session=1'] },
    { headers: [...headers, 'authorization', 'Basic Og=='] },
  ]
}

function spellings({ permitted }: ReferenceClients): readonly Question[] {
  const usual = headersOf(permitted)
  const wrong = headersOf({ ...permitted, secretKey: 'wrong' })
  return [
    renamed(usual, (name) => name.toUpperCase()),
    renamed(wrong, (name) => name.toUpperCase()),
    renamed(usual, (name) => name.replaceAll(/[aeiou]/g, (vowel) => vowel.toUpperCase())),
    { headers: [...usual.slice(2), ...usual.slice(0, 2)] },
    { headers: [...usual.slice(4), ...usual.slice(0, 4)] },
  ]
}

function accepting(headers: readonly string[]): readonly Question[] {
  return [{ headers }, { headers: [...headers, 'accept', 'application/json'] }]
}

/** A header valid, blank, wrong and absent. */
function cells(name: string, valid: string, wrong: string): readonly (readonly string[])[] {
  return [[name, valid], [name, ''], [name, wrong], []]
}

function renamed(headers: readonly string[], rename: (name: string) => string): Question {
  return { headers: headers.map((text, index) => (index % 2 === 0 ? rename(text) : text)) }
}
