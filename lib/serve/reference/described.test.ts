import { expect, test } from 'vitest'
import { furtherReading } from './described.ts'

const Id = { type: 'integer', maximum: 9 }
const reading = await furtherReading([
  {
    method: 'GET',
    path: '/api/cards/{id}',
    pathParameters: { id: { schema: { $ref: '#/definitions/Id', definitions: { Id } } } },
  },
  { method: 'GET', path: '/api/cards/all', success: { type: 'array', items: {} } },
])

test.each([
  ['/api/cards/all', true, '[{}]'],
  ['/api/cards/9', true, '{}'],
  ['/api/cards/10', false, '{}'],
])('%s is read by the entry with the best matching path', (path, isValid, text) => {
  const asked = { method: 'GET', path, query: '', hasMark: false, body: '', httpVersion: '1.1', arrival: 1 }
  const read = reading({ ...asked, headers: {}, rawHeaders: [], connection: {} })

  expect([read?.isValidQuery?.(''), read?.list?.('').text]).toEqual([isValid, text])
})
