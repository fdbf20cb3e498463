import { createHash, verify } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { RuleStatus } from '../../judge/record.ts'
import type { RuleId } from '../../specification/rules.ts'
import { ruleWith, targetWith, verdictWith } from '../../verdict/verdict.testing.ts'
import type { Verdict } from '../../verdict/verdict.ts'
import { keyPair, runOf, smallVerdict } from './bundle.testing.ts'
import { keyFingerprint } from './keys.ts'
import { statementOf } from './statement.ts'

const files = new Map(['run.sha256', 'attestation.json'].map((name) => [name, Buffer.from('x')]))
const buildDigest = `sha256:${'b'.repeat(64)}`

const statement = (changes: Partial<Verdict> = {}): unknown =>
  JSON.parse(statementOf(verdictWith(changes), files, '1.0.0').toString())

describe('a statement', () => {
  it('is an in-toto test result that covers every other file and says what made it', () => {
    const verdict: Partial<Verdict> = {
      verdict: 'nonconformant',
      exitCode: 1,
      target: targetWith({ build: buildDigest }),
      specification: { title: 'The specification', version: null, sha256: 'c'.repeat(64) },
      validUntil: '2027-11-20T02:00:00.000Z',
      rules: [
        ruleWith('fuzz/api-key'),
        ruleWith('fuzz/path', { status: 'failed' }),
        ruleWith('fuzz/query', { status: 'warned' }),
        ruleWith('fuzz/headers', { status: 'waived' }),
        ruleWith('quota/exhausted', { status: 'untested' }),
        ruleWith('quota/per-client', { status: 'inconclusive' }),
        // Not about the service.
        ruleWith('tolerance/property-order'),
      ],
    }

    expect(statement(verdict)).toEqual({
      _type: 'https://in-toto.io/Statement/v1',
      subject: [
        { name: 'run.sha256', digest: { sha256: createHash('sha256').update('x').digest('hex') } },
        { name: 'vendor', digest: { sha256: 'b'.repeat(64) } },
      ],
      predicateType: 'https://in-toto.io/attestation/test-result/v0.1',
      predicate: {
        result: 'FAILED',
        configuration: [
          {
            name: 'The specification',
            digest: { sha256: 'c'.repeat(64) },
            annotations: { suite: '1.0.0', profile: 'gate', strict: false, seed: 20260101 },
          },
        ],
        passedTests: ['fuzz/api-key'],
        warnedTests: ['fuzz/query', 'fuzz/headers'],
        failedTests: ['fuzz/path'],
        cardSwitchConformance: {
          format: 'card-switch-conformance/evidence/1',
          verdict: 'nonconformant',
          exitCode: 1,
          validUntil: '2027-11-20T02:00:00.000Z',
          endpoints: ['/api/customizations/list'],
          notJudged: [],
          madeBy: '1.0.0',
        },
      },
    })
  })

  const result = (said: string) => ({ predicate: { result: said } })
  const ruled = (id: RuleId, status: RuleStatus) => ({ rules: [ruleWith(id, { status })] })
  const of = (changes: Partial<Verdict['target']>) => ({ target: targetWith(changes) })
  const notJudged = [{ endpoint: 'POST /api/cards', because: 'why', fingerprint: 'aaaaaaaa' }]
  const endpoints = ['/api/customizations/list']
  const named = { endpoints, notJudged: [{ endpoint: 'POST /api/cards', because: 'why', waived: null }] }
  const open = { endpoints, notJudged }
  const { baseUrl } = targetWith()
  const alone = { subject: [{ name: 'run.sha256' }] }

  it.each<readonly [string, Partial<Verdict>, object]>([
    ['a conformant verdict', {}, result('PASSED')],
    ['a verdict with an untested rule', ruled('quota/exhausted', 'untested'), result('PASSED')],
    ['a verdict with a warning', ruled('fuzz/headers', 'warned'), result('WARNED')],
    ['a verdict with an exception', ruled('fuzz/headers', 'waived'), result('WARNED')],
    ['a partial verdict', { selection: { only: ['fuzz/*'] } }, result('WARNED')],
    ['a verdict on the embedded service', of({ embedded: true }), result('WARNED')],
    ['endpoints that were not judged', of(open), { predicate: { cardSwitchConformance: named } }],
    ['a verdict on some endpoints', of(open), result('WARNED')],
    ['a nonconformant verdict', { verdict: 'nonconformant' }, result('FAILED')],
    ['an incomplete verdict', { verdict: 'incomplete' }, result('FAILED')],
    ['an error', { verdict: 'error' }, result('FAILED')],
    // A build is a subject only if it is a digest. Without a label, the address is its name.
    [
      'a build that is a digest',
      of({ label: null, build: buildDigest }),
      { subject: [{}, { name: baseUrl }] },
    ],
    ['a build that is a number', of({ build: '42' }), alone],
    ['a build that is a digest cut short', of({ build: buildDigest.slice(0, -1) }), alone],
    ['a build that is a digest after a word', of({ build: `x ${buildDigest}` }), alone],
  ])('has the right result and subject for %s', (_, changes, says) => {
    expect(statement(changes)).toMatchObject(says)
  })
})

const { privateKey, publicKey } = keyPair()

it('an envelope is signed according to DSSE', () => {
  const text = runOf(smallVerdict, privateKey).get('attestation.json')?.toString() ?? ''
  const { payload, payloadType, signatures } = JSON.parse(text)
  const body = Buffer.from(payload, 'base64').toString()
  const bytes = Buffer.from(`DSSEv1 28 application/vnd.in-toto+json ${body.length} ${body}`)

  expect(payloadType).toBe('application/vnd.in-toto+json')
  expect(signatures).toEqual([{ keyid: keyFingerprint(publicKey), sig: expect.any(String) }])
  expect(verify(null, bytes, publicKey, Buffer.from(signatures[0].sig, 'base64'))).toBe(true)
})

it('an envelope has no signature without a key', () => {
  expect(JSON.parse(runOf().get('attestation.json')?.toString() ?? '')).toMatchObject({ signatures: [] })
})
