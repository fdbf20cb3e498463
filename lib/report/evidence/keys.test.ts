import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { folderWith } from '../../text/folder.testing.ts'
import { keyPair, pemOf } from './bundle.testing.ts'
import { KeyFileError, keyFingerprint, readSigningKey, readVerifyingKey } from './keys.ts'

/** A certificate for an Ed25519 key. */
const certificate = `-----BEGIN CERTIFICATE-----
MIIBODCB66ADAgECAhRfWIHOxfzVn7UeK5JzAmlPvkEp5DAFBgMrZXAwETEPMA0G
A1UEAwwGc2lnbmVyMCAXDTI2MTEyMzE2MjY0OVoYDzIxMjYxMDMwMTYyNjQ5WjAR
MQ8wDQYDVQQDDAZzaWduZXIwKjAFBgMrZXADIQB4aAsLr6g6JVpqXrs5dM4lNoeh
NqtkyMImauqVAVxXv6NTMFEwHQYDVR0OBBYEFJx42pBwYWpucGTO2enRFTDmCTPJ
MB8GA1UdIwQYMBaAFJx42pBwYWpucGTO2enRFTDmCTPJMA8GA1UdEwEB/wQFMAMB
Af8wBQYDK2VwA0EAv9OpDkB1HMtPzGLhzd2gxkX67QbrWi6NKghJCK/9sL+bGB+H
e072Xa546eble3vrzrgX+wA/GqtVHJXMjTLEDQ==
-----END CERTIFICATE-----
`

const { privateKey, publicKey } = keyPair()
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
const pkcs8 = (key: KeyObject) => key.export({ type: 'pkcs8', format: 'pem' }).toString()
const encrypted = privateKey
  .export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'secret' })
  .toString()

const fileWith = async (text: string): Promise<string> =>
  join(await folderWith({ 'key.pem': text }), 'key.pem')

it('a signing key is a private Ed25519 key in PEM, and a verifying key is a public one', async () => {
  const keys = [
    await readSigningKey(await fileWith(pkcs8(privateKey))),
    await readVerifyingKey(await fileWith(pemOf(publicKey))),
  ]

  expect([keys[0]?.equals(privateKey), keys[1]?.equals(publicKey)]).toEqual([true, true])
})

const pkcs1 = rsa.privateKey.export({ type: 'pkcs1', format: 'pem' }).toString()
const [signs, checks] = [readSigningKey, readVerifyingKey]

const onePublic = 'but one public key is expected'
const ofRsa = 'contains a key of the type rsa'
const notPrivate = 'contains no private key in PEM'
const damaged = pkcs8(privateKey).replace(/\n.{9}/, '\n')
const both = pemOf(publicKey) + pkcs8(privateKey)

it.each<[string, typeof signs, string, string]>([
  ['an encrypted key to sign', signs, encrypted, 'is encrypted; write it without a passphrase'],
  ['a public key to sign', signs, pemOf(publicKey), notPrivate],
  ['an RSA key to sign', signs, pkcs8(rsa.privateKey), `${ofRsa}; an Ed25519 key is expected`],
  ['text without a key to sign', signs, 'nonsense', notPrivate],
  ['a damaged key to sign', signs, damaged, 'contains no readable key in PEM'],
  ['an empty file to sign', signs, '', notPrivate],
  ['a private key to verify', checks, pkcs8(privateKey), `contains a private key, ${onePublic}`],
  ['a private key after a public one', checks, both, 'contains a private key'],
  ['a private RSA key to verify', checks, pkcs1, 'contains a private key'],
  ['a certificate', checks, certificate, `contains a certificate, ${onePublic}`],
  ['two keys', checks, pemOf(publicKey).repeat(2), `contains several keys, ${onePublic}`],
  ['an encrypted key to verify', checks, encrypted, 'is encrypted; give the public key instead'],
  ['an RSA key to verify', checks, pemOf(rsa.publicKey), ofRsa],
  ['text without a key to verify', checks, 'nonsense', 'contains no readable key in PEM'],
])('%s is refused, naming the file but not its content', async (_, read, text, says) => {
  const file = await fileWith(text)
  const error: unknown = await read(file).catch((reason: unknown) => reason)
  const secret = /\n(.+)\n/.exec(text)?.[1] ?? 'no secret here'

  expect(error).toBeInstanceOf(KeyFileError)
  expect(String(error)).toContain(`the key file ${file} ${says}`)
  expect(String(error)).not.toContain(secret.slice(0, 12))
})

it.each([signs, checks])('an unreadable key file is refused: %o', async (read) => {
  await expect(read(tmpdir())).rejects.toThrow(KeyFileError)
  await expect(read(join(tmpdir(), 'there is no such file'))).rejects.toThrow('ENOENT')
})

it('a private and a public key have the same fingerprint', () => {
  expect(keyFingerprint(privateKey)).toBe(keyFingerprint(publicKey))
  expect(keyFingerprint(publicKey)).toMatch(/^[0-9a-f]{64}$/)
})
