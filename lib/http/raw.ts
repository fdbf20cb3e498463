import type { Socket } from 'node:net'

import { Client } from 'undici'
import type { buildConnector } from 'undici'

import { MAX_ANSWER_BYTES, MAX_HEAD_BYTES, receive } from './answer.ts'
import type { Limits, RawAnswer } from './answer.ts'
import { classifyError } from './classify-error.ts'
import { closesConnection } from './transport-error.ts'

/** A request that is already written. */
export interface Written {
  readonly head: Buffer
  /** Says whether the answer has a body. */
  readonly method: string
}

/** Where to, and how connections are opened. */
interface Way {
  readonly origin: string
  readonly connect: buildConnector.connector
}

/**
 * Sends a head exactly as it is, on a connection of its own, and collects the answer. undici reads it, so that both routes
 * take the same for an answer; what undici would write never leaves.
 * Rejects as {@link receive} does.
 */
export async function receiveRaw(
  { head, method }: Written,
  { origin, connect }: Way,
  limits: Limits,
): Promise<RawAnswer> {
  const client = new Client(origin, {
    connect: (options, callback) => {
      connect(options, (error, socket) => {
        if (error === null) callback(null, writingOnly(head, socket))
        else callback(error, null)
      })
    },
    allowH2: false,
    maxResponseSize: MAX_ANSWER_BYTES,
    maxHeaderSize: MAX_HEAD_BYTES,
    headersTimeout: 0,
    bodyTimeout: 0,
  })
  try {
    return await receive(client, { method, path: '/' }, limits)
  } finally {
    await client.destroy()
  }
}

/** The socket, of whose writes the first one becomes `head` and others nothing. */
function writingOnly(head: Buffer, socket: Socket): Socket {
  // oxlint-disable-next-line no-underscore-dangle -- what every write of a stream goes through
  const write = socket._write.bind(socket)
  let isWritten = false

  // oxlint-disable-next-line no-underscore-dangle -- as above
  socket._write = (_chunk, _encoding, done) => {
    if (isWritten) {
      done()
      return
    }
    isWritten = true
    // Who closes before everything was written may have answered: reading on tells, while an error here would end it.
    write(head.toString('latin1'), 'latin1', (error) => done(isClosing(error) ? null : error))
  }
  return socket
}

function isClosing(error: unknown): boolean {
  const trouble = classifyError(error, '')
  return trouble !== null && closesConnection(trouble.kind)
}
