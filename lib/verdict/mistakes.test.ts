import { describe, expect, it } from 'vitest'
import type { Finding, ShownExchange } from '../judge/record.ts'
import { documentedPairs, type Answer } from '../specification/answers.ts'
import { causesOf, type JudgedRule } from './causes.ts'
import { foreignAnswers } from './foreign-answers.ts'
import { findingWith, sentWith, answered, failed, found, served } from './verdict.testing.ts'

const flaws = ['apiKey absent', 'secretKey absent', 'version absent'] as const

const success: Answer = { status: '2xx', errorCode: null }

/** A finding for each of three flaws. `more` gives its answer. */
function three(more: (flaw: string) => Partial<Finding>): JudgedRule {
  return failed('fuzz/headers', ...flaws.map((flaw) => found(flaw, { flaws: [flaw] }, more(flaw))))
}

function exchange(body: string, accept: string | null, status = 400, method = 'GET'): ShownExchange {
  const fields = accept === null ? [] : [['accept', accept] as const]
  const headers = [['content-type', 'application/json'] as const]
  return {
    request: { method, url: 'https://cards.example/api', headers: fields },
    response: { status, headers, body, bodyCut: 0 },
    durationMs: 1,
  }
}

function answering(changes: Partial<NonNullable<ShownExchange['response']>>, one = sound): ShownExchange {
  return { ...one, response: one.response && { ...one.response, ...changes } }
}

/** A sound answer with only these header fields. */
function labelled(...headers: readonly (readonly [name: string, value: string])[]): ShownExchange {
  return answering({ headers })
}

const json = '{"error_code":"1001","error_message":"m"}'
const sound = exchange(json, 'application/json')
const unanswered = { exchange: { ...sound, response: null } }
const page = { exchange: exchange('<h1>Error</h1>', null) }
const noMessage = { difference: 'error_message is missing' }
const notJson = { difference: 'body is not JSON', ...page }
const listed = { ...served, difference: 'body is not an object', exchange: exchange('[]', null, 200) }
const labels = { ...served, difference: 'several content-types', exchange: exchange('{}', null, 200) }
const ofFile = 'not the success of the endpoints file'
const rare = { reproduced: '1 of 3' } as const

function under(...conditions: readonly string[]): Partial<Finding> {
  return { sent: sentWith({ flaws: null, conditions }) }
}

/** The sentences of the causes in these rules. */
function told(...rules: readonly JudgedRule[]): readonly string[] {
  return causesOf(rules).map(({ sentence }) => sentence)
}

describe('one mistake', () => {
  const others = (flaw: string): Partial<Finding> => under('accept: */*', `x-flaw: ${flaw}`, 'te: x')

  it.each<[string, Partial<Finding> | ((flaw: string) => Partial<Finding>), string?]>([
    ['has a body that is not JSON', notJson],
    ['lacks error_message', noMessage],
    ['has status 422', unanswered],
    ['with accept-language: de has status 422', { ...unanswered, ...under('accept-language: de') }],
    ['has error_code "E1001" instead of "1001", or similar', { ...answered(400, 'E1001'), ...unanswered }],
    ['has status 404', { ...answered(404), ...unanswered }],
    ['has status 404', { ...answered(404), exchange: exchange('', null, 404, 'HEAD') }],
    ['has an empty body', { exchange: exchange('', null) }],
    ['has a body that is not JSON', page],
    ['lacks error_code', { exchange: exchange('\uFEFF{"error_message":"m"}', null) }],
    ['has status 422', { exchange: answering({ bodyCut: 1 }, page.exchange) }],
    ['has no content-type', { difference: 'no content-type', exchange: sound }],
    ['lacks error_message (only sometimes)', { ...noMessage, ...rare }],
    ['with accept: */* and te: x lacks error_message', (flaw) => ({ ...noMessage, ...others(flaw) })],
    ['is JSON that is not an object', listed, 'success'],
    ['has several content-types', labels, 'success'],
  ])('is reported once: every answer %s', (says, more, subject = 'error answer') => {
    const finding = typeof more === 'function' ? more : (): Partial<Finding> => more

    expect(told(three(finding))).toEqual([`Every ${subject} ${says}`])
  })

  it('covers every answer if answers to valid requests show it too', () => {
    const rule = three((flaw) => ({ ...notJson, ...(flaw === flaws[0] ? { allowed: [success] } : {}) }))

    expect(told(rule)).toEqual(['Every answer has a body that is not JSON'])
  })

  it('is described by a shared flaw, including near misses, rather than the form of the answers', () => {
    const answer = exchange('<h1>Error</h1>', 'application/json', 404)
    const html = { ...notJson, ...answered(404), exchange: answer }
    const rule = failed(
      'fuzz/path',
      found('versioning/unknown-endpoint:1:a', ['endpoint unknown'], html),
      found('b', ['endpoint uncertain'], html),
      found('c', ['apiKey absent', 'endpoint uncertain'], html),
    )

    const sentence =
      'A request to an unknown path: 404 with a body that is not JSON, documented 400 / 1001 (api key header is missing)'
    expect(causesOf([{ ...rule, sample: sound }])).toMatchObject([
      { sentence, example: 'versioning/unknown-endpoint:1:a' },
    ])
  })

  it('is described by the simplest request if the answer is 304, which is not an error', () => {
    const unchanged = { ...answered(304), exchange: exchange('', null, 304) }
    const two = ['if-none-match: *', 'te: x'].map((one) => found(one, { conditions: [one] }, unchanged))

    expect(told(failed('fuzz/headers', ...two))).toEqual([
      expect.stringMatching(/^A valid request with if-none-match: \*: 304, documented/),
    ])
  })

  it.each<[string, number, (place: number) => Partial<Finding>]>([
    ['a secret in any place', 1, (place) => ({ difference: `secret in ${place}` })],
    ['no answer', 1, () => ({ answered: null })],
    ['one server status', 1, () => answered(500)],
    ['several server statuses', 3, (place) => answered(500 + place)],
    ['one undocumented code', 1, () => answered(400, 'E9999')],
    ['several undocumented codes', 3, (place) => answered(400, `E999${place}`)],
    ['several labels', 3, (place) => ({ difference: `label ${place}` })],
    ['another success than in the endpoints file', 3, () => ({ difference: ofFile })],
    ['a changed shape', 3, () => ({ difference: 'removed', shapes: { before: 'a', after: '' } })],
  ])('gets no sentence about every answer for %s', (_, count, more) => {
    const place = (flaw: string): number => flaws.findIndex((one) => one === flaw)
    const sentences = told(three((flaw) => ({ exchange: sound, ...more(place(flaw)) })))

    expect(sentences).toHaveLength(count)
    expect(sentences.filter((sentence) => /^Every|undefined/.test(sentence))).toEqual([])
  })

  const kinds = {
    error: { says: 'lacks error_message', ...noMessage },
    label: { says: 'has no content-type', difference: 'no content-type' },
    success: { says: 'is JSON that is not an object', difference: 'body is not an object', ...served },
  } as const

  it.each<[string, keyof typeof kinds, 'every' | 'some', ShownExchange]>([
    ['an error in its form', 'error', 'some', labelled()],
    ['an error for a request without accept', 'error', 'some', exchange(json.replace('1001', '1002'), null)],
    ['an error on a kept connection', 'error', 'some', labelled(['connection', 'kept'], ['x', 'close'])],
    ['an error that ends its connection', 'error', 'every', labelled(['date', 'x'], ['Connection', 'Close'])],
    ['no answer', 'error', 'every', { ...sound, response: null }],
    ['an error that is cut', 'error', 'every', answering({ bodyCut: 1, headers: [] })],
    ['a success', 'error', 'every', exchange(json, null, 200)],
    ['a page', 'error', 'every', page.exchange],
    ['an error that lacks the same', 'error', 'every', exchange('{"error_code":"1001"}', null)],
    ['an undocumented error', 'error', 'every', exchange(json, null, 418)],
    ['a label', 'label', 'some', labelled(['date', 'x'], ['Content-Type', 'application/json'])],
    ['another label', 'label', 'every', labelled(['content-type', 'text/html'], ['x', 'json'])],
    ['a success in JSON', 'success', 'some', exchange('{}', null, 200)],
    ['a redirect', 'success', 'every', exchange('{}', null, 300)],
    ['a success without JSON', 'success', 'every', exchange('<p>', null, 200)],
    ['an error', 'success', 'every', exchange(json, null)],
  ])('covers every answer only if no answer is sound: %s, %s, %s', (_, kind, share, sample) => {
    const { says, ...difference } = kinds[kind]
    const rule = three(() => ({ ...difference, exchange: exchange(json, 'application/json') }))
    const subject = kind === 'success' ? 'success' : 'error answer'

    expect(told({ ...rule, sample })).toEqual([
      share === 'every' ? `Every ${subject} ${says}` : `Several kinds of ${subject}: each ${says}`,
    ])
  })

  it.each<[string, readonly (string | null)[], string, RegExp]>([
    ['no failing request has it', [], 'application/json', /^Every .* without accept/],
    ['one failing request has it', [null, 'application/json'], 'application/json', /^Several/],
    ['the sound request accepts something else', [], 'text/html', /^Several/],
  ])(
    'is blamed on a missing accept only if that separates failing from sound requests: %s',
    (_, accepts, accept, sentence) => {
      const accepted = (flaw: string): string | null =>
        accepts[flaws.findIndex((one) => one === flaw)] ?? null
      const rule = three((flaw) => ({ ...noMessage, exchange: exchange('{}', accepted(flaw)) }))

      expect(told({ ...rule, sample: exchange(json, accept) })).toEqual([expect.stringMatching(sentence)])
    },
  )

  it('has the severity of its gravest finding', () => {
    const cases = ['apiKey invalid', 'version absent']
    const two = cases.map((flaw) => found(flaw, { flaws: [flaw], conditions: ['accept: */*'] }, served))

    expect(causesOf([failed('fuzz/headers', ...two)])).toMatchObject([{ severity: 'security', cases }])
  })

  it('is a separate cause for each flaw that is accepted', () => {
    expect(causesOf([three(() => served)])).toHaveLength(3)
  })
})

describe('documented answers to a different request', () => {
  const answers = [answered(400, '1001'), answered(400, '1003'), answered(401, '1007')]
  const crossing = (count: number, reproduced: Finding['reproduced']): JudgedRule =>
    failed(
      'fuzz/headers',
      ...flaws.slice(0, count).map((flaw, place) => found(flaw, [flaw], { reproduced, ...answers[place] })),
    )

  it('are one cause if three are intermittent, including unconfirmed ones', () => {
    const unconfirmed = { reproduced: '1 of 1', ...answered(400, '1002') } as const
    const alone = failed('fuzz/api-key', found('a', ['version malformed'], unconfirmed))

    expect(told(crossing(3, '1 of 3'), alone)).toEqual([
      'Requests get the documented answer to a different request (only sometimes)',
    ])
  })

  it.each([
    ['are separate causes if they came every time', 3, '3 of 3', 3],
    ['are described by the simplest one if there are only two', 2, '1 of 3', 1],
  ] as const)('%s', (_, count, reproduced, causes) => {
    const sentences = told(crossing(count, reproduced))

    expect(sentences).toHaveLength(causes)
    expect(sentences.join()).not.toContain('for another request')
  })
})

type Headers = Readonly<Record<string, string>>

function shown(body: string, headers: Headers = {}): ShownExchange {
  const response = { status: 502, headers: Object.entries(headers), body, bodyCut: 0 }
  return { ...exchange(body, null), response }
}

/** A finding with this response body. */
function pageOf(body: string, headers: Headers = {}): Finding {
  return findingWith({ difference: 'body is not JSON', ...answered(404), exchange: shown(body, headers) })
}

/** The source that each finding's answer points to, or null. Further findings and samples are only evidence. */
function attributed(
  examples: readonly Finding[],
  { findings = [], samples = [] }: { findings?: readonly Finding[]; samples?: readonly ShownExchange[] } = {},
): readonly (string | null)[] {
  return examples.map(foreignAnswers({ findings: [...examples, ...findings], samples }))
}

function ofGateway(name: string): string {
  return `answers that look like those of ${name}, not of the service`
}

function twice<Value>(value: Value): readonly Value[] {
  return [value, value]
}

const nginx =
  '<html>\r\n<head><title>404 Not Found</title></head>\r\n<body>\r\n<center><h1>404 Not Found</h1></center>\r\n<hr><center>nginx/1.22.1</center>\r\n</body>\r\n</html>\r\n'
const apache = '<!DOCTYPE HTML PUBLIC "-//IETF//DTD HTML 2.0//EN">'

describe('a gateway that answers', () => {
  it.each([
    ['nginx', nginx],
    ['nginx', nginx.replace('nginx/1.22.1', 'openresty')],
    ['HAProxy', '<html><body><h1>503 Service Unavailable</h1>\nNo server is available.\n</body></html>\n'],
    ['Apache', `${apache}\n<html><head>\n<title>403 Forbidden</title>`],
    ['Cloudflare', '<!DOCTYPE html>\n<title>Attention Required! | Cloudflare</title>'],
    ['Cloudflare', '<link rel="stylesheet" href="/cdn-cgi/styles/main.css" />'],
    ['Cloudflare', '<center>cloudflare</center>'],
    ['CloudFront', '<HR noshade>Generated by cloudfront (CloudFront) HTTP3 Server'],
    ['Envoy', 'upstream connect error or disconnect/reset before headers. reset reason: connection timeout'],
    ['Envoy', 'no healthy upstream'],
    ['Envoy', 'upstream request timeout'],
    ['Varnish', '<h1>Error 503</h1><h3>Guru Meditation:</h3>'],
    ['Azure Application Gateway', '<hr><center>Microsoft-Azure-Application-Gateway/v2</center>'],
    ['AWS ELB', '<hr><center>awselb/2.0</center>'],
  ])('is recognized by its page: %s, %j', (name, body) => {
    expect(attributed([pageOf(body), pageOf(body)])).toEqual(twice(ofGateway(name)))
  })

  it.each([
    ['nginx', { server: 'nginx/1.22.1' }],
    ['nginx', { Server: 'openresty' }],
    ['HAProxy', { via: '1.1 haproxy' }],
    ['Apache', { server: 'Apache/2.4.57 (Debian)' }],
    ['Cloudflare', { server: 'cloudflare' }],
    ['CloudFront', { via: '1.1 abc.cloudfront.net (CloudFront)' }],
    ['Envoy', { server: 'istio-envoy' }],
    ['Varnish', { Via: '1.1 varnish (Varnish/7.1)' }],
    ['Azure Application Gateway', { server: 'Microsoft-Azure-Application-Gateway/v2' }],
    ['AWS ELB', { server: 'awselb/2.0' }],
    ['Akamai', { server: 'AkamaiGHost' }],
    ['Caddy', { server: 'Caddy' }],
  ] as const)('is recognized by a field that no answer from the service has: %s, %j', (name, headers) => {
    const own = { samples: [shown(json, { server: 'uvicorn', via: '1.1 other' })] }

    expect(attributed([pageOf('', headers), pageOf('Bad Gateway', headers)], own)).toEqual(
      twice(ofGateway(name)),
    )
  })

  it.each<[string, string | null, Parameters<typeof attributed>[1]]>([
    ['a sample has it', null, { samples: [shown(json, { server: 'nginx' })] }],
    ['a sample with a list has it', null, { samples: [shown(' []', { server: 'nginx' })] }],
    ['a finding has it', null, { findings: [findingWith({ exchange: shown(json, { server: 'nginx' }) })] }],
    ['only an empty answer has it', 'nginx', { samples: [shown('', { server: 'nginx' })] }],
    ['only a text has it', 'nginx', { samples: [shown('see { this }', { server: 'nginx' })] }],
  ])('is recognized by a field only if no JSON answer has it: %s', (_, name, evidence) => {
    const two = [pageOf('<h1>Error</h1>', { server: 'nginx' }), pageOf('', { server: 'nginx' })]

    expect(attributed(two, evidence)).toEqual(twice(name === null ? null : ofGateway(name)))
    expect(attributed([pageOf(nginx), pageOf(nginx)], evidence)).toEqual(twice(ofGateway('nginx')))
  })

  const silent = findingWith({ answered: null, exchange: { ...shown(''), response: null } })

  it.each<[string, Finding, string | null]>([
    ['JSON', pageOf(json, { server: 'nginx' }), null],
    ['a page from the service', pageOf('<!doctype html><h1>Not Found</h1>'), null],
    ['a server with another name', pageOf('', { server: 'gunicorn', 'x-by': 'nginx' }), null],
    ['a text about a gateway', pageOf('there is no healthy upstream in <body>nginx</body>'), null],
    ['a page in a similar form', pageOf('x<html><body><h1>503 a</h1>\nb\n</body></html>'), null],
    ['a page that continues', pageOf('<html><body><h1>503 a</h1>\nb\nc</body></html>'), null],
    ['a quoted page', pageOf(`x${apache}`), null],
    ['another load balancer', pageOf('', { server: 'not-awselb' }), null],
    ['no answer', silent, null],
    ['a failure', { ...pageOf(nginx), answered: { status: 502, errorCode: null } }, 'nginx'],
    ['another label', { ...pageOf(nginx), difference: 'another content-type' }, 'nginx'],
    ['a page from another gateway', pageOf('no healthy upstream'), 'Envoy'],
  ])('is recognized answer by answer, next to a page from nginx: %s', (_, other, name) => {
    expect(attributed([pageOf(nginx), other])).toEqual([
      ofGateway('nginx'),
      name === null ? null : ofGateway(name),
    ])
  })
})

const kept = 'refusals of other requests, as if a cache kept them'

/** A finding for a plain valid request that was refused with this code, with changes. */
function refused(errorCode: string, more: Partial<Finding> = {}, headers: Headers = {}): Finding {
  const status = documentedPairs.find((pair) => pair.errorCode === errorCode)?.status ?? 0
  const of = { ...answered(status, errorCode), allowed: [success], exchange: shown(json, headers) }
  return found('refused', { plain: true }, { ...of, ...more })
}

const flawed: Partial<Finding> = {
  allowed: [{ status: 400, errorCode: '1003' }],
  sent: sentWith({ flaws: ['version absent'] }),
}

describe('a cache that keeps refusals', () => {
  const other = refused('1006')
  const allowed = [success, { status: 400, errorCode: '1030' }] as const

  it('is detected if a valid request is refused in several ways, for every request with such a refusal', () => {
    expect(attributed([refused('1001'), other, refused('1001', flawed)])).toEqual([kept, kept, kept])
  })

  it.each<[string, Finding]>([
    ['in one way only', refused('1001')],
    ['because a quota ran out in between', refused('1020')],
    ['only sometimes', { ...other, reproduced: '1 of 3' }],
    ['from another client', { ...other, sent: sentWith({ plain: true, client: 'second' }) }],
    ['at another endpoint', { ...other, sent: sentWith({ plain: true, endpoint: 'GET /api/x' }) }],
    ['without being a plain one', { ...other, sent: sentWith() }],
    ['but is unknown', findingWith({ allowed: [success], difference: 'another answer' })],
    ['as documented', refused('1003', flawed)],
    ['with an allowed answer', refused('1030', { allowed })],
    ['with an undocumented pair', { ...other, answered: { status: 403, errorCode: '1006' } }],
    ['and only compared with another answer', { ...other, allowed: [] }],
    ['without an answer', { ...other, answered: null }],
  ])('is not detected if the other request is refused %s', (_, finding) => {
    expect(attributed([refused('1001'), finding])).toEqual(twice(null))
  })

  it('is detected from evidence alone', () => {
    const two = [refused('1001', flawed), refused('1002', flawed)]

    expect(attributed(two, { findings: [refused('1001'), other] })).toEqual([kept, kept])
    expect(attributed(two)).toEqual(twice(null))
  })

  it.each<[string | null, Headers]>([
    [kept, { age: '0' }],
    [kept, { Age: '17' }],
    [kept, { 'Cache-Status': 'edge; hit; ttl=3' }],
    [kept, { 'x-cache': 'Hit from cloudfront' }],
    [kept, { 'x-cache-status': 'HIT' }],
    [kept, { 'cf-cache-status': 'HIT' }],
    [null, { age: '' }],
    [null, { age: 'x1' }],
    [null, { age: '1x' }],
    [null, { 'cache-status': 'edge; fwd=miss' }],
    [null, { 'cache-status': 'hit' }],
    [null, { 'x-cache': 'whitelist' }],
    [null, { 'x-cache-status': 'archit' }],
    [null, { 'cf-cache-status': 'HITS' }],
    [null, { 'x-served-by': 'cache-hit' }],
  ])('is detected if an answer says that it was cached: %s by %j', (seen, headers) => {
    expect(attributed([refused('1006', flawed, headers), refused('1001', flawed, headers)])).toEqual(
      twice(seen),
    )
  })

  it('is not detected in a correct cached answer, nor without an answer', () => {
    const right = refused('1003', { ...flawed, difference: 'no content-type' }, { age: '1' })
    const silent = refused('1006', { ...flawed, exchange: { ...shown(''), response: null } })

    expect(attributed([right, silent])).toEqual(twice(null))
  })
})
