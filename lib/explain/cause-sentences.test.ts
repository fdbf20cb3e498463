import { describe, expect, it } from 'vitest'
import { findingWith } from '../verdict/verdict.testing.ts'
import { causesOf, type JudgedRule } from './causes.ts'
import { factNames, factValues, flawless } from '../judge/facts.ts'
import type { Finding } from '../judge/record.ts'
import { failed, found, served } from './testing/causes.ts'

function sentences(...rules: readonly JudgedRule[]): readonly string[] {
  return causesOf(rules).map(({ sentence }) => sentence)
}

function sentWith(name: string): Finding['exchange'] {
  const { exchange } = found('any', {})
  return { ...exchange, request: { ...exchange.request, headers: [[name, 'x']] } }
}

describe('the sentence', () => {
  const documented = 'documented 400 / 1001 (api key header is missing)'
  const noVersion = { flaws: ['version absent'] }
  const successOrInput = [
    { status: '2xx', errorCode: null },
    { status: 400, errorCode: '1030' },
  ] as const
  const quota = [{ status: 429, errorCode: '1020' }] as const
  const nothing = { answered: { status: 500, errorCode: null }, allowed: [] }
  const redirected = { answered: { status: 302, errorCode: null } }

  it.each<[Finding, string]>([
    [found('let in', { flaws: ['apiKey invalid'] }, served), 'A request with a wrong API key was let in'],
    [
      found('let in sometimes', { flaws: ['secretKey nobodys'] }, { ...served, reproduced: '1 of 3' }),
      'A request with a wrong secret key was let in (only sometimes)',
    ],
    [
      found('plain', { plain: true }, nothing),
      'A plain valid request: answered 401 / 1006 where 400 / 1001 is documented',
    ],
    [
      found('of several flaws', { flaws: ['apiKey blank', 'endpoint unknown'] }),
      `A request with an empty x-api-key, to an unknown path: 422 / 1001, ${documented}`,
    ],
    [
      found('under a condition', { ...noVersion, conditions: ['accept-language: fr-FR'] }),
      `A request without x-version with accept-language: fr-FR: 422 / 1001, ${documented}`,
    ],
    [
      found(
        'made of the valid key',
        { flaws: ['apiKey invalid'] },
        { ...served, summary: 'answered 200; sent was TARGET_API_KEY followed by the byte a0' },
      ),
      'The valid API key followed by the byte a0 was accepted',
    ],
    [
      found(
        'under a name for CGI',
        { flaws: ['apiKey absent'], conditions: ['x_api_key'] },
        { exchange: sentWith('X_Api_Key') },
      ),
      `A request without x-api-key with x_api_key: 422 / 1001, ${documented}; CGI servers map _ and - to the same name`,
    ],
    [
      found(
        'let in under two',
        { flaws: ['apiKey invalid'], conditions: ['?debug=true', 'accept: */*'] },
        served,
      ),
      'A request with a wrong API key with ?debug=true and accept: */* was let in',
    ],
    [
      found('valid, under a condition', { conditions: ['range: bytes=0-3'] }),
      `A valid request with range: bytes=0-3: 422 / 1001, ${documented}`,
    ],
    [found('not known', { flaws: null }, { summary: 'answered oddly' }), 'answered oddly'],
    // Valid, in another way than the plain one.
    [
      found('fuzz/headers:1:traceparent', { client: 'second' }),
      `A valid request (fuzz/headers) of the client second: 422 / 1001, ${documented}`,
    ],
    [found('without a code', noVersion, redirected), `A request without x-version: 302, ${documented}`],
    [
      found('never answered', noVersion, { answered: null }),
      `A request without x-version: no answer, ${documented}`,
    ],
    [
      found('allowed several answers', { flaws: ['input uncertain'] }, { allowed: successOrInput }),
      'A request with undocumented parameters: 422 / 1001, documented success or 400 / 1030',
    ],
    [
      found('a success that is not to be refused', { plain: true }, { ...served, allowed: quota }),
      'A plain valid request: 200, documented 429 / 1020 (daily quota limit exceeded)',
    ],
    // Of several requests.
    [findingWith({ summary: 'answered oddly', reproduced: '1 of 3' }), 'answered oddly (only sometimes)'],
  ])('of $case', (finding, sentence) => {
    expect(sentences(failed('fuzz/headers', finding))).toEqual([sentence])
  })

  it.each<[string, string]>([
    ['apiKey absent', 'without x-api-key'],
    ['apiKey blank', 'with an empty x-api-key'],
    ['apiKey invalid', 'with a wrong API key'],
    ['secretKey absent', 'without x-secret-key'],
    ['secretKey blank', 'with an empty x-secret-key'],
    ['secretKey nobodys', 'with a wrong secret key'],
    ['secretKey another-clients', "with another client's secret key"],
    ['version absent', 'without x-version'],
    ['version blank', 'with an empty x-version'],
    ['version malformed', 'with a version that is no integer'],
    ['version odd', 'with a version written oddly'],
    ['version unsupported', 'with a version that is not served'],
    ['version out-of-range', 'with a version out of range'],
    ['version other', 'with another version'],
    ['endpoint unknown', 'to an unknown path'],
    ['endpoint uncertain', 'to a near miss of a known path'],
    ['state inactive', 'to an inactive endpoint'],
    ['customer none', 'of a client without a customer'],
    ['permission denied', 'of a client without permission'],
    ['quota used-up', 'of a client whose quota is used up'],
    ['input uncertain', 'with undocumented parameters'],
    ['input invalid', 'with invalid input'],
  ])('says of %s: %s', (flaw, words) => {
    const finding = found('a', { flaws: [flaw], client: 'second' }, served)

    expect(sentences(failed('fuzz/headers', finding))).toEqual([`A request ${words} was let in`])
  })

  it('names no value where several were accepted', () => {
    const accepting = (name: string): Finding =>
      found(
        name,
        { flaws: ['secretKey nobodys'] },
        { ...served, summary: `answered 200; sent was TARGET_SECRET_KEY ${name}` },
      )

    expect(
      sentences(
        failed('fuzz/secret-key', accepting('in upper case'), accepting('with x after its last character')),
      ),
    ).toEqual(['A request with a wrong secret key was let in'])
  })

  it('has words for every flaw', () => {
    for (const name of factNames) {
      for (const value of factValues[name].filter((one) => one !== flawless[name])) {
        const [sentence] = sentences(failed('fuzz/headers', found('a', { flaws: [`${name} ${value}`] })))

        expect(sentence).toMatch(/^A request (?:with|without|to|of) /)
      }
    }
  })
})
