import { expect, test } from 'vitest'
import { growth, linear } from '../../tests/support/processor-time.ts'
import { readCaFile, passwordsIn } from './connection-settings.ts'
import { read, target, temporaryFolder, wrongSettings, issuesOf, settingsOf } from './testing/read.ts'

const certificate = `-----BEGIN CERTIFICATE-----
MIIBijCCAS+gAwIBAgIUY3enpV7y+krJr0sm3+swJ5L5WJ0wCgYIKoZIzj0EAwIw
GTEXMBUGA1UEAwwOdGVzdCBhdXRob3JpdHkwIBcNMjYxMTIwMjMzMTA4WhgPMjEy
NjEwMjcyMzMxMDhaMBkxFzAVBgNVBAMMDnRlc3QgYXV0aG9yaXR5MFkwEwYHKoZI
zj0CAQYIKoZIzj0DAQcDQgAEsH9czve+lfGzh55i7hIB2cO5YaUGQWBAx5FRGJgD
qsZuXNkAMgQnV/LkuzX7UpXHPsDY21pX6IO32qggSagkuaNTMFEwHQYDVR0OBBYE
FASUGWhmecBIFsnkoydKLnLQAr53MB8GA1UdIwQYMBaAFASUGWhmecBIFsnkoydK
LnLQAr53MA8GA1UdEwEB/wQFMAMBAf8wCgYIKoZIzj0EAwIDSQAwRgIhANZx41QR
IRn8bz4tT9pf0sgGSa52lS3QshhNYoJQt2kuAiEA4+8D0v8gS1Rk11JCgJI+CLzg
BlxTb3KkpzqaOPbSSNM=
-----END CERTIFICATE-----
`
const broken = certificate.replace('MII', 'AAA')
const key = '-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIA\n-----END PRIVATE KEY-----\n'
const cwd = temporaryFolder({
  'ca.pem': `a comment\n${certificate}`,
  'both.pem': key + certificate + broken,
  'broken.pem': broken,
  'key.pem': key,
  'empty.pem': '',
  'ca.der': Uint8Array.from([0x30, 0x82, 0x00]),
})

test.each(['ca.pem', 'both.pem'])('%s gives its valid certificate and nothing else', async (file) => {
  expect(await readCaFile(file, cwd)).toEqual({
    value: { file, pem: certificate },
    issues: [],
  })
})

test.each([
  ['missing.pem', 'does not exist', null],
  ['.', 'folder'],
  ['broken.pem', 'no valid certificate'],
  ['key.pem', 'no valid certificate'],
  ['empty.pem', 'no valid certificate'],
  ['ca.der', 'NUL'],
  ['a\0b', 'cannot be read'],
])(
  '%s is refused',
  async (file, why, hint = expect.toSatisfy((one) => one === null || /openssl/.test(one))) => {
    const [given, expected] = [why, 'certificate'].map((text) => expect.stringContaining(text ?? ''))

    expect(await readCaFile(file ?? '', cwd)).toEqual({
      value: null,
      issues: [{ setting: 'RUN_CA_FILE', given, expected, hint }],
    })
  },
)

test('without the setting there is none', async () => {
  expect(await readCaFile(undefined, cwd)).toEqual({ value: null, issues: [] })
})

test('a file of beginnings is read in a moment', async () => {
  const refused = async (times: number): Promise<void> => {
    const folder = temporaryFolder({ 'ca.pem': '-----BEGIN CERTIFICATE-----\n'.repeat(times) })
    const result = await read({ ...target, RUN_CA_FILE: 'ca.pem' }, { cwd: folder })

    expect(wrongSettings(result)).toEqual(['RUN_CA_FILE'])
  }

  expect(await growth(refused, 140_000)).toBeLessThan(linear)
})

const proxies = [
  'http://proxy.example:3128',
  'https://proxy.example',
  'http://me:pr0xypass@proxy.example:3128',
]

// A password that is percent-encoded is read, too.
test.each([...proxies, 'http://u:100%25@proxy.example:1'])('%s is a proxy', async (HTTPS_PROXY) => {
  expect(settingsOf(await read({ ...target, HTTPS_PROXY })).run.httpsProxy).toBe(HTTPS_PROXY)
})

test.each<readonly [string, string]>([
  ['me:pr0xypass@proxy.example:3128', 'http'],
  ['socks5://me:pr0xypass@proxy.example', 'http'],
  ['http://me:pr0xypass@proxy.example:99999', ''],
  ['http://me:pr0xypass@', ''],
  ['http:///pr0xypass@x', ''],
  ['http://u:p%zz@proxy:1', 'percent-encoded'],
  ['http://u%:pr0xypass@proxy:1', 'percent-encoded'],
  ['http://100%@proxy:1', 'percent-encoded'],
  ['http://u:%ff@proxy:1', 'percent-encoded'],
  [`http://${'a'.repeat(70_000)}:1`, 'at most 253'],
])('the proxy %s is refused (%s), without its user and password', async (HTTPS_PROXY, expected) => {
  const result = await read({ ...target, HTTPS_PROXY })
  const [mistake, ...others] = issuesOf(result)

  expect(others).toEqual([])
  expect(mistake).toMatchObject({ setting: 'HTTPS_PROXY', expected: expect.stringContaining(expected) })
  expect(JSON.stringify(result)).not.toMatch(/p%zz|pr0xypass|100%/)
  expect(mistake?.given?.length).toBeLessThanOrEqual(80)
})

test('the password of a refused proxy is shown in no other setting', async () => {
  const others = { TARGET_LABEL: 'pr0xypass', RUN_SEED: 'pr0xypass' }

  for (const HTTPS_PROXY of [
    'me:pr0xypass@proxy.example:3128',
    'socks5://me:pr0xypass@x',
    'http:///pr0xypass@x',
  ]) {
    const result = await read({ ...target, HTTPS_PROXY, ...others })

    expect(wrongSettings(result)).toEqual(['RUN_SEED', 'HTTPS_PROXY', 'TARGET_LABEL'])
    expect(JSON.stringify(result)).not.toContain('pr0xypass')
  }
})

test('the password of a proxy is found as written and decoded', () => {
  expect(passwordsIn('http://me:p%40ss@proxy.example')).toEqual(['p%40ss', 'p@ss'])
  expect(passwordsIn('http://t0ken@proxy.example')).toEqual(['t0ken'])
  expect(passwordsIn('http://proxy.example')).toEqual([])
})
