import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { forAll } from '../text/properties.testing.ts'
import { parseBaseUrl, reachableWarnings, shownUrl, withoutEndpointPath } from './connection-settings.ts'

test.each([
  ['https://a.example', 'https://a.example'],
  ['https://a.example/', 'https://a.example'],
  ['https://a.example///', 'https://a.example'],
  ['https://A.Example/Prefix/', 'https://a.example/Prefix'],
  ['https://a.example:443/v', 'https://a.example/v'],
  ['http://a.example:8080/v1/', 'http://a.example:8080/v1'],
  ['https://a.example/a%2fb/%7Ec', 'https://a.example/a%2fb/%7Ec'],
  ['https://a.example/a../.b/...', 'https://a.example/a../.b/...'],
  ['HTTPS://a.example', 'https://a.example'],
  ['https://a.example//%2f/:@~_-.//', 'https://a.example//%2f/:@~_-.'],
  ['http://[::1]:80/x', 'http://[::1]/x'],
  ['https://bücher.example', 'https://xn--bcher-kva.example'],
  [`https://${'a'.repeat(253)}`, `https://${'a'.repeat(253)}`],
  [`https://${'a.'.repeat(127)}`, `https://${'a.'.repeat(127)}`],
])('the base URL %s is read as %s', (text, baseUrl) => {
  for (const one of [text, baseUrl])
    expect(parseBaseUrl(one)).toMatchObject({ value: { baseUrl }, issues: [] })
})

test('text in an address before an @, or after a ? or #, is never shown', () => {
  const secret = fc.stringMatching(/^[A-Z]{6,12}$/)
  const separator = fc.constantFrom('', ':', '/', '?', '#', '@', 'https://', '\n')
  forAll(secret, separator, separator, (password, before, after) => {
    const inUser = `https://me:${before}${password}${after}@host.example`
    for (const text of [inUser, `https://host.example/?a=${password}`]) {
      expect(shownUrl(text)).not.toContain(password)
      expect(JSON.stringify(parseBaseUrl(text).issues)).not.toContain(password)
    }
  })
})

const list = '/customizations/list'
const copied = ['', '/', '/customizations', list, '/Customizations/List/']
const kept = ['', '/v1', '/rapi', '/api/v1', '/customizations', list, `/api${list}/1`]

test.each<readonly [string, string | null]>([
  ...copied.map((path) => [`https://a.example:8443/v1/api${path}`, 'https://a.example:8443/v1'] as const),
  ['https://a.example//API', 'https://a.example'],
  ['https://a.example/api/api', 'https://a.example/api'],
  ['http://[::1]:8080/api', 'http://[::1]:8080'],
  ...[...kept.map((path) => `https://a.example${path}`), 'https://api'].map((url) => [url, null] as const),
])('removing the endpoint path from %s gives %s', (baseUrl, shorter) => {
  expect(withoutEndpointPath(baseUrl)).toBe(shorter)
})

const local = ['127.0.0.1', '127.9.9.9', 'localhost', '::1']
const reachable = '0.0.0.0 :: 0 192.168.1.7 ::ffff:0.0.0.0 staging localhost.example 127.evil'.split(' ')

test.each([...local, ...reachable])('a warning says whether other machines can reach %s', (host) => {
  const warnings = [`WARNING: with --host ${host}, other machines on the network can reach it`]
  expect(reachableWarnings(host, 'it')).toEqual(local.includes(host) ? [] : warnings)
})
