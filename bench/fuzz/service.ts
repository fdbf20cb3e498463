import { createServer } from 'node:http'
import { keys, secretKey } from './subject.ts'

const list = '{"customizations":[]}'
const error = (code: string): string => `{"error_code":"${code}","error_message":"refused"}`

function answerTo(key: unknown, secret: unknown, version: unknown): readonly [status: number, body: string] {
  if (key === undefined || key === '') return [400, error('1001')]
  if (secret === undefined || secret === '') return [400, error('1002')]
  if (version === undefined || version === '') return [400, error('1003')]
  if (key !== keys[0]) return [401, error('1006')]
  if (secret !== secretKey) return [401, error('1007')]
  return version === '1' ? [200, list] : [400, error('1010')]
}

const server = createServer(({ headers }, response) => {
  const [status, body] = answerTo(headers['x-api-key'], headers['x-secret-key'], headers['x-version'])
  response.writeHead(status, { 'content-type': 'application/json' }).end(body)
})
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  process.stdout.write(`http://127.0.0.1:${address.port}\n`)
})
