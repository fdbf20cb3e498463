import { expect, it } from 'vitest'
import type { Response } from '../../http/exchange.ts'
import { factsOf } from '../../judge/facts.ts'
import { answer, exchange } from '../../judge/testing/exchanges.ts'
import type { TestRequest } from '../plan/test-request.ts'
import { contextOf } from '../testing/contexts.ts'
import { BaselineWatch } from './baseline-watch.ts'

const item = (more: object = {}): object => ({ id: 'a', palette: { primary: 'x', secondary: 'y' }, ...more })
const list = (...items: readonly object[]): Response => answer(200, { customizations: items })

const second = { FIXTURE_SECOND_API_KEY: 'key-of-second', FIXTURE_SECOND_SECRET_KEY: 'secret-of-second' }
const of = { rule: 'endpoints/list-succeeds', case: 'first' } as const
const shown = { request: { method: 'GET', url: '', headers: [] }, response: null, durationMs: 1 }
type Change = (plain: TestRequest) => TestRequest

/** A watch that learned from these answers to the plain request, or to a change of it. */
async function learned(
  answers: readonly Response[],
  change: Change = (plain) => plain,
): Promise<BaselineWatch> {
  const { list: endpoint, model } = await contextOf(second)
  const request = change(endpoint.request)
  const watch = new BaselineWatch()
  for (const response of answers) {
    const noted = { request, exchange: exchange(response, request.request), context: of }
    watch.note(noted, factsOf(request.request, model), () => shown)
  }
  return watch
}

const five = [list(item(), item(), item(), item(), item())]
const refusal = (code: string): readonly Response[] => [answer(400, { error_code: code, error_message: '' })]
const withoutKey: Change = (plain) => plain.without('x-api-key')

it('a removed property is reported as breaking, with its path and an exchange', async () => {
  const before = await learned(five)
  const now = await learned([list({ id: 'a', palette: { primary: 'x' } })])
  const shapes = {
    before: '$.customizations[].palette { secondary: string, primary: string }',
    after: '$.customizations[].palette { primary: string }',
  }

  expect(now.compare(before.seen)).toMatchObject([
    {
      drift: {
        kind: 'removed',
        severity: 'breaking',
        says: '$.customizations[].palette.secondary was removed',
        shapes,
      },
      first: { shown, context: of },
    },
  ])
})

it.each<[string, readonly Response[], readonly Response[], Change?]>([
  ['warning: sometimes-missing', five, [list(item(), { id: 'b' })]],
  ['breaking: code-changed', refusal('1001'), refusal('1002'), withoutKey],
])('a changed answer is reported as %s', async (expected, before, after, change) => {
  const drifts = (await learned(after, change)).compare((await learned(before, change)).seen)

  expect(drifts.map(({ drift: { severity, kind } }) => `${severity}: ${kind}`)).toEqual([expected])
})

it('requests with different flaws are never compared', async () => {
  expect((await learned(five)).compare((await learned(refusal('1001'), withoutKey)).seen)).toEqual([])
})

it.each<[string, readonly string[], Change]>([
  ['one certain flaw', ['apiKey absent'], withoutKey],
  ["nobody's secret", ['secretKey nobodys'], (plain) => plain.with('x-secret-key', 'nobodys-secret')],
  // Several codes are documented, so the answer may change legitimately.
  ['a blank key', [], (plain) => plain.with('x-api-key', ' ')],
  ['a blank secret', [], (plain) => plain.with('x-secret-key', '')],
  [
    'the secret of another client',
    [],
    (plain) => plain.with('x-secret-key', second.FIXTURE_SECOND_SECRET_KEY),
  ],
  ['a malformed version', [], (plain) => plain.with('x-version', 'abc')],
  ['a version out of range', [], (plain) => plain.with('x-version', '-1')],
  ['several flaws', [], (plain) => plain.without('x-api-key', 'x-version')],
  ['an uncertain flaw', [], (plain) => plain.with('x-version', '01')],
  ['a client with a quota', [], (plain) => plain.trait({ client: 'disposable' })],
  ['a request for a quota', [], (plain) => plain.trait({ asksForQuota: true })],
  ['a request that the transport may refuse', [], (plain) => plain.trait({ transportMayRefuse: true })],
])('the answer to %s is learned as %o', async (_, stimuli, change) => {
  const { seen } = await learned(refusal('1001'), change)

  expect(Object.keys(seen.stimuli)).toEqual(stimuli.map((flaw) => `GET /api/customizations/list | ${flaw}`))
})
