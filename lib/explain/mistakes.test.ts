import { describe, expect, it } from 'vitest'
import { causesOf, type JudgedRule } from './causes.ts'
import type { Finding, ShownExchange } from '../judge/record.ts'
import { failed, found, served } from './testing/causes.ts'

const flaws = ['apiKey absent', 'secretKey absent', 'version absent'] as const

/** A finding of each of three flaws, all with this answer. */
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

function cut({ response, ...others }: ShownExchange): ShownExchange {
  return { ...others, response: response === null ? null : { ...response, bodyCut: 1 } }
}

/** A sound answer with these header fields alone. */
function labelled(...headers: readonly (readonly [name: string, value: string])[]): ShownExchange {
  const { response, ...others } = sound
  return { ...others, response: response === null ? null : { ...response, headers } }
}

const sound = exchange('{"error_code":"1001","error_message":"m"}', 'application/json')
const page = exchange('<h1>Error</h1>', null)

const sent = { endpoint: 'GET /a', client: 'target', plain: false, flaws: null, requests: 1 } as const

describe('one mistake', () => {
  it.each<[string, (flaw: string) => Partial<Finding>]>([
    [
      'Every error answer has a body that is not JSON',
      () => ({ difference: 'body is not JSON', exchange: page }),
    ],
    ['Every error answer lacks error_message', () => ({ difference: 'error_message is missing' })],
    ['Every error answer has status 422', () => ({ exchange: { ...sound, response: null } })],
    [
      'Every error answer with accept-language: de has status 422',
      () => ({
        exchange: { ...sound, response: null },
        sent: { ...sent, conditions: ['accept-language: de'] },
      }),
    ],
    [
      'Every error answer has error_code "E1001" in the place of "1001", or alike',
      () => ({ answered: { status: 400, errorCode: 'E1001' }, exchange: { ...sound, response: null } }),
    ],
    [
      'Every error answer has status 404',
      () => ({ answered: { status: 404, errorCode: null }, exchange: { ...sound, response: null } }),
    ],
    [
      'Every error answer has status 404',
      () => ({ answered: { status: 404, errorCode: null }, exchange: exchange('', null, 404, 'HEAD') }),
    ],
    ['Every error answer has an empty body', () => ({ exchange: exchange('', null) })],
    ['Every error answer has a body that is not JSON', () => ({ exchange: page })],
    [
      'Every error answer lacks error_code',
      () => ({ exchange: exchange('\uFEFF{"error_message":"m"}', null) }),
    ],
    ['Every error answer has status 422', () => ({ exchange: cut(page) })],
    [
      'Every success is JSON that is not an object',
      () => ({ ...served, difference: 'body is not an object', exchange: exchange('[]', null, 200) }),
    ],
    ['Every error answer has no content-type', () => ({ difference: 'no content-type', exchange: sound })],
    [
      'Every success has several content-types',
      () => ({ ...served, difference: 'several content-types', exchange: exchange('{}', null, 200) }),
    ],
    [
      'Every error answer lacks error_message (only sometimes)',
      () => ({ difference: 'error_message is missing', reproduced: '1 of 3' }),
    ],
    [
      'Every error answer with accept: */* and te: x lacks error_message',
      (flaw) => ({
        difference: 'error_message is missing',
        sent: { ...sent, flaws: [flaw], conditions: ['accept: */*', `x-flaw: ${flaw}`, 'te: x'] },
      }),
    ],
  ])('is told once: %s', (sentence, more) => {
    expect(causesOf([three(more)]).map((cause) => cause.sentence)).toEqual([sentence])
  })

  it('names what makes it, where a sound answer shows that', () => {
    const rules = [three(() => ({ difference: 'body is not JSON', exchange: page }))].map((rule) => ({
      ...rule,
      sample: sound,
    }))

    expect(causesOf(rules)).toMatchObject([
      { sentence: 'Every error answer without accept has a body that is not JSON' },
    ])
  })

  it('says nothing of errors where valid requests are answered so, too', () => {
    const rule = three(() => ({ difference: 'body is not JSON', exchange: page }))
    const findings = rule.findings.map((finding, place) =>
      place > 0 ? finding : { ...finding, allowed: [{ status: '2xx' as const, errorCode: null }] },
    )

    expect(causesOf([{ ...rule, findings }])).toMatchObject([
      { sentence: 'Every answer has a body that is not JSON' },
    ])
  })

  it('is told by the flaw that all have, a near miss of it included, not by the form of the answers', () => {
    const html = {
      difference: 'body is not JSON',
      answered: { status: 404, errorCode: null },
      exchange: exchange('<h1>Error</h1>', 'application/json', 404),
    }
    const rule = failed(
      'fuzz/path',
      found('versioning/unknown-endpoint:1:a', { flaws: ['endpoint unknown'] }, html),
      found('b', { flaws: ['endpoint uncertain'] }, html),
      found('c', { flaws: ['apiKey absent', 'endpoint uncertain'] }, html),
    )

    expect(causesOf([{ ...rule, sample: sound }])).toMatchObject([
      {
        sentence:
          'A request to an unknown path: 404 with a body that is not JSON, documented 400 / 1001 (api key header is missing)',
        example: 'versioning/unknown-endpoint:1:a',
      },
    ])
  })

  it('is no error where nothing is new: the simplest request tells it', () => {
    const unchanged = { answered: { status: 304, errorCode: null }, exchange: exchange('', null, 304) }
    const rule = failed(
      'fuzz/headers',
      found('a', { conditions: ['if-none-match: *'] }, unchanged),
      found('b', { conditions: ['te: x'] }, unchanged),
    )

    expect(causesOf([rule])).toMatchObject([
      { sentence: expect.stringMatching(/^A valid request with if-none-match: \*: 304, documented/) },
    ])
  })

  it('is not said of every answer where some are sound', () => {
    const other = exchange('{"error_code":"1002","error_message":"m"}', null)
    const rule = { ...three(() => ({ difference: 'error_message is missing' })), sample: other }

    expect(causesOf([rule])).toMatchObject([
      { sentence: 'Several kinds of error answer: each lacks error_message' },
    ])
  })

  it.each<[string, number, (place: number) => Partial<Finding>]>([
    ['a secret in any place', 1, (place) => ({ difference: `secret in ${place}` })],
    ['no answer', 1, () => ({ answered: null })],
    ['one status of the server', 1, () => ({ answered: { status: 500, errorCode: null } })],
    ['several of them', 3, (place) => ({ answered: { status: 500 + place, errorCode: null } })],
    ['one code that nobody documents', 1, () => ({ answered: { status: 400, errorCode: 'E9999' } })],
    ['several of them', 3, (place) => ({ answered: { status: 400, errorCode: `E999${place}` } })],
    ['several labels', 3, (place) => ({ difference: `label ${place}` })],
    ['what the endpoints file says', 3, () => ({ difference: 'not the success of the endpoints file' })],
    ['a change of a shape', 3, () => ({ difference: 'removed', shapes: { before: 'a', after: '' } })],
  ])('that needs no sentence of its own: %s', (_, count, more) => {
    const told = causesOf([
      three((flaw) => ({ exchange: sound, ...more(flaws.findIndex((one) => one === flaw)) })),
    ])

    expect(told).toHaveLength(count)
    expect(told.filter(({ sentence }) => /^Every|undefined/.test(sentence))).toEqual([])
  })

  const everyError = 'Every error answer lacks error_message'
  const someErrors = 'Several kinds of error answer: each lacks error_message'
  const everyLabel = 'Every error answer has no content-type'
  const someLabels = 'Several kinds of error answer: each has no content-type'
  const everySuccess = 'Every success is JSON that is not an object'
  const someSuccesses = 'Several kinds of success: each is JSON that is not an object'
  const json = '{"error_code":"1001","error_message":"m"}'

  it.each<[string, string, ShownExchange]>([
    ['an error in its form', someErrors, labelled()],
    ['one on a connection that stays', someErrors, labelled(['connection', 'keep-alive'], ['x', 'close'])],
    ['one that ends its connection', everyError, labelled(['date', 'x'], ['Connection', 'Close'])],
    ['no answer', everyError, { ...sound, response: null }],
    ['one that is cut', everyError, cut(labelled())],
    ['a success', everyError, exchange(json, null, 200)],
    ['a page', everyError, page],
    ['one that lacks the same', everyError, exchange('{"error_code":"1001"}', null)],
    ['one that is not documented', everyError, exchange(json, null, 418)],
    ['a label', someLabels, labelled(['date', 'x'], ['Content-Type', 'application/json'])],
    ['another label', everyLabel, labelled(['content-type', 'text/html'], ['x', 'json'])],
    ['a success in JSON', someSuccesses, exchange('{}', null, 200)],
    ['a redirect', everySuccess, exchange('{}', null, 300)],
    ['a success without JSON', everySuccess, exchange('<p>', null, 200)],
    ['an error', everySuccess, exchange(json, null)],
  ])('is said of every answer only where none is sound, as here %s: %s', (_, sentence, sample) => {
    const difference = /lacks/.test(sentence)
      ? 'error_message is missing'
      : /content-type/.test(sentence)
        ? 'no content-type'
        : 'body is not an object'
    const answered = /success/.test(sentence) ? served : {}
    const asked = exchange(json, 'application/json')
    const rule = { ...three(() => ({ ...answered, difference, exchange: asked })), sample }

    expect(causesOf([rule]).map((cause) => cause.sentence)).toEqual([sentence])
  })

  it.each([
    [
      'none of its requests has the field',
      [null, null, null],
      'application/json',
      /^Every .* without accept/,
    ],
    ['one has it', [null, 'application/json', null], 'application/json', /^Several/],
    ['the sound one wants something else', [null, null, null], 'text/html', /^Several/],
  ] as const)('is laid to a missing accept only if %s', (_, accepts, accept, sentence) => {
    const rule = three((flaw) => ({
      difference: 'error_message is missing',
      exchange: exchange('{}', accepts[flaws.findIndex((one) => one === flaw)] ?? null),
    }))

    expect(causesOf([{ ...rule, sample: exchange(json, accept) }])).toMatchObject([
      { sentence: expect.stringMatching(sentence) },
    ])
  })

  it('is as grave as the gravest of its findings', () => {
    const rule = failed(
      'fuzz/headers',
      found('a', { flaws: ['apiKey invalid'], conditions: ['accept: */*'] }, served),
      found('b', { flaws: ['version absent'], conditions: ['accept: */*'] }, served),
    )

    expect(causesOf([rule])).toMatchObject([{ severity: 'security', cases: ['a', 'b'] }])
  })

  it('is another where requests with other flaws are let in', () => {
    expect(causesOf([three(() => served)])).toHaveLength(3)
  })
})

describe('answers that are documented for another request', () => {
  const answers = ['1001', '1003', '1007'] as const
  const crossing = (count: number, reproduced: `${number} of ${number}`): JudgedRule =>
    failed(
      'fuzz/headers',
      ...flaws.slice(0, count).map((flaw, place) =>
        found(
          flaw,
          { flaws: [flaw] },
          {
            reproduced,
            answered: { status: place === 2 ? 401 : 400, errorCode: answers[place] ?? '1001' },
          },
        ),
      ),
    )

  it('are one cause where three came only sometimes, with those that were not sent again', () => {
    const unconfirmed = { reproduced: '1 of 1', answered: { status: 400, errorCode: '1002' } } as const
    const alone = failed('fuzz/api-key', found('a', { flaws: ['version malformed'] }, unconfirmed))

    expect(causesOf([crossing(3, '1 of 3'), alone]).map(({ sentence }) => sentence)).toEqual([
      'Requests get an answer that is documented for another request (only sometimes)',
    ])
  })

  it.each([
    ['came every time', 3, '3 of 3', 3],
    ['are told by the simplest one where they are two', 2, '1 of 3', 1],
  ] as const)('%s', (_, count, reproduced, causes) => {
    const told = causesOf([crossing(count, reproduced)])

    expect(told).toHaveLength(causes)
    expect(told.map(({ sentence }) => sentence).join()).not.toContain('for another request')
  })
})
