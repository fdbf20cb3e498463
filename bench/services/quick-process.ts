import { createServer } from 'node:http'
import { answering } from '../measure/child.ts'
import { answerTo } from './subject.ts'

// A service that answers by what it is sent and does nothing else, so that the client is what is measured.
const server = createServer(({ headers }, response) => {
  const [status, body] = answerTo(
    one(headers['x-api-key']),
    one(headers['x-secret-key']),
    one(headers['x-version']),
  )
  response.writeHead(status, { 'content-type': 'application/json' }).end(body)
})

function one(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value.join(', ') : value
}

/** Asked anything, it gives its address. */
answering<null, string>(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return `http://127.0.0.1:${address.port}`
})
