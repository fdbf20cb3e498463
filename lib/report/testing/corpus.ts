import type { Power } from '../../judge/power.ts'
import type { Finding } from '../../judge/record.ts'
import type { RuleId } from '../../specification/rules.ts'
import { concluded, errorVerdict, exchange, findingWith } from '../../verdict/verdict.testing.ts'
import { nonconformantVerdict, ruleWith, targetWith, verdictWith } from '../../verdict/verdict.testing.ts'
import { waiver } from '../../verdict/verdict.testing.ts'
import type { Verdict, VerdictRule } from '../../verdict/verdict.ts'
import { hostileVerdict } from './hostile.ts'
import { alike, failing, unlike } from './verdicts.ts'

const passed = ruleWith('endpoints/list-succeeds')
const missing = 'authentication/api-key-missing'
const agreed = 'fixed in the next release (Kim, until 2027-01-31)'
const unanswered = { answers: 0, sample: null }
const needs = (id: RuleId, because: string) => ruleWith(id, { status: 'untested', because, ...unanswered })
const inconclusive = (id: RuleId, because: string, answers = 0) =>
  ruleWith(id, { status: 'inconclusive', because, answers })
const waivedBy = (changes: Partial<Finding>): VerdictRule => {
  const findings = [findingWith({ ...changes, waived: agreed })]
  return ruleWith(missing, { status: 'waived', because: agreed, findings })
}
const ofNoCustomer = 'FIXTURE_NO_CUSTOMER_API_KEY and FIXTURE_NO_CUSTOMER_SECRET_KEY'
const noCustomer = `needs ${ofNoCustomer}, a client without a customer`
const all = nonconformantVerdict()
const notCovered = ['card switches: not shown in the specification']

/** A verdict with these rules and one that passed. It has only a few, so that a new rule does not change any sentence. */
function of(rules: readonly VerdictRule[], changes: Partial<Verdict> = {}): Verdict {
  return concluded({ notCovered, ...changes, rules: [passed, ...rules] })
}

const acceptance = { profile: 'acceptance', strict: true } as const
const used = { ...waiver, rule: missing, expires: '2027-01-31', used: true }
const headers = Object.entries({ 'content-type': 'application/json', 'x-request-id': '7f3a' })
const success = { status: 200, headers, body: '{"data":[]}', bodyCut: 0 }
const letIn: Partial<Finding> = {
  summary: 'answered 200 with JSON where 400 / 1001 is documented',
  answered: { status: 200, errorCode: null },
  exchange: { ...exchange, response: success },
}
const unlabelled = findingWith({ allowed: [], summary: 'answered 200 with no content-type' })
const oneCause = [missing, 'authentication/no-bypass', 'fuzz/api-key', 'fuzz/headers'] as const
const notJson = { difference: 'body is not JSON', answered: { status: 401, errorCode: null } }
const notRefused = 'the client of FIXTURE_EXHAUSTED_API_KEY is not refused as expected; '
const notAnswered = { answered: null, exchange: { ...exchange, response: null } }
const silent = findingWith({ ...notAnswered, summary: 'no answer came' })
const shapes = { before: 'data[].card_id: string, always', after: 'absent' }
const lost = 'a property is missing: data[].card_id'
const removed = findingWith({ allowed: [], summary: lost, shapes, curl: null })
const early = 'the run ended early: nothing is listening on staging.example.com:443 (connection refused)'
const unreached = { verdict: 'incomplete', exitCode: 3, because: [early, `${missing}: ${early}`] } as const
const ofCards = { because: 'no success is described', fingerprint: 'aabbccddeeff0011' }
const unjudged = [{ endpoint: 'POST /api/cards', ...ofCards }]
const summary = 'success demands the order of properties'
const retried = (sent: number, count: number, code: string): Partial<Verdict> => {
  return { requests: { ...verdictWith().requests, sent, retried: count, retriedFor: { [code]: count } } }
}

const odd = [['x-version', '\t1 1\0\u200b\u202e\u0085 ']] as const
const toOdd = { ...exchange, request: { ...exchange.request, headers: odd } }
const ofOdd = { exchange: toOdd, summary: 'answered 200 for 1 ' }
const quick = ruleWith('errors/documented-pairs', { durationMs: 96 })
const examples = [...'abcd'].map((name) => ({ case: name, summary: `answered ${name}` }))
const refused = 'the first valid request was refused with 401 / 1006'
const breach = { rule: 'versioning/unknown-endpoint', fingerprint: 'f'.repeat(16) } as const
const blocked = { status: 'inconclusive', because: 'why', follows: [breach] } as const
const follows = ruleWith('authentication/not-cached', blocked)
const untested = needs('quota/exhausted', 'no such client is given')
const spent = inconclusive('fuzz/path', 'the budget was used up')
const asWaived = unjudged.map((one) => ({ ...one, waived: agreed }))

const embedded = targetWith({ embedded: true, label: null, build: null, baseUrl: 'http://127.0.0.1:4000' })
const asAgreed = { ...acceptance, waivers: [used] }
const withoutCards = { ...acceptance, target: targetWith({ notJudged: unjudged }) }
const ofEach: readonly Partial<Finding>[] = [{ waived: agreed }, { warning: true }, {}]
const eachKind = ofEach.map((one, at) => findingWith({ fingerprint: 'abc'.charAt(at), ...one }))
const notPassed = all.rules.filter(({ status }) => status !== 'passed')
const because = `${notRefused.repeat(3)}see errors/body-shape`
const cause = failing('errors/body-shape', alike('a', notJson))
const consequence = [cause, inconclusive('quota/stays-exhausted', because)]
const sometimes = alike('fuzz/path:20260101:random-2', { reproduced: '2 of 3' })
const baseline = { file: 'baseline.json', did: 'compared' }
const fromEnvFile = ['TARGET_BASE_URL', 'HTTPS_PROXY', 'RUN_CA_FILE'] as const
const proxy = 'http://proxy.example:3128'
const files = { caFiles: ['/etc/own-ca.pem', '/etc/b.pem'], certFile: '/etc/client.pem' }
const ofFile = findingWith({ blames: 'endpoints-file', summary, allowed: [] })
const error = (exitCode: 2 | 4, why: string) => ({ verdict: 'error', exitCode, because: [why] }) as const
const noCase = error(4, 'the suite itself failed: fuzz/paths: no case was drawn')

const missingConditions = Object.fromEntries([...'abcdef'].map((name) => [name, '--profile acceptance']))
const power: Power = {
  confidence: 0.95,
  answers: 480,
  excludes: 0.006,
  situations: [
    { kind: 'flaw', reached: { 'no x-api-key': 3 }, missing: { inactive: 'FIXTURE_INACTIVE_API_KEY' } },
    { kind: 'condition', reached: { 'accept-language: de': 7 }, missing: missingConditions },
    { kind: 'load', reached: { 'several requests at once': 400 }, missing: {} },
  ],
}

/** Verdicts of every kind. */
export const corpus: Readonly<Record<string, Verdict>> = {
  conformant: of([ruleWith('errors/body-shape', { durationMs: 1_204 }), quick]),
  'conformant, with a warning and what was not tested': of([
    ruleWith('conventions/json-content-type', { status: 'warned', findings: [unlabelled] }),
    needs('authentication/customer-not-found', noCustomer),
    needs('authentication/stays-refused', noCustomer),
    needs('tolerance/no-breaking-change', 'no baseline is given (RUN_BASELINE)'),
  ]),
  'the embedded service': of([], { target: embedded }),
  'some rules': of([], { selection: { only: ['endpoints/*'] } }),
  'one case per rule': of([], { selection: { only: null, essential: true } }),
  'an agreed exception': of([waivedBy({})], { waivers: [used] }),
  accepted: of([], { ...acceptance, validUntil: '2027-02-20T02:00:00.000Z' }),
  'accepted with a waived breach of security': of([waivedBy(alike('a', letIn))], asAgreed),
  'not accepted': of([failing(missing, alike('a', letIn))], acceptance),
  'one problem of one rule': of([failing(missing, findingWith())]),
  'a rule with a finding of each kind': of([failing(missing, ...eachKind)]),
  'one problem of many rules': of(oneCause.map((id) => failing(id, alike(`${id}:20260101:absent`, letIn)))),
  'every status': { ...all, notCovered, rules: [passed, ...notPassed] },
  'one problem, and what follows from it': of(consequence, retried(424, 11, '429')),
  'a problem only sometimes': of([failing('fuzz/path', sometimes)]),
  'a value with white space and invisible characters': of([failing(missing, findingWith(ofOdd))]),
  'a finding that was seen often': of([failing('fuzz/path', findingWith({ count: 20_000, examples }))]),
  'a client that is refused': of([inconclusive('quota/exhausted', refused)]),
  'an endpoint that is not judged, as agreed': of([], {
    ...acceptance,
    waivers: [{ ...used, rule: null, fingerprint: 'aabbccddeeff0011' }],
    target: targetWith({ notJudged: asWaived }),
  }),
  'no answer': of([failing('versioning/version-missing', silent)]),
  'twelve problems': of([failing('fuzz/path', ...unlike(12, 'one'))]),
  'a changed shape': of([failing('tolerance/no-breaking-change', removed)], { baseline }),
  'nothing judged': verdictWith({ ...unreached, rules: [inconclusive(missing, early)], notCovered }),
  'too small a budget': of([inconclusive('errors/body-shape', 'the budget of 12 requests was used up', 4)]),
  'a breach that only another rule reports': of([follows, untested]),
  'a breach that only another rule reports, in acceptance': of([follows, untested, spent], acceptance),
  'a breach that its own rule reports too': of([follows, failing(breach.rule, findingWith(breach))]),
  'not enough to accept': of([needs('authentication/customer-not-found', noCustomer)], withoutCards),
  'mistaken settings': errorVerdict(),
  'a failure of the suite beside a problem': { ...of([failing(missing, findingWith())]), ...noCase },
  'through a proxy from .env': of([], { connection: { proxy, ...files, fromEnvFile } }),
  'no rules': { ...of([]), verdict: 'incomplete', exitCode: 3, rules: [] },
  'the embedded service, accepted': of([], { ...acceptance, target: embedded }),
  'mistaken settings of an acceptance': { ...errorVerdict(), profile: 'acceptance' },
  'the power of a run': of([], { power }),
  'waivers to look at': of([waivedBy({})], {
    waivers: [
      used,
      { ...waiver, expires: '2026-01-31', expired: true },
      { ...waiver, rule: 'endpoints/list-succeeds', gone: true },
      { ...waiver, rule: null, fingerprints: ['abcd', 'abce'], used: true, goneFingerprints: ['abce'] },
    ],
  }),
  'many requests without an answer': of([], retried(400, 24, '503')),
  'a mistake of the endpoints file': {
    ...of([failing('tolerance/property-order', ofFile)]),
    ...error(2, `TARGET_ENDPOINTS expects something that the specification does not promise: ${summary}`),
  },
  'hostile texts': hostileVerdict('\u001B[31m</b>`|%0A::error::\u202Ex'),
}
