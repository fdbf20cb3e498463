import { expect, it } from 'vitest'
import type { Finding, ShownExchange } from '../judge/record.ts'
import type { Answer } from '../specification/answers.ts'
import { causesOf, type JudgedRule } from './causes.ts'
import { sentWith, answered, failed, found, served } from './verdict.testing.ts'

const flaws = ['apiKey absent', 'secretKey absent', 'version absent'] as const
const success: Answer = { status: '2xx', errorCode: null }

type Changes = Partial<Finding>

/** A finding for each of three flaws. `more` gives its answer. */
function three(more: Changes | ((place: number) => Changes)): JudgedRule {
  const of = (place: number): Changes => (typeof more === 'function' ? more(place) : more)
  return failed('fuzz/headers', ...flaws.map((flaw, place) => found(flaw, [flaw], of(place))))
}

function exchange(body: string, accept: string | null, status = 400, method = 'GET'): ShownExchange {
  const fields = accept === null ? [] : [['accept', accept] as const]
  const headers = [['content-type', 'application/json'] as const]
  const request = { method, url: 'https://cards.example/api', headers: fields }
  return { request, response: { status, headers, body, bodyCut: 0 }, durationMs: 1 }
}

function answering(changes: Partial<NonNullable<ShownExchange['response']>>, one = sound): ShownExchange {
  return { ...one, response: one.response && { ...one.response, ...changes } }
}

const json = '{"error_code":"1001","error_message":"m"}'
const sound = exchange(json, 'application/json')
const unanswered = { exchange: { ...sound, response: null } }
const page = exchange('<h1>Error</h1>', null)
const noMessage = { difference: 'error_message is missing' }
const notJson = { difference: 'body is not JSON', exchange: page }
const ofSuccess = { ...notJson, allowed: [success] }
const html = { ...notJson, ...answered(404), exchange: exchange('<h1>Error</h1>', 'application/json', 404) }
const listed = { ...served, difference: 'body is not an object', exchange: exchange('[]', null, 200) }
const labels = { ...served, difference: 'several content-types', exchange: exchange('{}', null, 200) }
const head = exchange('', null, 404, 'HEAD')
const rare = { reproduced: '1 of 3' } as const
const ofPath = [
  found('versioning/unknown-endpoint:1:a', ['endpoint unknown'], html),
  found('b', ['endpoint uncertain'], html),
  found('c', ['apiKey absent', 'endpoint uncertain'], html),
]
const nearMisses = failed('fuzz/path', ...ofPath)
const ofNothing = { ...answered(304), exchange: exchange('', null, 304) }
const two = ['if-none-match: *', 'te: x'].map((one) => found(one, { conditions: [one] }, ofNothing))
const unchanged = failed('fuzz/headers', ...two)
const under = (...conditions: readonly string[]): Changes => ({ sent: sentWith({ flaws: null, conditions }) })
const underEach = (flaw: number) => ({ ...noMessage, ...under('accept: */*', `x-flaw: ${flaw}`, 'te: x') })
const accepted = three((place) => {
  return { ...served, sent: sentWith({ flaws: flaws.slice(place, place + 1), conditions: ['accept: */*'] }) }
})

const answers = [answered(400, '1001'), answered(400, '1003'), answered(401, '1007')]
/** Documented answers to other requests. */
const crossing = (reproduced: '1 of 3' | '3 of 3') => three((place) => ({ reproduced, ...answers[place] }))
const twoCrossed = { ...crossing('1 of 3'), findings: crossing('1 of 3').findings.slice(1) }
const unconfirmed = { reproduced: '1 of 1', ...answered(400, '1002') } as const
const alone = failed('fuzz/api-key', found('a', ['version malformed'], unconfirmed))
const crossed = 'Requests get the documented answer to a different request (only sometimes)'
const ofErrors = 'Several kinds of error answer'
const meant = `${ofErrors} with error_code "E1001" instead of "1001", or similar`
const isMissing = '(api key header is missing)'
const toUnknown = `A request to an unknown path: 404 with a body that is not JSON, documented 400 / 1001 ${isMissing}`
const sentence = (text: RegExp): object => ({ sentence: expect.stringMatching(text) })

it.each<[string | object, ...JudgedRule[]]>([
  [`${ofErrors} with a body that is not JSON`, three(notJson)],
  [`${ofErrors} without error_message`, three(noMessage)],
  [`${ofErrors} with status 422`, three(unanswered)],
  [`${ofErrors} with status 422, to requests with te: x`, three({ ...unanswered, ...under('te: x') })],
  [meant, three({ ...answered(400, 'E1001'), ...unanswered })],
  [`${ofErrors} with status 404`, three({ ...answered(404), ...unanswered })],
  [`${ofErrors} with status 404`, three({ ...answered(404), exchange: head })],
  [`${ofErrors} with an empty body`, three({ exchange: exchange('', null) })],
  [`${ofErrors} with a body that is not JSON`, three({ exchange: page })],
  [`${ofErrors} without error_code`, three({ exchange: exchange('\uFEFF{"error_message":"m"}', null) })],
  [`${ofErrors} with status 422`, three({ exchange: answering({ bodyCut: 1 }, page) })],
  [`${ofErrors} without content-type`, three({ difference: 'no content-type', exchange: sound })],
  [`${ofErrors} without error_message (only sometimes)`, three({ ...noMessage, ...rare })],
  [`${ofErrors} without error_message, to requests with accept: */* and te: x`, three(underEach)],
  ['Several kinds of success with JSON that is not an object', three(listed)],
  ['Several kinds of success with several content-types', three(labels)],
  // Answers to valid requests show it too.
  ['Several kinds of answer with a body that is not JSON', three((place) => (place ? notJson : ofSuccess))],
  // A shared flaw, including near misses, says more than the form of the answers.
  [{ sentence: toUnknown, example: 'versioning/unknown-endpoint:1:a' }, nearMisses],
  // 304 is not an error.
  [sentence(/^A valid request with if-none-match: \*: 304, documented/), unchanged],
  // The gravest finding decides.
  [{ severity: 'security', cases: flaws }, accepted],
  // An answer to a different request is intermittent, or was not confirmed.
  [crossed, crossing('1 of 3'), alone],
])('one mistake is one cause: %o', (expected, ...rules) => {
  expect(causesOf(rules)).toMatchObject([typeof expected === 'string' ? { sentence: expected } : expected])
})

const ofFile = { difference: 'not the success of the endpoints file' }
const shapes = { before: 'a', after: '' }

it.each<[string, number, JudgedRule]>([
  ['a secret in any place', 1, three((place) => ({ exchange: sound, difference: `secret in ${place}` }))],
  ['no answer', 1, three({ exchange: sound, answered: null })],
  ['one server status', 1, three({ exchange: sound, ...answered(500) })],
  ['several server statuses', 3, three((place) => ({ exchange: sound, ...answered(500 + place) }))],
  ['one undocumented code', 1, three({ exchange: sound, ...answered(400, 'E9999') })],
  ['several undocumented codes', 3, three((place) => ({ exchange: sound, ...answered(400, `E9${place}`) }))],
  ['several labels', 3, three((place) => ({ exchange: sound, difference: `label ${place}` }))],
  ['another success than in the endpoints file', 3, three({ exchange: sound, ...ofFile })],
  ['a changed shape', 3, three({ exchange: sound, difference: 'removed', shapes })],
  ['flaws that are accepted', 3, three(served)],
  ['documented answers to other requests every time', 3, crossing('3 of 3')],
  ['documented answers to other requests only twice', 1, twoCrossed],
])('no sentence is about every answer for %s, which is %i causes', (_, count, rule) => {
  const sentences = causesOf([rule]).map((cause) => cause.sentence)

  expect(sentences).toHaveLength(count)
  expect(sentences.filter((one) => /^Several|^Requests get|undefined/.test(one))).toEqual([])
})

const nginx =
  '<html>\r\n<head><title>404 Not Found</title></head>\r\n<body>\r\n<center><h1>404 Not Found</h1></center>\r\n<hr><center>nginx/1.22.1</center>\r\n</body>\r\n</html>\r\n'
const apache = '<!DOCTYPE HTML PUBLIC "-//IETF//DTD HTML 2.0//EN">'
const haproxy = '<html><body><h1>503 Service Unavailable</h1>\nNo server is available.\n</body></html>\n'
const envoy = 'upstream connect error or disconnect/reset before headers. reset reason: connection timeout'

it.each<[name: string | null, body: string]>([
  ['nginx', nginx],
  ['nginx', nginx.replace('nginx/1.22.1', 'openresty')],
  ['HAProxy', haproxy],
  ['Apache', `${apache}\n<html><head>\n<title>403 Forbidden</title>`],
  ['Cloudflare', '<!DOCTYPE html>\n<title>Attention Required! | Cloudflare</title>'],
  ['Cloudflare', '<link rel="stylesheet" href="/cdn-cgi/styles/main.css" />'],
  ['Cloudflare', '<center>cloudflare</center>'],
  ['CloudFront', '<HR noshade>Generated by cloudfront (CloudFront) HTTP3 Server'],
  ['Envoy', envoy],
  ['Envoy', 'no healthy upstream'],
  ['Envoy', 'upstream request timeout'],
  ['Varnish', '<h1>Error 503</h1><h3>Guru Meditation:</h3>'],
  ['Azure Application Gateway', '<hr><center>Microsoft-Azure-Application-Gateway/v2</center>'],
  ['AWS ELB', '<hr><center>awselb/2.0</center>'],
  // A page from the service, an empty answer, and texts that only resemble the page of a gateway.
  [null, '<!doctype html><h1>Not Found</h1>'],
  [null, ''],
  [null, 'there is no healthy upstream in <body>nginx</body>'],
  [null, 'x<html><body><h1>503 a</h1>\nb\n</body></html>'],
  [null, '<html><body><h1>503 a</h1>\nb\nc</body></html>'],
  [null, `x${apache}`],
])('answers with the page of a gateway are one mistake: %s, %j', (name, body) => {
  const rule = three((place) => ({ ...answered(502 + place), exchange: exchange(body, null, 502 + place) }))
  const said = `Answers that look like those of ${name}, not of the service`

  expect(causesOf([rule])).toMatchObject(name === null ? [{}, {}, {}] : [{ sentence: said }])
})
