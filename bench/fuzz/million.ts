import { caseClasses } from '../../lib/generate/case-classes.ts'
import { readBody } from '../../lib/http/body.ts'
import type { Response } from '../../lib/http/exchange.ts'
import { fieldsOf, type Request } from '../../lib/http/request.ts'
import type { Transport } from '../../lib/http/transport.ts'
import { TestClient } from '../../lib/engine/client.ts'
import { userAgent } from '../../lib/engine/test-request.ts'
import { runProperty } from '../../lib/engine/run-property.ts'
import { propertyOf } from '../../lib/suite/fuzz.ts'
import { contextOf, keys, secretKey, settingsFor } from './subject.ts'

const cases = 1_000_000
/** Which answer a request gets, by its three fields. */
function answerTo(request: Request): string {
  const [key = ''] = fieldsOf(request, 'x-api-key')
  const [secret = ''] = fieldsOf(request, 'x-secret-key')
  const [version = ''] = fieldsOf(request, 'x-version')
  if (key === '') return '1001'
  if (secret === '') return '1002'
  if (version === '') return '1003'
  if (key !== keys[0]) return '1006'
  if (secret !== secretKey) return '1007'
  return version === '1' ? '' : '1010'
}

const answers = new Map(
  ['', '1001', '1002', '1003', '1006', '1007', '1010'].map((code): readonly [string, Response] => {
    const body = code === '' ? '{"customizations":[]}' : `{"error_code":"${code}","error_message":"refused"}`
    const status = code === '' ? 200 : code === '1006' || code === '1007' ? 401 : 400
    const fields = [['content-type', 'application/json']] as const
    return [code, { status, reason: '', fields, trailers: [], ...readBody(Buffer.from(body)) }]
  }),
)

/** Answers without a network, so that a million cases end in this lifetime. */
const send: Transport['send'] = (request) => {
  const response = answers.get(answerTo(request))
  if (response === undefined) throw new Error('no answer')
  return Promise.resolve({ request, response, durationMs: 1, reused: false })
}
const close = (): Promise<void> => Promise.resolve()
const transport: Transport = {
  send,
  close,
  connection: () => ({ send, close }),
  useFewer: () => {},
  rawSocketUnavailable: null,
}

const settings = await settingsFor('http://127.0.0.1:1', {
  RUN_FUZZ_CASES: String(cases),
  RUN_MAX_REQUESTS: String(2 * cases),
})
const session = new TestClient({
  settings,
  allotment: { 'fuzz/api-key': cases },
  userAgent: userAgent('bench'),
  signal: new AbortController().signal,
  transport,
})
const property = propertyOf('fuzz/api-key', caseClasses['fuzz/api-key'], contextOf(settings))
if ('untested' in property) throw new Error(property.untested)
const left = await runProperty(session, 'fuzz/api-key', property)
const { heapUsed } = process.memoryUsage()
process.stdout.write(
  `${session.findings.answers('fuzz/api-key')} cases judged, ${Math.round(heapUsed / 2 ** 20)} MiB of heap in use at the end\n`,
)
if (left.length > 0 || session.findings.of('fuzz/api-key').length > 0) process.exitCode = 1
