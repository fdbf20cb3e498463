import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { json, jsonText, seeds } from '../../drift/json.testing.ts'
import { changeText } from '../../drift/tolerated.ts'
import { Secret } from '../../redact/secret.ts'
import { changeLog } from './change-log.ts'

const noted = changeLog([])

describe('the log of changes', () => {
  it('names each change by its place, with what was there before and after', () => {
    const before = '\uFEFF{"id":"a","list":[{"id":"b","n":1}],"api_key":"c"}'
    const after = '\uFEFF{"list":[{"then":[],"id":"c","n":1}],"id":"","api_key":"d"}'

    expect(noted.lines(3, { before, after })).toEqual([
      '  #3 reordered $: "id", "list", "api_key" → "list", "id", "api_key"',
      '  #3 changed $.id: "a" → ""',
      '  #3 added $.list[0].then: []',
      '  #3 changed $.list[0].id: "b" → "c"',
      '  #3 changed $.api_key: (withheld: it may hold a credential)',
    ])
  })

  it('has a line for each string that was changed', () => {
    fc.assert(
      fc.property(json, seeds, (value, seed) => {
        const before = JSON.stringify(JSON.parse(jsonText(value)))
        const { text: after, done } = changeText(before, ['opaque'], seed)
        const lines = noted.lines(1, { before, after })

        expect(lines.filter((line) => line.startsWith('  #1 changed '))).toHaveLength(done[0]?.count ?? 0)
      }),
      { numRuns: 25 },
    )
  })

  it('is bounded, and cannot steer a terminal or fill it', () => {
    const ids = (id: string): string => JSON.stringify(Array.from({ length: 250 }, () => id))
    const lines = noted.lines(1, { before: ids('a'), after: ids(`\u009b31m${'x'.repeat(5_000)}`) })

    expect(lines).toHaveLength(201)
    expect(lines.at(-1)).toBe('  #1 … and 50 more')
    expect(lines[0]).toContain('\\u009b31mxxx')
    expect(lines[0]?.length).toBeLessThan(400)
  })

  const basic = Buffer.from('user:pass-7sk2jd8d').toString('base64')

  it.each([
    ['of the settings', {}, '/', 'key-3kd93jd73hd6'],
    ['of the specification', { 'x-secret-key': 'secret-8fj3hd7sj2k' }, '/', 'secret-8fj3hd7sj2k'],
    ['of a gateway', { 'x-gateway': 'gate-8fj3hd7sj2k' }, '/', 'gate-8fj3hd7sj2k'],
    ['that bears', { authorization: 'Bearer bearer-9dj3h6sg1' }, '/', 'bearer-9dj3h6sg1'],
    ['that is encoded', { authorization: `Basic ${basic}` }, '/', 'pass-7sk2jd8d'],
    ['in a cookie', { cookie: 'a=b; session=sess-1kd83hs6gj' }, '/', 'sess-1kd83hs6gj'],
    ['in a query', {}, '/a?page=1&key=query-1kd83hs6gj', 'query-1kd83hs6gj'],
  ])('shows no credential %s', (_, headers, url, credential) => {
    const log = changeLog([new Secret('TARGET_API_KEY', 'key-3kd93jd73hd6')])
    log.note({ headers: { accept: '*/*', ...headers }, url })
    log.note({ headers: { 'x-api-key': 'another-client' }, url: '/' })
    const [after, shown] = ['{"id":"b"}', '{"id":"a"}']

    expect(log.lines(1, { before: `{"id":"it is ${credential}"}`, after })).toEqual([
      '  #1 changed $.id: (withheld: it may hold a credential)',
    ])
    expect(log.lines(2, { before: shown, after })).toEqual(['  #2 changed $.id: "a" → "b"'])
  })

  it('hides nothing that a client may show', () => {
    const log = changeLog([])
    const headers = { accept: 'application/json', 'user-agent': 'client/1', 'x-version': '1000' }
    log.note({ headers, url: '/a?page=12' })
    const before = '{"id":"application/json client/1 1000 page=12"}'

    expect(log.lines(1, { before, after: '{"id":""}' })).toEqual([
      '  #1 changed $.id: "application/json client/1 1000 page=12" → ""',
    ])
  })
})
