import { openRun } from '../../../lib/engine/run/open-run.ts'
import { runProperty } from '../../../lib/engine/run/run-property.ts'
import { suiteContext } from '../../../lib/engine/plan/suite-context.ts'
import { userAgent } from '../../../lib/engine/plan/test-request.ts'
import { caseClasses } from '../../../lib/generate/case-classes.ts'
import { readBody } from '../../../lib/http/body.ts'
import type { Exchange, Response } from '../../../lib/http/exchange.ts'
import { fieldsOf, type Request } from '../../../lib/http/request.ts'
import type { Transport } from '../../../lib/http/transport.ts'
import { propertyOf } from '../../../lib/engine/plan/fuzz.ts'
import { answering, peakMiB } from '../measure/child.ts'
import { settingsFrom } from '../measure/settings.ts'

/** Cases without a network, on the whole way of a run with answers from memory. */
export interface Offline {
  readonly cases: number
}

const rule = 'fuzz/api-key'
const agent = userAgent('bench')
const [apiKey, secretKey] = ['ak_live_4hT9mQzL2cVxNf', 'Jw8RtU3nBvD5eXyK0aPqLs7G']
const responses = new Map<string, Response>()

/** Asked for cases, it gives the largest memory in MiB. */
answering<Offline, number>(async ({ cases }) => {
  const settings = await settingsFrom({
    TARGET_BASE_URL: 'http://127.0.0.1:1',
    TARGET_API_KEY: apiKey,
    TARGET_SECRET_KEY: secretKey,
    RUN_PROFILE: 'nightly',
    RUN_ONLY: rule,
    RUN_FUZZ_CASES: String(cases),
    RUN_CONCURRENCY: '16',
    RUN_MAX_REQUESTS: String(3 * cases + 1_000),
  })
  const property = propertyOf(rule, caseClasses[rule], suiteContext(settings, agent))
  if ('untested' in property) throw new Error(property.untested)
  const run = await openRun({
    settings,
    allotment: { [rule]: property.requests },
    userAgent: agent,
    signal: new AbortController().signal,
    transport,
  })
  const left = await runProperty(run, rule, property)
  const findings = run.record.findings.of(rule).findings
  if (left.length > 0 || findings.length > 0) throw new Error(JSON.stringify([left, findings]))
  return peakMiB()
})

function answered(request: Request): Exchange {
  const of = (name: string): string | undefined => fieldsOf(request, name)[0]
  const [status, body] = answerTo(of('x-api-key'), of('x-secret-key'), of('x-version'))
  const response = responses.get(body) ?? {
    status,
    reason: '',
    fields: [['content-type', 'application/json']] as const,
    trailers: [],
    ...readBody(Buffer.from(body)),
  }
  responses.set(body, response)
  return { request, response, durationMs: 1, reused: false }
}

const transport: Transport = {
  // A turn of the event loop passes, as it does before an answer comes from a network.
  send: (request) => new Promise((resolve) => setImmediate(() => resolve(answered(request)))),
  close: () => Promise.resolve(),
  connection: () => transport,
  useAtMost: () => {},
  rawSocketUnavailable: null,
}

/** The answer that the specification demands, by the three fields: status and body. */
function answerTo(
  key: string | undefined,
  secret: string | undefined,
  version: string | undefined,
): readonly [status: number, body: string] {
  if (key === undefined || key === '') return refused(400, '1001')
  if (secret === undefined || secret === '') return refused(400, '1002')
  if (version === undefined || version === '') return refused(400, '1003')
  if (key !== apiKey) return refused(401, '1006')
  if (secret !== secretKey) return refused(401, '1007')
  return version === '1' ? [200, '{"customizations":[]}'] : refused(400, '1010')
}

function refused(status: number, code: string): readonly [status: number, body: string] {
  return [status, `{"error_code":"${code}","error_message":"refused"}`]
}
