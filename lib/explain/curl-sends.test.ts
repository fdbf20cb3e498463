import { describe, expect, it } from 'vitest'
import { type Field, type Request, valueOf } from '../http/request.ts'
import { ok, serve } from '../http/testing/servers.ts'
import { curlLine } from './shell-lines.ts'
import { credentials, requestWith } from '../judge/testing/exchanges.ts'
import { has, runInBash } from './testing/run-in-bash.ts'

/** Sends all requests by curl to a byte server; gives their heads. */
async function sentByCurl(requests: readonly Request[]): Promise<readonly string[]> {
  const server = await serve((socket) => socket.end(ok('{}', ['Connection: close'])))
  const options = { baseUrl: `http://127.0.0.1:${server.port}` }
  const lines = requests.map((request) => curlLine(request, options) ?? 'curl cannot say it')
  const { stderr } = await runInBash(lines)

  expect(stderr).toBe('')
  return server.heads.map((head) => head.replace(`\r\nHost: 127.0.0.1:${server.port}\r\n`, '\r\n'))
}

function headOf({ method, target, fields }: Request): string {
  const lines = fields.map((field) => `${field.name}: ${valueOf(field)}\r\n`)
  return `${method} ${target} HTTP/1.1\r\n${lines.join('')}connection: keep-alive\r\n\r\n`
}

/** Every byte that a curl line may hold in a value. */
const bytes = Array.from({ length: 0x100 }, (_, code) => code)
  .filter((code) => code === 0x09 || (code >= 0x20 && code !== 0x7f))
  .map((code) => String.fromCharCode(code))

/** One request with a field per value, since a curl process for each would take long. */
function withFields(values: readonly Field['value'][]): Request {
  return requestWith({ fields: values.map((value, index) => ({ name: `X-${index}`, value })) })
}

describe.skipIf(!has('curl'))('curl sends what its line says', () => {
  it('for every byte in a value: at its beginning, inside and at its end, and alone', async () => {
    const requests = [
      withFields(bytes.map((one) => `${one}a${one}b${one}`)),
      withFields(bytes.filter((one) => one > ' ')),
    ]

    expect(await sentByCurl(requests)).toEqual(requests.map(headOf))
  })

  it('for a credential, beside bytes of every kind', async () => {
    const request = withFields([credentials.apiKey, 'caf\xc3\xa9', credentials.secretKey])

    expect(await sentByCurl([request])).toEqual([headOf(request)])
  })

  it('for every character in a target, and in a name', async () => {
    const visible = bytes.filter((one) => one > ' ' && one < '\x7f' && one !== '#')
    const path = visible.filter((one) => one !== '?').map((one) => `${one}a/../`)
    const fields = Array.from("!#$%&'*+-.^_`|~09azAZ", (one) => ({ name: `x${one}`, value: 'a' }))
    const request = requestWith({ target: `/${path.join('')}?${visible.join('=')}`, fields })

    expect(await sentByCurl([request])).toEqual([headOf(request)])
  })

  it('for an empty value', async () => {
    expect(await sentByCurl([withFields(['', ' '])])).toEqual([
      'GET /api/customizations/list HTTP/1.1\r\nX-0:\r\nX-1:\r\nconnection: keep-alive\r\n\r\n',
    ])
  })
})
