import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { keyPair, pemOf } from './bundle.testing.ts'
import { KeyFileError, keyFingerprint, readSigningKey, readVerifyingKey } from './keys.ts'

/** Of an Ed25519 key. */
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

async function fileWith(text: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'bundle-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  await writeFile(join(folder, 'key.pem'), text)
  return join(folder, 'key.pem')
}

describe('the key that signs', () => {
  it('is a private Ed25519 key in PEM', async () => {
    const key = await readSigningKey(await fileWith(pkcs8(privateKey)))

    expect(key.equals(privateKey)).toBe(true)
  })

  it.each([
    ['is encrypted', encrypted, 'is encrypted; write it without a passphrase'],
    ['is public', pemOf(publicKey), 'holds no private key in PEM'],
    ['is of another type', pkcs8(rsa.privateKey), 'holds a key of the type rsa; an Ed25519 key is expected'],
    ['is no key', 'nonsense', 'holds no private key in PEM'],
    ['is damaged', pkcs8(privateKey).replace(/\n.{9}/, '\n'), 'holds no key in PEM that can be read'],
    ['is empty', '', 'holds no private key in PEM'],
  ])('is refused where it %s, with its file, and nothing of what is in it', async (_, text, says) => {
    const file = await fileWith(text)
    const error: unknown = await readSigningKey(file).catch((reason: unknown) => reason)
    const secret = /\n(.+)\n/.exec(text)?.[1] ?? 'nothing that could be told'

    expect(error).toBeInstanceOf(KeyFileError)
    expect(String(error)).toContain(`the key file ${file} ${says}`)
    expect(String(error)).not.toContain(secret.slice(0, 12))
  })

  it.each([readSigningKey, readVerifyingKey])('is refused where it cannot be read: %o', async (read) => {
    await expect(read(tmpdir())).rejects.toThrow(KeyFileError)
    await expect(read(join(tmpdir(), 'there is no such file'))).rejects.toThrow('ENOENT')
  })
})

describe('the key that checks', () => {
  it('is the public one', async () => {
    const key = await readVerifyingKey(await fileWith(pemOf(publicKey)))

    expect(key.equals(publicKey)).toBe(true)
  })

  it.each([
    ['a private key', pkcs8(privateKey), 'holds a private key, and one public key is expected'],
    ['a private key behind a public one', `${pemOf(publicKey)}${pkcs8(privateKey)}`, 'holds a private key'],
    [
      'a private RSA key',
      rsa.privateKey.export({ type: 'pkcs1', format: 'pem' }).toString(),
      'a private key',
    ],
    ['a certificate', certificate, 'holds a certificate, and one public key is expected'],
    ['two keys', pemOf(publicKey).repeat(2), 'holds several, and one public key is expected'],
  ])('is refused where the file holds %s', async (_, text, says) => {
    await expect(readVerifyingKey(await fileWith(text))).rejects.toThrow(says)
  })

  it.each([
    ['is encrypted', encrypted, 'is encrypted; give the public key instead'],
    ['is of another type', pemOf(rsa.publicKey), 'holds a key of the type rsa'],
    ['is no key', 'nonsense', 'holds no key in PEM that can be read'],
  ])('is refused where it %s', async (_, text, says) => {
    await expect(readVerifyingKey(await fileWith(text))).rejects.toThrow(says)
  })
})

it('a fingerprint is that of the public part, whichever part it is made from', () => {
  expect(keyFingerprint(privateKey)).toBe(keyFingerprint(publicKey))
  expect(keyFingerprint(publicKey)).toMatch(/^[0-9a-f]{64}$/)
})
