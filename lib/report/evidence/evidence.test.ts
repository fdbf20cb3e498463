import { spawnSync } from 'node:child_process'
import { generateKeyPairSync, verify, type KeyObject } from 'node:crypto'
import { readFile, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { makeCertificates } from '../../http/testing/certificates.ts'
import { folderWith } from '../../text/folder.testing.ts'
import { UnusableInput } from '../../text/unusable-input.ts'
import { targetWith, verdictWith } from '../../verdict/verdict.testing.ts'
import type { Verdict } from '../../verdict/verdict.ts'
import { runFiles, sealRun } from '../write-reports.ts'
import { keyPair, pemOf, runOf, smallVerdict } from './bundle.testing.ts'
import { keyFingerprint, readKey, statementOf } from './statement.ts'

const { privateKey, publicKey } = keyPair()
const rsa = generateKeyPairSync('rsa', { modulusLength: 1024 })
const pkcs8 = (key: KeyObject) => key.export({ type: 'pkcs8', format: 'pem' }).toString()
const cipher = { cipher: 'aes-256-cbc', passphrase: 'secret' }
const encrypted = privateKey.export({ type: 'pkcs8', format: 'pem', ...cipher }).toString()

const fileWith = async (text: string) => join(await folderWith({ 'key.pem': text }), 'key.pem')

it('a signing key is a private Ed25519 key in PEM, and a verifying key is a public one', async () => {
  const signing = await readKey(await fileWith(pkcs8(privateKey)), 'private')
  const verifying = await readKey(await fileWith(pemOf(publicKey)), 'public')

  expect([signing.equals(privateKey), verifying.equals(publicKey)]).toEqual([true, true])
  expect(keyFingerprint(signing)).toBe(keyFingerprint(verifying))
  expect(keyFingerprint(verifying)).toMatch(/^[0-9a-f]{64}$/)
})

const pkcs1 = rsa.privateKey.export({ type: 'pkcs1', format: 'pem' }).toString()
const [signs, checks] = ['private', 'public'] as const

const onePublic = 'but one public Ed25519 key in PEM is expected'
const ofRsa = 'contains a key of the type rsa'
const onePrivate = 'but one private Ed25519 key in PEM is expected, without a passphrase: openssl'
const damaged = pkcs8(privateKey).replace(/\n.{9}/, '\n')
const both = pemOf(publicKey) + pkcs8(privateKey)

it.each<[string, 'private' | 'public', string, string]>([
  ['an encrypted key to sign', signs, encrypted, `contains "ENCRYPTED PRIVATE KEY", ${onePrivate}`],
  ['a public key to sign', signs, pemOf(publicKey), `contains "PUBLIC KEY", ${onePrivate}`],
  ['an RSA key to sign', signs, pkcs8(rsa.privateKey), `${ofRsa}, ${onePrivate}`],
  ['text without a key to sign', signs, 'nonsense', `contains no key in PEM, ${onePrivate}`],
  ['a damaged key to sign', signs, damaged, 'contains no readable key'],
  ['an empty file to sign', signs, '', 'contains no key in PEM'],
  ['a private key to verify', checks, pkcs8(privateKey), `contains "PRIVATE KEY", ${onePublic}`],
  ['a private key after a public one', checks, both, 'contains "PUBLIC KEY" and "PRIVATE KEY"'],
  ['a private RSA key to verify', checks, pkcs1, 'contains "RSA PRIVATE KEY"'],
  ['a certificate', checks, makeCertificates().ca, `contains "CERTIFICATE", ${onePublic}`],
  ['two keys', checks, pemOf(publicKey).repeat(2), `contains "PUBLIC KEY" and "PUBLIC KEY", ${onePublic}`],
  ['an encrypted key to verify', checks, encrypted, `contains "ENCRYPTED PRIVATE KEY", ${onePublic}`],
  ['an RSA key to verify', checks, pemOf(rsa.publicKey), ofRsa],
  ['text without a key to verify', checks, 'nonsense', 'contains no key in PEM'],
])('%s is refused, naming the file but not its content', async (_, kind, text, says) => {
  const file = await fileWith(text)
  const error: unknown = await readKey(file, kind).catch((reason: unknown) => reason)
  const secret = /\n(.+)\n/.exec(text)?.[1] ?? 'no secret here'

  expect(error).toBeInstanceOf(UnusableInput)
  expect(String(error)).toContain(`the key file ${file} ${says}`)
  expect(String(error)).not.toContain(secret.slice(0, 12))
})

it.each([signs, checks])('an unreadable key file is refused: %s', async (kind) => {
  await expect(readKey(tmpdir(), kind)).rejects.toThrow(UnusableInput)
  await expect(readKey(join(tmpdir(), 'there is no such file'), kind)).rejects.toThrow('ENOENT')
})

const files = new Map([['run.sha256', Buffer.from('x')]])
const build = `sha256:${'b'.repeat(64)}`
const { baseUrl } = targetWith()

// The golden text has the statement of each kind of verdict. A build is a subject only if it is a digest. Without a label, the address is its name.
it.each<[string, Partial<Verdict['target']>, named?: object]>([
  ['that is a digest', { build }, { name: 'vendor', digest: { sha256: 'b'.repeat(64) } }],
  ['that is a digest without a label', { label: null, build }, { name: baseUrl }],
  ['that is a number', { build: '42' }],
  ['that is a digest cut short', { build: build.slice(0, -1) }],
  ['that is a digest after a word', { build: `x ${build}` }],
])('a statement has the right subjects for a build %s', (_, changes, named) => {
  const text = statementOf(verdictWith({ target: targetWith(changes) }), files, '1.0.0')

  expect(JSON.parse(text.toString())).toMatchObject({ subject: [{ name: 'run.sha256' }, named ?? []].flat() })
})

it('an envelope is signed according to DSSE, and has no signature without a key', () => {
  const text = runOf(smallVerdict, privateKey).get('attestation.json')
  const { payload, payloadType, signatures } = JSON.parse(String(text))
  const body = Buffer.from(payload, 'base64').toString()
  const bytes = Buffer.from(`DSSEv1 28 application/vnd.in-toto+json ${body.length} ${body}`)

  expect(payloadType).toBe('application/vnd.in-toto+json')
  expect(signatures).toEqual([{ keyid: keyFingerprint(publicKey), sig: expect.any(String) }])
  expect(verify(null, bytes, publicKey, Buffer.from(signatures[0].sig, 'base64'))).toBe(true)
  expect(JSON.parse(String(runOf().get('attestation.json')))).toMatchObject({ signatures: [] })
})

const allureResult = 'allure-results/05c290cd-2695-457a-928d-0b563d6e2d80-result.json'
const environment = 'allure-results/environment.properties'

/** A reports folder in which each of these files contains its name. */
const folderOf = (...names: readonly string[]): Promise<string> =>
  folderWith(Object.fromEntries(names.map((name) => [name, name])))

const reports = ['index.html', 'junit.xml', 'metrics.prom', 'summary.md', 'verdict.json']

it('run.sha256 lists only the reports of this run, in the format of sha256sum', async () => {
  const folder = await folderOf(
    ...reports,
    ...'history.jsonl history.html .env previous/verdict.json'.split(' '),
    ...`allure-results/.env allure-results/deeper/x-result.json ${allureResult} ${environment}`.split(' '),
  )
  await sealRun(folder, smallVerdict, null)

  const lines = (await readFile(join(folder, 'run.sha256'), 'utf8')).trimEnd().split('\n')
  expect(lines.map((line) => line.slice(66))).toEqual([allureResult, environment, ...reports])
  const { status, stdout } = spawnSync('sha256sum', ['-c', 'run.sha256'], { cwd: folder, encoding: 'utf8' })
  expect([status, stdout.split('\n').length]).toEqual([0, 8])
})

it('links are not followed', async () => {
  const secret = await folderOf('secret.txt', allureResult)
  const folder = await folderOf('verdict.json', environment)
  await symlink(join(secret, 'secret.txt'), join(folder, allureResult))
  await symlink(join(secret, 'secret.txt'), join(folder, 'index.html'))
  const linked = await folderOf('verdict.json')
  await symlink(join(secret, 'allure-results'), join(linked, 'allure-results'))

  const namesIn = async (one: string) => [...(await runFiles(one)).keys()]
  expect(await namesIn(folder)).toEqual(['verdict.json', environment])
  expect(await namesIn(linked)).toEqual(['verdict.json'])
})
