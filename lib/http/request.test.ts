import { describe, expect, test } from 'vitest'

import { Secret } from '../redact/secret.ts'
import { ok, serve, transportTo } from './testing/servers.ts'
import { fieldsOf, trimOws } from './request.ts'

test.for([
  ['a', 'a'],
  [' \t a b\t ', 'a b'],
  ['\u00A0a\u00A0', '\u00A0a\u00A0'],
  [' \t', ''],
  ['', ''],
] as const)('%j arrives as %j', ([sent, arrived]) => {
  expect(trimOws(sent)).toBe(arrived)
})

test('a long run of blanks takes no time', () => {
  expect(trimOws(`a${' '.repeat(1_000_000)}b`)).toHaveLength(1_000_002)
})

describe('fields by name', () => {
  const fields = [
    { name: 'X-Api-Key', value: new Secret('K', ' secret ') },
    { name: 'x-api-keys', value: 'no' },
    { name: 'x-api-key', value: '' },
  ]

  test('whatever the letter case, in order', () => {
    expect(fieldsOf({ method: 'GET', target: '/', fields }, 'X-API-KEY')).toEqual(['secret', ''])
    expect(fieldsOf({ method: 'GET', target: '/', fields }, 'x-version')).toEqual([])
  })

  test('white space is sent as given, so what arrives is the service’s reading', async () => {
    const server = await serve((socket) => socket.write(ok('{}')))
    const transport = transportTo(`http://127.0.0.1:${server.port}`)
    await transport.send({ method: 'GET', target: '/', fields: [{ name: 'a', value: ' \tb ' }] })

    expect(server.heads[0]).toContain('\r\na:  \tb \r\n')
  })
})
