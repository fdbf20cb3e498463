import { expect, test } from 'vitest'
import { InterimResponses } from './receive.ts'

/** The bytes that remain after a request, if they arrive in pieces of these lengths. */
function left(
  text: string,
  lengths: readonly number[] = [text.length],
  interim = new InterimResponses(),
): string {
  interim.begin()
  let at = 0
  let passed = ''
  for (const length of [...lengths, text.length]) {
    passed += interim.passed(Buffer.from(text.slice(at, at + length), 'latin1')).toString('latin1')
    at += length
  }
  return passed + interim.rest().toString('latin1')
}

/** Pieces of each of these lengths. */
const pieces = [1, 2, 3, 7, 9].map((length) => Array.from({ length: 200 }, () => length))
const answer = 'HTTP/1.1 200 OK\r\ncontent-length: 33\r\n\r\nHTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 1'

const interim = [
  'HTTP/1.1 100 Continue\r\n\r\n',
  'HTTP/1.1 100\r\n\r\n',
  'HTTP/1.0 100 Continue\r\nConnection: close\r\n\r\n',
  'HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: </a.css>\r\n\r\n',
  '\r\nHTTP/1.1 199 \xff\r\nx: HTTP/1.1 200 OK\r\n\r\n',
  'HTTP/1.1 100 Continue\n\n',
  'HTTP/1.1 100 Continue\r\n\r\n'.repeat(1_000),
]
const others = [
  answer,
  'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n',
  'HTTP/1.1 2100 Odd\r\n\r\n',
  'HTTP/1.1 1',
  'HTTP/1.1',
  '\r\n',
  '',
  '220 mail.example ESMTP\r\n',
  'HTTP 100 Continue\r\n\r\n',
  '\r\n'.repeat(100),
]

test.for([
  ...interim.map((before) => [before + answer, answer] as const),
  ...others.map((text) => [text, text] as const),
])(
  'only interim responses are removed before each answer on a connection, however the bytes are split: %j',
  ([text, remaining]) => {
    const connection = new InterimResponses()
    for (const lengths of [undefined, ...pieces]) {
      expect(left(text, lengths)).toBe(remaining)
      if (remaining === answer) expect(left(text, lengths, connection)).toBe(answer)
    }
  },
)

test('the chunks of an answer are not copied', () => {
  const connection = new InterimResponses()
  connection.begin()
  const [head, more] = [Buffer.from(answer), Buffer.from('more')]

  expect(connection.passed(head).buffer).toBe(head.buffer)
  expect(connection.passed(more)).toBe(more)
})
