import { describe, expect, it } from 'vitest'
import { everyCondition, factorsOf } from './factors.ts'
import { inputOf, inputs } from './testing/requests.ts'

describe('conditions', () => {
  it('have names that never change, whatever the seed and the credentials, since fingerprints hold them', () => {
    for (const one of Object.values(inputs))
      for (const seed of [0, 1, 79_933_837])
        expect(everyCondition({ ...one, seed }).map(({ name }) => name)).toEqual(names)
    expect(new Set(names).size).toBe(names.length)
  })

  it('are all levels of all factors', () => {
    const absents = [null, 'x-api-key', 'x-secret-key'] as const
    const kinds = absents.flatMap((absent) =>
      (['any', 'behind', 'shared', 'HTTP/1.0'] as const).flatMap((connection) =>
        factorsOf({ base: 'valid', isServed: false, absent, connection }, input),
      ),
    )
    const every = everyCondition(input).map(({ name }) => name)
    for (const { levels } of kinds) {
      const own = levels.flatMap((level) => level?.name ?? [])
      expect(new Set(own).size).toBe(own.length)
      expect(own.filter((name) => !every.includes(name))).toEqual([])
    }
  })
})

const input = inputOf('ak_live_7Qm2vXk1Rb84TzNe', 'sk_live_hK0pYw5sJd93LmQc')

function each(prefix: string, ends: readonly string[]): readonly string[] {
  return ends.map((end) => `${prefix}${end}`)
}

const clients = [
  'a JavaScript client',
  'a Java client',
  'a Go client behind Zipkin',
  'a Python client',
  'an app',
]
const names: readonly string[] = [
  each('the fields of ', ['a browser', ...clients, 'a browser that opens a page']),
  ['connection: close', 'a connection of its own', 'accept left out'],
  each('accept: ', ['*/*', 'application/json, text/plain, */*']),
  ['accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'],
  each('accept: ', ['text/html, application/json;q=0.9', 'Application/JSON']),
  each('accept-language: ', ['de', 'en-US', 'fr-FR', 'ar']),
  each('accept-encoding: ', ['gzip', 'br', 'identity', 'deflate']),
  ['if-none-match: *', 'if-modified-since: Thu, 01 Jan 2037 00:00:00 GMT', 'range: bytes=0-3'],
  ['if-modified-since: yesterday'],
  each('?', ['_=17', 'callback=x']),
  ['a bare ?'],
  each('?', ['format=xml', 'debug=true']),
  ['an invented token in authorization', 'x-forwarded-for: 192.0.2.17', 'an invented cookie'],
  ['x-request-id twice', 'x-original-url: /api/zz…', 'x-http-method-override: HEAD'],
  ['x-rewrite-url: /api/zz…'],
  ['a success before it on its connection', 'a refusal before it on its connection'],
  each('an invented key in ', ['authorization: Bearer', '?api_key=', 'a cookie', '?x-api-key=']),
  ['x_api_key'],
  each('an invented key in ', ['authorization: Basic', '?apikey=', '?key=']),
  each('an invented secret in ', ['authorization: Bearer', '?secret_key=', 'a cookie', '?x-secret-key=']),
  ['x_secret_key'],
  each('an invented secret in ', ['authorization: Basic', '?secret=', '?apisecret=']),
  ['HTTP/1.0'],
].flat()
