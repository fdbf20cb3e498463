import { gzipSync } from 'node:zlib'

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
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

function leaks(shown: unknown): boolean {
  const text = JSON.stringify(shown)
  return text.includes(apiKey.reveal()) || text.includes(secretKey.reveal())
}

describe('an exchange as reports show it', () => {
  it('names the credentials in the place of their values', () => {
    expect(show(exchange(refused(401, '1006')), options)).toEqual({
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

  it('tells a reason phrase of its own and the fields behind the body, without credentials', () => {
    const echo = `seen ${secretKey.reveal()} and ${Buffer.from(apiKey.reveal()).toString('base64')}`
    const response = {
      ...refused(401, '1006'),
      reason: echo,
      trailers: [
        ['x-seen', echo],
        [secretKey.reveal(), 'x'.repeat(2_000)],
      ],
    } as const
    const shown = show(exchange(response), options)

    expect(leaks(shown)).toBe(false)
    expect(JSON.stringify(shown)).not.toContain(Buffer.from(apiKey.reveal()).toString('base64'))
    expect(shown.response).toMatchObject({
      reason: 'seen <TARGET_SECRET_KEY> and <TARGET_API_KEY>==',
      trailers: [
        ['x-seen', 'seen <TARGET_SECRET_KEY> and <TARGET_API_KEY>=='],
        ['<TARGET_SECRET_KEY>', 'x'.repeat(500)],
      ],
    })
  })

  it('masks a near miss that was sent, too, in the reason phrase', () => {
    const near = new Secret('a near miss', 'nearly-the-secret')
    const request = requestWith({ fields: fieldsWith({ 'x-secret-key': near }) })
    const shown = show(
      exchange({ ...refused(401, '1007'), reason: 'no nearly-the-secret' }, request),
      options,
    )

    expect(shown.response?.reason).toBe('no <a near miss>')
  })

  it.each(['', 'Unauthorized', 'UNAUTHORIZED'])('says nothing of the reason phrase %j', (reason) => {
    const shown = show(exchange({ ...refused(401, '1006'), reason }), options)

    expect(shown.response).not.toHaveProperty('reason')
    expect(shown.response).not.toHaveProperty('trailers')
  })

  it('keeps a target that is no path apart from the host', () => {
    const { url } = show(exchange(refused(400, '1010'), requestWith({ target: '.other.example/' })), {
      ...options,
      baseUrl: 'https://staging.example',
    }).request

    expect(url).toBe('https://staging.example .other.example/')
  })

  it('names what was made from a credential, and hides one that was sent as plain text or in the path', () => {
    const near = new Secret('TARGET_API_KEY with its last character dropped', apiKey.reveal().slice(0, -1))
    const request = requestWith({
      target: `/api/customizations/list?key=${apiKey.reveal()}`,
      fields: fieldsWith({ 'x-api-key': near, 'x-secret-key': `Bearer ${secretKey.reveal()}` }),
    })
    const shown = show(exchange(refused(401, '1006'), request), options)

    expect(leaks(shown)).toBe(false)
    expect(shown.request.url).toBe(
      'https://staging.example/cards/api/customizations/list?key=<TARGET_API_KEY>',
    )
    expect(shown.request.headers.slice(0, 2)).toEqual([
      ['x-api-key', '<TARGET_API_KEY with its last character dropped>'],
      ['x-secret-key', 'Bearer <TARGET_SECRET_KEY>'],
    ])
  })

  it('shows the body that was sent, without the credentials in it, masked before it is cut', () => {
    const body = JSON.stringify({ note: apiKey.reveal(), packed: btoa(secretKey.reveal()) })
    const long = `${'x'.repeat(1_990)}${apiKey.reveal()}${'y'.repeat(100)}`
    const [short, cut] = [body, long].map((one) =>
      show(exchange(refused(400, '1030'), requestWith({ body: one })), options),
    )

    expect([leaks(short), JSON.stringify(short).includes(btoa(secretKey.reveal()).slice(0, 12))]).toEqual([
      false,
      false,
    ])
    expect(short?.request.body).toContain('"note":"<TARGET_API_KEY>"')
    expect(short?.request).not.toHaveProperty('bodyCut')
    expect(cut?.request.body).toBe(`${'x'.repeat(1_990)}<TARGET_AP`)
    expect(cut?.request.bodyCut).toBe(106)
  })

  it('hides what an answer echoes, in its body, its fields and their names', () => {
    const response = answer(
      401,
      { error_message: `invalid ${secretKey.reveal()}`, packed: btoa(secretKey.reveal()) },
      {
        fields: [
          ['x-echo', apiKey.reveal()],
          [secretKey.reveal(), 'x'],
        ],
      },
    )
    const shown = show(exchange(response), options)

    expect(leaks(shown)).toBe(false)
    expect(shown.response?.headers).toEqual([
      ['x-echo', '<TARGET_API_KEY>'],
      ['<TARGET_SECRET_KEY>', 'x'],
    ])
    expect(shown.response?.body).not.toContain(btoa(secretKey.reveal()).slice(0, 12))
  })

  it('names what was made from a credential where the answer echoes it whole, in any writing', () => {
    const real = apiKey.reveal()
    const writings: Readonly<Record<string, (text: string) => string>> = {
      raw: (text) => text,
      percent: (text) => encodeURIComponent(text).replaceAll('_', '%5F'),
      base64: (text) => Buffer.from(text).toString('base64'),
      hexadecimal: (text) => Buffer.from(text).toString('hex'),
      'upper case': (text) => text.toUpperCase(),
    }
    for (const [name, write] of Object.entries(writings)) {
      for (let at = 0; at < real.length; at += 1) {
        const near = new Secret(
          `TARGET_API_KEY with character ${at} changed`,
          `${real.slice(0, at)}#${real.slice(at + 1)}`,
        )
        const echo = write(near.reveal())
        const response = answer(
          401,
          { error_message: `no such key: ${echo}.` },
          {
            fields: [
              ['Location', `/login?key=${echo}&again=1`],
              ['WWW-Authenticate', `Key realm="${echo}"`],
            ],
          },
        )
        const request = requestWith({ fields: fieldsWith({ 'x-api-key': near }) })
        const shown = show(exchange(response, request), options).response

        const mask = `<TARGET_API_KEY with character ${at} changed>`
        if (name !== 'base64' && name !== 'hexadecimal') {
          expect(shown?.headers).toEqual([
            ['Location', `/login?key=${mask}&again=1`],
            ['WWW-Authenticate', `Key realm="${mask}"`],
          ])
          expect(shown?.body).toBe(`{"error_message":"no such key: ${mask}."}`)
        }
        expect(JSON.stringify(shown)).not.toContain(echo.slice(0, 10))
        expect(JSON.stringify(shown)).not.toContain(echo.slice(-10))
      }
    }
  })

  it('names a credential that stands whole, also where a part of it was sent', () => {
    const near = new Secret('TARGET_API_KEY with its last character dropped', apiKey.reveal().slice(0, -1))
    const request = requestWith({ fields: fieldsWith({ 'x-api-key': near }) })
    const shown = show(exchange(answer(401, `known: ${apiKey.reveal()};`), request), options)

    expect(shown.response?.body).toBe('known: <TARGET_API_KEY>;')
  })

  it('shows what may be packed data by its beginning, but what the request held as it is', () => {
    const session = gzipSync(JSON.stringify({ user: 4711, secretKey: secretKey.reveal() })).toString(
      'base64url',
    )
    const own = 'qX7Zt2Bv9Kp4Lm8Rw3Ys6Nd1Hf5Gj0Tc2Va'
    const request = requestWith({ target: `/api/customizations/list?cursor=${own}` })
    const response = answer(
      400,
      { error_code: session, path: request.target, [session]: 1 },
      {
        fields: [
          ['Location', `/session/${session}?back=${own}`],
          [`x-${session}`, 'a'],
        ],
      },
    )
    const shown = show(exchange(response, request), options)

    const note = /^\{"error_code":"H4sIAAAA… \(opaque: \d+ characters\)","path":"([^"]+)","H4sIAAAA… /
    expect(note.exec(shown.response?.body ?? '')?.[1]).toBe(request.target)
    expect(shown.response?.headers).toEqual([
      ['Location', `/session… (opaque: ${session.length + 9} characters)?back=${own}`],
      [`x-H4sIAA… (opaque: ${session.length + 2} characters)`, 'a'],
    ])
    expect(shown.request.url).toContain(own)
  })

  it('does not look for what is too short to tell anything', () => {
    const near = new Secret('TARGET_API_KEY cut to 2 characters', 'er')
    const request = requestWith({ fields: fieldsWith({ 'x-api-key': near }) })
    const shown = show(exchange(refused(401, '1006'), request), options)

    expect(shown.response?.body).toContain('error_code')
  })

  it('never shows a credential, nor eight characters of one, wherever it stands around a cut', () => {
    const positions = fc.oneof(
      fc.integer({ min: 1_900, max: 2_050 }),
      fc.integer({ min: 65_450, max: 65_600 }),
      fc.integer({ min: 0, max: 3_000 }),
    )
    const parts = [apiKey, secretKey].flatMap((secret) =>
      Array.from({ length: secret.reveal().length - 7 }, (_, at) => secret.reveal().slice(at, at + 8)),
    )
    fc.assert(
      fc.property(
        positions,
        fc.constantFrom(apiKey, secretKey),
        fc.integer({ max: 40, min: 0 }),
        (at, secret, rest) => {
          const body = `${'.'.repeat(at)}${secret.reveal()}${'.'.repeat(rest)}`
          const text = JSON.stringify(show(exchange(answer(200, body)), options))
          for (const part of parts) expect(text.includes(part)).toBe(false)
        },
      ),
    )
  })

  it('never does so around a cut of a field, its name, the reason phrase or a trailer either', () => {
    const parts = [apiKey, secretKey].flatMap((secret) =>
      Array.from({ length: secret.reveal().length - 7 }, (_, at) => secret.reveal().slice(at, at + 8)),
    )
    fc.assert(
      fc.property(
        fc.oneof(fc.integer({ min: 460, max: 510 }), fc.integer({ min: 7_960, max: 8_010 })),
        fc.constantFrom(apiKey, secretKey),
        (at, secret) => {
          const echo = `${'.'.repeat(at)}${secret.reveal()}...`
          const fields = [['x-echo', echo] as const]
          const named = [[echo, 'x'] as const]
          for (const places of [{ fields }, { fields: named }, { reason: echo }, { trailers: fields }]) {
            const text = JSON.stringify(show(exchange({ ...answer(200, {}), ...places }), options))
            for (const part of parts) expect(text.includes(part)).toBe(false)
          }
        },
      ),
    )
  })

  it('cuts a long body, and says how much is not shown', () => {
    const shownOf = (length: number): readonly [shown: number, cut: number] => {
      const { response } = show(exchange(answer(200, '.'.repeat(length))), options)
      return [response?.body.length ?? -1, response?.bodyCut ?? -1]
    }

    expect(shownOf(0)).toEqual([0, 0])
    expect(shownOf(2_000)).toEqual([2_000, 0])
    expect(shownOf(2_001)).toEqual([2_000, 1])
    expect(shownOf(100_000)).toEqual([2_000, 98_000])
  })

  it('cuts what else may be long: header fields and their number', () => {
    const shownOf = (length: number): readonly number[] => {
      const fields = Array.from({ length: 200 }, (_, index) => [`x-${index}`, 'v'.repeat(length)] as const)
      const shown = show(exchange(answer(200, {}, { fields })), options).response
      return shown?.headers.map(([, value]) => value.length) ?? []
    }

    expect(shownOf(300)).toEqual(Array.from({ length: 60 }, () => 300))
    expect(shownOf(5_000)).toEqual([500, 500, 500])
    expect(shownOf(60_000)).toEqual([500, 500])
  })

  it('is a request alone where no answer came', () => {
    const shown = show({ request: requestWith(), response: null, durationMs: 0 }, options)

    expect(shown.response).toBeNull()
    expect(shown.durationMs).toBe(0)
    expect(leaks(shown)).toBe(false)
  })
})
