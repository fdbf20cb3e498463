import { describe, expect, it } from 'vitest'
import { open, refusal, type Reply } from './testing/open.ts'

const context = { rule: 'authentication/api-key-missing', case: 'absent' } as const

/** What is observed of an answer to a request without a key. */
async function observed(reply: Reply): Promise<Readonly<Record<string, unknown>>> {
  const { session, plain } = await open({ reply: ({ plain: isPlain }) => (isPlain ? null : reply) })
  await session.send(plain.without('x-api-key'), context)
  const { observations } = session.record()
  return Object.fromEntries(observations.map(({ id, value }) => [id, value]))
}

describe('names that stand twice in one object', () => {
  it('are written down with what was answered, and judged by nobody', async () => {
    const body = '{"error_code":"1006","error_code":"1001","error_message":"a","x":{"b":1,"b":2}}'
    const { session, plain } = await open({
      reply: ({ plain: isPlain }) => (isPlain ? null : { status: 400, body }),
    })
    await session.send(plain.without('x-api-key'), context)

    expect(session.record().observations).toContainEqual({
      id: 'duplicate-members',
      value: { b: '400 / 1001', error_code: '400 / 1001' },
    })
    for (const rule of ['conventions/json-response', 'errors/body-shape', 'errors/documented-pairs'] as const)
      expect(session.log.findings(rule)).toEqual([])
  })

  it('are nothing where none does', async () => {
    expect(await observed(refusal(400, '1001'))).not.toHaveProperty('duplicate-members')
  })
})

it('a label that is sent twice is written down', async () => {
  const body = { error_code: '1001', error_message: 'a' }
  const twice = { 'content-type': ['application/json', 'application/json'] }

  expect(await observed({ status: 400, body, fields: twice })).toMatchObject({
    'repeated-content-type': { 'application/json, application/json': '400 / 1001' },
  })
})

describe('a byte order mark before JSON', () => {
  const rule = 'conventions/json-response'
  const warningOf = async (env: Readonly<Record<string, string>>): Promise<unknown> => {
    const body = '\uFEFF{"error_code":"1001","error_message":"a"}'
    const { session, plain } = await open({
      env,
      reply: ({ plain: isPlain }) => (isPlain ? null : { status: 400, body }),
    })
    await session.send(plain.without('x-api-key'), context)
    const [finding, ...others] = session.log.findings(rule)

    expect(others).toEqual([])
    expect(finding).toMatchObject({ reproduced: '3 of 3', summary: expect.stringContaining('U+FEFF') })
    return finding?.warning
  }

  it('is a warning of a documented rule', async () => {
    expect(await warningOf({})).toBe(true)
  })

  it('is a violation where warnings count', async () => {
    expect(await warningOf({ RUN_STRICT: 'true' })).toBeUndefined()
  })
})
