import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Response } from '../http/exchange.ts'
import type { Request } from '../http/request.ts'
import type { ShownExchange } from '../judge/record.ts'
import {
  answer,
  credentials,
  exchange,
  fieldsWith,
  refused,
  requestWith,
} from '../judge/testing/exchanges.ts'
import { redactorFor } from '../redact/redact.ts'
import { Secret } from '../redact/secret.ts'
import { show } from './show.ts'

const { apiKey, secretKey } = credentials
const [key, secret] = [apiKey.reveal(), secretKey.reveal()]
const options = { baseUrl: 'https://staging.example/cards', redactor: redactorFor([apiKey, secretKey]) }
const ok = answer(200, {})

function shownOf(response: Response, request: Partial<Request> = {}): ShownExchange {
  return show(exchange(response, requestWith(request)), options)
}

function leaks(shown: unknown): boolean {
  const text = JSON.stringify(shown)
  return [key, secret, ...[key, secret].map((one) => btoa(one).slice(0, 12))].some((one) =>
    text.includes(one),
  )
}

/** A request with this key in the place of its own. */
function withKey(one: Secret): Partial<Request> {
  return { fields: fieldsWith({ 'x-api-key': one }) }
}

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

  it('is a request alone where no answer came', () => {
    const shown = show({ request: requestWith(), response: null, durationMs: 0 }, options)

    expect(shown).toMatchObject({ response: null, durationMs: 0 })
    expect(leaks(shown)).toBe(false)
  })

  it.each(['', 'Unauthorized', 'UNAUTHORIZED'])('says nothing of the reason phrase %j', (reason) => {
    const { response } = shownOf({ ...refused(401, '1006'), reason })

    expect(Object.keys(response ?? {})).toEqual(['status', 'headers', 'body', 'bodyCut'])
  })

  it('hides what an answer echoes: reason phrase, fields and trailers with their names, and body', () => {
    const echo = `seen ${secret} and ${btoa(key)}`
    const fields = [['x-echo', key] as const, [secret, 'x'] as const]
    const trailers = [['x-seen', echo] as const, [secret, 'x'.repeat(2_000)] as const]
    const body = { error_message: `invalid ${secret}`, packed: btoa(secret) }
    const shown = shownOf({ ...answer(401, body, { fields }), reason: echo, trailers })
    const seen = 'seen <TARGET_SECRET_KEY> and <TARGET_API_KEY>=='

    expect(leaks(shown)).toBe(false)
    expect(shown.response).toMatchObject({
      reason: seen,
      headers: [
        ['x-echo', '<TARGET_API_KEY>'],
        ['<TARGET_SECRET_KEY>', 'x'],
      ],
      trailers: [
        ['x-seen', seen],
        ['<TARGET_SECRET_KEY>', 'x'.repeat(500)],
      ],
    })
  })

  it('names what was made from a credential, and hides one that was sent as plain text or in the path', () => {
    const made = 'TARGET_API_KEY with its last character dropped'
    const dropped = new Secret(made, key.slice(0, -1))
    const { request, response } = shownOf(answer(401, `known: ${key};`), {
      target: `/api/customizations/list?key=${key}`,
      fields: fieldsWith({ 'x-api-key': dropped, 'x-secret-key': `Bearer ${secret}` }),
    })

    expect(request.url).toBe('https://staging.example/cards/api/customizations/list?key=<TARGET_API_KEY>')
    expect(request.headers.slice(0, 2)).toEqual([
      ['x-api-key', `<${made}>`],
      ['x-secret-key', 'Bearer <TARGET_SECRET_KEY>'],
    ])
    // A credential that stands whole is named, also where a part of it was sent.
    expect(response?.body).toBe('known: <TARGET_API_KEY>;')
  })

  it('keeps a target that is no path apart from the host', () => {
    expect(shownOf(refused(400, '1010'), { target: '.other.example/' }).request.url).toBe(
      'https://staging.example/cards .other.example/',
    )
  })

  it('shows the body that was sent, without the credentials in it, masked before it is cut', () => {
    const short = shownOf(ok, { body: JSON.stringify({ note: key, packed: btoa(secret) }) })
    const long = `${'x'.repeat(1_990)}${key}${'y'.repeat(100)}`

    expect(leaks(short)).toBe(false)
    expect(short.request.body).toContain('"note":"<TARGET_API_KEY>"')
    expect(short.request).not.toHaveProperty('bodyCut')
    expect(shownOf(ok, { body: long }).request).toMatchObject({
      body: `${'x'.repeat(1_990)}<TARGET_AP`,
      bodyCut: 106,
    })
  })

  it.each<[string, boolean, (text: string) => string]>([
    ['raw', true, (text) => text],
    ['percent', true, (text) => encodeURIComponent(text).replaceAll('_', '%5F')],
    ['upper case', true, (text) => text.toUpperCase()],
    ['base64', false, btoa],
    ['hexadecimal', false, (text) => Buffer.from(text).toString('hex')],
  ])('masks what was made from a credential where the answer echoes it whole: %s', (_, isNamed, write) => {
    for (let at = 0; at < key.length; at += 1) {
      const name = `TARGET_API_KEY with character ${at} changed`
      const near = new Secret(name, `${key.slice(0, at)}#${key.slice(at + 1)}`)
      const echo = write(near.reveal())
      const said = (text: string) => [
        `/login?key=${text}&again=1`,
        `Key realm="${text}"`,
        `no such key: ${text}.`,
      ]
      const [location = '', challenge = '', reason = ''] = said(echo)
      const fields = [['Location', location] as const, ['WWW-Authenticate', challenge] as const]
      const { response } = shownOf({ ...answer(401, reason, { fields }), reason }, withKey(near))

      expect(JSON.stringify(response)).not.toContain(echo.slice(0, 10))
      expect(JSON.stringify(response)).not.toContain(echo.slice(-10))
      const shown = [...(response?.headers.map(([, value]) => value) ?? []), response?.body, response?.reason]
      if (isNamed) expect(shown).toEqual([...said(`<${name}>`), `no such key: <${name}>.`])
    }
  })

  it('shows what may be packed data by its beginning, but what the request held as it is', () => {
    const session = 'H4sIAAAAAAAAA6tWKi1OLVKyUjIxNzRU0lEqTk0uSi0BihXnJxbkZCoBAH0JpVQeAAAA'
    const own = 'qX7Zt2Bv9Kp4Lm8Rw3Ys6Nd1Hf5Gj0Tc2Va'
    const fields = [['Location', `/session/${session}?back=${own}`] as const, [`x-${session}`, 'a'] as const]
    const { request, response } = shownOf(answer(400, { error_code: session }, { fields }), {
      target: `/${own}`,
    })

    expect(response?.body).toBe(`{"error_code":"H4sIAAAA… (opaque: ${session.length} characters)"}`)
    expect(response?.headers).toEqual([
      ['Location', `/session… (opaque: ${session.length + 9} characters)?back=${own}`],
      [`x-H4sIAA… (opaque: ${session.length + 2} characters)`, 'a'],
    ])
    expect(request.url).toContain(own)
  })

  const body = [[1_900, 2_050] as const, [65_450, 65_600] as const, [0, 3_000] as const]
  const field = [[460, 510] as const, [7_960, 8_010] as const]

  it.each<[string, readonly (readonly [number, number])[], (echo: string) => Response]>([
    ['a body', body, (echo) => answer(200, echo)],
    ['a field', field, (echo) => ({ ...ok, fields: [['x-echo', echo]] })],
    ['the name of a field', field, (echo) => ({ ...ok, fields: [[echo, 'x']] })],
    ['the reason phrase', field, (echo) => ({ ...ok, reason: echo })],
    ['a trailer', field, (echo) => ({ ...ok, trailers: [['x-echo', echo]] })],
  ])('never shows eight characters of a credential around a cut of %s', (_, ranges, placed) => {
    const keys = [key, secret]
    const parts = keys.flatMap((one) =>
      Array.from({ length: one.length - 7 }, (__, at) => one.slice(at, at + 8)),
    )
    const position = fc.oneof(...ranges.map(([min, max]) => fc.integer({ min, max })))
    fc.assert(
      fc.property(position, fc.constantFrom(...keys), fc.nat({ max: 40 }), (at, one, rest) => {
        const text = JSON.stringify(shownOf(placed(`${'.'.repeat(at)}${one}${'.'.repeat(rest)}`)))
        for (const part of parts) expect(text.includes(part)).toBe(false)
      }),
    )
  })

  it.each([
    [0, 0, 0],
    [2_000, 2_000, 0],
    [2_001, 2_000, 1],
    [100_000, 2_000, 98_000],
  ])('cuts a body of %i characters, and says how much is not shown', (length, shown, bodyCut) => {
    const cut = { body: '.'.repeat(shown), bodyCut }

    expect(shownOf(answer(200, '.'.repeat(length))).response).toMatchObject(cut)
  })

  it.each([
    [300, Array.from({ length: 60 }, () => 300)],
    [5_000, [500, 500, 500]],
    [60_000, [500, 500]],
  ])('cuts what else may be long: 200 header fields of %i characters', (length, shown) => {
    const fields = Array.from({ length: 200 }, (_, index) => [`x-${index}`, 'v'.repeat(length)] as const)

    expect(shownOf({ ...ok, fields }).response?.headers.map(([, value]) => value.length)).toEqual(shown)
  })
})
