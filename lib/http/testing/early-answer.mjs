// Answers after the first bytes of a request and closes the connection without reading the rest. Sends its
// port to the parent process.
import { createServer } from 'node:net'

const answer =
  'HTTP/1.1 431 Request Header Fields Too Large\r\nContent-Length: 9\r\nConnection: close\r\n\r\ntoo large'

const server = createServer((socket) => {
  socket.on('error', () => {})
  socket.once('data', () => {
    socket.pause()
    socket.end(answer, () => socket.destroy())
  })
})
server.listen(0, '127.0.0.1', () => process.send?.(server.address().port))
