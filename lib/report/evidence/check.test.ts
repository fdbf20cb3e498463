import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { verdictFormat } from '../../verdict/verdict.ts'
import {
  changed,
  checkOf,
  keyPair,
  mistakesOf,
  resealed,
  rewritten,
  sealingOf,
  suite,
  tarFrom,
  without,
} from './bundle.testing.ts'
import { keyFingerprint } from './keys.ts'
import { textFile } from './layout.ts'

const tar = tarFrom()
const { privateKey, publicKey } = keyPair()
const signedTar = tarFrom(sealingOf(undefined, { key: privateKey }))

describe('an archive as it was sealed', () => {
  it('is sound', () => {
    expect(checkOf(tar)).toMatchObject({ kind: 'sound', signer: null, madeBy: suite })
  })

  it('is sound and signed by the key that was given, also where that is the private one', () => {
    const fingerprint = keyFingerprint(publicKey)

    expect(keyFingerprint(privateKey)).toBe(fingerprint)
    expect(checkOf(signedTar, { key: publicKey })).toMatchObject({ signer: { fingerprint, trusted: true } })
    expect(checkOf(signedTar)).toMatchObject({ signer: { fingerprint, trusted: false } })
  })

  it('is sound where another version made it, whatever its pages say', () => {
    const older = resealed(tar, (files) =>
      rewritten(
        'README.txt',
        (text) => `An older wording.\n${text}`,
      )(rewritten('versions.json', (text) => text.replaceAll('"0.1.0"', '"0.0.9"'))(files)),
    )

    expect(checkOf(older)).toMatchObject({ kind: 'sound', madeBy: '0.0.9' })
  })
})

describe('any byte that was changed is noticed', () => {
  it.each([
    ['without a signature', tar],
    ['with one', signedTar],
  ])('%s', (_, whole) => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: whole.length - 1 }),
        fc.integer({ min: 1, max: 255 }),
        (at, mask) => {
          const bent = Buffer.from(whole)
          bent.writeUInt8(bent.readUInt8(at) ^ mask, at)
          expect(mistakesOf(bent)).not.toEqual([])
        },
      ),
      { numRuns: 300 },
    )
  })

  it('and any number of bytes that is missing at the end', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: tar.length - 1 }), (length) => {
        expect(mistakesOf(tar.subarray(0, length))).not.toEqual([])
      }),
      { numRuns: 200 },
    )
  })
})

describe('what is wrong is told in plain words:', () => {
  it('a file that was changed, by another length or by the same', () => {
    const longer = changed(
      tar,
      rewritten('summary.md', (text) => `${text} `),
    )
    const other = changed(
      tar,
      rewritten('junit.xml', (text) => text.replace('failure', 'fallure')),
    )

    expect(mistakesOf(longer)[0]).toMatch(
      /^"summary\.md" was changed: it has \d+ bytes where \d+ were sealed$/,
    )
    expect(mistakesOf(other)[0]).toBe('"junit.xml" was changed: its SHA-256 is not the one that was sealed')
  })

  it('a file that is missing, and one that is extra', () => {
    const bent = changed(tar, (files) => [...without('index.html')(files), textFile('notes.txt', 'hello')])

    expect(mistakesOf(bent)).toEqual([
      '"index.html" is missing',
      '"notes.txt" is extra: manifest.json does not list it',
      '"index.html" is missing, which belongs to "verdict.json"',
      '"notes.txt" does not belong into an archive of this verdict',
    ])
  })

  it('a manifest that is missing, was changed, or is of another format', () => {
    const bent = (change: (text: string) => string) => changed(tar, rewritten('manifest.json', change))

    expect(mistakesOf(changed(tar, without('manifest.json')))).toEqual(['"manifest.json" is missing'])
    for (const change of [
      (text: string) => text.replace('  ', '\t '),
      (text: string) => text.slice(0, -10),
      (text: string) => text.replace('"size"', '"bulk"'),
      (text: string) => text.replace('"files": [', '"files": [ null,'),
      (text: string) => text.replace('"format"', '"formal"'),
    ]) {
      expect(mistakesOf(bent(change))).toContain(
        '"manifest.json" was changed: it is not as `bundle` writes one',
      )
    }
    expect(mistakesOf(bent((text) => text.replace('bundle/1', 'bundle/2')))).toEqual([
      expect.stringContaining('"manifest.json" is of the format "card-switch-conformance/bundle/2"'),
    ])
  })

  it('everything at once', () => {
    const bent = changed(signedTar, (files) =>
      rewritten('summary.md', () => 'All is well.')(without('junit.xml', 'manifest.sig')(files)),
    )
    const told = mistakesOf(bent, { key: keyPair().publicKey }).join('\n')

    for (const part of ['"junit.xml" is missing', '"summary.md" was changed', 'another key', 'removed']) {
      expect(told).toContain(part)
    }
  })
})

describe('an archive that somebody made who knows how', () => {
  it('does not hold a verdict of another format', () => {
    const bent = resealed(
      tar,
      rewritten('verdict.json', (text) => text.replace(verdictFormat, 'card-switch-conformance/verdict/2')),
    )

    expect(mistakesOf(bent)).toEqual([
      expect.stringContaining('"verdict.json" is of the format "card-switch-conformance/verdict/2"'),
    ])
  })

  it.each([
    ['is not JSON', () => 'nonsense'],
    ['names no format', () => '{}'],
    ['does not fit the format', (text: string) => text.replace('"gate"', '"gates"')],
    [
      'no report can be made',
      (text: string) => text.replace(/"exchange": \{[^]*?"curl"/, '"exchange": {}, "curl"'),
    ],
  ])('does not hold a verdict that %s', (says, change) => {
    expect(mistakesOf(resealed(tar, rewritten('verdict.json', change))).join()).toContain(says)
  })

  it.each(['README.txt', 'index.html', 'junit.xml', 'summary.md', 'settings.json'])(
    'does not hold a %s that says something else than its verdict',
    (name) => {
      const bent = resealed(
        tar,
        rewritten(name, (text) => text.replace(/nonconformant|staging/i, 'conformant')),
      )

      expect(mistakesOf(bent)).toEqual([`"${name}" does not say what "verdict.json" says`])
    },
  )

  it('does not lack an exchange of its verdict, whichever version made it', () => {
    const bent = resealed(tar, (files) =>
      rewritten('versions.json', (text) => text.replaceAll('"0.1.0"', '"0.0.9"'))(
        without('exchanges/authentication/api-key-missing/1')(files),
      ),
    )

    expect(mistakesOf(bent)).toEqual([
      '"exchanges/authentication/api-key-missing/1.json" is missing, which belongs to "verdict.json"',
    ])
  })

  it.each(['history.jsonl', '.env', 'allure-results/notes.txt', 'exchanges/other/1.json'])(
    'does not hold %s',
    (name) => {
      const bent = resealed(tar, (files) => [...files, textFile(name, 'x')])

      expect(mistakesOf(bent).join()).toContain(`"${name}"`)
    },
  )

  it('does not hide who made it', () => {
    const bent = resealed(tar, without('versions.json'))

    expect(mistakesOf(bent)).toEqual(['"versions.json" does not say which version made the archive'])
  })
})
