import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { spellings } from '../../tests/leaks/spellings.ts'
import { growth, linear } from '../../tests/support/processor-time.ts'
import type { Texts } from '../../tests/support/program.ts'
import type { Exchange, Response, Request } from '../http/exchange.ts'
import { Secret } from '../redact/secret.ts'
import { documentedPairs } from '../specification/answers.ts'
import type { RunWideRuleId } from '../specification/rules.ts'
import { characterIn, forAll } from '../text/properties.testing.ts'
import { noSharedCache, repeatedAs as foundAs, runWideChecks, spellingsOf } from './run-wide.ts'
import { answer, credentials, damaged, exchange } from './testing/exchanges.ts'
import { fieldsWith, refused, requestWith, served } from './testing/exchanges.ts'

/** The result of a rule: `says nothing`, `holds`, or the kind of difference, and whether it is only implied. */
function judged(rule: RunWideRuleId, response: Response | Exchange): string {
  const judgement = runWideChecks[rule]('request' in response ? response : exchange(response))
  if (judgement === null) return 'says nothing'
  if (judgement.kind !== 'violates') return judgement.kind
  return judgement.breach.difference + (judgement.breach.implied === true ? ' (implied)' : '')
}

function summary(rule: RunWideRuleId, response: Response): string {
  const judgement = runWideChecks[rule](exchange(response))
  return judgement?.kind === 'violates' ? judgement.breach.summary : ''
}

const json = 'conventions/json-response'
const label = 'conventions/json-content-type'
const shape = 'errors/body-shape'
const pairs = 'errors/documented-pairs'
const echo = 'security/no-secret-echo'
const unpaired = 'not a documented pair'

const first = '{"error_code":"1001","error_code":"1006","error_message":""}'
const twoCodes = [first, '{"error_code" : 6,"error_message":"","error_code":"1006"}']
const oneCode = [
  '{"error_code":"1006","error_message":"","error_code":"1006"}',
  '{"error_code":"1006","error_message":"a","error_message":"b"}',
  '{"error_code":"1006","error_message":"","cause":{"error_code":"17"}}',
  '{"error_code":"1006","error_message":"","cause":{"error_code":"17"},"error_code":"1006"}',
]
const badRequest = (body: object): Response => answer(400, body)
const unmarked = [served, answer(500, []), refused(200, '1006'), refused(401, '1')]
const marked = (response: Response): Response =>
  answer(response.status, `\uFEFF${response.text}`, { fields: response.fields })

test.each<[rule: RunWideRuleId, result: string, responses: readonly Response[]]>([
  [json, 'holds', [served, answer(200, 'null'), answer(500, []), refused(401, '1006', { fields: [] })]],
  [json, 'holds', [refused(200, '1006'), answer(200, '"\uFEFF"')]],
  [json, 'empty body', [answer(204, ''), answer(401, '')]],
  [json, 'body is not JSON', [answer(400, "{'error_code':'1001'}"), answer(200, '\uFEFF<html>')]],
  [json, 'body is not in its content coding', [damaged(200, 'labelled gzip and is not gzip')]],
  [json, 'byte order mark (implied)', unmarked.map(marked)],
  [label, 'holds', [answer(200, {}, { fields: [['CONTENT-TYPE', 'application/json']] }), answer(500, '<')]],
  [label, 'no content-type', [labelled(), refused(401, '1006', { fields: [] })]],
  [label, 'says nothing', [answer(204, '', { fields: [] })]],
  [shape, 'says nothing', [served, refused(200, '1006'), answer(299, '<html>')]],
  [shape, 'holds', [refused(401, '1006'), refused(418, 'made-up'), marked(refused(401, '1006'))]],
  [shape, 'empty body', [answer(500, '')]],
  [shape, 'error_code is missing', [answer(400, { errors: [{ error_code: '1' }] }), answer(302, {})]],
  [shape, 'several error codes (implied)', twoCodes.map((text) => answer(401, text))],
  [shape, 'holds', oneCode.map((text) => answer(401, text))],
  [pairs, 'says nothing', [served, refused(200, '42'), answer(204, '')]],
  [pairs, unpaired, [refused(200, '1006'), refused(202, '1020'), refused(400, '1004'), refused(400, '')]],
  [pairs, unpaired, [refused(400, '1001 '), answer(401, { message: 'a' }), answer(404, '<html>')]],
  [pairs, unpaired, [answer(500, ''), answer(302, ''), answer(401, { error_code: 1001 })]],
  [pairs, unpaired, [answer(400, { error_code: 1004 }), answer(400, { error_code: ['1001'] })]],
  [pairs, 'holds', [{ error_code: 1001, error_message: 'a' }, { error_code: '1001' }].map(badRequest)],
  [pairs, 'holds', [marked(refused(401, '1006'))]],
])('%s gives the result %s (%#)', (rule, result, responses) => {
  for (const response of responses) expect(judged(rule, response), response.text).toBe(result)
})

const wanted = 'although every body is documented as JSON'
const cutShort = 'labelled gzip and is cut short'
const fits = 'where JSON needs application/json or +json'
const needed = 'where an object with string error_code and string error_message is documented'
const eleven = 'which is not one of the eleven documented pairs of status and error_code'
test.each([
  [json, answer(404, '<html>'), `404, with a body that is not JSON, ${wanted}`],
  [json, damaged(200, cutShort), `200, with a body that is ${cutShort}, ${wanted}`],
  [label, labelled(), `200 with no content-type ${fits}`],
  [label, labelled('text/plain', 'text/html'), `200 with content-type "text/plain, text/html" ${fits}`],
  [shape, answer(400, { error_code: '1001' }), `400 / 1001, without error_message, ${needed}`],
  [pairs, answer(404, ''), `404, with an empty body, ${eleven}`],
] as const)('%s reports the answer it saw: %#', (rule, response, says) => {
  expect(summary(rule, response)).toBe(`answered ${says}`)
})

function labelled(...types: readonly string[]): Response {
  return answer(200, {}, { fields: types.map((type) => ['content-type', type]) })
}

test.each<[result: string, types: readonly string[]]>([
  ['holds', ['application/json', 'application/json; charset=utf-8', 'application/json;charset=UTF-8']],
  ['holds', ['application/json ; charset="utf-8"', 'Application/JSON', 'APPLICATION/PROBLEM+JSON']],
  ['holds', ['application/problem+json; charset=utf-8', 'application/vnd.api+json', ' application/json']],
  ['holds', ['application/hal+json;profile=x', '\tapplication/problem+json']],
  ['another content-type', ['text/json', 'text/html', 'text/plain; application/json', 'application/jsonp']],
  ['another content-type', ['application/json5', 'application/json-seq', 'application/x-json', 'json', '']],
  ['another content-type', ['xapplication/json', 'x application/json', 'application/+json']],
  ['another content-type', ['application/problem+jsonx', 'application/json, text/html']],
])('conventions/json-content-type gives the result %s for %j', (result, types) => {
  for (const type of types) expect(judged(label, labelled(type)), type).toBe(result)
})

const several = 'several content-types'
test.each<[result: string, types: readonly string[]]>([
  ['holds', ['application/json', 'application/json']],
  ['holds', ['application/json', 'Application/JSON; charset=utf-8', 'application/json;charset="UTF-8"']],
  ['holds', ['application/problem+json; v=1', 'application/problem+json;v="1";']],
  ['another content-type', ['text/plain', 'text/html']],
  [several, ['application/json', 'text/html']],
  [several, ['application/json', 'application/json; charset=utf-16']],
  [several, ['application/json', '']],
])('conventions/json-content-type gives the result %s for the fields %j', (result, types) => {
  const response = labelled(...types)
  const told = `answered 200 with several content-type ${JSON.stringify(types.join(', '))} fields where at most one is allowed (RFC 9110, 5.3 and 8.3)`

  expect(judged(label, response)).toBe(result)
  if (result === several) expect(summary(label, response)).toBe(told)
})

test('a breach shortens long labels, and lists no allowed answers for a wrong shape', () => {
  const judgement = runWideChecks[shape](exchange(answer(400, { error_code: '1001' })))

  expect(summary(label, labelled('x'.repeat(5_000))).length).toBeLessThan(200)
  expect(judgement).toMatchObject({ breach: { allowed: [], answered: { status: 400, errorCode: '1001' } } })
})

test('errors/documented-pairs holds only for the eleven pairs of status and code', () => {
  for (const { status, errorCode } of documentedPairs)
    for (const other of [400, 401, 403, 404, 422, 429, 500])
      expect(judged(pairs, refused(other, errorCode))).toBe(other === status ? 'holds' : unpaired)
  const allowed = documentedPairs.map(({ status, errorCode }) => ({ status, errorCode }))
  expect(allowed).toHaveLength(11)
  expect(runWideChecks[pairs](exchange(answer(404, '')))).toMatchObject({ breach: { allowed } })
})

const targetSecret = credentials.secretKey.reveal()
const hex = Buffer.from(targetSecret).toString('hex')
const base64 = Buffer.from(targetSecret).toString('base64')
const percent = hex.replaceAll(/../g, '%$&')
const inBody = 'secret in the body'
const inField = 'secret in a header field'

type Credential = string | Secret | null

/** An answer to a secret and a key, by default those of the client. */
function echoing(text: string, sent: Credential = targetSecret, key?: Credential): Exchange {
  const fields = fieldsWith({ 'x-secret-key': sent, ...(key === undefined ? {} : { 'x-api-key': key }) })
  return exchange(answer(401, text), requestWith({ fields }))
}

const placed = (places: Partial<Response>): Exchange => exchange({ ...answer(200, {}), ...places })

const [row, told] = ['x'.repeat(40), `{"error_message":"invalid ${targetSecret}"}`]
test.each<[result: string, ...exchanges: readonly Exchange[]]>([
  ['holds', exchange(served), echoing(targetSecret.slice(1)), echoing(targetSecret.toLowerCase())],
  [inBody, echoing(told), echoing(told, credentials.secretKey), echoing(`<html>${targetSecret}`)],
  [inBody, echoing('{"secret":"wrong-but-long-enough"}', 'wrong-but-long-enough')],
  [inBody, exchange(answer(200, { you: { sent: targetSecret } }))],
  [inBody, echoing(`{"a":"${targetSecret}"}`, `  ${targetSecret}\t`)],
  [inBody, echoing(hex), echoing(hex.toUpperCase()), echoing(percent)],
  ['holds', echoing(hex.slice(0, -3)), echoing(percent.slice(0, -3))],
  ['holds', echoing(hex.toUpperCase().slice(0, -3))],
  [inField, placed({ fields: ['1', `secret=${targetSecret};`].map((value, at) => [`x-${at}`, value]) })],
  [inField, placed({ fields: [['set-cookie', `s=${base64}`]] }), placed({ fields: [[targetSecret, '1']] })],
  [inField, placed({ reason: targetSecret, fields: [['x', targetSecret]] })],
  ['holds', placed({ fields: [['x-debug', targetSecret.slice(2)]] })],
  ['secret in the reason phrase', placed({ reason: `unknown secret ${targetSecret}` })],
  ['secret in a trailer', placed({ trailers: [['x-seen', encodeURIComponent(targetSecret)]] })],
  ['secret in a trailer', placed({ trailers: [[targetSecret, 'seen']] })],
  ['holds', placed({ reason: 'OK', trailers: [['x-sum', 'a1b2']] })],
  // No secret was sent, or one so short that a match may be chance.
  ['says nothing', echoing(told, null), echoing('{"a":"elevenchars"}', 'elevenchars'), echoing('{}', '')],
  [inBody, echoing('{"a":"twelve chars"}', 'twelve chars')],
  // A run of one character may be padding or a mask.
  ['says nothing', echoing(`{"error_message":"invalid secret ${row}"}`, row)],
  [inBody, echoing(`{"a":"${row}y"}`, `${row}y`)],
  // A service may name the key.
  ['says nothing', ...[credentials.secretKey, targetSecret].map((key) => echoing(told, targetSecret, key))],
  ['says nothing', echoing(told, targetSecret, `prefix-${targetSecret}`)],
  [inBody, echoing(told, targetSecret, null), echoing(told, targetSecret, 'another-key')],
  // An answer that repeats only the key does not repeat a longer secret.
  [inBody, ...['', ' \t', targetSecret.slice(0, 3)].map((key) => echoing(told, targetSecret, key))],
])('security/no-secret-echo gives the result %s (%#)', (result, ...exchanges) => {
  for (const one of exchanges) expect(judged(echo, one), one.response.text).toBe(result)
})

const encoded: Response['fields'] = [['x-seen', encodeURIComponent(`${targetSecret} `)]]
const inSeen = /in a header field \(x-seen\) the secret key that was sent, (?:as it is|percent-encoded)/
test.each<[response: Response, says: RegExp]>([
  [answer(200, `"${targetSecret}"`), /repeated in the body the secret key that was sent, as it is/],
  [answer(200, { error_message: [base64] }), /in the body \(error_message\) .* that was sent, in base64/],
  [answer(200, '', { fields: encoded }), inSeen],
])('an echo is reported with its place and spelling, but not quoted: %#', (response, says) => {
  const judgement = JSON.stringify(runWideChecks[echo](exchange(response)))

  expect(judgement).toMatch(says)
  expect(judgement).not.toContain(targetSecret)
})

test('an answer is searched for every secret that was sent', () => {
  const [one, other] = ['the-first-of-two-secrets', 'the-other-of-two-secrets']
  const fields = [one, other].map((value) => ({ name: 'x-secret-key', value }))
  const resultOf = (text: string, debug = text): string => {
    const response = answer(400, text, { fields: [['x-debug', debug]] })
    return judged(echo, exchange(response, requestWith({ fields })))
  }

  expect([resultOf(one), resultOf(other), resultOf('neither')]).toEqual([inBody, inBody, 'holds'])
  expect(resultOf('{}', other)).toBe(inField)
})

function repeatedAs(text: string, value: string): string | null {
  return foundAs(text, spellingsOf(value))
}

/** The characters that a secret key can contain: visible ASCII. */
const secrets = fc.string({ unit: characterIn(0x21, 0x7e), minLength: 12, maxLength: 64 })
const around = fc.string({ maxLength: 20 })

const entities: Texts = { '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot', "'": '#39' }
const detected =
  /^(?:unchanged|in JSON|percent-encoded(?:, every byte.*)?|in base64(?: after .*|url)?|in hex.*)$/

const encodings: readonly (readonly [name: string, encode: (text: string) => string])[] = [
  ...Object.entries(spellings).filter(([name]) => detected.test(name)),
  ['as JSON inside a longer text', (text) => JSON.stringify(`not "${text}", sorry`)],
  ['as HTML', (text) => text.replaceAll(/[&<>"']/g, (sign) => `&${entities[sign]};`)],
  ['percent, lower case', (text) => encodeURIComponent(text).replaceAll(/%../g, (one) => one.toLowerCase())],
]

describe('a repeated value is found in a text', () => {
  it.each(encodings)('%s', (_, encode) => {
    forAll(secrets, around, around, (secret, before, after) => {
      expect(repeatedAs(before + encode(secret) + after, secret)).not.toBeNull()
    })
  })

  it.each(['base64', 'base64url'] as const)('in %s, at any position in the encoded text', (alphabet) => {
    forAll(secrets, around, around, (secret, before, after) => {
      const text = Buffer.from(before + secret + after, 'utf8').toString(alphabet)
      expect(repeatedAs(`{"token":"${text}"}`, secret)).not.toBeNull()
    })
  })

  it('in base64 of bytes beyond ASCII, given as one character each', () => {
    const bytes = 'caf\xc3\xa9-secret'

    expect(repeatedAs(Buffer.from(`<${bytes}>`, 'latin1').toString('base64'), bytes)).not.toBeNull()
  })

  // Base64 mixes the first two and last two characters with their neighbours.
  it('but not if base64 lacks three of its characters', () => {
    const secret = 'abcdefghijkl'
    const ends = Array.from({ length: 9 }, (_, from) => secret.slice(from + 3))
    const starts = Array.from({ length: 9 }, (_, from) => secret.slice(0, -3 - from))

    for (const part of [...ends, ...starts]) {
      expect(repeatedAs(Buffer.from(part).toString('base64'), secret), part).toBeNull()
    }
  })

  it('only if the text contains it', () => {
    forAll(secrets, fc.string({ maxLength: 200 }), (secret, text) => {
      fc.pre(!text.includes(secret))
      expect(repeatedAs(text, secret)).toBeNull()
    })
    expect(repeatedAs('anything', '')).toBeNull()
    expect(repeatedAs('Abcdefghijkl', 'abcdefghijkl')).toBeNull()
  })

  it('in linear time, even for repetitive values', async () => {
    const near = 'aaaaaaaaaaab'
    const look = (size: number): void => expect(repeatedAs('a'.repeat(size), near)).toBeNull()

    expect(await growth(look, 4_000_000)).toBeLessThan(linear)
  })
})

type Fields = readonly (readonly [string, string])[]

/** The result for a success with these fields: `says nothing`, `holds`, or the directive to blame. */
function offeredBy(fields: Fields, request: Request = requestWith()): string {
  const judgement = noSharedCache(exchange(answer(200, {}, { fields }), request))
  if (judgement === null) return 'says nothing'
  if (judgement.kind !== 'violates') return judgement.kind
  expect(judgement.breach.difference).toBe('offered to shared caches')
  return /cache-control: (\S+),/.exec(judgement.breach.summary)?.[1] ?? ''
}

const offered: Fields = [['cache-control', 'public, max-age=60']]

test.each<[result: string, values: readonly string[]]>([
  ['max-age=60', ['MAX-AGE=60', 'max-age="60"', 'max-age=060', 'max-age=60,max-age=60']],
  ['max-age=60', [',, max-age=60 ,\tmust-revalidate', 'community="private", max-age=60']],
  ['max-age=60', ['x="a, \\" no-store", max-age=60', 'max-age=60, stale-while-revalidate=86400, immutable']],
  ['max-age=1', ['max-age=1']],
  ['max-age=1e+30', [`max-age=${'9'.repeat(30)}`]],
  ['s-maxage=5', ['s-maxage=5', 'max-age=0, s-maxage=5']],
  ['holds', ['', 'public', 'must-revalidate', 'private, max-age=60', 'max-age=60, PRIVATE', 'max-age=0']],
  ['holds', ['private="set-cookie", max-age=60', 'max-age=60, no-cache', 'no-store, s-maxage=60']],
  ['holds', ['s-maxage=0', 'max-age=60, s-maxage=0']],
  // Malformed, or contradictory.
  ['holds', ['max-age', 'max-age=', 'max-age=-60', 'max-age=60s', 'max-age=1.5', 'max-age=0x60']],
  ['holds', ['max-age=1e3', 'max-age="60', "max-age='60'", 'max-age = 60', 'max-age= 60', 'max-age:60']],
  ['holds', ['public max-age=60', 'max-age=60, max-age=0', 'max-age=60, s-maxage=soon', 'max-age=\u0661']],
  ['holds', ['public; max-age=60', 'private="a, max-age=60']],
])('the result for a success is %s with any cache-control of %j', (result, values) => {
  for (const value of values) expect(offeredBy([['Cache-Control', value]]), value).toBe(result)
})

const severalLines: Fields = [
  ['cache-control', 'public'],
  ['CACHE-CONTROL', 'max-age=60'],
  ['vary', 'x-version, accept-encoding'],
  ['vary', 'x-api-key-hint, authorization'],
]
const varying = ['*', 'accept, *', 'X-Api-Key', 'accept-encoding,x-secret-key', '"x-api-key"'].map(
  (vary): Fields => [...offered, ['vary', 'origin'], ['Vary', vary]],
)
const without = (...names: readonly string[]): Request =>
  requestWith({ fields: fieldsWith(Object.fromEntries(names.map((name) => [name, null]))) })

test.each<[result: string, about: string, fields: Fields, request?: Request]>([
  ['max-age=60', 'several field lines, even if Vary names other fields', severalLines],
  ...varying.map((fields): [string, string, Fields] => ['holds', 'Vary that names the credentials', fields]),
  ['holds', 'no cache-control', [['expires', 'Sat, 21 Nov 2099 00:00:00 GMT']]],
  ['says nothing', 'another method', offered, requestWith({ method: 'POST' })],
  ['says nothing', 'no credentials', offered, without('x-api-key', 'x-secret-key')],
  ['max-age=60', 'no key', offered, without('x-api-key')],
])('the result for a success is %s with %s: %#', (result, _, fields, request) => {
  expect(offeredBy(fields, request)).toBe(result)
})

test('the rule about caches does not apply to answers without success', () => {
  const none = [refused(200, '1006', { fields: offered }), answer(200, '<html>', { fields: offered })]
  const all = [...none, answer(204, '', { fields: offered })]

  expect(all.map((one) => noSharedCache(exchange(one)))).toEqual([null, null, null])
})
