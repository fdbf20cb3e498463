import { createHash, verify } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { ruleWith, verdictWith } from '../../verdict/verdict.testing.ts'
import type { Verdict } from '../../verdict/verdict.ts'
import { statementOf } from './attestation.ts'
import {
  archiveOf,
  attested,
  changed,
  checkOf,
  filesIn,
  keyPair,
  mistakesOf,
  now,
  resealed,
  rewritten,
  sealInput,
  smallVerdict,
  without,
  type FilesChange,
} from './bundle.testing.ts'
import { keyFingerprint, publicPem } from './keys.ts'

const archive = archiveOf()
const { privateKey, publicKey } = keyPair()
const other = keyPair()
const signed = archiveOf(sealInput(undefined, { key: privateKey }))
const manifest = 'a'.repeat(64)
const buildDigest = `sha256:${'b'.repeat(64)}`

const statement = (changes: Partial<Verdict> = {}, validUntil: string | null = null): unknown =>
  JSON.parse(statementOf(verdictWith(changes), { manifest, validUntil }).toString())

describe('a statement', () => {
  it('is an in-toto statement with a test result', () => {
    const verdict: Partial<Verdict> = {
      verdict: 'nonconformant',
      target: { ...verdictWith().target, buildDigest },
      specification: { title: 'The specification', version: null, sha256: 'c'.repeat(64) },
      ruleSet: '2026-11',
      rules: [
        ruleWith('fuzz/api-key'),
        ruleWith('fuzz/path', { status: 'failed' }),
        ruleWith('fuzz/query', { status: 'warned' }),
        ruleWith('fuzz/headers', { status: 'waived' }),
        ruleWith('quota/exhausted', { status: 'untested' }),
        ruleWith('quota/per-client', { status: 'inconclusive' }),
      ],
    }

    expect(statement(verdict, '2027-11-20T02:00:00.000Z')).toEqual({
      _type: 'https://in-toto.io/Statement/v1',
      subject: [
        { name: 'manifest.json', digest: { sha256: manifest } },
        { name: 'vendor build 42', digest: { sha256: 'b'.repeat(64) } },
      ],
      predicateType: 'https://in-toto.io/attestation/test-result/v0.1',
      predicate: {
        result: 'FAILED',
        configuration: [
          {
            name: 'settings.json',
            digest: { sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
            annotations: {
              suite: '0.1.0',
              ruleSet: '2026-11',
              profile: 'gate',
              strict: false,
              seed: 20260101,
            },
          },
          { name: 'The specification', digest: { sha256: 'c'.repeat(64) } },
        ],
        passedTests: ['fuzz/api-key'],
        warnedTests: ['fuzz/query', 'fuzz/headers'],
        failedTests: ['fuzz/path'],
        cardSwitchConformance: {
          verdict: 'nonconformant',
          endpoints: ['/api/customizations/list'],
          notJudged: [],
          validUntil: '2027-11-20T02:00:00.000Z',
        },
      },
    })
  })

  it.each<readonly [string, Partial<Verdict>, string]>([
    ['conformant', {}, 'PASSED'],
    ['not whole, untested', { rules: [ruleWith('quota/exhausted', { status: 'untested' })] }, 'PASSED'],
    ['with a warning', { rules: [ruleWith('fuzz/headers', { status: 'warned' })] }, 'WARNED'],
    ['with an exception', { rules: [ruleWith('fuzz/headers', { status: 'waived' })] }, 'WARNED'],
    ['partial', { selection: { only: ['fuzz/*'] } }, 'WARNED'],
    ['of the embedded service', { target: { ...verdictWith().target, embedded: true } }, 'WARNED'],
    ['nonconformant', { verdict: 'nonconformant' }, 'FAILED'],
    ['incomplete', { verdict: 'incomplete' }, 'FAILED'],
    ['error', { verdict: 'error' }, 'FAILED'],
  ])('of a verdict that is %s has its result', (_, changes, result) => {
    expect(statement(changes)).toMatchObject({ predicate: { result } })
  })

  it('names the endpoints that the result is about, and those that it is not', () => {
    const notJudged = [{ endpoint: 'POST /api/cards', because: 'why', fingerprint: 'aaaaaaaa' }]
    const target = { ...verdictWith().target, endpoints: ['/api/customizations/list'], notJudged }

    expect(statement({ target })).toMatchObject({
      predicate: {
        result: 'WARNED',
        cardSwitchConformance: {
          endpoints: ['/api/customizations/list'],
          notJudged: [{ endpoint: 'POST /api/cards', because: 'why', waived: null }],
        },
      },
    })
    expect(statement({ target: { ...target, notJudged: [] } })).toMatchObject({
      predicate: { result: 'PASSED', cardSwitchConformance: { notJudged: [] } },
    })
  })

  it('names the settings file that lies beside it, and the build by its address if it has no label', async () => {
    const target = { ...smallVerdict.target, label: null, buildDigest }
    const verdict = { ...smallVerdict, target }
    const sealed = archiveOf(sealInput(verdict))
    const settings = filesIn(sealed).get('settings.json') ?? Buffer.of()

    expect(payloadOf(sealed)).toMatchObject({
      subject: [{ name: 'manifest.json' }, { name: target.baseUrl, digest: { sha256: 'b'.repeat(64) } }],
      predicate: {
        configuration: [
          { digest: { sha256: createHash('sha256').update(settings).digest('hex') } },
          { digest: { sha256: verdict.specification.sha256 } },
        ],
      },
    })
    expect(settings.toString()).toContain(`"TARGET_BUILD_DIGEST": "${buildDigest}"`)
    expect(await checkOf(sealed)).toMatchObject({ kind: 'sound' })
  })
})

/** The envelope of an archive, as JSON. */
function envelopeOf(sealed: Buffer) {
  return JSON.parse(filesIn(sealed).get('attestation.json')?.toString() ?? 'null')
}

function payloadOf(sealed: Buffer): unknown {
  return JSON.parse(Buffer.from(envelopeOf(sealed).payload, 'base64').toString())
}

describe('an envelope', () => {
  it('is signed as DSSE says', () => {
    const { payload, payloadType, signatures } = envelopeOf(signed)
    const body = Buffer.from(payload, 'base64').toString()
    const bytes = Buffer.from(`DSSEv1 28 application/vnd.in-toto+json ${body.length} ${body}`)

    expect(payloadType).toBe('application/vnd.in-toto+json')
    expect(signatures).toEqual([{ keyid: keyFingerprint(publicKey), sig: expect.any(String) }])
    expect(verify(null, bytes, publicKey, Buffer.from(signatures[0].sig, 'base64'))).toBe(true)
  })

  it('has no signature where nobody signs, and the same statement', () => {
    expect(envelopeOf(archive)).toMatchObject({ signatures: [] })
    expect(payloadOf(archive)).toMatchObject({ _type: 'https://in-toto.io/Statement/v1' })
  })
})

const unfit = 'the signature in "attestation.json" does not fit the statement and the key that you gave'
const anotherKey = expect.stringMatching(/^the archive was signed with another key: /)

describe('a signature', () => {
  it('is told by the fingerprint of its key, and whether that was given', async () => {
    const fingerprint = keyFingerprint(publicKey)

    expect(await checkOf(signed, { key: publicKey })).toMatchObject({
      signer: { fingerprint, trusted: true },
    })
    expect(await checkOf(signed)).toMatchObject({ signer: { fingerprint, trusted: false } })
  })

  const told = (change: FilesChange) => mistakesOf(changed(signed, change), { key: publicKey })

  it('must be there for whoever gives a key', async () => {
    expect(await mistakesOf(archive, { key: publicKey })).toEqual(['the archive is not signed'])
  })

  it('that was removed is missed where the key was left behind', async () => {
    const bent = changed(signed, attested(String, null))

    expect(await mistakesOf(bent)).toEqual(['"attestation.json" holds no signature: it was removed'])
  })

  it('of another key is told by its fingerprint, and does not fit the key that was given', async () => {
    expect(await mistakesOf(signed, { key: other.publicKey })).toEqual([
      expect.stringContaining(keyFingerprint(other.publicKey)),
      unfit,
    ])
  })

  it('names its key, by the SHA-256 of the one beside it', async () => {
    const swapped = rewritten('attestation.json', (text) =>
      text.replace(keyFingerprint(publicKey), keyFingerprint(other.publicKey)),
    )

    expect(await told(swapped)).toEqual([
      '"attestation.json" names another key than the one in "public-key.pem"',
    ])
  })

  it('has its key beside it', async () => {
    expect((await told(without('public-key.pem'))).join()).toContain('"public-key.pem" is missing')
    for (const change of [() => 'nonsense', (text: string) => `${text}\n`]) {
      expect((await told(rewritten('public-key.pem', change))).join()).toContain('holds no Ed25519 key')
    }
  })

  it('has 64 bytes', async () => {
    const cut = rewritten('attestation.json', (text) => text.replace(/(?<="sig": ").{4}/, ''))

    expect(await told(cut)).toEqual([unfit])
    expect(await mistakesOf(changed(signed, cut))).toEqual([
      'the signature in "attestation.json" does not fit: it, the statement, or the key in the archive was changed',
    ])
  })
})

describe('an attestation is refused', () => {
  const elsewhere = expect.stringMatching(/^"attestation\.json" is about something else than this archive/)
  const unlike = '"attestation.json" does not say what "verdict.json" says'
  const greener = (text: string): string =>
    text.replace('"failedTests": [', '"failedTests": [],\n    "others": [').replace('FAILED', 'PASSED')
  /** As a forger makes it who signs with his own key. */
  const ownKey = rewritten('public-key.pem', () => publicPem(other.publicKey))

  it('with another statement under the same signature', async () => {
    const bent = changed(signed, (files) =>
      files.map((file) => {
        if (file.name !== 'attestation.json') return file
        const payload = Buffer.from(greener(JSON.stringify(payloadOf(signed), null, 2)))
        const text = file.content.toString().replace(/(?<="payload": ")[^"]*/, payload.toString('base64'))
        return { name: file.name, content: Buffer.from(text) }
      }),
    )

    expect(await mistakesOf(bent, { key: publicKey })).toEqual([unlike, unfit])
  })

  it.each<readonly [string, (text: string) => string]>([
    ['fewer failed rules', (text) => text.replace(/"failedTests": \[[^\]]*\]/, '"failedTests": []')],
    ['fewer passed rules', (text) => text.replace(/"passedTests": \[[^\]]*\]/, '"passedTests": []')],
    ['further warned rules', (text) => text.replace('"warnedTests": [', '"warnedTests": ["fuzz/path"')],
    ['another result', (text) => text.replace('FAILED', 'PASSED')],
    ['another profile', (text) => text.replace('"gate"', '"acceptance"')],
    ['another verdict', (text) => text.replace('"nonconformant"', '"conformant"')],
    ['another type', (text) => text.replace('test-result/v0.1', 'test-result/v0.2')],
    ['a member twice', (text) => text.replace('"predicate": {', '"predicate": {},\n  "predicate": {')],
    ['a date that never comes', (text) => text.replace('"nonconformant"', '$&, "validUntil": "never"')],
    ['other white space', (text) => text.trimEnd()],
    ['no statement', () => 'nonsense'],
  ])('with %s, signed by somebody else with a key beside it', async (_, change) => {
    const forged = changed(resealed(signed, ownKey, other.privateKey), attested(change, other.privateKey))
    const wrong = change('') === 'nonsense' ? elsewhere : unlike

    expect(await mistakesOf(forged)).toEqual([wrong])
    expect(await mistakesOf(forged, { key: publicKey })).toEqual([wrong, anotherKey, unfit])
  })

  it('of another archive, though the right key signed that', async () => {
    const earlier = sealInput({ ...smallVerdict, seed: 7 }, { key: privateKey })
    const taken = filesIn(archiveOf(earlier)).get('attestation.json')?.toString() ?? ''
    const bent = changed(
      signed,
      rewritten('attestation.json', () => taken),
    )

    expect(await mistakesOf(bent, { key: publicKey })).toEqual([elsewhere])
  })

  it('of another build', async () => {
    const bent = changed(
      signed,
      attested((text) => text.replace('"subject": [', '"subject": [{},'), privateKey),
    )

    expect(await mistakesOf(bent, { key: publicKey })).toEqual([elsewhere])
  })

  it('where the manifest was made again', async () => {
    const kept = changed(
      resealed(
        signed,
        rewritten('versions.json', (text) => text.replace('20.19.0', '22.0.0')),
      ),
      rewritten('attestation.json', () => filesIn(signed).get('attestation.json')?.toString() ?? ''),
    )

    expect(await mistakesOf(kept, { key: publicKey })).toEqual([elsewhere])
  })

  it('by a forger who puts his own key or that of another beside it', async () => {
    const forged = archiveOf(sealInput(undefined, { key: other.privateKey }))
    const disguised = resealed(
      forged,
      rewritten('public-key.pem', () => publicPem(publicKey)),
      other.privateKey,
    )

    expect(await checkOf(forged)).toMatchObject({ signer: { trusted: false } })
    expect(await mistakesOf(forged, { key: publicKey })).toEqual([anotherKey, unfit])
    expect(await mistakesOf(disguised, { key: publicKey })).toEqual([
      '"attestation.json" names another key than the one in "public-key.pem"',
      unfit,
    ])
  })

  const inBase64 = (change: (text: string) => string) => (text: string) =>
    text.replace(/(?<="payload": ")[^"]*/, change)
  it.each<readonly [string, (text: string) => string]>([
    ['another payload type', (text) => text.replace('vnd.in-toto+json', 'json')],
    ['a further signature', (text) => text.replace(/(\{\s+"keyid"[^}]*\})/, '$1,\n    $1')],
    [
      'a signature in another place',
      (text) => text.replace('"signatures": [', '"signatures": [], "more": ['),
    ],
    ['a member twice', (text) => text.replace('"payload":', '"payload": "",\n  "payload":')],
    ['a payload type twice', (text) => text.replace('"payloadType"', '"payloadType": "x",\n  "payloadType"')],
    ['a further member', (text) => text.replace('"payload"', '"x": 1,\n  "payload"')],
    ['escapes', (text) => text.replace('"payload"', String.raw`"\u0070ayload"`)],
    ['another order', (text) => text.replace(/("payload": [^\n]*\n) *("payloadType": [^\n]*\n)/, '$2  $1')],
    ['base64 in lines', inBase64((text) => text.replace(/.{76}/g, String.raw`$&\n`))],
    ['base64 with blanks', inBase64((text) => ` ${text}`)],
    [
      'base64 for URLs',
      (text) => text.replace(/(?<="sig": ")[^"]*/, (sig) => Buffer.from(sig, 'base64').toString('base64url')),
    ],
    ['base64 with other last bits', (text) => text.replace(/.==(?="\n)/, '/==')],
    ['nothing in it', () => ''],
    ['no JSON', () => 'nonsense'],
  ])('in an envelope with %s', async (_, change) => {
    const bent = changed(signed, rewritten('attestation.json', change))

    expect(bent.equals(signed)).toBe(false)
    expect((await mistakesOf(bent, { key: publicKey }))[0]).toBe(
      '"attestation.json" was changed: it is not as `bundle` writes one',
    )
  })

  it('where there is none', async () => {
    expect(await mistakesOf(changed(signed, without('attestation.json')), { key: publicKey })).toEqual([
      '"attestation.json" is missing',
    ])
  })
})

describe('validity', () => {
  const sealed = archiveOf(sealInput(undefined, { key: privateKey, validDays: 10 }))

  it('ends so many days after the start of the run, to the second', async () => {
    const validUntil = '2026-11-30T02:00:00.000Z'

    expect(payloadOf(sealed)).toMatchObject({ predicate: { cardSwitchConformance: { validUntil } } })
    expect(filesIn(sealed).get('README.txt')?.toString()).toContain('It is valid until 2026-11-30 02:00 UTC.')
    expect(await checkOf(sealed, { now })).toMatchObject({ kind: 'sound', validUntil })
    expect(await mistakesOf(sealed, { now: new Date(now.getTime() + 1) })).toEqual([
      'the archive was valid until 2026-11-30 02:00 UTC, and now it is 2026-11-30 02:00 UTC: judge the service again, and seal that run',
    ])
  })

  it('has no end where none was asked for', async () => {
    expect(await checkOf(signed, { now: new Date('2999-01-01T00:00:00Z') })).toMatchObject({
      kind: 'sound',
      validUntil: null,
    })
  })

  it('is told in one spelling, or not at all', async () => {
    const spelled = attested((text) => text.replace('02:00:00.000Z', '02:00:00+00:00'), privateKey)

    expect(await mistakesOf(changed(sealed, spelled), { key: publicKey })).toEqual([
      '"attestation.json" does not say what "verdict.json" says',
    ])
  })

  it('is not made longer by whoever has no key', async () => {
    const later = attested((text) => text.replace('2026-11-30T02', '2027-11-30T02'), other.privateKey)

    expect(await mistakesOf(changed(sealed, later), { key: publicKey })).toEqual([
      '"README.txt" does not say what "verdict.json" says',
      '"attestation.json" names another key than the one in "public-key.pem"',
      unfit,
    ])
  })
})
