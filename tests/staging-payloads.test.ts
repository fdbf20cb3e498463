import { describe, expect, it } from 'vitest'
import { payloadIn } from './staging-payloads.ts'

describe('a payload is known', () => {
  it.each([
    "'; DROP TABLE cards; --",
    'delete from cards',
    "' or update cards set a=1",
    "1'; waitfor delay '0:0:5",
    "' or sleep(5) or '",
    'benchmark(1000000,md5(1))',
    'exec xp_cmdshell',
    "admin'--",
    'a; ls -la',
    'a | cat /dev/null',
    '`id`',
    '$(id)',
    '${jndi:ldap://conformance.invalid/a}',
    '${env:HOME}',
    'eval(1)',
    "system('a')",
    '<script>alert(1)</script>',
    '<b onclick=1>',
    '<!ENTITY a SYSTEM "b">',
    '../../../../etc/passwd',
    '../../config',
    'http://example.com/',
    '//example.org/a',
    'attacker.net',
    'http://169.254.169.254/latest',
    '127.0.0.2',
    '__proto__[a]',
    '_method=DELETE',
  ])('%s, as it is, encoded once and twice', (payload) => {
    for (const text of [
      payload,
      encodeURIComponent(payload),
      encodeURIComponent(encodeURIComponent(payload)),
    ]) {
      expect(payloadIn(text)).not.toBeNull()
    }
  })

  it.each([
    "' or '1'='1",
    '{"$ne":null}',
    '*)(objectClass=*',
    '{{7*7}}',
    '${7*7}',
    '../../../dev/null',
    '1%0d%0a1',
    '<b>1</b>',
    'application/json;q=0',
    'https://conformance.invalid',
    'for=127.0.0.1',
    'a`b',
    '__proto__',
    'bytes=0-0',
    'updated',
  ])('and a probe is none: %s', (probe) => {
    expect(payloadIn(probe)).toBeNull()
  })
})
