import { describe, expect, it } from 'vitest'
import type { Finding } from '../judge/record.ts'
import { flawRows } from '../specification/flaws.ts'
import { ruleOf } from '../specification/rules.ts'
import { causesOf, type JudgedRule } from './causes.ts'
import { answered, failed, found, served, type Sent } from './testing/causes.ts'
import { findingWith } from './verdict.testing.ts'

const { exchange } = found('any')

function sentences(...rules: readonly JudgedRule[]): readonly string[] {
  return causesOf(rules).map(({ sentence }) => sentence)
}

function sentWith(name: string, value = 'x'): Finding['exchange'] {
  return { ...exchange, request: { ...exchange.request, headers: [[name, value]] } }
}

function sentTo(path: string): Finding['exchange'] {
  return { ...exchange, request: { ...exchange.request, url: `https://cards.example${path}` } }
}

/** An answer without `error_code` in this format. */
function page(status: number, type: string, body = '<h1>Cannot GET</h1>'): Partial<Finding> {
  const response = { status, headers: [['content-type', type]] as const, body, bodyCut: 0 }
  return { difference: 'another answer', ...answered(status), exchange: { ...exchange, response } }
}

describe('the sentence', () => {
  const documented = 'documented 400 / 1001 (api key header is missing)'
  const noVersion = { flaws: ['version absent'] }
  const rare = { reproduced: '1 of 3' } as const
  const allowed = [
    { status: '2xx', errorCode: null },
    { status: 400, errorCode: '1030' },
  ] as const
  const quota = [{ status: 429, errorCode: '1020' }] as const
  const rarely = { ...served, ...rare }
  const blankUnknown = ['apiKey blank', 'endpoint unknown']
  const cgi = '; CGI servers map _ and - to the same name'
  const underscored = { exchange: sentWith('X_Api_Key') }
  const ofSecond = { client: 'second' } as const
  const uncertain = ['input uncertain']
  const [either, usedUp] = ['success or 400 / 1030', '429 / 1020 (daily quota limit exceeded)']
  const altered = { ...served, summary: 'answered 200; sent: TARGET_API_KEY followed by the byte a0' }
  const spelled = { flaws: ['apiKey absent'], conditions: ['x_api_key'] }
  const underTwo = { flaws: ['apiKey invalid'], conditions: ['?debug=true', 'accept: */*'] }
  const underOne = { ...noVersion, conditions: ['accept-language: fr-FR'] }

  it.each<[string, Sent | readonly string[], Partial<Finding>]>([
    ['A request with a wrong secret key was accepted (only sometimes)', ['secretKey nobodys'], rarely],
    [`A plain valid request: ${findingWith().summary}`, { plain: true }, { ...answered(500), allowed: [] }],
    [`A request with an empty x-api-key, to an unknown path: 422 / 1001, ${documented}`, blankUnknown, {}],
    [`A request without x-version with accept-language: fr-FR: 422 / 1001, ${documented}`, underOne, {}],
    ['The valid API key followed by the byte a0 was accepted', ['apiKey invalid'], altered],
    [`A request without x-api-key with x_api_key: 422 / 1001, ${documented}${cgi}`, spelled, underscored],
    ['A request with a wrong API key with ?debug=true and accept: */* was accepted', underTwo, served],
    [`A valid request with te: x: 422 / 1001, ${documented}`, { conditions: ['te: x'] }, {}],
    ['answered oddly', { flaws: null }, { summary: 'answered oddly' }],
    // Valid, but not in the plain form.
    [`A valid request (fuzz/headers) from the client second: 422 / 1001, ${documented}`, ofSecond, {}],
    [`A request without x-version: 302, ${documented}`, noVersion, answered(302)],
    [`A request without x-version: no answer, ${documented}`, noVersion, { answered: null }],
    [`A request with undocumented parameters: 422 / 1001, documented ${either}`, uncertain, { allowed }],
    [`A plain valid request: 200, documented ${usedUp}`, { plain: true }, { ...served, allowed: quota }],
  ])('is: %s', (sentence, sent, more) => {
    expect(sentences(failed('fuzz/headers', found('fuzz/headers:1:a', sent, more)))).toEqual([sentence])
  })

  it('is the summary of a finding about several requests', () => {
    const ofSeveral = findingWith({ summary: 'answered oddly', ...rare })

    expect(sentences(failed('fuzz/headers', ofSeveral))).toEqual(['answered oddly (only sometimes)'])
  })

  it.each(flawRows)('describes $id: $phrase', ({ id, phrase }) => {
    const finding = found('a', { flaws: [id], client: 'second' }, served)

    expect(phrase).toMatch(/^(?:with|without|to|from|of) /)
    expect(sentences(failed('fuzz/headers', finding))).toEqual([`A request ${phrase} was accepted`])
  })

  it.each<[string, Partial<Finding>, string?]>([
    ['404 with HTML', page(404, 'text/html; charset=utf-8'), 'body is not JSON'],
    ['404 with plain text', page(404, 'text/plain'), 'body is not JSON'],
    ['404 with XML', page(404, 'application/problem+xml'), 'body is not JSON'],
    ['404 with a body that is not JSON', page(404, 'application/json'), 'body is not JSON'],
    ['404 with an empty body', page(404, 'text/html', ''), 'empty body'],
    ['404 without error_code', page(404, 'application/json', '{}'), 'error_code is missing'],
    ['404 with JSON that is not an object', page(404, 'application/json', '[]'), 'body is not an object'],
    ['302', page(302, 'text/html')],
    ['304', page(304, 'text/html', '')],
  ])('describes the answer: %s', (got, answer, difference = 'another answer') => {
    const unknown = found('a', ['endpoint unknown'], { ...answer, difference })

    expect(sentences(failed('versioning/unknown-endpoint', unknown))).toEqual([
      `A request to an unknown path: ${got}, ${documented}`,
    ])
  })

  it('takes the documented answer from another rule if its own finding names no answer', () => {
    const html = { ...page(500, 'text/html'), difference: 'body is not JSON' }
    const any = failed('conventions/json-response', found('a', noVersion, { ...html, allowed: [] }))
    const fuzzed = failed('fuzz/headers', found('b', noVersion, html))

    expect(sentences(any, fuzzed)).toEqual([`A request without x-version: 500 with HTML, ${documented}`])
  })

  it.each<[string, readonly Finding['exchange'][]]>([
    [', with version: 1', [sentWith('VERSION', '1'), sentWith('version', '1')]],
    [', with an empty te', [sentWith('te', '')]],
    [', with the byte b2 in x-version', [sentWith('x-version', '\xb2'), sentWith('x-version', '\xc2\xb2')]],
    [', which cannot be decoded', [sentTo('/api/a/%ff'), sentTo('/api/%'), sentTo('/api/%zz?a=1')]],
    // No trigger: a missing field, another value, another byte, a decodable path, fields that every request has.
    ['', [sentWith('version', '1'), sentWith('x-version', '1')]],
    ['', [sentWith('version', '1'), sentWith('version', '2')]],
    ['', [sentWith('x-version', '\xb2'), sentWith('x-version', '\xb3')]],
    ['', [sentTo('/api/%'), sentTo('/api/%41')]],
    ['', [sentWith('x-version', '1'), sentWith('Accept', '*/*')]],
  ])('names what all its requests have in addition: "%s"', (trigger, exchanges) => {
    const findings = exchanges.map((one, place) => found(`${place}`, noVersion, { exchange: one }))

    expect(sentences(failed('fuzz/headers', ...findings))).toEqual([
      `A request without x-version${trigger}: 422 / 1001, ${documented}`,
    ])
  })

  it('is the sentence of a user-defined rule', () => {
    const own = { ...ruleOf('fuzz/query'), section: 'ours', says: 'each card has wings' }
    const finding = found('a', {}, { summary: 'answered 200 with JSON, but it has no wings', allowed: [] })

    expect(causesOf([failed('own/wings', finding)], new Map([['own/wings', own]]))).toMatchObject([
      { sentence: 'The rule "each card has wings" is broken: answered 200 with JSON, but it has no wings' },
    ])
  })

  it('names no value if several were accepted', () => {
    const findings = ['in upper case', 'with x after its last character'].map((how) =>
      found(how, ['secretKey nobodys'], {
        ...served,
        summary: `answered 200; sent: TARGET_SECRET_KEY ${how}`,
      }),
    )

    expect(sentences(failed('fuzz/secret-key', ...findings))).toEqual([
      'A request with a wrong secret key was accepted',
    ])
  })
})
