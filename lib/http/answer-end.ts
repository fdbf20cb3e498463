import { endOfHead } from './interim-responses.ts'

/** Where an answer ends: at an index, where the connection closes, or not within these bytes. */
type AnswerEnd = number | 'closing' | null

/** Finds the end of the first answer in what came on a connection, interim ones included. Source: RFC 9112, 6.3. */
export function answerEnd(bytes: Buffer, method: string): AnswerEnd {
  for (let start = 0; ;) {
    const headEnd = endOfHead(bytes.subarray(start))
    if (headEnd < 0) return null
    const head = bytes.toString('latin1', start, start + headEnd)
    const content = start + headEnd
    const status = /^[\r\n]*HTTP\/\d\.\d (\d{3})/.exec(head)?.[1]
    if (status === undefined) return 'closing'
    if (status.startsWith('1') && status !== '101') {
      start = content
      continue
    }
    if (method === 'HEAD' || status === '204' || status === '304') return content
    return contentEnd(bytes, head, content)
  }
}

function contentEnd(bytes: Buffer, head: string, content: number): AnswerEnd {
  if (/^transfer-encoding:.*chunked[ \t]*\r?$/im.test(head)) return chunksEnd(bytes, content)
  const length = /^content-length:[ \t]*(\d+)/im.exec(head)?.[1]
  if (length === undefined) return 'closing'
  const end = content + Number(length)
  return end <= bytes.length ? end : null
}

/** Index after the last chunk and the trailer fields (RFC 9112, 7.1). */
function chunksEnd(bytes: Buffer, from: number): AnswerEnd {
  for (let at = from; ;) {
    const lineEnd = bytes.indexOf('\n', at)
    if (lineEnd < 0) return null
    const size = Number.parseInt(bytes.toString('latin1', at, lineEnd), 16)
    if (Number.isNaN(size)) return 'closing'
    if (size === 0) {
      // The line of the last chunk stands for a status line before the trailer fields.
      const end = endOfHead(bytes.subarray(at))
      return end < 0 ? null : at + end
    }
    const dataEnd = bytes.indexOf('\n', lineEnd + 1 + size)
    if (dataEnd < 0) return null
    at = dataEnd + 1
  }
}

const [lineFeed, carriageReturn] = [0x0a, 0x0d]

/** The bytes without line ends at their beginning, which readers of HTTP skip (RFC 9112, 2.2). */
export function withoutLineEnds(bytes: Buffer): Buffer {
  let at = 0
  while (bytes[at] === carriageReturn || bytes[at] === lineFeed) at += 1
  return bytes.subarray(at)
}
