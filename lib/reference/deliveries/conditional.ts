import type { Deliverer } from '../answer.ts'
import { whole } from '../deliver.ts'

/** The validator that every success carries. */
const etag = '"abc"'

/** Answers 304 to who has the current list already (RFC 9110, 13.1.2); everything else is sent whole. */
export const notModifiedWhenAsked: Deliverer = (outgoing, response) => {
  const known = response.req.headers['if-none-match'] ?? ''
  if (outgoing.status !== 200) whole(outgoing, response)
  else if (known === '*' || known.split(/\s*,\s*/).includes(etag)) response.writeHead(304, { etag }).end()
  else whole({ ...outgoing, fields: [...outgoing.fields, 'etag', etag] }, response)
}

/** Sends single ranges of bytes where they are asked for (RFC 9110, 14.2); everything else is sent whole. */
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
