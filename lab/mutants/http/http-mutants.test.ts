import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { bodyOf, refuse } from '../../../lib/serve/reference/answer.ts'
import { clients } from '../../../lib/serve/reference/clients.ts'
import { list } from '../../../lib/serve/reference/list.ts'
import { captured, kinds, type Kind, type PlainAnswer } from './answer.ts'
import { httpMutants, type HttpMutant } from './http-mutants.ts'
import { serveHttpMutant, type ServedMutant } from './serve.ts'

let served: ServedMutant | null = null
afterEach(async () => {
  await served?.service.close()
})

async function start(id: string): Promise<void> {
  const mutant = httpMutants.find((one) => one.id === id)
  if (mutant === undefined) throw new Error(`no mutant is called ${id}`)
  served = await serveHttpMutant(mutant)
}

/** Asks the mutant for the list, without one of the headers. */
async function ask(without = ''): Promise<Response> {
  const { apiKey, secretKey } = clients.permitted
  const headers = new Headers({ 'x-api-key': apiKey, 'x-secret-key': secretKey, 'x-version': '1' })
  headers.delete(without === '' ? 'x-other' : without)
  return fetch(`${served?.service.baseUrl ?? ''}/api/customizations/list`, { headers })
}

describe('a mutant of answers', () => {
  it('changes answers of its kind and no others', async () => {
    await start('http:status=500:1001')

    expect((await ask('x-api-key')).status).toBe(500)
    expect((await ask('x-secret-key')).status).toBe(400)
    expect((await ask()).status).toBe(200)
    expect(served?.applied()).toBe(1)
  })

  it('changes them on its condition only', async () => {
    await start('http:status=500:1003:every-2nd')

    const statuses = [await ask('x-version'), await ask('x-version'), await ask('x-version')]
    expect(statuses.map(({ status }) => status)).toEqual([400, 500, 400])
    expect(served?.applied()).toBe(1)
  })

  it('sends the previous answer again', async () => {
    await start('http:order-stale:success')
    await ask('x-version')

    expect(await (await ask()).json()).toMatchObject({ error_code: '1003' })
  })

  it('exchanges the answers of two concurrent requests', async () => {
    await start('http:order-exchanged:success')

    const both = await Promise.all([ask(), ask('x-api-key')])

    expect(both.map(({ status }) => status)).toEqual([400, 200])
  })

  it('closes the connection', async () => {
    await start('http:connection-closed-before:success')

    await expect(ask()).rejects.toThrow('fetch failed')
  })
})

/** The answer of a kind, as the plain service writes it. */
function plain(kind: Kind): PlainAnswer {
  const { status, contentType, ...rest } = kind === 'success' ? list() : refuse(kind)
  const body = Buffer.from(bodyOf({ ...rest, status, contentType }))
  const fields = [
    ['content-type', contentType ?? ''],
    ['content-length', String(body.length)],
    ['date', new Date().toUTCString()],
  ] as const
  return { status, fields, body }
}

/** What an operator writes in place of an answer. */
function written({ operator, kind }: HttpMutant): PlainAnswer {
  const request = new IncomingMessage(new Socket())
  request.headers = { 'x-api-key': 'a', 'x-secret-key': 'b', 'x-version': '1' }
  const response = new ServerResponse(request)
  let answer: PlainAnswer | null = null
  captured(response, (one) => {
    // The date is one of the fields of what is mutated, not added again.
    answer = { ...one, fields: one.fields.slice(0, -1) }
  })
  const about = { request, response, kind, nth: 1, nthOnConnection: 1, inFlight: 1, previous: null }
  operator.send(plain(kind), about, { next: async () => null })
  if (answer === null) throw new Error('nothing was written')
  return answer
}

describe('the operators', () => {
  it('are many for each kind of answer', () => {
    const counts = kinds.map((kind) => httpMutants.filter((mutant) => mutant.kind === kind).length)

    expect(Math.min(...counts)).toBeGreaterThan(100)
  })

  it('change what is written, for each kind', () => {
    const changing = httpMutants.filter(
      ({ condition, family }) =>
        condition.name === '' && !['connection', 'latency', 'order'].includes(family),
    )
    const same = changing.filter((mutant) => {
      const [before, after] = [plain(mutant.kind), written(mutant)]
      return JSON.stringify({ ...before, fields: before.fields }) === JSON.stringify(after)
    })

    expect(changing.length).toBeGreaterThan(1_000)
    expect(same.map(({ id }) => id)).toEqual([])
  })
})
