import { describe, expect, it } from 'vitest'
import { answer, exchange, refused, served } from '../../judge/testing/exchanges.ts'
import type { KnownEndpoint } from '../../judge/target-model.ts'
import { MachineTooBusy } from '../../specification/within.ts'
import { SuccessChecks } from './success-checks.ts'

const listed: KnownEndpoint = {
  method: 'GET',
  path: '/api/customizations/list',
  version: '1',
  label: 'list',
  query: null,
  body: null,
  invalidQuery: null,
  inactive: false,
  success: null,
  described: null,
  mayBeSent: true,
}
const shape = {
  type: 'object',
  required: ['cards'],
  properties: { cards: { type: 'array', items: { type: 'object', required: ['id'] } } },
}
const described = {
  file: 'e.json',
  number: 3,
  template: '/api/x',
  pathParameters: {},
  query: null,
  body: null,
}
const checks = await SuccessChecks.of([listed, { ...listed, label: 'cards', success: shape, described }])

describe('the success of an endpoint', () => {
  it('without a shape is any JSON under 2xx', async () => {
    const check = checks.check('list')

    expect(check.judge(exchange(served))).toEqual({ kind: 'holds' })
    expect(check.judge(exchange(answer(200, []))).kind).toBe('holds')
    expect(check.judge(exchange(refused(401, '1006'))).kind).toBe('violates')
  })

  it('with a shape fits it, with anything beside', async () => {
    const check = checks.check('cards')

    expect(check.judge(exchange(answer(200, { cards: [] }))).kind).toBe('holds')
    expect(check.judge(exchange(answer(200, { more: 1, cards: [{ id: 'a', colour: 'red' }] }))).kind).toBe(
      'holds',
    )
  })

  it('with a shape is broken by another, and says where', async () => {
    const check = checks.check('cards')
    const judged = check.judge(exchange(answer(200, { cards: [{ id: 'a' }, {}] })))

    expect(check.allowed).toEqual([{ status: '2xx', errorCode: null }])
    expect(judged).toMatchObject({
      kind: 'violates',
      breach: {
        answered: { status: 200, errorCode: null },
        difference: 'not the success of the endpoints file: required',
      },
    })
    expect(judged).toMatchObject({
      breach: {
        summary:
          "cards answered 200 without what e.json demands of it (entry 3: /cards/1 must have required property 'id')",
      },
    })
  })

  it('with a shape is still no error, page or empty body', async () => {
    const check = checks.check('cards')

    for (const response of [
      refused(401, '1006'),
      refused(200, '1006'),
      answer(200, '<html>'),
      answer(204, ''),
    ]) {
      expect(check.judge(exchange(response))).toMatchObject({
        kind: 'violates',
        breach: { allowed: [{ status: '2xx', errorCode: null }] },
      })
      expect(JSON.stringify(check.judge(exchange(response)))).not.toContain('e.json')
    }
  })

  it('has one fingerprint wherever in the body it is broken', async () => {
    const check = checks.check('cards')
    const differences = [{ cards: [{}] }, { cards: [{ id: 1 }, { id: 2 }, {}] }].map((body) => {
      const judged = check.judge(exchange(answer(200, body)))
      return judged.kind === 'violates' ? judged.breach.difference : judged.kind
    })

    expect(new Set(differences).size).toBe(1)
  })

  it('with a shape that takes too long to check is unclear, and is not checked again', async () => {
    const success = { properties: { list: { uniqueItems: true } } }
    const check = (await SuccessChecks.of([{ ...listed, success, described }])).check('list')
    const list = Array.from({ length: 60_000 }, (_, a) => ({ a }))
    const because =
      'an answer of list could not be checked against its schema in e.json (entry 3): it takes longer than 1 s'

    expect(check.judge(exchange(answer(200, { list: [] })))).toEqual({ kind: 'holds' })
    expect(check.judge(exchange(answer(200, { list })))).toEqual({ kind: 'unclear', because })
    expect(check.judge(exchange(answer(200, { list: [] })))).toEqual({ kind: 'unclear', because })
    expect(check.judge(exchange(refused(401, '1006'))).kind).toBe('violates')
  })

  it('with a shape of itself is unclear for an answer that is nested too deep', async () => {
    const success = { properties: { next: { $ref: '#' } } }
    const check = (await SuccessChecks.of([{ ...listed, success, described }])).check('list')
    const text = `${'{"next":'.repeat(100_000)}{}${'}'.repeat(100_000)}`

    expect(check.judge(exchange(answer(200, text)))).toMatchObject({
      kind: 'unclear',
      because: expect.stringContaining('(entry 3): it is too large or too deep'),
    })
  })

  it('with a shape that a busy machine cannot compile is unclear', async () => {
    const success = {
      get properties(): never {
        throw new MachineTooBusy(50_000)
      },
    }
    const check = (await SuccessChecks.of([{ ...listed, success, described }])).check('list')

    expect(check.judge(exchange(served))).toMatchObject({
      kind: 'unclear',
      because: expect.stringContaining('(entry 3): this machine was too busy to do this within 50 s'),
    })
  })

  it('of an unknown endpoint is any', async () => {
    expect(checks.check('unknown').judge(exchange(served)).kind).toBe('holds')
  })
})
