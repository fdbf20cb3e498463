import * as fc from 'fast-check'
import { expect, test } from 'vitest'

import { parseBaseUrl, shownUrl, withoutEndpointPath } from './base-url.ts'

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
  ['http://[::1]:80/x', 'http://[::1]/x'],
  ['https://bücher.example', 'https://xn--bcher-kva.example'],
  [`https://${'a'.repeat(253)}`, `https://${'a'.repeat(253)}`],
  [`https://${'a.'.repeat(127)}`, `https://${'a.'.repeat(127)}`],
])('%s is %s', (text, baseUrl) => {
  expect(parseBaseUrl(text)).toMatchObject({ value: { baseUrl }, issues: [] })
})

test.each([
  ['staging.example', 'begins with https://', 'did you mean https://staging.example?'],
  ['staging.example:8443/api', 'begins with https://', 'did you mean https://staging.example:8443/api?'],
  ['localhost:8080', 'begins with https://', 'did you mean http://localhost:8080?'],
  ['htps://a.example/', 'begins with https://', 'did you mean https://a.example/?'],
  ['https:/a.example', 'begins with https://', 'did you mean https://a.example?'],
  ['https:a.example', 'begins with https://', 'did you mean https://a.example?'],
  ['//a.example', 'begins with https://', null],
  ['ftp://a.example', 'begins with https://', null],
  ['https://', 'begins with https://', null],
  ['embeded', 'begins with https://', 'did you mean embedded?'],
  ['EMBEDDED', 'begins with https://', 'did you mean embedded?'],
  ['https://a.example:99999', 'port', null],
  ['https://a b.example', 'white space', null],
  ['https://a.example\\b', 'backslashes', null],
  ['https://a.example/\u0007', 'control characters', null],
  ['https://a.example/ä', 'percent-encoded', null],
  ['https://a.example/{id}', 'percent-encoded', null],
  ['https://a.example/a/../b', 'without the segments . and ..', null],
  ['https://a.example/a/.', 'without the segments . and ..', null],
  ['https://a.example/%2e%2e/b', 'without the segments . and ..', null],
  ['https://a.example/a/.%2E/', 'without the segments . and ..', null],
  ['https://a.example/?page=1', 'without a query', expect.stringContaining('TARGET_QUERY')],
  ['https://a.example?', 'without a query', expect.anything()],
  ['https://a.example/#x', 'without a fragment', null],
  ['https://a.example#', 'without a fragment', null],
  ['https://me:pw@a.example', 'without a user name', expect.anything()],
  ['https://@a.example', 'without a user name', expect.anything()],
  [`http://${'a'.repeat(1_990)}`, 'at most 253', null],
  [`http://${'a'.repeat(70_000)}`, 'at most 2000 characters', null],
  [`https://${'a'.repeat(254)}`, 'at most 253', null],
  [`https://${'ü'.repeat(120)}.example${'.x'.repeat(70)}`, 'at most 253', null],
  [`https://a.example/${'a'.repeat(2_000)}`, 'at most 2000 characters', null],
  ['a'.repeat(70_000), 'at most 2000 characters', null],
])('%s is refused', (text, expected, hint) => {
  const { value, issues } = parseBaseUrl(text)

  expect(value).toBeNull()
  expect(issues).toEqual([
    {
      setting: 'TARGET_BASE_URL',
      given: expect.any(String),
      expected: expect.stringContaining(expected),
      hint,
    },
  ])
})

test('user info, query and fragment are each said, and none is shown', () => {
  const { issues } = parseBaseUrl('https://me:hunter2@a.example/x?token=hunter3#hunter4')

  expect(issues.map(({ expected }) => expected)).toEqual([
    expect.stringContaining('user name'),
    expect.stringContaining('query'),
    expect.stringContaining('fragment'),
  ])
  expect(JSON.stringify(issues)).not.toContain('hunter')
})

test('no text before an @, and none after a ? or #, is ever shown', () => {
  const secret = fc.stringMatching(/^[A-Z]{6,12}$/)
  const separator = fc.constantFrom('', ':', '/', '?', '#', '@', 'https://', '\n')
  fc.assert(
    fc.property(secret, separator, separator, (password, before, after) => {
      const texts = [
        `https://me:${before}${password}${after}@host.example`,
        `https://host.example/?a=${password}`,
      ]

      for (const text of texts) {
        expect(shownUrl(text)).not.toContain(password)
        expect(JSON.stringify(parseBaseUrl(text).issues)).not.toContain(password)
      }
    }),
  )
})

test('whatever is accepted is an absolute URL that parses to itself without a trailing slash', () => {
  fc.assert(
    fc.property(fc.webUrl({ withQueryParameters: false, withFragments: false }), (text) => {
      const { value } = parseBaseUrl(text)
      if (value === null) return

      expect(value.baseUrl).not.toMatch(/\/$/)
      expect(new URL(value.baseUrl).origin).toBe(new URL(text).origin)
      expect(parseBaseUrl(value.baseUrl).value).toEqual(value)
    }),
  )
})

test.each([
  ['https://a.example/api', 'https://a.example'],
  ['https://a.example/api/', 'https://a.example'],
  ['https://a.example/api/customizations', 'https://a.example'],
  ['https://a.example/api/customizations/list', 'https://a.example'],
  ['https://a.example/API/Customizations/List', 'https://a.example'],
  ['https://a.example:8443/v1/api/customizations', 'https://a.example:8443/v1'],
  ['https://a.example//api', 'https://a.example'],
  ['https://a.example/api/api', 'https://a.example/api'],
  ['http://[::1]:8080/api', 'http://[::1]:8080'],
])('%s ends in the path of the endpoint, without which it is %s', (baseUrl, shorter) => {
  expect(withoutEndpointPath(baseUrl)).toBe(shorter)
})

test.each([
  'https://a.example',
  'https://a.example/v1',
  'https://api',
  'https://a.example/rapi',
  'https://a.example/api/v1',
  'https://a.example/customizations',
  'https://a.example/customizations/list',
  'https://a.example/api/customizations/list/1',
])('%s does not end in the path of the endpoint', (baseUrl) => {
  expect(withoutEndpointPath(baseUrl)).toBeNull()
})
