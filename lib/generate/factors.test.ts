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

const names: readonly string[] = [
  'the fields of a browser',
  'the fields of a JavaScript client',
  'the fields of a Java client',
  'the fields of a Go client behind Zipkin',
  'the fields of a Python client',
  'the fields of an app',
  'the fields of a browser that opens a page',
  'connection: close',
  'a connection of its own',
  'accept left out',
  'accept: */*',
  'accept: application/json, text/plain, */*',
  'accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
  'accept: text/html, application/json;q=0.9',
  'accept: Application/JSON',
  'accept-language: de',
  'accept-language: en-US',
  'accept-language: fr-FR',
  'accept-language: ar',
  'accept-encoding: gzip',
  'accept-encoding: br',
  'accept-encoding: identity',
  'accept-encoding: deflate',
  'if-none-match: *',
  'if-modified-since: Thu, 01 Jan 2037 00:00:00 GMT',
  'range: bytes=0-3',
  'if-modified-since: yesterday',
  '?_=17',
  '?callback=x',
  'a bare ?',
  '?format=xml',
  '?debug=true',
  'an invented token in authorization',
  'x-forwarded-for: 192.0.2.17',
  'an invented cookie',
  'x-request-id twice',
  'x-original-url: /api/zz…',
  'x-http-method-override: HEAD',
  'x-rewrite-url: /api/zz…',
  'a success before it on its connection',
  'a refusal before it on its connection',
  'an invented key in authorization: Bearer',
  'an invented key in ?api_key=',
  'an invented key in a cookie',
  'an invented key in ?x-api-key=',
  'x_api_key',
  'an invented key in authorization: Basic',
  'an invented key in ?apikey=',
  'an invented key in ?key=',
  'an invented secret in authorization: Bearer',
  'an invented secret in ?secret_key=',
  'an invented secret in a cookie',
  'an invented secret in ?x-secret-key=',
  'x_secret_key',
  'an invented secret in authorization: Basic',
  'an invented secret in ?secret=',
  'an invented secret in ?apisecret=',
  'HTTP/1.0',
]
