import { gzipSync } from 'node:zlib'

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Response } from '../http/exchange.ts'
import type { Request } from '../http/request.ts'
import type { ShownExchange } from '../judge/record.ts'
import { redactorFor } from '../redact/redact.ts'
import { Secret } from '../redact/secret.ts'
import { show } from './show.ts'
import {
  answer,
  credentials,
  exchange,
  fieldsWith,
  refused,
  requestWith,
} from '../judge/testing/exchanges.ts'

const { apiKey, secretKey } = credentials
const options = {
  baseUrl: 'https://staging.example/cards',
  redactor: redactorFor([apiKey, secretKey]),
}

function shownOf(response: Response, request: Partial<Request> = {}): ShownExchange {
  return show(exchange(response, requestWith(request)), options)
}

function leaks(shown: unknown): boolean {
  const text = JSON.stringify(shown)
  const inBase64 = [apiKey, secretKey].map((secret) => btoa(secret.reveal()).slice(0, 12))
  return [apiKey.reveal(), secretKey.reveal(), ...inBase64].some((key) => text.includes(key))
}

/** A request with this key in the place of its own. */
function withKey(key: Secret): Partial<Request> {
  return { fields: fieldsWith({ 'x-api-key': key }) }
}

const dropped = new Secret('TARGET_API_KEY with its last character dropped', apiKey.reveal().slice(0, -1))

describe('an exchange as reports show it', () => {
  it('names the credentials in the place of their values', () => {
    expect(shownOf(refused(401, '1006'))).toEqual({
      request: {
        method: 'GET',
        url: 'https://staging.example/cards/api/customizations/list',
        headers: [
          ['x-api-key', '<TARGET_API_KEY>'],
          ['x-secret-key', '<TARGET_SECRET_KEY>'],
          ['x-version', '1'],
          ['accept', 'application/json'],
          ['user-agent', 'card-switch-conformance/test'],
        ],
      },
      response: {
        status: 401,
        headers: [['Content-Type', 'application/json']],
        body: '{"error_code":"1006","error_message":"a text of some length"}',
        bodyCut: 0,
      },
      durationMs: 3.2,
    })
  })

  it('shows a reason phrase of its own and the fields after the body, without credentials', () => {
    const echo = `seen ${secretKey.reveal()} and ${btoa(apiKey.reveal())}`
    const trailers = [['x-seen', echo] as const, [secretKey.reveal(), 'x'.repeat(2_000)] as const]
    const shown = shownOf({ ...refused(401, '1006'), reason: echo, trailers })

    expect(leaks(shown)).toBe(false)
    expect(shown.response).toMatchObject({
      reason: 'seen <TARGET_SECRET_KEY> and <TARGET_API_KEY>==',
      trailers: [
        ['x-seen', 'seen <TARGET_SECRET_KEY> and <TARGET_API_KEY>=='],
        ['<TARGET_SECRET_KEY>', 'x'.repeat(500)],
      ],
    })
  })

  it('masks a near miss that was sent, too, in the reason phrase', () => {
    const near = withKey(new Secret('a near miss', 'nearly-the-key'))
    const shown = shownOf({ ...refused(401, '1007'), reason: 'no nearly-the-key' }, near)

    expect(shown.response?.reason).toBe('no <a near miss>')
  })

  it.each(['', 'Unauthorized', 'UNAUTHORIZED'])('says nothing of the reason phrase %j', (reason) => {
    const { response } = shownOf({ ...refused(401, '1006'), reason })

    expect(Object.keys(response ?? {})).toEqual(['status', 'headers', 'body', 'bodyCut'])
  })

  it('keeps a target that is no path apart from the host', () => {
    expect(shownOf(refused(400, '1010'), { target: '.other.example/' }).request.url).toBe(
      'https://staging.example/cards .other.example/',
    )
  })

  it('names what was made from a credential, and hides one that was sent as plain text or in the path', () => {
    const { request } = shownOf(refused(401, '1006'), {
      target: `/api/customizations/list?key=${apiKey.reveal()}`,
      fields: fieldsWith({ 'x-api-key': dropped, 'x-secret-key': `Bearer ${secretKey.reveal()}` }),
    })

    expect(request.url).toBe('https://staging.example/cards/api/customizations/list?key=<TARGET_API_KEY>')
    expect(request.headers.slice(0, 2)).toEqual([
      ['x-api-key', '<TARGET_API_KEY with its last character dropped>'],
      ['x-secret-key', 'Bearer <TARGET_SECRET_KEY>'],
    ])
  })

  it('shows the body that was sent, without the credentials in it, masked before it is cut', () => {
    const short = shownOf(refused(400, '1030'), {
      body: JSON.stringify({ note: apiKey.reveal(), packed: btoa(secretKey.reveal()) }),
    })
    const long = `${'x'.repeat(1_990)}${apiKey.reveal()}${'y'.repeat(100)}`

    expect(leaks(short)).toBe(false)
    expect(short.request.body).toContain('"note":"<TARGET_API_KEY>"')
    expect(short.request).not.toHaveProperty('bodyCut')
    expect(shownOf(refused(400, '1030'), { body: long }).request).toMatchObject({
      body: `${'x'.repeat(1_990)}<TARGET_AP`,
      bodyCut: 106,
    })
  })

  it('hides what an answer echoes, in its body, its fields and their names', () => {
    const echo = { error_message: `invalid ${secretKey.reveal()}`, packed: btoa(secretKey.reveal()) }
    const fields = [['x-echo', apiKey.reveal()] as const, [secretKey.reveal(), 'x'] as const]
    const shown = shownOf(answer(401, echo, { fields }))

    expect(leaks(shown)).toBe(false)
    expect(shown.response?.headers).toEqual([
      ['x-echo', '<TARGET_API_KEY>'],
      ['<TARGET_SECRET_KEY>', 'x'],
    ])
  })

  it('names a credential that stands whole, also where a part of it was sent', () => {
    const shown = shownOf(answer(401, `known: ${apiKey.reveal()};`), withKey(dropped))

    expect(shown.response?.body).toBe('known: <TARGET_API_KEY>;')
  })

  it('does not look for what is too short to identify anything', () => {
    const shown = shownOf(
      refused(401, '1006'),
      withKey(new Secret('TARGET_API_KEY cut to 2 characters', 'er')),
    )

    expect(shown.response?.body).toContain('error_code')
  })

  it.each<[string, boolean, (text: string) => string]>([
    ['raw', true, (text) => text],
    ['percent', true, (text) => encodeURIComponent(text).replaceAll('_', '%5F')],
    ['upper case', true, (text) => text.toUpperCase()],
    ['base64', false, btoa],
    ['hexadecimal', false, (text) => Buffer.from(text).toString('hex')],
  ])('masks what was made from a credential where the answer echoes it whole: %s', (_, isNamed, write) => {
    const real = apiKey.reveal()
    for (let at = 0; at < real.length; at += 1) {
      const name = `TARGET_API_KEY with character ${at} changed`
      const near = new Secret(name, `${real.slice(0, at)}#${real.slice(at + 1)}`)
      const echo = write(near.reveal())
      const fields = [
        ['Location', `/login?key=${echo}&again=1`],
        ['WWW-Authenticate', `Key realm="${echo}"`],
      ] as const
      const answered = answer(401, { error_message: `no such key: ${echo}.` }, { fields })
      const { response } = shownOf(answered, withKey(near))

      expect(JSON.stringify(response)).not.toContain(echo.slice(0, 10))
      expect(JSON.stringify(response)).not.toContain(echo.slice(-10))
      if (isNamed) {
        expect(response?.headers).toEqual([
          ['Location', `/login?key=<${name}>&again=1`],
          ['WWW-Authenticate', `Key realm="<${name}>"`],
        ])
        expect(response?.body).toBe(`{"error_message":"no such key: <${name}>."}`)
      }
    }
  })

  it('shows what may be packed data by its beginning, but what the request held as it is', () => {
    const packed = gzipSync(JSON.stringify({ user: 4711, secretKey: secretKey.reveal() }))
    const session = packed.toString('base64url')
    const own = 'qX7Zt2Bv9Kp4Lm8Rw3Ys6Nd1Hf5Gj0Tc2Va'
    const target = `/api/customizations/list?cursor=${own}`
    const fields = [['Location', `/session/${session}?back=${own}`] as const, [`x-${session}`, 'a'] as const]
    const body = { error_code: session, path: target, [session]: 1 }
    const { request, response } = shownOf(answer(400, body, { fields }), { target })

    const note = /^\{"error_code":"H4sIAAAA… \(opaque: \d+ characters\)","path":"([^"]+)","H4sIAAAA… /
    expect(note.exec(response?.body ?? '')?.[1]).toBe(target)
    expect(response?.headers).toEqual([
      ['Location', `/session… (opaque: ${session.length + 9} characters)?back=${own}`],
      [`x-H4sIAA… (opaque: ${session.length + 2} characters)`, 'a'],
    ])
    expect(request.url).toContain(own)
  })

  const cuts = {
    body: [[1_900, 2_050] as const, [65_450, 65_600] as const, [0, 3_000] as const],
    field: [[460, 510] as const, [7_960, 8_010] as const],
  }
  const ok = answer(200, {})

  it.each<[string, (typeof cuts)['body' | 'field'], (echo: string) => Response]>([
    ['a body', cuts.body, (echo) => answer(200, echo)],
    ['a field', cuts.field, (echo) => ({ ...ok, fields: [['x-echo', echo]] })],
    ['the name of a field', cuts.field, (echo) => ({ ...ok, fields: [[echo, 'x']] })],
    ['the reason phrase', cuts.field, (echo) => ({ ...ok, reason: echo })],
    ['a trailer', cuts.field, (echo) => ({ ...ok, trailers: [['x-echo', echo]] })],
  ])(
    'never shows eight characters of a credential, wherever it stands around a cut of %s',
    (_what, ranges, placed) => {
      const keys = [apiKey.reveal(), secretKey.reveal()]
      const parts = keys.flatMap((key) =>
        Array.from({ length: key.length - 7 }, (_, at) => key.slice(at, at + 8)),
      )
      const position = fc.oneof(...ranges.map(([min, max]) => fc.integer({ min, max })))
      fc.assert(
        fc.property(position, fc.constantFrom(...keys), fc.nat({ max: 40 }), (at, key, rest) => {
          const text = JSON.stringify(shownOf(placed(`${'.'.repeat(at)}${key}${'.'.repeat(rest)}`)))
          for (const part of parts) expect(text.includes(part)).toBe(false)
        }),
      )
    },
  )

  it.each([
    [0, 0, 0],
    [2_000, 2_000, 0],
    [2_001, 2_000, 1],
    [100_000, 2_000, 98_000],
  ])('cuts a body of %i characters, and says how much is not shown', (length, shown, bodyCut) => {
    expect(shownOf(answer(200, '.'.repeat(length))).response).toMatchObject({
      body: '.'.repeat(shown),
      bodyCut,
    })
  })

  it.each([
    [300, Array.from({ length: 60 }, () => 300)],
    [5_000, [500, 500, 500]],
    [60_000, [500, 500]],
  ])('cuts what else may be long: 200 header fields of %i characters', (length, shown) => {
    const fields = Array.from({ length: 200 }, (_, index) => [`x-${index}`, 'v'.repeat(length)] as const)

    expect(shownOf({ ...ok, fields }).response?.headers.map(([, value]) => value.length)).toEqual(shown)
  })

  it('is a request alone where no answer came', () => {
    const shown = show({ request: requestWith(), response: null, durationMs: 0 }, options)

    expect(shown).toMatchObject({ response: null, durationMs: 0 })
    expect(leaks(shown)).toBe(false)
  })
})
