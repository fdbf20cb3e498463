import type { Socket } from 'node:net'

import type { buildConnector } from 'undici'

import { InterimAnswers } from './interim-answers.ts'

/** Told, as a request is written, whether its connection has carried one before. */
type OnWritten = (reused: boolean) => void

/** undici calls back that a request starts and writes it in the same turn: so the next write is the one of that request. */
let starting: OnWritten | null = null

/** Calls back when the request is written that undici is about to write: a handler's `onRequestStart` is where to ask. */
export function whenWritten(onWritten: OnWritten): void {
  starting = onWritten
}

/** The same way to the target, with every socket watched: interim answers never arrive, and each request is told of its connection. */
export function watching(connect: buildConnector.connector): buildConnector.connector {
  return (options, callback) =>
    connect(options, (...[error, socket]) => {
      if (error === null) callback(null, watched(socket))
      else callback(error, null)
    })
}

/**
 * A socket as undici is given it: interim answers never arrive, and who sends on it is told whether a request went before. Each
 * request is one write, since none has a body, and goes out once the one before was answered.
 */
function watched(socket: Socket): Socket {
  const interim = new InterimAnswers()
  const push = socket.push.bind(socket)
  const write = socket.write.bind(socket)
  let requests = 0

  socket.push = (chunk: unknown, encoding) => {
    if (Buffer.isBuffer(chunk)) {
      const passed = interim.passed(chunk)
      return passed.length === 0 ? true : push(passed, encoding)
    }
    const held = interim.rest()
    if (held.length > 0) push(held)
    return push(chunk, encoding)
  }
  Object.assign(socket, {
    write: (...given: Parameters<typeof write>): boolean => {
      interim.begin()
      starting?.(requests > 0)
      starting = null
      requests += 1
      return write(...given)
    },
  })
  return socket
}
