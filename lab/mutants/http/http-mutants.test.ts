import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { bodyOf, refuse } from '../../../lib/serve/reference/answer.ts'
import { clients } from '../../../lib/serve/reference/clients.ts'
import { list } from '../../../lib/serve/reference/list.ts'
import { captured, type Kind, type PlainAnswer } from './answer.ts'
import { httpMutants, type HttpMutant } from './http-mutants.ts'
import { serveHttpMutant } from './serve.ts'

/** Serves a mutant until the test ends. `ask` requests the list, without the named header. */
async function serving(id: string) {
  const mutant = httpMutants.find((one) => one.id === id)
  if (mutant === undefined) throw new Error(`no mutant is called ${id}`)
  const { service, applied } = await serveHttpMutant(mutant)
  onTestFinished(() => service.close())
  const { apiKey, secretKey } = clients.permitted
  const ask = (without = 'x-other'): Promise<Response> => {
    const headers = new Headers({ 'x-api-key': apiKey, 'x-secret-key': secretKey, 'x-version': '1' })
    headers.delete(without)
    return fetch(`${service.baseUrl}/api/customizations/list`, { headers })
  }
  return { ask, applied }
}

it.each<[string, readonly (string | undefined)[], readonly number[]]>([
  ['http:status=500:1001', ['x-api-key', 'x-secret-key', undefined], [500, 400, 200]],
  ['http:status=500:1003:every-2nd', ['x-version', 'x-version', 'x-version'], [400, 500, 400]],
])(
  'a mutant of answers changes answers of its kind only under its condition: %s',
  async (id, without, statuses) => {
    const { ask, applied } = await serving(id)
    const seen: number[] = []
    for (const name of without) seen.push((await ask(name)).status)

    expect(seen).toEqual(statuses)
    expect(applied()).toBe(1)
  },
)

it('a mutant of answers repeats the previous answer, swaps two concurrent ones, or closes the connection', async () => {
  const [stale, exchanged, closed] = [
    await serving('http:order-stale:success'),
    await serving('http:order-exchanged:success'),
    await serving('http:connection-closed-before:success'),
  ]
  await stale.ask('x-version')

  expect(await (await stale.ask()).json()).toMatchObject({ error_code: '1003' })
  const two = await Promise.all([exchanged.ask(), exchanged.ask('x-api-key')])
  expect(two.map(({ status }) => status)).toEqual([400, 200])
  await expect(closed.ask()).rejects.toThrow('fetch failed')
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

/** The answer that an operator writes instead. */
function written({ operator, kind }: HttpMutant): PlainAnswer {
  const request = new IncomingMessage(new Socket())
  request.headers = { 'x-api-key': 'a', 'x-secret-key': 'b', 'x-version': '1' }
  const response = new ServerResponse(request)
  let answer: PlainAnswer | null = null
  captured(response, (one) => {
    // The date is already a field of the mutated answer, and must not be added again.
    answer = { ...one, fields: one.fields.slice(0, -1) }
  })
  const about = { request, response, kind, nth: 1, nthOnConnection: 1, inFlight: 1, previous: null }
  operator.send(plain(kind), about, { next: async () => null })
  if (answer === null) throw new Error('nothing was written')
  return answer
}

it('the operators change the written answer for each kind', () => {
  const changing = httpMutants.filter(
    ({ condition, family }) => condition.name === '' && !['connection', 'latency', 'order'].includes(family),
  )
  const same = changing.filter((one) => JSON.stringify(plain(one.kind)) === JSON.stringify(written(one)))

  expect(changing.length).toBeGreaterThan(1_000)
  expect(same.map(({ id }) => id)).toEqual([])
})
