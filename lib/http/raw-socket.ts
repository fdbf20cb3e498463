import { Client, type buildConnector } from 'undici'
import { watching } from './interim-responses.ts'
import { boundsOfAnswers, receive, type Limits, type RawAnswer } from './receive.ts'
import { nextOf, valueOf, type Request } from './request.ts'
import { whyNotRaw } from './sendable.ts'
import type { Target } from './target-address.ts'

/**
 * The head of a request as the raw socket writes it, including credentials. It contains names and values exactly as given, plus
 * `content-length` if there is a body, and `connection: close` unless the request has that field or another request follows. Throws a
 * `TypeError`, which never quotes a value, if the head would hide something.
 */
export function headOf(request: Request, { host, prefix }: Target): Buffer {
  const why = whyNotRaw(request)
  if (why !== null) throw new TypeError(`the raw socket does not send this request: ${why}`)

  const { form = {} } = request
  const colon = form.isTight === true ? ':' : ': '
  const isLast = nextOf(request).length === 0
  const hasConnection = request.fields.some(({ name }) => name.toLowerCase() === 'connection')
  const lines = [
    `${request.method} ${prefix}${request.target} HTTP/${form.version ?? '1.1'}`,
    `host${colon}${host}`,
    ...request.fields.map((field) => `${field.name}${colon}${valueOf(field)}`),
    ...(request.body === undefined ? [] : [`content-length: ${Buffer.byteLength(request.body)}`]),
    ...(hasConnection || !isLast ? [] : [`connection${colon}close`]),
  ]
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1')
}

/**
 * Sends a request as {@link headOf} writes it, on its own connection. undici parses the answer, so that both routes agree on answers, but
 * undici's own writes are dropped. Rejects as {@link receive} does.
 */
export async function receiveRaw(
  request: Request,
  { target, connect }: { readonly target: Target; readonly connect: buildConnector.connector },
  limits: Limits,
): Promise<RawAnswer> {
  const bytes = Buffer.concat([headOf(request, target), Buffer.from(request.body ?? '')])
  const wire = watching(connect, bytes)
  const client = new Client(target.origin, { connect: wire.connect, ...boundsOfAnswers })
  const sender = { dispatcher: client, whenWritten: wire.whenWritten }
  try {
    return await receive(sender, { method: request.method, path: '/' }, limits)
  } finally {
    await client.destroy()
  }
}
