import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Answer } from '../../../lib/serve/reference/answer.ts'
import type { Bend } from '../../../lib/serve/reference/bend.ts'
import { onAnswer } from '../../../lib/serve/reference/bending.ts'
import type { Call } from '../../../lib/serve/reference/call.ts'
import type { Fault } from '../../../lib/serve/reference/fault.ts'
import { list } from '../../../lib/serve/reference/list.ts'
import { withChunkExtensions, withLine } from '../deliveries/by-hand.ts'
import { keepingConnection, withBytesBehind, withContentBehindHead } from '../deliveries/misframed.ts'
import { watchedSegments } from '../segments.ts'
import { breakingWith } from './breaking.ts'

const fault = breakingWith({ profile: 'acceptance', inNoOther: true }, 'conventions/http-messages')

/** Changes the fields of requests, depending on the first segment of their connection. */
function byFirstSegment(change: (value: string, name: string, first: string) => string | undefined): Bend {
  const segments = watchedSegments()
  return {
    connected: segments.connected,
    see(call) {
      const [first = ''] = segments.of(call)
      const changed = Object.entries(call.headers).map(
        ([name, value]) => [name, typeof value === 'string' ? change(value, name, first) : value] as const,
      )
      return { ...call, headers: Object.fromEntries(changed) }
    },
  }
}

function isCut(segment: string): boolean {
  return !segment.includes('\r\n\r\n')
}

/** Whether a segment contains a complete field line. */
function holdsLine(segment: string, name: string, value: string): boolean {
  return segment.includes(`\r\n${name}: ${value}\r\n`)
}

/** Treats requests differently if they arrived in the same segment as another one, which is `first`. */
function besideAnother(serveBeside: (call: Call, first: Call, serve: Serve) => Promise<Answer>): Bend {
  const inFlight = new WeakMap<object, Call>()
  return {
    async around(call, serve) {
      const first = inFlight.get(call.connection)
      if (first !== undefined) return serveBeside(call, first, serve)
      inFlight.set(call.connection, call)
      const answer = await serve(call)
      inFlight.delete(call.connection)
      return answer
    },
  }
}

type Serve = (call: Call) => Promise<Answer>

/** Swaps the answers of two requests in one segment. */
function exchanged(): Bend {
  const waiting = new WeakMap<object, { readonly own: Promise<Answer>; other: Promise<Answer> | null }>()
  return {
    async around(call, serve) {
      const own = serve(call)
      const first = waiting.get(call.connection)
      if (first !== undefined) {
        first.other = own
        return first.own
      }
      const one = { own, other: null }
      waiting.set(call.connection, one)
      await nextTurn()
      const { other } = waiting.get(call.connection) ?? one
      waiting.delete(call.connection)
      return other ?? own
    },
  }
}

/** Faults in the ends, fields or order of messages on a connection. */
export const messageFaults: readonly Fault[] = [
  fault('content-behind-head-of-success', 'HEAD of the list is answered with its content.', () =>
    onAnswer(({ refusal }, { method }) => method === 'HEAD' && refusal === null, {
      delivery: withContentBehindHead,
    }),
  ),
  fault('content-behind-head-of-refusal', 'An error to HEAD has its content.', () =>
    onAnswer(({ refusal }, { method }) => method === 'HEAD' && refusal !== null, {
      delivery: withContentBehindHead,
    }),
  ),
  fault('comment-behind-success', 'A comment of a gateway stands behind the list, beyond its length.', () =>
    onAnswer(({ refusal }, call) => refusal === null && isClosing(call), {
      delivery: withBytesBehind('<!-- node 2 -->'),
    }),
  ),
  fault(
    'length-of-unknown-endpoint-counts-characters',
    'The error of an unknown path is longer than its length.',
    () =>
      onAnswer(({ refusal }, call) => refusal === '1010' && isClosing(call), {
        delivery: withBytesBehind('"}'),
      }),
  ),
  fault('close-overlooked', 'A connection stays open where the request says close.', () =>
    onAnswer((_, call) => isClosing(call), { delivery: keepingConnection }),
  ),
  fault(
    'close-overlooked-behind-refusals',
    'A connection stays open behind an error, where the request says close.',
    () =>
      onAnswer(({ refusal }, call) => refusal !== null && isClosing(call), { delivery: keepingConnection }),
  ),
  fault('chunks-to-old-clients', 'Who asks in HTTP/1.0 gets chunks.', () =>
    onAnswer((_, { httpVersion }) => httpVersion === '1.0', { delivery: withChunkExtensions }),
  ),
  fault('list-in-chunks-to-old-clients', 'Who asks in HTTP/1.0 gets the list in chunks.', () =>
    onAnswer(({ refusal }, { httpVersion }) => refusal === null && httpVersion === '1.0', {
      delivery: withChunkExtensions,
    }),
  ),
  fault('first-segment-alone-read', 'Fields that are not whole in the first segment are lost.', () =>
    byFirstSegment((value, name, first) =>
      isCut(first) && !holdsLine(first, name, value) ? undefined : value,
    ),
  ),
  fault('value-cut-by-segments', 'Of a value in two segments the first part is lost.', () =>
    byFirstSegment((value, name, first) => {
      const part = first.slice(first.lastIndexOf('\n') + 1)
      const isPart = isCut(first) && part.startsWith(`${name}: `)
      return isPart ? value.slice(part.length - name.length - 2) : value
    }),
  ),
  fault('line-end-cut-by-segments', 'A line end in two segments ends the header section.', () =>
    byFirstSegment((value, name, first) =>
      first.endsWith('\r') && !holdsLine(`${first}\n`, name, value) ? undefined : value,
    ),
  ),
  fault('value-without-space-lost', 'A value is lost if no space stands before it.', () =>
    byFirstSegment((value, name, first) => (first.includes(`\r\n${name}:${value}`) ? undefined : value)),
  ),
  fault(
    'first-character-taken-for-space',
    'The first character of a value is lost if no space stands before it.',
    () =>
      byFirstSegment((value, name, first) =>
        first.includes(`\r\n${name}:${value}`) ? value.slice(1) : value,
      ),
  ),
  fault(
    'encoded-line-end-begins-field',
    'The decoded path of a request stands in a field of the answer.',
    () => ({
      answer: (answer, call) =>
        /%0d%0a/i.test(call.path)
          ? { ...answer, delivery: withLine(`x-path: ${decodeURIComponent(call.path)}`) }
          : answer,
    }),
  ),
  fault(
    'second-in-segment-served-as-first',
    'The second request of a segment has the fields of the first.',
    () =>
      besideAnother((call, first, serve) =>
        serve({ ...call, headers: { ...call.headers, ...first.headers } }),
      ),
  ),
  fault(
    'key-missing-in-second-taken-from-first',
    'The second request of a segment gets the key of the first if it has none.',
    () =>
      besideAnother((call, first, serve) =>
        serve({ ...call, headers: { ...first.headers, ...call.headers } }),
      ),
  ),
  fault(
    'second-in-segment-served',
    'Who was let in with the first request of a segment is served the second.',
    () =>
      besideAnother(async (call, _, serve) => {
        const answer = await serve(call)
        return answer.refusal === '1006' ? list(call.query) : answer
      }),
  ),
  fault(
    'answers-of-segment-exchanged',
    'Two requests in one segment get the answers of each other.',
    exchanged,
  ),
]

function isClosing({ headers }: Call): boolean {
  return headers.connection?.toLowerCase() === 'close'
}
