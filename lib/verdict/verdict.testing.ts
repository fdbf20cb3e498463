import type { Finding, RuleResult, RunSnapshot, ShownExchange } from '../judge/record.ts'
import { listPath } from '../specification/endpoints.ts'
import { entryOf, ruleIds, ruleOf, specCatalogue, type RuleId } from '../specification/rules.ts'
import { notCovered, specification } from '../specification/specification.ts'
import { errorVerdict as failedRun, type RunMetadata } from './assemble.ts'
import { causesOf, type JudgedRule } from './causes.ts'
import { concludeAgain } from './conclude.ts'
import { verdictFormat, type Verdict, type VerdictRule, type VerdictWaiver } from './verdict.ts'

const baseUrl = 'https://staging.example.com/cards'

const headers = Object.entries({ 'x-secret-key': '<TARGET_SECRET_KEY>', 'x-version': '1' })
const body = '{"error_code":"1006","error_message":"invalid api key"}'

/** An exchange without `x-api-key`, answered as if the key were wrong. */
export const exchange: ShownExchange = {
  request: { method: 'GET', url: `${baseUrl}/api/customizations/list`, headers },
  response: { status: 401, headers: [['content-type', 'application/json']], body, bodyCut: 0 },
  durationMs: 3.2,
}

/** The parts of a request that a finding depends on. */
export type Sent = Partial<NonNullable<Finding['sent']>>

/** What was sent to the list endpoint for a finding, with changes. */
export function sentWith(changes: Sent = {}): NonNullable<Finding['sent']> {
  return { endpoint: `GET ${listPath}`, client: 'target', plain: false, flaws: [], requests: 1, ...changes }
}

const missing = 'authentication/api-key-missing'

/** A finding in `authentication/api-key-missing`, with changes. */
export function findingWith(changes: Partial<Finding> = {}): Finding {
  return {
    fingerprint: '3f2a9c0d1e4b5a67',
    case: 'authentication/api-key-missing:20260101:absent',
    count: 3,
    examples: [{ case: `${missing}:20260101:with-accept`, summary: 'answered 401 / 1006 once more' }],
    summary: 'answered 401 / 1006 where 400 / 1001 is documented',
    allowed: [{ status: 400, errorCode: '1001' }],
    answered: { status: 401, errorCode: '1006' },
    reproduced: '3 of 3',
    exchange,
    curl: `curl --http1.1 --path-as-is -sSi -H "x-secret-key: $TARGET_SECRET_KEY" -H 'x-version: 1' -H 'accept:' -H 'user-agent:' '${baseUrl}/api/customizations/list'`,
    replay: 'npx --no -- card-switch-conformance replay authentication/api-key-missing:20260101:absent',
    ...changes,
  }
}

const passed = { status: 'passed', because: null, answers: 4, durationMs: 0, sample: exchange } as const

/** A rule that passed, with changes. */
export function ruleWith(id: RuleId, changes: Partial<VerdictRule> = {}): VerdictRule {
  const { level, section, says } = entryOf(specCatalogue, id)
  return { id, level, section, says, ...passed, findings: [], ...changes }
}

/** All rules. Any rule that is not given has passed. */
export function rulesWith(changed: readonly VerdictRule[]): readonly VerdictRule[] {
  return ruleIds.map((id) => changed.find((rule) => rule.id === id) ?? ruleWith(id))
}

const named = { baseUrl, embedded: false, version: '1', label: 'vendor', build: '42' }
const settings = { profile: 'gate', strict: false, seed: 20260101, fuzzCases: 20 } as const

/** A target whose list endpoint was judged, with changes. */
export function targetWith(changes: Partial<Verdict['target']> = {}): Verdict['target'] {
  return { ...named, endpoints: [listPath], notJudged: [], ...changes }
}

/** The part of a gate run's verdict that comes from the settings, with changes. */
export function metadataWith(changes: Partial<RunMetadata> = {}): RunMetadata {
  const times = { startedAt: new Date('2026-11-20T02:00:00.000Z'), durationMs: 1_834.4 }
  const choice = { connection: null, only: null, essential: false, maxRequests: 500 }
  return { suiteVersion: '1.0.0', ...named, ...settings, ...choice, ...times, ...changes }
}

/** The record of a run that sent ten requests, with changes. */
export function recordWith(changes: Partial<RunSnapshot> = {}): RunSnapshot {
  const counts = { sent: 10, retried: 1, confirming: 2, retriedFor: {} }
  const parts = { byRule: { [missing]: 2 }, byClient: { target: 9, second: 1 } }
  const times = { msByRule: { [missing]: 41.6 }, latencyMs: { p50: 1, p95: 2, p99: 3, max: 4 } }
  const observations = [{ id: 'flaw-order', value: ['1001'] }]
  return { ...counts, ...parts, ...times, ended: null, observations, ...changes }
}

/** The result of a rule that passed, with changes. */
export function resultWith(id: RuleId, changes: Partial<RuleResult> = {}): RuleResult {
  return { id, status: 'passed', reasons: [], answers: 3, sample: null, findings: [], ...changes }
}

const byKim = { fingerprint: null, reason: 'agreed', owner: 'Kim', expires: '2027-01-31' }

/** A waiver that covers nothing. */
export const waiver: VerdictWaiver = { rule: 'quota/exhausted', ...byKim, expired: false, used: false }

/** A conformant verdict from a gate run, with changes. */
export function verdictWith(changes: Partial<Verdict> = {}): Verdict {
  const { rules = rulesWith([]) } = changes
  const head = { format: verdictFormat, suite: { version: '1.0.0' }, specification } as const
  const chosen = { ...settings, selection: { only: null } }
  const times = { startedAt: '2026-11-20T02:00:00.000Z', durationMs: 1834 }
  const end = { verdict: 'conformant', exitCode: 0, because: [], causes: causesOf(rules) } as const
  const requests = { sent: 196, retried: 0, confirming: 0, budget: 500, byRule: { [missing]: 2 } }
  const latencyMs = { p50: 3, p95: 9, p99: 14, max: 20 }
  const rest = { rules, waivers: [], observations: [], notCovered }
  const target = targetWith()
  return { ...head, target, ...chosen, ...times, ...end, requests, latencyMs, ...rest, ...changes }
}

/** A verdict with changes, and with the word, exit code and reasons that follow from them. */
export function concluded(changes: Partial<Verdict> = {}): Verdict {
  const verdict = verdictWith(changes)
  return { ...verdict, ...concludeAgain(verdict) }
}

const sideDoor = 'authentication/no-side-door'
const reset = 'the connection was reset three times'
const agreed = 'fixed in the next release (Kim, until 2027-01-31)'
const needsExhausted = `needs ${ruleOf('quota/exhausted').needs ?? ''}`

/** A verdict with rules of every status: two failed, one each warned, waived and inconclusive, and three untested. */
export function nonconformantVerdict(): Verdict {
  return concluded({
    requests: { sent: 214, retried: 1, confirming: 6, budget: 500, byRule: {} },
    rules: rulesWith([
      ruleWith(missing, { status: 'failed', findings: [findingWith()] }),
      ruleWith('versioning/unknown-endpoint', { status: 'failed', findings: [unknownEndpoint] }),
      ruleWith('conventions/json-content-type', { status: 'warned', findings: [contentType] }),
      ruleWith(sideDoor, { status: 'waived', because: agreed, findings: [findingWith({ waived: agreed })] }),
      ruleWith('versioning/selected-per-request', { status: 'inconclusive', because: reset, answers: 0 }),
      ...(['quota/exhausted', 'quota/stays-exhausted', 'quota/per-client'] as const).map((id) =>
        ruleWith(id, { status: 'untested', because: needsExhausted, answers: 0, sample: null }),
      ),
    ]),
    waivers: [{ ...waiver, rule: sideDoor, reason: 'fixed in the next release', used: true }],
  })
}

const html = `<html>\r\n<head><title>404 Not Found</title></head>${'<!-- padding -->'.repeat(30)}`
const ofHtml = [['content-type', 'text/html']] as const

const unknownEndpoint: Finding = findingWith({
  fingerprint: '81b7de0011aa22bb',
  case: 'versioning/unknown-endpoint:20260101:random-2',
  count: 1,
  examples: [],
  summary: 'answered 404, with a body that is not JSON, where 400 / 1010 is documented',
  allowed: [{ status: 400, errorCode: '1010' }],
  answered: { status: 404, errorCode: null },
  reproduced: '2 of 3',
  exchange: { ...exchange, response: { status: 404, headers: ofHtml, body: html, bodyCut: 50 } },
  replay: 'npx --no -- card-switch-conformance replay versioning/unknown-endpoint:20260101:random-2',
})

const contentType: Finding = findingWith({
  fingerprint: '99aabbccddeeff00',
  case: 'conventions/json-content-type:20260101:run',
  count: 40,
  examples: [],
  summary: 'answered 200 with no content-type where JSON needs application/json or +json',
  allowed: [],
  answered: { status: 200, errorCode: null },
  exchange: { ...exchange, response: { status: 200, headers: [], body: '[]', bodyCut: 0 } },
  replay: null,
})

/** The verdict for a run that never began, for example because a setting was wrong. */
export function errorVerdict(): Verdict {
  const head = metadataWith({ baseUrl: null, label: null, build: null, durationMs: 1_834 })
  return failedRun(head, 2, ['TARGET_BASE_URL: given nothing, expected an address'])
}

/** A finding for a request with these flaws that was answered with 422 / 1001. */
export function found(name: string, of: Sent | readonly string[] = {}, more: Partial<Finding> = {}): Finding {
  const sent = sentWith('length' in of ? { flaws: of } : of)
  const alone = { case: name, fingerprint: `fingerprint of ${name}`, difference: 'another answer' }
  return findingWith({ ...alone, ...answered(422, '1001'), sent, ...more })
}

export function failed(id: RuleId, ...findings: readonly Finding[]): JudgedRule {
  return { id, status: 'failed', findings }
}

export function warned(id: RuleId, ...findings: readonly Finding[]): JudgedRule {
  return { id, status: 'warned', findings }
}

/** A finding for a request that was wrongly accepted. */
export const served: Partial<Finding> = answered(200)

/** A finding for an answer with this status and code. */
export function answered(status: number, errorCode: string | null = null): Partial<Finding> {
  return { answered: { status, errorCode } }
}
