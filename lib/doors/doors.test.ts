import { linkSync, mkdirSync, readdirSync, readFileSync, readlinkSync, symlinkSync } from 'node:fs'
import { join, basename } from 'node:path'
import { expect, it, test } from 'vitest'
import { baselineText, emptyBaseline, type Baseline } from '../drift/baseline.ts'
import { makeCertificates } from '../http/testing/certificates.ts'
import type { SettingsInput } from '../settings/sources.ts'
import { mistake, temporaryFolder, read, settingsOf, target } from '../settings/testing/read.ts'
import { verdictWith } from '../verdict/verdict.testing.ts'
import { connectionOf, keepBaseline, knownBaseline } from './judge-target.ts'

const shape = { $: { object: 1 }, '$.größe': { array: 1 } }
const baseline: Baseline = { ...emptyBaseline, stimuli: { 'GET /a | none': { '200/': { seen: 1, shape } } } }

const asked = (file: string) => ({ file, shown: 'b.json', again: 'b.json', mode: 'replace' }) as const
const known = (file: string) => knownBaseline(asked(file))

/** Replaces the baseline in a file with the observations of a conformant run. */
const keep = (file: string, redact: (text: string) => string = String) =>
  keepBaseline(verdictWith(), asked(file), { known: null, seen: baseline }, redact)

it('a baseline file is read as written, is null if missing, and contains no redacted values', async () => {
  const file = join(temporaryFolder(), 'b.json')

  expect(await known(file)).toEqual({ value: null, issues: [] })
  expect(await keep(file)).toMatchObject({ exitCode: 0, baseline: { file: 'b.json', did: 'written' } })
  expect(await known(file)).toEqual({ value: baseline, issues: [] })
  await keep(file, (text) => text.replaceAll('größe', 'masked'))
  expect(readFileSync(file, 'utf8')).toBe(baselineText(baseline).replaceAll('größe', 'masked'))
})

it.each([
  ['file', '{"name":"package"}', 'it does not name the format card-switch-conformance/baseline/1'],
  ['file', 'not JSON', 'it is not JSON'],
  ['file', '', 'it is empty'],
  ['.', '', 'EISDIR'],
  ['missing/b.json', '', 'ENOENT'],
  ['file/b.json', '', 'ENOTDIR'],
])('an unusable baseline file is reported and left unchanged: %s %j', async (name, text, why) => {
  const folder = temporaryFolder({ file: text })
  const { value, issues } = await known(join(folder, name))

  const given = expect.stringContaining(`(${why}`)
  const wrong = [mistake('RUN_BASELINE', 'a baseline written by', given)]
  expect({ value, issues }).toEqual({ value: null, issues: wrong })
  expect(readFileSync(join(folder, 'file'), 'utf8')).toBe(text)
})

it('a baseline file replaces the old file, even through a link, and leaves no other file', async () => {
  const folder = temporaryFolder({ 'b.json': 'old' })
  linkSync(join(folder, 'b.json'), join(folder, 'old.json'))
  symlinkSync('b.json', join(folder, 'link.json'))
  await keep(join(folder, 'link.json'))

  expect(readlinkSync(join(folder, 'link.json'))).toBe('b.json')
  expect((await known(join(folder, 'b.json'))).value).toEqual(baseline)
  expect(readFileSync(join(folder, 'old.json'), 'utf8')).toBe('old')
  expect(readdirSync(folder).toSorted()).toEqual(['b.json', 'link.json', 'old.json'])
})

it.each([
  ['missing/b.json', 'ENOENT'],
  ['file/b.json', 'ENOTDIR'],
  ['taken', 'E'],
])('a baseline file that cannot be written ends the run in 4: %s', async (name, why) => {
  const folder = temporaryFolder({ file: '' })
  mkdirSync(join(folder, 'taken', 'inside'), { recursive: true })
  const { exitCode, because } = await keep(join(folder, name))

  expect(because[0]).toContain(`the baseline ${join(folder, name)} cannot be written: ${why}`)
  expect(exitCode).toBe(4)
  expect(readdirSync(folder).toSorted()).toEqual(['file', 'taken'])
})

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
const ofBoth = ofFiles('own.pem', '…/extra.pem')
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
  ['a proxy and two authorities', { HTTPS_PROXY, ...both }, { ...ofBoth, proxy: HTTPS_PROXY }],
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
