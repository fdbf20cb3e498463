import type { Property } from '../../lib/engine/plan/cases.ts'
import { openRun, type OpenRun } from '../../lib/engine/run/open-run.ts'
import { runProperty } from '../../lib/engine/run/run-property.ts'
import { suiteContext } from '../../lib/engine/plan/suite-context.ts'
import { userAgent } from '../../lib/engine/plan/test-request.ts'
import { caseClasses } from '../../lib/generate/case-classes.ts'
import { readBody } from '../../lib/http/body.ts'
import type { Exchange, Response } from '../../lib/http/exchange.ts'
import { fieldsOf, type Request } from '../../lib/http/request.ts'
import type { Transport } from '../../lib/http/transport.ts'
import { propertyOf } from '../../lib/suite/fuzz.ts'
import { answering, peakMiB } from '../measure/child.ts'
import { settingsFrom } from '../measure/settings.ts'
import { answerTo, fuzzing } from '../services/subject.ts'

/** Cases without a network: generated and judged only, or on the whole way of a run with answers from memory. */
export interface Offline {
  readonly way: 'generated and judged' | 'all but the network'
  readonly cases: number
}

/** How fast they went, and what they took. */
export interface OfflineResult {
  readonly rate: number
  readonly peakMiB: number
}

const rule = 'fuzz/api-key'
const agent = userAgent('bench')
const responses = new Map<string, Response>()

answering<Offline, OfflineResult>(async ({ way, cases }) => {
  const settings = await settingsFrom(fuzzing('http://127.0.0.1:1', cases, 16))
  const property = propertyOf(rule, caseClasses[rule], suiteContext(settings, agent))
  if ('untested' in property) throw new Error(property.untested)
  const run = await openRun({
    settings,
    allotment: { [rule]: property.requests },
    userAgent: agent,
    signal: new AbortController().signal,
    transport,
  })
  const started = performance.now()
  if (way === 'generated and judged') judgeOnly(property)
  else await runAll(run, property)
  return { rate: property.size / ((performance.now() - started) / 1_000), peakMiB: peakMiB() }
})

async function runAll(run: OpenRun, property: Property): Promise<void> {
  const left = await runProperty(run, rule, property)
  const findings = run.record.findings.of(rule).findings
  if (left.length > 0 || findings.length > 0) throw new Error(JSON.stringify([left, findings]))
}

function judgeOnly(property: Property): void {
  for (const { request, before, check } of property.cases()) {
    const judged = check(before === null ? null : answered(before.request)).judge(answered(request.request))
    if (judged.kind !== 'holds') throw new Error(JSON.stringify(judged))
  }
}

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
