import { describe, expect, it } from 'vitest'
import type { Finding, ShownExchange } from '../judge/record.ts'
import { causesOf, type JudgedRule } from './causes.ts'
import { answered, failed, found, served } from './testing/causes.ts'
import { sentWith } from './verdict.testing.ts'

const flaws = ['apiKey absent', 'secretKey absent', 'version absent'] as const

/** A finding for each of three flaws. `more` gives its answer. */
function three(more: (flaw: string) => Partial<Finding>): JudgedRule {
  return failed('fuzz/headers', ...flaws.map((flaw) => found(flaw, { flaws: [flaw] }, more(flaw))))
}

function exchange(body: string, accept: string | null, status = 400, method = 'GET'): ShownExchange {
  return {
    request: {
      method,
      url: 'https://cards.example/api',
      headers: accept === null ? [] : [['accept', accept]],
    },
    response: { status, headers: [['content-type', 'application/json']], body, bodyCut: 0 },
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

const sound = exchange('{"error_code":"1001","error_message":"m"}', 'application/json')
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

  it.each<[string, Partial<Finding> | ((flaw: string) => Partial<Finding>)]>([
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
  ])('is reported once: Every error answer %s', (says, more) => {
    const finding = typeof more === 'function' ? more : (): Partial<Finding> => more

    expect(told(three(finding))).toEqual([`Every error answer ${says}`])
  })

  it('is reported once for successes', () => {
    expect(told(three(() => listed))).toEqual(['Every success is JSON that is not an object'])
    expect(told(three(() => labels))).toEqual(['Every success has several content-types'])
  })

  it('covers every answer if answers to valid requests show it too', () => {
    const rule = three((flaw) => ({
      ...notJson,
      ...(flaw === flaws[0] ? { allowed: [{ status: '2xx' as const, errorCode: null }] } : {}),
    }))

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

    expect(causesOf([{ ...rule, sample: sound }])).toMatchObject([
      {
        sentence:
          'A request to an unknown path: 404 with a body that is not JSON, documented 400 / 1001 (api key header is missing)',
        example: 'versioning/unknown-endpoint:1:a',
      },
    ])
  })

  it('is described by the simplest request if the answer is 304, which is not an error', () => {
    const unchanged = { ...answered(304), exchange: exchange('', null, 304) }
    const rule = failed(
      'fuzz/headers',
      found('a', { conditions: ['if-none-match: *'] }, unchanged),
      found('b', { conditions: ['te: x'] }, unchanged),
    )

    expect(told(rule)).toEqual([
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

  const json = '{"error_code":"1001","error_message":"m"}'
  const kinds = {
    error: { says: 'lacks error_message', ...noMessage },
    label: { says: 'has no content-type', difference: 'no content-type' },
    success: { says: 'is JSON that is not an object', difference: 'body is not an object', ...served },
  } as const

  it.each<[string, keyof typeof kinds, 'every' | 'some', ShownExchange]>([
    ['an error in its form', 'error', 'some', labelled()],
    ['an error for a request without accept', 'error', 'some', exchange(json.replace('1001', '1002'), null)],
    [
      'an error on a kept connection',
      'error',
      'some',
      labelled(['connection', 'keep-alive'], ['x', 'close']),
    ],
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
    const rule = failed(
      'fuzz/headers',
      found('a', { flaws: ['apiKey invalid'], conditions: ['accept: */*'] }, served),
      found('b', { flaws: ['version absent'], conditions: ['accept: */*'] }, served),
    )

    expect(causesOf([rule])).toMatchObject([{ severity: 'security', cases: ['a', 'b'] }])
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
