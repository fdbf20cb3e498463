import { describe, expect, it } from 'vitest'
import { findingWith } from '../verdict/verdict.testing.ts'
import { causesOf, type JudgedRule } from './causes.ts'
import { factNames, factValues, flawless } from '../judge/facts.ts'
import type { Finding } from '../judge/record.ts'
import { failed, found, served } from './testing/causes.ts'

function sentences(...rules: readonly JudgedRule[]): readonly string[] {
  return causesOf(rules).map(({ sentence }) => sentence)
}

function sentWith(name: string, value = 'x'): Finding['exchange'] {
  const { exchange } = found('any', {})
  return { ...exchange, request: { ...exchange.request, headers: [[name, value]] } }
}

function sentTo(path: string): Finding['exchange'] {
  const { exchange } = found('any', {})
  return { ...exchange, request: { ...exchange.request, url: `https://cards.example${path}` } }
}

/** An answer without `error_code` in this format. */
function page(
  status: number,
  type: string,
  body = '<h1>Cannot GET /api/x</h1>',
  difference = 'body is not JSON',
): Partial<Finding> {
  const { exchange } = found('any', {})
  return {
    difference,
    answered: { status, errorCode: null },
    exchange: {
      ...exchange,
      response: { status, headers: [['content-type', type]], body, bodyCut: 0 },
    },
  }
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

  it.each<[string, Partial<Finding>]>([
    ['404 with HTML', page(404, 'text/html; charset=utf-8')],
    ['404 with plain text', page(404, 'text/plain')],
    ['404 with XML', page(404, 'application/problem+xml')],
    ['404 with a body that is not JSON', page(404, 'application/json')],
    ['404 with an empty body', page(404, 'text/html', '', 'empty body')],
    ['404 without error_code', page(404, 'application/json', '{}', 'error_code is missing')],
    ['404 with JSON that is not an object', page(404, 'application/json', '[]', 'body is not an object')],
    ['302', { ...page(302, 'text/html'), difference: 'another answer' }],
    ['304', { ...page(304, 'text/html', ''), difference: 'another answer' }],
  ])('says what came: %s', (got, answer) => {
    const unknown = found('a', { flaws: ['endpoint unknown'] }, answer)

    expect(sentences(failed('versioning/unknown-endpoint', unknown))).toEqual([
      `A request to an unknown path: ${got}, documented 400 / 1001 (api key header is missing)`,
    ])
  })

  it('takes what is documented from another rule where its own finding names no answer', () => {
    const any = found('a', noVersion, { ...page(500, 'text/html'), allowed: [] })
    const fuzzed = found('b', noVersion, page(500, 'text/html'))

    expect(sentences(failed('conventions/json-response', any), failed('fuzz/headers', fuzzed))).toEqual([
      `A request without x-version: 500 with HTML, ${documented}`,
    ])
  })

  it.each<[string, readonly Finding['exchange'][]]>([
    ['with version: 1', [sentWith('VERSION', '1'), sentWith('version', '1')]],
    ['with an empty te', [sentWith('te', '')]],
    ['with the byte b2 in x-version', [sentWith('x-version', '\xb2'), sentWith('x-version', '\xc2\xb2')]],
    ['which cannot be decoded', [sentTo('/api/a/%ff'), sentTo('/api/%'), sentTo('/api/%zz?a=1')]],
  ])('names what all of its requests have besides: %s', (trigger, exchanges) => {
    const findings = exchanges.map((exchange, place) => found(`${place}`, noVersion, { exchange }))

    expect(sentences(failed('fuzz/headers', ...findings))).toEqual([
      `A request without x-version, ${trigger}: 422 / 1001, ${documented}`,
    ])
  })

  it.each<[string, readonly Finding['exchange'][]]>([
    ['what some of them lack', [sentWith('version', '1'), sentWith('x-version', '1')]],
    ['another value', [sentWith('version', '1'), sentWith('version', '2')]],
    ['another byte', [sentWith('x-version', '\xb2'), sentWith('x-version', '\xb3')]],
    ['a path that can be decoded', [sentTo('/api/%'), sentTo('/api/%41')]],
    ['fields that every request has', [sentWith('x-version', '1'), sentWith('Accept', '*/*')]],
  ])('names no trigger: %s', (_, exchanges) => {
    const findings = exchanges.map((exchange, place) => found(`${place}`, noVersion, { exchange }))

    expect(sentences(failed('fuzz/headers', ...findings))).toEqual([
      `A request without x-version: 422 / 1001, ${documented}`,
    ])
  })

  it('is that of a rule of the user itself', () => {
    const own = 'own/wings'
    const entry = {
      level: 'documented',
      section: 'ours',
      says: 'each card has wings',
      phase: 'together',
    } as const
    const finding = found('a', {}, { summary: 'answered 200 with JSON, but it has no wings', allowed: [] })
    const causes = causesOf([failed(own, finding)], new Map([[own, entry]]))

    expect(causes.map(({ sentence }) => sentence)).toEqual([
      'The rule "each card has wings" is broken: answered 200 with JSON, but it has no wings',
    ])
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
