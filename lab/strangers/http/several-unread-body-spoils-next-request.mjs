import net from 'node:net'
import { answer } from '../base.mjs'

export const wrong = true
export const about =
  'A self-made HTTP layer answers after the head and never reads the body: what a POST carried is ' +
  'taken for the begin of the next request on the same connection, so that a valid GET there gets ' +
  '1010. It breaks "When the requested endpoint does not exist under the requested version, the ' +
  'response is 400 with error_code 1010": the endpoint of the table does exist.'

function parse(head) {
  const [line, ...fields] = head.replace(/^(\r\n)+/, '').split('\r\n')
  const [method, url = '', protocol = ''] = line.split(' ')
  const headers = {}
  for (const field of fields) {
    const at = field.indexOf(':')
    const name = field.slice(0, at).toLowerCase()
    const value = field.slice(at + 1).trim()
    headers[name] = name in headers ? `${headers[name]}, ${value}` : value
  }
  const [path, search = ''] = url.split(/\?(.*)/s)
  return { method, path, query: new URLSearchParams(search), headers, protocol }
}

export function start() {
  const state = {}
  const sockets = new Set()
  const server = net.createServer((socket) => {
    let text = ''
    sockets.add(socket.setEncoding('latin1'))
    socket.on('error', () => socket.destroy()).on('close', () => sockets.delete(socket))
    socket.on('data', (chunk) => {
      text += chunk
      for (let end; (end = text.indexOf('\r\n\r\n')) >= 0;) {
        const request = parse(text.slice(0, end))
        text = text.slice(end + 4)
        const out = answer(request, state)
        const body = JSON.stringify(out.body)
        const last = /close/i.test(request.headers.connection ?? '') || request.protocol === 'HTTP/1.0'
        const connection = last ? 'close' : 'keep-alive'
        const fields = { ...out.headers, 'content-length': body.length, connection }
        const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`)
        const shown = request.method === 'HEAD' ? '' : body
        const status = `${out.status} ${out.status < 400 ? 'OK' : 'Refused'}`
        socket.write(`HTTP/1.1 ${status}\r\n${lines.join('')}\r\n${shown}`)
        if (last) return socket.end()
      }
    })
  })
  const close = () =>
    new Promise((done) => {
      server.close(() => done())
      for (const socket of sockets) socket.destroy()
    })
  const url = () => `http://127.0.0.1:${server.address().port}`
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve({ url: url(), close })))
}
