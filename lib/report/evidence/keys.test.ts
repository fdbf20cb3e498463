import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { keyFingerprint, KeyFileError, pemOf, publicKeyFrom, signingKey, verifyingKey } from './keys.ts'

const { privateKey, publicKey } = generateKeyPairSync('ed25519')
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
  test('is a private Ed25519 key in PEM', async () => {
    const key = await signingKey(await fileWith(pkcs8(privateKey)))

    expect(key.equals(privateKey)).toBe(true)
  })

  test.each([
    ['is encrypted', encrypted, 'is encrypted; write it without a passphrase'],
    ['is public', pemOf(publicKey), 'holds no private key in PEM'],
    ['is of another type', pkcs8(rsa.privateKey), 'holds a key of the type rsa; an Ed25519 key is expected'],
    ['is no key', 'nonsense', 'holds no private key in PEM'],
    ['is damaged', pkcs8(privateKey).replace(/\n.{9}/, '\n'), 'holds no key in PEM that can be read'],
    ['is empty', '', 'holds no private key in PEM'],
  ])('is refused where it %s, with its file, and nothing of what is in it', async (_, text, says) => {
    const file = await fileWith(text)
    const error: unknown = await signingKey(file).catch((reason: unknown) => reason)
    const secret = /\n(.+)\n/.exec(text)?.[1] ?? 'nothing that could be told'

    expect(error).toBeInstanceOf(KeyFileError)
    expect(String(error)).toContain(`the key file ${file} ${says}`)
    expect(String(error)).not.toContain(secret.slice(0, 12))
  })

  test.each([signingKey, verifyingKey])('is refused where it cannot be read: %o', async (read) => {
    await expect(read(tmpdir())).rejects.toThrow(KeyFileError)
    await expect(read(join(tmpdir(), 'there is no such file'))).rejects.toThrow('ENOENT')
  })
})

describe('the key that checks', () => {
  test('is the public one, or that of the private one', async () => {
    const [one, other] = [await fileWith(pemOf(publicKey)), await fileWith(pkcs8(privateKey))]

    expect((await verifyingKey(one)).equals(publicKey)).toBe(true)
    expect((await verifyingKey(other)).equals(publicKey)).toBe(true)
  })

  test.each([
    ['is encrypted', encrypted, 'is encrypted; give the public key instead'],
    ['is of another type', pemOf(rsa.publicKey), 'holds a key of the type rsa'],
    ['is no key', 'nonsense', 'holds no key in PEM that can be read'],
  ])('is refused where it %s', async (_, text, says) => {
    await expect(verifyingKey(await fileWith(text))).rejects.toThrow(says)
  })
})

test('text holds a public key only where it is nothing but an Ed25519 key', () => {
  expect(publicKeyFrom(pemOf(publicKey))?.equals(publicKey)).toBe(true)
  for (const text of [pkcs8(privateKey), pemOf(rsa.publicKey), ` ${pemOf(publicKey)}`, 'nonsense', '']) {
    expect(publicKeyFrom(text)).toBeNull()
  }
})

test('a fingerprint is that of the public part, whichever part it is made from', () => {
  expect(keyFingerprint(privateKey)).toBe(keyFingerprint(publicKey))
  expect(keyFingerprint(publicKey)).toMatch(/^[0-9a-f]{64}$/)
})
