import { describe, expect, it } from 'vitest'
import type { Exchange, Response } from '../http/exchange.ts'
import { Secret } from '../redact/secret.ts'
import { documentedPairs } from '../specification/answers.ts'
import type { RunWideRuleId } from '../specification/rules.ts'
import { runWideChecks } from './run-wide.ts'
import {
  answer,
  credentials,
  damaged,
  exchange,
  fieldsWith,
  refused,
  requestWith,
  served,
} from './testing/exchanges.ts'

/** The result of a rule: `says nothing`, `holds`, or the kind of difference. */
function judged(rule: RunWideRuleId, response: Response | Exchange): string {
  const judgement = runWideChecks[rule]('request' in response ? response : exchange(response))
  if (judgement === null) return 'says nothing'
  return judgement.kind === 'violates' ? judgement.breach.difference : judgement.kind
}

function summary(rule: RunWideRuleId, response: Response | Exchange): string {
  const judgement = runWideChecks[rule]('request' in response ? response : exchange(response))
  return judgement?.kind === 'violates' ? judgement.breach.summary : ''
}

describe('conventions/json-response', () => {
  it.each([
    [served, 'holds'],
    [answer(200, 'null'), 'holds'],
    [answer(500, []), 'holds'],
    [refused(401, '1006', { fields: [] }), 'holds'],
    [refused(200, '1006'), 'holds'],
    [answer(204, ''), 'empty body'],
    [answer(401, ''), 'empty body'],
    [answer(200, '<html>'), 'body is not JSON'],
    [answer(400, 'api key header is missing'), 'body is not JSON'],
    [answer(400, "{'error_code':'1001'}"), 'body is not JSON'],
    [damaged(200, 'labelled gzip and is not gzip'), 'body is not in its content coding'],
  ])('%#: %o', (response, expected) => {
    expect(judged('conventions/json-response', response)).toBe(expected)
  })

  it('tells what it met', () => {
    expect(summary('conventions/json-response', answer(404, '<html>'))).toBe(
      'answered 404, with a body that is not JSON, where every body is documented to be JSON',
    )
    expect(summary('conventions/json-response', damaged(200, 'labelled gzip and is cut short'))).toBe(
      'answered 200, with a body that is labelled gzip and is cut short, where every body is documented to be JSON',
    )
  })
})

describe('conventions/json-response, of a byte order mark before JSON', () => {
  const marked = (response: Response): Response =>
    answer(response.status, `\uFEFF${response.text}`, { fields: response.fields })

  it.each([served, refused(401, '1006'), answer(500, []), refused(200, '1006')])(
    'is broken in an implied way: %#',
    (response) => {
      expect(runWideChecks['conventions/json-response'](exchange(marked(response)))).toMatchObject({
        kind: 'violates',
        breach: { difference: 'byte order mark', implied: true },
      })
    },
  )

  it('is broken in the documented way by what is no JSON anyway', () => {
    const judgement = runWideChecks['conventions/json-response'](exchange(answer(200, '\uFEFF<html>')))

    expect(judgement).toMatchObject({ breach: { difference: 'body is not JSON' } })
    expect(judgement).not.toHaveProperty('breach.implied')
  })

  it('holds where the mark stands within JSON, and says nothing under the other rules', () => {
    expect(judged('conventions/json-response', answer(200, '"\uFEFF"'))).toBe('holds')
    expect(judged('errors/body-shape', marked(refused(401, '1006')))).toBe('holds')
    expect(judged('errors/documented-pairs', marked(refused(401, '1006')))).toBe('holds')
  })
})

describe('errors/body-shape, of an error code that stands twice', () => {
  const twice = (text: string): Response => answer(401, text)

  it.each([
    '{"error_code":"1001","error_code":"1006","error_message":""}',
    '{"error_code" : 6,"error_message":"","error_code":"1006"}',
  ])('is broken in an implied way by %s', (text) => {
    expect(runWideChecks['errors/body-shape'](exchange(twice(text)))).toMatchObject({
      kind: 'violates',
      breach: { difference: 'several error codes', implied: true },
    })
  })

  it.each([
    '{"error_code":"1006","error_message":"","error_code":"1006"}',
    '{"error_code":"1006","error_message":"a","error_message":"b"}',
    '{"error_code":"1006","error_message":"","cause":{"error_code":"17"}}',
    '{"error_code":"1006","error_message":"","cause":{"error_code":"17"},"error_code":"1006"}',
  ])('holds for %s', (text) => {
    expect(judged('errors/body-shape', twice(text))).toBe('holds')
  })
})

describe('conventions/json-content-type', () => {
  const rule = 'conventions/json-content-type'
  const labelled = (...types: readonly string[]): Response =>
    answer(200, {}, { fields: types.map((type) => ['content-type', type]) })

  it.each([
    'application/json',
    'application/json; charset=utf-8',
    'application/json;charset=UTF-8',
    'application/json ; charset="utf-8"',
    'Application/JSON',
    'APPLICATION/PROBLEM+JSON',
    'application/problem+json; charset=utf-8',
    'application/vnd.api+json',
    'application/hal+json;profile=x',
    ' application/json',
    '\tapplication/problem+json',
  ])('holds for %s', (type) => {
    expect(judged(rule, labelled(type))).toBe('holds')
  })

  it.each([
    'text/json',
    'text/html',
    'text/plain; application/json',
    'application/jsonp',
    'application/json5',
    'application/json-seq',
    'application/x-json',
    'xapplication/json',
    'x application/json',
    'application/+json',
    'application/jsonx; charset=utf-8',
    'application/problem+jsonx',
    'json',
    '',
  ])('is broken by %j', (type) => {
    expect(judged(rule, labelled(type))).toBe('another content-type')
  })

  it('reads the field whatever the letter case of its name', () => {
    const shouted = answer(200, {}, { fields: [['CONTENT-TYPE', 'application/json']] })

    expect(judged(rule, shouted)).toBe('holds')
  })

  it('is broken by a body without a label, and by two labels of which none fits', () => {
    expect(judged(rule, labelled())).toBe('no content-type')
    expect(judged(rule, labelled('application/json', 'application/json'))).toBe('holds')
    expect(judged(rule, labelled('text/plain', 'text/html'))).toBe('another content-type')
    expect(summary(rule, labelled())).toBe(
      'answered 200 with no content-type where application/json or +json fits JSON',
    )
    expect(summary(rule, labelled('text/plain', 'text/html'))).toBe(
      'answered 200 with content-type "text/plain, text/html" where application/json or +json fits JSON',
    )
  })

  it.each([
    [['application/json', 'application/json']],
    [['application/json', 'Application/JSON; charset=utf-8', 'application/json;charset="UTF-8"']],
    [['application/problem+json; v=1', 'application/problem+json;v="1";']],
  ])('holds for several labels that say the same: %j', (types) => {
    expect(judged(rule, labelled(...types))).toBe('holds')
  })

  it.each([
    [['application/json', 'text/html']],
    [['text/plain; charset=utf-8', 'application/json']],
    [['application/json', 'application/problem+json']],
    [['application/json', 'application/json; charset=utf-16']],
    [['application/json', '']],
  ])('is broken by several labels that differ: %j', (types) => {
    expect(judged(rule, labelled(...types))).toBe('several content-types')
    expect(summary(rule, labelled(...types))).toBe(
      `answered 200 with several fields of content-type ${JSON.stringify(types.join(', '))} where one is sent at most (RFC 9110, 5.3 and 8.3)`,
    )
  })

  it('is broken by a list in one field', () => {
    expect(judged(rule, labelled('application/json, text/html'))).toBe('another content-type')
  })

  it('holds errors to the same, and pages that claim to be JSON are not its matter', () => {
    expect(judged(rule, refused(401, '1006', { fields: [] }))).toBe('no content-type')
    expect(judged(rule, answer(500, '<html>'))).toBe('holds')
  })

  it('says nothing where there is no body to label', () => {
    expect(judged(rule, answer(204, '', { fields: [] }))).toBe('says nothing')
  })

  it('does not repeat a label of any length', () => {
    expect(summary(rule, labelled('x'.repeat(5_000))).length).toBeLessThan(200)
  })
})

describe('errors/body-shape', () => {
  it.each([
    [served, 'says nothing'],
    [refused(200, '1006'), 'says nothing'],
    [answer(299, '<html>'), 'says nothing'],
    [refused(401, '1006'), 'holds'],
    [refused(418, 'made-up'), 'holds'],
    [answer(400, { error_message: 'a', extra: null, error_code: '1001' }), 'holds'],
    [answer(500, ''), 'empty body'],
    [answer(503, '<html>'), 'body is not JSON'],
    [answer(400, [{ error_code: '1001', error_message: 'a' }]), 'body is not an object'],
    [answer(400, { errors: [{ error_code: '1001', error_message: 'a' }] }), 'error_code is missing'],
    [answer(400, { error_code: 1001, error_message: 'a' }), 'error_code is not a string'],
    [answer(400, { error_code: '1001' }), 'error_message is missing'],
    [answer(400, { error_code: '1001', error_message: null }), 'error_message is not a string'],
    [answer(302, {}), 'error_code is missing'],
  ])('%#: %o', (response, expected) => {
    expect(judged('errors/body-shape', response)).toBe(expected)
  })

  it('tells what is missing, and sets no answer against another', () => {
    const response = answer(400, { error_code: '1001' })

    expect(runWideChecks['errors/body-shape'](exchange(response))).toEqual({
      kind: 'violates',
      breach: {
        allowed: [],
        answered: { status: 400, errorCode: '1001', flaw: 'error_message is missing' },
        difference: 'error_message is missing',
        summary:
          'answered 400 / 1001, without error_message, where an object with string error_code and string error_message is documented',
      },
    })
  })
})

describe('errors/documented-pairs', () => {
  it('holds for the eleven pairs and for no code under another status', () => {
    for (const { status, errorCode } of documentedPairs) {
      expect(judged('errors/documented-pairs', refused(status, errorCode))).toBe('holds')
      for (const other of [400, 401, 403, 404, 422, 429, 500].filter((one) => one !== status)) {
        expect(judged('errors/documented-pairs', refused(other, errorCode))).toBe('not a documented pair')
      }
    }
    expect(documentedPairs).toHaveLength(11)
  })

  it.each([
    ['a success', served, 'says nothing'],
    ['a success with a code of its own', refused(200, '42'), 'says nothing'],
    ['an empty success', answer(204, ''), 'says nothing'],
    ['a documented code under 2xx', refused(200, '1006'), 'not a documented pair'],
    ['a documented code under 202', refused(202, '1020'), 'not a documented pair'],
    ['an undocumented code', refused(400, '1004'), 'not a documented pair'],
    ['an empty code', refused(400, ''), 'not a documented pair'],
    ['a code with a space', refused(400, '1001 '), 'not a documented pair'],
    ['no code', answer(401, { message: 'a' }), 'not a documented pair'],
    ['a page', answer(404, '<html>'), 'not a documented pair'],
    ['an empty error', answer(500, ''), 'not a documented pair'],
    ['a redirect', answer(302, ''), 'not a documented pair'],
    ['a numeric documented code', answer(400, { error_code: 1001, error_message: 'a' }), 'holds'],
    ['a numeric code under another status', answer(401, { error_code: 1001 }), 'not a documented pair'],
    ['a numeric undocumented code', answer(400, { error_code: 1004 }), 'not a documented pair'],
    ['a code in a list', answer(400, { error_code: ['1001'] }), 'not a documented pair'],
    ['a code without a message', answer(400, { error_code: '1001' }), 'holds'],
  ] as const)('%s', (_, response, expected) => {
    expect(judged('errors/documented-pairs', response)).toBe(expected)
  })

  it('names the eleven as what is allowed', () => {
    const judgement = runWideChecks['errors/documented-pairs'](exchange(answer(404, '')))

    expect(judgement).toMatchObject({
      breach: {
        allowed: documentedPairs.map(({ status, errorCode }) => ({ status, errorCode })),
        summary:
          'answered 404, with an empty body, which is none of the eleven documented pairs of status and error_code',
      },
    })
  })
})

describe('security/no-secret-echo', () => {
  const rule = 'security/no-secret-echo'
  const secret = credentials.secretKey.reveal()
  const echoing = (text: string, sent: string | Secret = credentials.secretKey): Exchange =>
    exchange(answer(401, text), requestWith({ fields: fieldsWith({ 'x-secret-key': sent }) }))

  it('holds for an answer without the secret', () => {
    expect(judged(rule, served)).toBe('holds')
    expect(judged(rule, echoing(`{"a":"${secret.slice(1)}","b":"${secret.toLowerCase()}"}`))).toBe('holds')
  })

  it('is broken by the secret in the body, valid or not, success or not', () => {
    const wrong = 'wrong-but-long-enough'

    expect(judged(rule, echoing(`{"error_message":"invalid secret key ${secret}"}`))).toBe(
      'secret in the body',
    )
    expect(judged(rule, echoing(`{"secret":"${wrong}"}`, wrong))).toBe('secret in the body')
    expect(judged(rule, echoing(`<html>${secret}`))).toBe('secret in the body')
    expect(judged(rule, exchange(answer(200, { you: { sent: secret } })))).toBe('secret in the body')
  })

  it('is broken by the secret in a header field, its name included', () => {
    const withFields = (...fields: readonly (readonly [string, string])[]): string =>
      judged(rule, exchange(answer(200, {}, { fields })))

    expect(withFields(['x-a', '1'], ['x-debug', `secret=${secret};`])).toBe('secret in a header field')
    expect(withFields(['set-cookie', `s=${Buffer.from(secret).toString('base64')}`])).toBe(
      'secret in a header field',
    )
    expect(withFields([secret, '1'])).toBe('secret in a header field')
    expect(withFields(['x-debug', secret.slice(2)])).toBe('holds')
  })

  it.each([
    ['hexadecimal', Buffer.from(secret).toString('hex')],
    ['hexadecimal in capitals', Buffer.from(secret).toString('hex').toUpperCase()],
    ['percent-encoding', Buffer.from(secret).toString('hex').replaceAll(/../g, '%$&')],
  ])('is broken by the secret in %s', (_, text) => {
    expect(judged(rule, exchange(answer(200, { trace: text })))).toBe('secret in the body')
    expect(judged(rule, exchange(answer(200, { trace: text.slice(0, -3) })))).toBe('holds')
  })

  it('is broken by the secret in the reason phrase and in a trailer, its name included', () => {
    const withPlaces = (places: Partial<Response>): string =>
      judged(rule, exchange({ ...answer(200, {}), ...places }))

    expect(withPlaces({ reason: `unknown secret ${secret}` })).toBe('secret in the reason phrase')
    expect(withPlaces({ trailers: [['x-seen', encodeURIComponent(secret)]] })).toBe('secret in a trailer')
    expect(withPlaces({ trailers: [[secret, 'seen']] })).toBe('secret in a trailer')
    expect(withPlaces({ reason: 'OK', trailers: [['x-sum', 'a1b2']] })).toBe('holds')
    expect(withPlaces({ reason: secret, fields: [['x', secret]] })).toBe('secret in a header field')
  })

  it('never repeats the secret itself', () => {
    const told = JSON.stringify(runWideChecks[rule](echoing(`"${secret}"`)))

    expect(told).not.toContain(secret)
    expect(told).toContain('repeated in the body the secret key that was sent, as it is')
  })

  it('says where exactly, and in which spelling', () => {
    const packed = Buffer.from(secret).toString('base64')
    const told = (places: Partial<Response>): string =>
      JSON.stringify(
        runWideChecks[rule](exchange({ ...answer(200, { error_message: [packed] }), ...places })),
      )

    expect(told({})).toContain('in the body (error_message) the secret key that was sent, in base64')
    expect(told({ text: '', fields: [['x-seen', encodeURIComponent(`${secret} `)]] })).toMatch(
      /in a header field \(x-seen\) the secret key that was sent, (?:as it is|percent-encoded)/,
    )
  })

  it('says nothing where no secret was sent, or one so short that it stands there by chance', () => {
    const without = requestWith({ fields: fieldsWith({ 'x-secret-key': null }) })

    expect(judged(rule, exchange(answer(400, { a: secret }), without))).toBe('says nothing')
    expect(judged(rule, echoing('{"a":"elevenchars"}', 'elevenchars'))).toBe('says nothing')
    expect(judged(rule, echoing('{"a":"twelve chars"}', 'twelve chars'))).toBe('secret in the body')
    expect(judged(rule, echoing('{}', ''))).toBe('says nothing')
  })

  it('says nothing of a row of one character, which may be padding or a mask', () => {
    const row = 'x'.repeat(40)

    expect(judged(rule, echoing(`{"error_message":"invalid secret ${row}"}`, row))).toBe('says nothing')
    expect(judged(rule, echoing(`{"a":"${row}y"}`, `${row}y`))).toBe('secret in the body')
  })

  it('says nothing where the API key holds the same text: a service may name the key', () => {
    const both = (key: string | Secret | null): string =>
      judged(
        rule,
        exchange(
          answer(401, { error_message: `invalid ${secret}` }),
          requestWith({ fields: fieldsWith({ 'x-api-key': key }) }),
        ),
      )

    expect(both(credentials.secretKey)).toBe('says nothing')
    expect(both(secret)).toBe('says nothing')
    expect(both(`prefix-${secret}`)).toBe('says nothing')
    expect(both(null)).toBe('secret in the body')
    expect(both('another-key')).toBe('secret in the body')
  })

  // An answer that repeats only the key does not repeat a longer secret.
  it.each([
    ['blank', ''],
    ['white space only', ' \t'],
    ['a part of the secret', secret.slice(0, 3)],
  ])('is broken also where the API key is %s', (_, key) => {
    const request = requestWith({ fields: fieldsWith({ 'x-api-key': key }) })

    expect(judged(rule, exchange(answer(400, { error_message: `no key, secret ${secret}` }), request))).toBe(
      'secret in the body',
    )
  })

  it('looks for each of several secrets that were sent', () => {
    const [one, other] = ['the-first-of-two-secrets', 'the-other-of-two-secrets']
    const fields = [
      { name: 'x-secret-key', value: one },
      { name: 'x-secret-key', value: other },
    ]
    const answering = (text: string): string =>
      judged(rule, exchange(answer(400, text, { fields: [['x-debug', text]] }), requestWith({ fields })))

    expect(answering(one)).toBe('secret in the body')
    expect(answering(other)).toBe('secret in the body')
    expect(answering('neither')).toBe('holds')
    expect(
      judged(rule, exchange(answer(400, {}, { fields: [['x-debug', other]] }), requestWith({ fields }))),
    ).toBe('secret in a header field')
  })

  it('looks for what arrives, without the white space around it', () => {
    expect(judged(rule, echoing(`{"a":"${secret}"}`, `  ${secret}\t`))).toBe('secret in the body')
  })
})
