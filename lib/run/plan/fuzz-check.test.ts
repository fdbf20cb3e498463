import { describe, expect, it } from 'vitest'
import type { MutatedRequest } from '../../fuzz/case-class.ts'
import { setting, to, unchanged, without, type RequestChange } from '../../fuzz/request-changes.ts'
import type { Response } from '../../http/exchange.ts'
import type { Breach } from '../../judge/judge.ts'
import { answer, exchange, refused, served } from '../../judge/testing/exchanges.ts'
import { read, settingsOf, target } from '../../settings/testing/read.ts'
import { checkOf } from './fuzz.ts'
import { suiteContext } from './suite-context.ts'

const context = suiteContext(settingsOf(await read(target)), 'card-switch-conformance/test')
const key = target.TARGET_API_KEY

/** A change of the plain request, how it is treated, and the answer to its paired request. */
type Sent = readonly [apply: RequestChange, more?: Partial<MutatedRequest>, before?: Response]

/** The breach in an answer to this, or null. */
function breachOf(response: Response, [apply, more = {}, before]: Sent): Breach | null {
  const request = apply(context.list.request.request)
  const mutated: MutatedRequest = { says: '', apply, treatment: 'oracle', transportMayRefuse: false, ...more }
  const made = { mutated, request, before: before === undefined ? null : exchange(before) }
  const judgement = checkOf(made, context).judge(exchange(response, request))
  if (judgement.kind === 'unclear') throw new Error(judgement.because)
  return judgement.kind === 'violates' ? judgement.breach : null
}

const all = (...changes: readonly RequestChange[]): RequestChange => {
  return (request) => changes.reduce((changed, change) => change(changed), request)
}
const [noKey, noSecret, noVersion] = [refused(400, '1001'), refused(400, '1002'), refused(400, '1003')]
const missing = [noKey, noSecret, noVersion]
const [unknown, invalid] = [refused(400, '1010'), refused(400, '1030')]
const [badKey, badSecret, nobody] = [refused(401, '1006'), refused(401, '1007'), refused(401, '1012')]
const [broken, notFound, precondition] = [answer(500, ''), answer(404, ''), answer(412, '')]
const notModified = answer(304, '')
const page = answer(200, '<html>', { fields: [['content-type', 'text/html']] })
const moved = answer(301, '', { fields: [['location', '/api/customizations/list']] })
const noRange = answer(416, '')
const partOfJson = answer(206, { customizations: [] })
const part = answer(206, '{"cu')

const keyOf = (value: string) => setting('x-api-key', value)
const wrongKey = keyOf('zz')
const wrongSecret = setting('x-secret-key', 'nobodys')
const unsupported = setting('x-version', '2147483647')
const tab = keyOf(`\t${key}`)
const nowhere = to('/api/zzabcdefghijklmn')
const nearMiss = to('/api/customizations/list/')
const utf8 = keyOf(`${key}\xc3\xa9`)
const latin = keyOf(`${key}\xff`)

const mayRefuse = { transportMayRefuse: true }
const also = { also: [{ status: 400, errorCode: '1010' }] } as const
const partial = { mayBePartial: true } as const
const oddField = { fieldMayBeRefused: true } as const
const paired = {
  transportMayRefuse: true,
  pairedRequest: { relation: 'invented-credential', apply: unchanged },
} as const
const letIn = all(keyOf(`a\xc2\x9f${key}`), nowhere)
const noRefusals = [answer(401, { error_code: '1006' }), refused(400, '1006'), answer(400, '<html>')]
const unfit = [unknown, ...noRefusals, answer(403, { message: 'no' }), broken]
const refusals = [answer(400, ''), precondition, invalid]
// A control character, a folded line, a bare CR, an oversized line.
const oddKeys = [`${key.slice(0, 4)}\x01${key.slice(4)}`, 'x'.repeat(8_192)]
const oddFields = [setting('x-secret-key', 'a\r\n b'), setting('x-version', '1\r2')]
const oddLines = [...oddKeys.map(keyOf), ...oddFields].map((one) => all(one, nowhere))

/** A request, its acceptable answers, and its unacceptable ones. */
type Row = [string, Sent, readonly Response[], readonly Response[]]
const pair = (before: Response): Sent => [letIn, paired, before]

it.each<Row>([
  ['is not judged if it is observed', [wrongKey, { treatment: 'observed' }], [served, broken], []],
  [
    'must not be served if it is treated as refused',
    [wrongKey, { treatment: 'refused' }],
    [notFound],
    [served],
  ],
  ['is judged by the oracle', [wrongKey], [badKey], [notFound, noKey]],
  ['may be redirected for a near miss of its path', [nearMiss, { mayRedirect: true }], [moved], []],
  ['may not be redirected for any other path', [nearMiss], [], [moved]],
  // All servers strip a leading space, but not all a leading tab; many keep white space after a value.
  ['with a tab before its key may be served', [tab], [served, badKey], [badSecret, noKey, broken]],
  ['with white space around its key may be served', [keyOf(` ${key} \t `)], [served, badKey], []],
  ['with a space before its key is served', [keyOf(` ${key}`)], [served], [badKey]],
  [
    'with a space after its key may be served',
    [keyOf(`${key} `)],
    [served, badKey],
    [badSecret, noKey, broken],
  ],
  [
    'with a tab before its key and a wrong secret is not served',
    [all(tab, wrongSecret)],
    [badSecret, nobody],
    [served],
  ],
  [
    'with a tab after a version may be served',
    [setting('x-version', '1\t')],
    [served, unknown, invalid],
    [noVersion],
  ],
  [
    'with a space after a version may be served',
    [setting('x-version', '1 ')],
    [served, unknown],
    [noVersion],
  ],
  ['with a non-ASCII key may count as having no key', [utf8], [noKey, badKey], [served, noSecret]],
  [
    'with a non-ASCII secret may count as without a secret',
    [setting('x-secret-key', 'a\xff')],
    [noSecret],
    [served],
  ],
  [
    'with a non-ASCII version may count as without a version',
    [setting('x-version', 'a\xff')],
    [noVersion],
    [served],
  ],
  ['with a non-ASCII accept-language is valid', [setting('accept-language', '\xc3\xa9')], [served], [noKey]],
  ['that the transport may refuse may be blocked with a page', [latin, mayRefuse], [page, invalid], [served]],
  ['may not be blocked with a page by default', [latin], [], [page]],
  ...[badKey, noKey, invalid].map((one): Row => ['is refused like its pair', pair(one), [one], [unknown]]),
  ['may be refused unlike its pair', pair(badKey), [invalid, noKey, answer(431, '')], [broken]],
  // A pair that was looked up first, or refused by the transport, proves nothing.
  ...unfit.map((one): Row => ['may reach an endpoint, unlike its pair', pair(one), [unknown], []]),
  ['may reach an endpoint if its pair got no answer', [letIn, paired], [unknown], []],
  ...oddLines.map((odd): Row => [
    'with a malformed field may count as without that field',
    [odd, mayRefuse],
    missing,
    [nobody, served],
  ]),
  ['may get an additional answer', [without('x-api-key'), also], [unknown, noKey], [noSecret, served]],
  ['may not get an additional answer by default', [without('x-api-key')], [], [unknown]],
  ['may be served in part', [unchanged, partial], [served, part, notModified, noRange], [precondition]],
  ['may not be served in part by default', [unchanged], [served], [notModified]],
  ['may be refused because of a field', [unchanged, oddField], [served, notModified, ...refusals], [broken]],
  ['is not accepted because of a malformed field', [wrongKey, oddField], [badKey], [served]],
])('a request %s', (_, sent, fine, wrong) => {
  for (const response of fine) expect(breachOf(response, sent), JSON.stringify(response)).toBeNull()
  for (const response of wrong) expect(breachOf(response, sent), JSON.stringify(response)).not.toBeNull()
})

const described = { file: 'endpoints.json', number: 2, says: 'limit below 1' }
const forbidden = { described, allowed: [{ status: 400, errorCode: '1030' }] } as const
const input = 'not as the endpoints file describes the input'
const stripped = keyOf(`${key}\xa0`)
const once = { summary: expect.stringMatching(/^answered 404.* where 400 \/ 1001 is documented$/) }
const again = { also: [{ status: 400, errorCode: '1001' }] } as const
const where = 'where 401 / 1006 or 400 / 1001 or 400 / 1030 is documented'

describe('a breach', () => {
  it.each<[string, Response, Sent, Partial<Breach>]>([
    ['names each documented answer once', notFound, [without('x-api-key'), again], once],
    ['names no other answer', notFound, [without('x-api-key')], once],
    [
      'is a warning if servers may strip a byte',
      served,
      [stripped, { mayBeStripped: true }],
      { warning: true },
    ],
    [
      'is blamed on the order of checks if only the order is wrong',
      unknown,
      [letIn, paired, badKey],
      {
        against: 'order',
        summary: `answered 400 / 1010 ${where}; the same with an invented credential is answered 401 / 1006`,
      },
    ],
    [
      'names the endpoints file that forbids what is served',
      served,
      [unchanged, forbidden],
      {
        difference: `${input}: forbidden and served`,
        summary:
          'answered 200 with JSON to input of endpoints.json (entry 2: limit below 1), which it forbids (400 / 1030 is documented), or the file is wrong',
      },
    ],
    [
      'names the endpoints file that allows what is refused',
      invalid,
      [unchanged, { described }],
      {
        difference: `${input}: allowed and refused`,
        summary:
          'answered 400 / 1030 to input of endpoints.json (entry 2: limit below 1), which it allows, or the file is wrong',
      },
    ],
  ])('%s', (_, response, sent, breach) => {
    expect(breachOf(response, sent)).toMatchObject(breach)
  })

  it.each<[string, Response, Sent, keyof Breach]>([
    ['is not a warning for a byte that no server strips', served, [stripped], 'warning'],
    ['is not blamed on the order after another failure', broken, [letIn, paired, badKey], 'against'],
  ])('%s', (_, response, sent, name) => {
    expect(breachOf(response, sent)).not.toBeNull()
    expect(breachOf(response, sent)).not.toHaveProperty(name)
  })

  it.each<[string, Response, Partial<MutatedRequest>]>([
    ['another refusal', badKey, forbidden],
    ['an incomplete error object', answer(400, { error_code: '1030' }), { described }],
    ['a success with undescribed input', served, { allowed: forbidden.allowed }],
  ])('names no endpoints file for %s', (_, response, more) => {
    expect(breachOf(response, [unchanged, more])?.summary).toMatch(/^(?!.*input of endpoints.json)/)
  })

  // The condition makes the breach only implied, or a warning.
  it.each<[string, boolean, Sent[0], readonly Response[]]>([
    ['a wrong code, form or status', true, wrongSecret, [badKey, answer(401, '<html>'), broken]],
    ['a part or a page for a wrong secret', true, wrongSecret, [part, partOfJson, answer(200, '<html>')]],
    ['the list or a 304 for a wrong secret', false, wrongSecret, [served, notModified]],
    [
      'a 304 for a wrong secret and an unsupported version',
      false,
      all(unsupported, wrongSecret),
      [notModified],
    ],
    ['a 304 if a success is allowed', true, unchanged, [notModified]],
    ['a 304 with a tab, which may be stripped', true, tab, [notModified]],
    ['a 304 if only the version is wrong', true, unsupported, [notModified]],
    ['the list if only the version is wrong', false, unsupported, [served]],
  ])('is weakened by a condition for %s: %s', (_, isWeak, apply, responses) => {
    for (const response of responses) {
      expect(breachOf(response, [apply])).toMatchObject({ allowed: expect.anything() })
      expect(breachOf(response, [apply])).not.toHaveProperty('implied')
      for (const weakness of ['implied', 'warning'] as const)
        expect(Object.hasOwn(breachOf(response, [apply, { weakness }]) ?? {}, weakness)).toBe(isWeak)
    }
  })
})
