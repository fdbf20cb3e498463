import { describe, expect, it } from 'vitest'
import { answer, exchange } from '../../judge/testing/exchanges.ts'
import type { Response } from '../../http/exchange.ts'
import { clients } from '../../serve/reference/clients.ts'
import { factsOf } from '../../judge/facts.ts'
import { BaselineWatch } from './baseline-watch.ts'
import type { TestRequest } from '../plan/test-request.ts'
import { open } from '../testing/open.ts'

const item = (more: object = {}): object => ({ id: 'a', palette: { primary: 'x', secondary: 'y' }, ...more })
const list = (...items: readonly object[]): Response => answer(200, { customizations: items })

/** What a watch learned from these answers to the plain request, or to a change of it. */
async function learned(
  answers: readonly Response[],
  change: (plain: TestRequest) => TestRequest = (plain) => plain,
): Promise<BaselineWatch> {
  const { plain, context } = await open()
  const changed = change(plain)
  const watch = new BaselineWatch()
  for (const response of answers) {
    const one = exchange(response, changed.request)
    const shown = { request: { method: 'GET', url: '', headers: [] }, response: null, durationMs: 1 }
    watch.note(
      { request: changed, exchange: one, context: of },
      factsOf(changed.request, context.model),
      () => shown,
    )
  }
  return watch
}

/** The case that every request is sent for. */
const of = { rule: 'endpoints/list-succeeds', case: 'first' } as const

const five = [list(item(), item(), item(), item(), item())]

describe('what is learned for the baseline', () => {
  it('names what was removed, by its path, with an exchange to show', async () => {
    const before = await learned(five)
    const now = await learned([list({ id: 'a', palette: { primary: 'x' } })])

    expect(now.compare(before.seen).map(({ drift }) => [drift.kind, drift.severity, drift.says])).toEqual([
      ['removed', 'breaking', '$.customizations[].palette.secondary was removed'],
    ])
    expect(now.compare(before.seen)).toMatchObject([
      {
        drift: {
          shapes: {
            before: '$.customizations[].palette { secondary: string, primary: string }',
            after: '$.customizations[].palette { primary: string }',
          },
        },
        first: { shown: { durationMs: 1 }, context: of },
      },
    ])
  })

  it('calls what is missing in some items only a warning', async () => {
    const before = await learned(five)
    const now = await learned([list(item(), { id: 'b' })])

    expect(now.compare(before.seen).map(({ drift: { severity } }) => severity)).toEqual(['warning'])
  })

  it('tells requests apart by their one certain flaw, and notices another code', async () => {
    const refusal = (code: string): Response => answer(400, { error_code: code, error_message: '' })
    const withoutKey = (plain: TestRequest): TestRequest => plain.without('x-api-key')
    const before = await learned([refusal('1001')], withoutKey)

    expect(Object.keys(before.seen.stimuli)).toEqual(['GET /api/customizations/list | apiKey absent'])
    const now = await learned([refusal('1002')], withoutKey)
    expect(now.compare(before.seen).map(({ drift: { kind } }) => kind)).toEqual(['code-changed'])
    expect((await learned(five)).compare(before.seen)).toEqual([])
  })

  it('is nothing where several codes are documented for the flaw: the answer may honestly change', async () => {
    const severalCodes: Readonly<Record<string, (plain: TestRequest) => TestRequest>> = {
      'blank key': (plain) => plain.with('x-api-key', ' '),
      'blank secret': (plain) => plain.with('x-secret-key', ''),
      'secret of another client': (plain) => plain.with('x-secret-key', clients.second.secretKey),
      'malformed version': (plain) => plain.with('x-version', 'abc'),
      'version out of range': (plain) => plain.with('x-version', '-1'),
    }
    const refusal = (code: string): Response => answer(400, { error_code: code, error_message: '' })
    for (const [name, change] of Object.entries(severalCodes)) {
      expect((await learned([refusal('1001')], change)).seen.stimuli, name).toEqual({})
    }
    const one = await learned([refusal('1007')], (plain) => plain.with('x-secret-key', 'nobodys-secret'))
    expect(Object.keys(one.seen.stimuli)).toEqual(['GET /api/customizations/list | secretKey nobodys'])
  })

  it('is nothing for several flaws, uncertain ones, quotas, and where the transport may refuse by itself', async () => {
    const nothing = [
      (plain: TestRequest) => plain.without('x-api-key', 'x-version'),
      (plain: TestRequest) => plain.with('x-version', '01'),
      (plain: TestRequest) => plain.trait({ client: 'disposable' }),
      (plain: TestRequest) => plain.trait({ asksForQuota: true }),
      (plain: TestRequest) => plain.trait({ transportMayRefuse: true }),
    ]
    for (const change of nothing) expect((await learned(five, change)).seen.stimuli).toEqual({})
  })
})
