import type { Bend } from '../../../lib/serve/reference/bend.ts'
import { becomes, isForList, onRefusal, serveWhen } from '../../../lib/serve/reference/bending.ts'
import { field, withField, type Call } from '../../../lib/serve/reference/call.ts'
import type { Fault } from '../../../lib/serve/reference/fault.ts'
import { beyondGate } from './breaking.ts'
import { ownsKey } from './credentials-sent.ts'

/** A bypass or a code that occurs only in HTTP/1.0, as if another program answered it. */
function inHttp10(name: string, about: string, bend: Bend): Fault {
  return beyondGate({ name, about, rules: ['fuzz/combined-flaws'], bend: () => bend })
}

function isOld({ httpVersion }: Call): boolean {
  return httpVersion === '1.0'
}

const unsupported = onRefusal('1010', becomes('1003'))

/** Faults that show only in HTTP/1.0. */
export const http10Faults: readonly Fault[] = [
  inHttp10(
    'http-1-0-skips-authentication',
    'In HTTP/1.0 the list is served without a look at credentials.',
    serveWhen((call) => isOld(call) && isForList(call)),
  ),
  inHttp10(
    'http-1-0-skips-the-secret',
    'In HTTP/1.0 the key is enough.',
    serveWhen((call) => isOld(call) && isForList(call) && ownsKey(call)),
  ),
  inHttp10('http-1-0-means-the-default-version', 'In HTTP/1.0 a missing version is the default one.', {
    see: (call) =>
      isOld(call) && field(call, 'x-version') === undefined ? withField(call, 'x-version', '1') : call,
  }),
  inHttp10(
    'http-1-0-takes-unsupported-versions-for-missing',
    'In HTTP/1.0 an unsupported version is answered 400 and 1003.',
    { answer: (answer, call) => (isOld(call) ? (unsupported.answer?.(answer, call) ?? answer) : answer) },
  ),
]
