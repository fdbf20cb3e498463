import { describe, expect, it } from 'vitest'

import { Secret } from '../http/secret.ts'
import { curlLine } from './curl.ts'
import { rawLine } from './raw-line.ts'
import { shellLine } from './shell-line.ts'
import { credentials, requestWith } from './testing/exchanges.ts'

const options = { baseUrl: 'https://staging.example/cards', caFile: '/etc/ca.pem' }
const { apiKey } = credentials

describe('a line that repeats a request', () => {
  it('is one of curl where curl can say it', () => {
    const fields = [
      { name: 'x-api-key', value: apiKey },
      { name: 'x', value: 'caf\xe9' },
    ]
    const request = requestWith({ fields })

    expect(shellLine(request, options)).toMatch(/^curl /)
    expect(shellLine(request, options)).toBe(curlLine(request, options))
  })

  it.each([
    ['of the raw lane', { lane: 'raw' }],
    ['with a fragment in its target', { target: '/a#b' }],
    ['with a control character', { fields: [{ name: 'x', value: 'a\0' }] }],
    ['with a name that is no token', { fields: [{ name: 'x y', value: 'a' }] }],
  ] as const)('is written byte for byte for a request %s', (_, changes) => {
    const request = requestWith(changes)

    expect(shellLine(request, options)).toMatch(/^printf '.* \| openssl .* -CAfile '\/etc\/ca\.pem'$/)
    expect(shellLine(request, options)).toBe(rawLine(request, options))
  })

  it('is none where no line says it', () => {
    const value = new Secret('no shell says this', 'value', () => null)

    expect(shellLine(requestWith({ fields: [{ name: 'x', value }] }), options)).toBeNull()
  })
})
