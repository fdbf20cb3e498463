import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeCertificates } from '../http/testing/certificates.ts'
import { read, settingsOf, target, temporaryFolder } from '../settings/testing/read.ts'
import { connectionOf } from './judge-target.ts'

const cwd = temporaryFolder({ 'own.pem': makeCertificates().ca, 'extra.pem': '' })
const own = join(cwd, 'own.pem')
const extra = join(cwd, 'extra.pem')

async function connection(env: Readonly<Record<string, string>>) {
  return connectionOf(settingsOf(await read({ ...target, ...env }, { cwd })), env)
}

test.each([
  ['nothing', {}, null],
  [
    'a proxy',
    { HTTPS_PROXY: 'http://proxy.example:3128' },
    { proxy: 'http://proxy.example:3128', caFiles: [] },
  ],
  [
    'a proxy with a path',
    { HTTPS_PROXY: 'https://proxy.example/x?y' },
    { proxy: 'https://proxy.example', caFiles: [] },
  ],
  ['an authority', { RUN_CA_FILE: 'own.pem' }, { proxy: null, caFiles: [own] }],
  ["Node's own further authority", { NODE_EXTRA_CA_CERTS: extra }, { proxy: null, caFiles: [extra] }],
  ['one that is not there', { NODE_EXTRA_CA_CERTS: `${extra}.not` }, null],
  [
    'all of it',
    { HTTPS_PROXY: 'http://proxy.example', RUN_CA_FILE: 'own.pem', NODE_EXTRA_CA_CERTS: extra },
    { proxy: 'http://proxy.example', caFiles: [own, extra] },
  ],
])('%s', async (_, env, expected) => {
  expect(await connection(env)).toEqual(expected)
})

test('the user and the password of a proxy are left out', async () => {
  const { proxy } = (await connection({ HTTPS_PROXY: 'http://kim:pr0xypass@proxy.example:3128' })) ?? {}

  expect(proxy).toBe('http://proxy.example:3128')
})

test('a host that repeats the password of the proxy is masked', async () => {
  const { proxy } = (await connection({ HTTPS_PROXY: 'http://kim:pr0xypass@pr0xypass.example:3128' })) ?? {}

  expect(proxy).toBe('http://<HTTPS_PROXY>.example:3128')
})

test.each([
  ['plain http', { TARGET_BASE_URL: 'http://staging.example' }],
  ['a host that NO_PROXY names', { NO_PROXY: 'staging.example' }],
  ['the embedded service', { TARGET_BASE_URL: 'embedded' }],
])('a proxy is not in use for %s', async (_, env) => {
  expect(await connection({ HTTPS_PROXY: 'http://proxy.example:3128', ...env })).toBeNull()
})
