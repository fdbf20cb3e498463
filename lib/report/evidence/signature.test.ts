import { describe, expect, it } from 'vitest'
import {
  changed,
  checkOf,
  keyPair,
  mistakesOf,
  resealed,
  rewritten,
  sealingOf,
  tarFrom,
  without,
} from './bundle.testing.ts'
import { keyFingerprint, pemOf } from './keys.ts'

const tar = tarFrom()
const { privateKey, publicKey } = keyPair()
const signedTar = tarFrom(sealingOf(undefined, { key: privateKey }))

describe('a signature', () => {
  const told = (change: Parameters<typeof changed>[1], key = publicKey) =>
    mistakesOf(changed(signedTar, change), { key }).join('\n')

  it('must be there for whoever gives a key', () => {
    expect(mistakesOf(tar, { key: publicKey })).toEqual(['the archive is not signed'])
  })

  it('that was removed is missed where the key was left behind', () => {
    const bent = changed(signedTar, without('manifest.sig'))

    expect(mistakesOf(bent)).toEqual(['"manifest.sig" is missing: the signature was removed'])
  })

  it('of another key is told by its fingerprint, and what is signed is wrong for the key that was given', () => {
    const other = keyPair().publicKey

    expect(mistakesOf(signedTar, { key: other })).toEqual([
      expect.stringContaining(keyFingerprint(other)),
      'the signature does not fit "manifest.json" and the key that you gave',
    ])
  })

  it('does not survive a manifest that was made again', () => {
    const bent = resealed(signedTar, without('allure-results/'))

    expect(mistakesOf(bent).join()).toContain('the signature does not fit "manifest.json"')
    expect(mistakesOf(bent, { key: publicKey }).join()).toContain('and the key that you gave')
  })

  it('by a forger who puts his own key beside it does not pass for the key that was given', () => {
    const forged = tarFrom(sealingOf(undefined, { key: keyPair().privateKey }))
    const disguised = resealed(
      forged,
      rewritten('public-key.pem', () => pemOf(publicKey)),
    )

    expect(checkOf(forged)).toMatchObject({ signer: { trusted: false } })
    expect(mistakesOf(forged, { key: publicKey }).join()).toContain('signed with another key')
    expect(mistakesOf(disguised, { key: publicKey })).toEqual([
      'the signature does not fit "manifest.json" and the key that you gave',
    ])
  })

  it('is none where it is no base64 of 64 bytes, and only that', () => {
    for (const change of [
      (text: string) => text.trimEnd(),
      (text: string) => `${text.slice(0, 20)}\n`,
      () => '',
      () => 'nonsense',
    ]) {
      expect(told(rewritten('manifest.sig', change))).toContain(
        '"manifest.sig" was changed: it is no signature',
      )
    }
  })

  it('has its key beside it', () => {
    expect(told(without('public-key.pem'))).toContain('"public-key.pem" is missing')
    expect(told(rewritten('public-key.pem', () => 'nonsense'))).toContain('holds no Ed25519 key')
    expect(told(rewritten('public-key.pem', (text) => `${text}\n`))).toContain('holds no Ed25519 key')
  })
})
