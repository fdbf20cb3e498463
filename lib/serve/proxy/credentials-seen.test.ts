import { describe, expect, it } from 'vitest'
import { Secret } from '../../redact/secret.ts'
import { CredentialsSeen } from './credentials-seen.ts'

function seenIn(headers: Readonly<Record<string, string>>, url = '/'): CredentialsSeen {
  const seen = new CredentialsSeen([new Secret('TARGET_API_KEY', 'key-3kd93jd73hd6')])
  seen.note({ headers, url })
  return seen
}

describe('a credential of a request', () => {
  const basic = Buffer.from('user:pass-7sk2jd8d').toString('base64')

  it.each([
    ['of the settings', {}, '/', 'key-3kd93jd73hd6'],
    ['of the specification', { 'x-secret-key': 'secret-8fj3hd7sj2k' }, '/', 'secret-8fj3hd7sj2k'],
    ['of a gateway', { 'x-gateway': 'gate-8fj3hd7sj2k' }, '/', 'gate-8fj3hd7sj2k'],
    ['that bears', { authorization: 'Bearer bearer-9dj3h6sg1' }, '/', 'bearer-9dj3h6sg1'],
    ['that is encoded', { authorization: `Basic ${basic}` }, '/', 'pass-7sk2jd8d'],
    ['in a cookie', { cookie: 'a=b; session=sess-1kd83hs6gj' }, '/', 'sess-1kd83hs6gj'],
    ['in a query', {}, '/a?page=1&key=query-1kd83hs6gj', 'query-1kd83hs6gj'],
  ])('%s is hidden', (_, headers, url, credential) => {
    const seen = seenIn({ accept: '*/*', ...headers }, url)
    seen.note({ headers: { 'x-api-key': 'another-client' }, url: '/' })

    expect(seen.redact(`it is ${credential}`)).not.toContain(credential)
  })

  it('hides nothing that a client may show', () => {
    const headers = {
      accept: 'application/json',
      'user-agent': 'client/1',
      host: 'a.example',
      'x-version': '1000',
    }
    const text = 'application/json client/1 a.example 1000 page=12'

    expect(seenIn(headers, '/a?page=12').redact(text)).toBe(text)
  })
})
