import { basename, join } from 'node:path'
import { expect, test } from 'vitest'
import { makeCertificates } from '../http/testing/certificates.ts'
import type { SettingsInput } from '../settings/sources.ts'
import { read, settingsOf, target, temporaryFolder } from '../settings/testing/read.ts'
import { connectionOf } from './judge-target.ts'

const cwd = temporaryFolder({ 'own.pem': makeCertificates().ca, 'extra.pem': '' })
const extra = join(cwd, 'extra.pem')
const shown = ['…/extra.pem', `…/${basename(cwd)}`]

async function connection(env: Readonly<Record<string, string>>) {
  return connectionOf(settingsOf(await read({ ...target, ...env }, { cwd })), env)
}

const ofProxy = (proxy: string) => ({ proxy, caFiles: [] })
const hidden = 'http://<HTTPS_PROXY>.example'
const ofFiles = (...caFiles: readonly string[]) => ({ proxy: null, caFiles })
const HTTPS_PROXY = 'http://proxy.example:3128'
const openssl = '--use-openssl-ca'
const system = '--no-warnings --use_system_ca'
const both = { RUN_CA_FILE: 'own.pem', NODE_EXTRA_CA_CERTS: extra }
const plain = { TARGET_BASE_URL: 'http://a.example' }
const file = { SSL_CERT_FILE: extra, SSL_CERT_DIR: `${cwd}:${cwd}.not` }

test.each<readonly [string, Readonly<Record<string, string>>, object | null]>([
  ['no proxy and no further authority', {}, null],
  ['a proxy', { HTTPS_PROXY }, ofProxy(HTTPS_PROXY)],
  ['a proxy without its path', { HTTPS_PROXY: 'https://p.example/x?y' }, ofProxy('https://p.example')],
  ['a proxy without its user', { HTTPS_PROXY: 'http://kim:pw@p.example' }, ofProxy('http://p.example')],
  ['a proxy with its hidden password', { HTTPS_PROXY: 'http://k:secret@secret.example' }, ofProxy(hidden)],
  ['no proxy for plain http', { HTTPS_PROXY, ...plain }, null],
  ['no proxy for a host that NO_PROXY names', { HTTPS_PROXY, NO_PROXY: 'staging.example' }, null],
  ['no proxy for the embedded service', { HTTPS_PROXY, TARGET_BASE_URL: 'embedded' }, null],
  ['an authority from RUN_CA_FILE', { RUN_CA_FILE: 'own.pem' }, ofFiles('own.pem')],
  ['an authority from NODE_EXTRA_CA_CERTS', { NODE_EXTRA_CA_CERTS: extra }, ofFiles('…/extra.pem')],
  ['no authority if NODE_EXTRA_CA_CERTS names a missing file', { NODE_EXTRA_CA_CERTS: `${extra}.not` }, null],
  [
    'a proxy and two authorities',
    { HTTPS_PROXY, ...both },
    { ...ofFiles('own.pem', '…/extra.pem'), proxy: HTTPS_PROXY },
  ],
  ['no SSL_CERT_FILE if Node uses its bundled authorities', file, null],
  ['SSL_CERT_FILE for authorities of OpenSSL', { ...file, NODE_OPTIONS: openssl }, ofFiles(...shown)],
  ['SSL_CERT_FILE for authorities of the system', { ...file, NODE_OPTIONS: system }, ofFiles(...shown)],
  ['no SSL_CERT_FILE for plain http', { ...file, NODE_OPTIONS: openssl, ...plain }, null],
])('the connection to the target has %s', async (_, env, expected) => {
  expect(await connection(env)).toEqual(expected)
})

const { TARGET_BASE_URL, ...clientAlone } = target
const lines = 'HTTPS_PROXY=http://proxy.example\nRUN_CA_FILE=own.pem'
const ofLines = ['HTTPS_PROXY', 'RUN_CA_FILE']
const address = `TARGET_BASE_URL=${TARGET_BASE_URL}`
const ofPlain = 'TARGET_BASE_URL=http://a.example'
const listed = async (text: string, { env = clientAlone, ...others }: Partial<SettingsInput>) => {
  const files = { 'own.pem': makeCertificates().ca, 'proxy.txt': 'http://proxy.example' }
  const folder = temporaryFolder({ '.env': text, ...files })
  return connectionOf(settingsOf(await read(env, { cwd: folder, ...others })), {})?.fromEnvFile ?? []
}

test.each<readonly [string, string, Partial<SettingsInput>, readonly string[]]>([
  ['the address', ofPlain, {}, ['TARGET_BASE_URL']],
  ['proxy and authority', lines, { env: target }, ofLines],
  ['the address, proxy and authority', `${address}\n${lines}`, {}, ['TARGET_BASE_URL', ...ofLines]],
  ['a proxy from a file', 'HTTPS_PROXY_FILE=proxy.txt', { env: target }, ['HTTPS_PROXY']],
  ['a proxy in lower case', 'https_proxy=http://p.example', { env: target }, ['HTTPS_PROXY']],
  ['no address if a flag gives it', 'TARGET_BASE_URL=x', { flags: plain }, []],
  ['nothing from a named file', ofPlain, { envFile: '.env' }, []],
  ['no unused proxy or authority', `${ofPlain}\n${lines}`, {}, ['TARGET_BASE_URL']],
  ['no embedded service', 'TARGET_BASE_URL=embedded', {}, []],
])('the connection lists its settings from an unnamed .env: %s', async (_, text, others, expected) => {
  expect(await listed(text, others)).toEqual(expected)
})
