import type { Deliverer } from '../../../lib/serve/reference/answer.ts'
import { whole } from '../../../lib/serve/reference/deliver.ts'

/** The validator that every success carries. */
const etag = '"abc"'

/** Answers 304 to clients that already have the current list (RFC 9110, 13.1.2), and sends everything else whole. */
export const notModifiedWhenAsked: Deliverer = (outgoing, response) => {
  const known = response.req.headers['if-none-match'] ?? ''
  if (outgoing.status !== 200) whole(outgoing, response)
  else if (known === '*' || known.split(/\s*,\s*/).includes(etag)) response.writeHead(304, { etag }).end()
  else whole({ ...outgoing, fields: [...outgoing.fields, 'etag', etag] }, response)
}

/** When the list last changed. */
const changed = 'Fri, 20 Nov 2026 02:00:00 GMT'

/** Answers 304 to clients whose list is as new (RFC 9110, 13.1.3). An invalid date does not count. */
export const notModifiedSince: Deliverer = (outgoing, response) => {
  const { 'if-none-match': tag, 'if-modified-since': since = '' } = response.req.headers
  const isKnown = tag === undefined && Date.parse(since) >= Date.parse(changed)
  const fields = ['last-modified', changed]
  if (outgoing.status !== 200) whole(outgoing, response)
  else if (isKnown) response.writeHead(304, fields).end()
  else whole({ ...outgoing, fields: [...outgoing.fields, ...fields] }, response)
}

/** Answers 416 to requests for any range of the list (RFC 9110, 14.2), and sends everything else whole. */
export const inNoRange: Deliverer = (outgoing, response) => {
  if (outgoing.status !== 200 || response.req.headers.range === undefined) return whole(outgoing, response)
  const range = `bytes */${String(Buffer.byteLength(outgoing.body))}`
  response.writeHead(416, ['content-range', range, 'content-length', '0']).end()
}

/** Sends single byte ranges on request (RFC 9110, 14.2), and everything else whole. */
export const inRanges: Deliverer = (outgoing, response) => {
  const { status, fields, body } = outgoing
  const bytes = Buffer.from(body)
  const [, from = '', to = ''] = /^bytes=(\d+)-(\d*)$/.exec(response.req.headers.range ?? '') ?? []
  const ranged = { ...outgoing, fields: [...fields, 'accept-ranges', 'bytes'] }
  if (status !== 200 || from === '') return whole(ranged, response)

  const part = bytes.subarray(Number(from), to === '' ? undefined : Number(to) + 1)
  const range = `bytes ${from}-${String(Number(from) + part.length - 1)}/${String(bytes.length)}`
  response.writeHead(206, [...fields, 'content-range', range, 'content-length', String(part.length)])
  response.end(part)
}
