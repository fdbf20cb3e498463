import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { expect, it } from 'vitest'
import { bodyOf, refuse } from '../../../lib/serve/reference/answer.ts'
import { list } from '../../../lib/serve/reference/list.ts'
import { captured, type Kind, type PlainAnswer } from './answer.ts'
import { httpMutants, type HttpMutant } from './http-mutants.ts'

/** The answer of a kind, as the plain service writes it. */
function plain(kind: Kind): PlainAnswer {
  const { status, contentType, ...rest } = kind === 'success' ? list() : refuse(kind)
  const body = Buffer.from(bodyOf({ ...rest, status, contentType }))
  const date = ['date', new Date().toUTCString()] as const
  const length = ['content-length', String(body.length)] as const
  return { status, fields: [['content-type', contentType ?? ''], length, date], body }
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
  operator.send(plain(kind), about, async () => null)
  if (answer === null) throw new Error('nothing was written')
  return answer
}

it('the operators change the written answer for each kind', () => {
  const others = ['connection', 'latency', 'order', 'on condition']
  const changing = httpMutants.filter(({ family }) => !others.includes(family))
  const same = changing.filter((one) => JSON.stringify(plain(one.kind)) === JSON.stringify(written(one)))

  expect(changing.length).toBeGreaterThan(1_000)
  expect(same.map(({ id }) => id)).toEqual([])
})
