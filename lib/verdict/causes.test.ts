import { expect, it } from 'vitest'
import type { Finding } from '../judge/record.ts'
import { documentedPairs } from '../specification/answers.ts'
import { flawRows, type FlawRow } from '../specification/flaws.ts'
import { ruleOf, type RuleId } from '../specification/rules.ts'
import { causesOf, type Cause, type JudgedRule } from './causes.ts'
import { findingWith, answered, failed, found, served, warned, type Sent } from './verdict.testing.ts'

const bypass: RuleId = 'authentication/no-bypass'
const keyMissing: RuleId = 'authentication/api-key-missing'
const noKey = ['apiKey absent']
const keyAndVersion = [...noKey, 'version absent']
const noSecret = ['secretKey absent']
const noVersion = ['version absent']
const wrongKey = ['apiKey invalid']
const empty = { difference: 'empty body' }
const unpaired = { difference: 'not a documented pair' }
const rare = { reproduced: '1 of 3' } as const
const documented = 'documented 400 / 1001 (api key header is missing)'

/** A rule, or a finding in `fuzz/headers`, which failed. */
type Given = JudgedRule | Finding

function causesIn(...given: readonly Given[]): readonly Cause[] {
  return causesOf(given.map((one) => ('id' in one ? one : failed('fuzz/headers', one))))
}

const ofAnother = { flaws: noSecret, endpoint: 'GET /api/other' }
const ofSecond = { flaws: noSecret, client: 'second' } as const
const ofBoth = { flaws: [...noVersion, ...noSecret], client: 'second' } as const
const letIn = (name: string, sent: Sent | readonly string[] = {}, summary = 'answered 200') =>
  found(name, sent, { ...served, summary })
const ofVersionOne = (name: string): Finding => findingWith({ fingerprint: name, case: name })
const ofUnknown = letIn('a', { flaws: null })
const unknown = [ofUnknown, { ...ofUnknown, case: 'b', fingerprint: 'd' }, ofVersionOne('c')]
const under = (name: string, ...conditions: readonly string[]) =>
  letIn(name, { flaws: noVersion, conditions })
const leak = warned(bypass, letIn('w', noVersion))
const others = [
  failed('fuzz/query', found('form', {}, empty), found('code')),
  failed('fuzz/api-key', letIn('in', wrongKey)),
  failed('fuzz/path', found('many'), found('more', {}, unpaired)),
]

it.each<[string, readonly string[], ...Given[]]>([
  ['status', ['b', 'a'], found('a', noSecret), found('b', noSecret, answered(500))],
  ['form', ['a', 'b'], found('a', noVersion), found('b', noSecret, empty)],
  ['reproducibility', ['a', 'b'], letIn('a', noKey), found('b', noKey, { ...served, ...rare })],
  ['form, across endpoints', ['a b'], found('a', noSecret), found('b', ofAnother)],
  ['form, across clients', ['a b'], found('a', noSecret), found('b', ofSecond)],
  ['a key, across clients', ['a b'], found('a', noKey), found('b', { ...ofSecond, flaws: noKey })],
  ['flaw, if no plain request fails', ['a', 'b'], letIn('a', noKey), letIn('b')],
  ['a failing plain request', ['a b'], letIn('a', noKey), letIn('b', { plain: true })],
  ['the fewest flaws', ['b c', 'a'], letIn('a', noVersion), letIn('b', keyAndVersion), letIn('c', noKey)],
  ['nothing, if the request is unknown', ['a', 'b', 'c'], ...unknown],
  ['rule, if the request is unknown', ['a', 'a'], ofVersionOne('a'), failed('fuzz/query', ofVersionOne('a'))],
  ['condition', ['a b', 'c'], under('a', 'te: x', 'a: *'), under('b', 'te: x'), under('c', 'x: y')],
  ['flaw, across conditions', ['a b c'], under('a', 'te: x'), under('b', 'x: y'), under('c')],
  ['flaw, apart from valid requests', ['b c', 'a'], letIn('a'), letIn('b', ofSecond), letIn('c', ofBoth)],
  ['flaw, unless waived', ['b'], found('a', noKey, { waived: 'agreed' }), found('b', noKey)],
  ['severity, with warnings last', ['in', 'code many more', 'form', 'w'], leak, ...others],
  ['severity, in any order of rules', ['in', 'code many more', 'form', 'w'], ...others, leak],
])('causes are findings grouped by %s', (_, groups, ...given) => {
  expect(causesIn(...given).map(({ cases }) => cases.join(' '))).toEqual(groups)
})

const echoed = found('a', {}, { difference: 'secret in the body' })
const otherOutcome = { difference: 'another outcome than success' }
const cases = ['a', 'b', 'c']
const ofCode = { severity: 'code', warning: false, example: 'b', cases } as const
const explained: Partial<Cause> = {
  ...ofCode,
  sentence: `A request without x-api-key: 422 / 1001, ${documented}`,
  rules: [keyMissing, bypass, 'errors/documented-pairs'],
  fingerprints: cases.map((name) => `fingerprint of ${name}`),
}

it.each<[string, Partial<Cause>, ...Given[]]>([
  [
    'all findings, in any rule, that the smallest set of flaws explains',
    explained,
    failed(bypass, found('a', keyAndVersion)),
    failed(keyMissing, found('b', noKey)),
    failed('errors/documented-pairs', found('c', noKey, unpaired)),
  ],
  ['a warning', { warning: true }, warned('fuzz/headers', found('b'))],
  ['a warning and a failure', { warning: false }, warned(bypass, found('w', noKey)), found('f', noKey)],
  ['an accepted wrong key', { severity: 'security' }, letIn('a', wrongKey)],
  ['an accepted request without x-version', { severity: 'code' }, letIn('a', noVersion)],
  ['an echoed secret', { severity: 'security' }, failed('security/no-secret-echo', echoed)],
  ['a 500', { severity: 'failure' }, found('a', {}, answered(500))],
  ['no answer', { severity: 'failure' }, found('a', {}, { answered: null })],
  ['a wrong code', { severity: 'code' }, found('a')],
  ['a redirect', { severity: 'code' }, found('a', wrongKey, answered(300))],
  ['an empty success for a wrong key', { severity: 'form' }, found('a', wrongKey, { ...served, ...empty })],
  ['several accepted flaws', { severity: 'security' }, letIn('a', [...noVersion, ...noSecret])],
  ['a metamorphic pair', { severity: 'code' }, found('a', {}, otherOutcome)],
  ['an unknown kind', { severity: 'form' }, findingWith()],
  ['an empty body', { severity: 'form' }, found('a', {}, empty)],
])('one cause covers %s', (_, cause, ...given) => {
  expect(causesIn(...given)).toMatchObject([cause])
})

const every = documentedPairs.map(({ status, errorCode }) => ({ status, errorCode }))
const simple = found('simple', noKey)
const other = (more?: Partial<Finding>, sent?: Sent) => found('other', { flaws: noKey, ...sent }, more)
const flawed = { flaws: [...keyAndVersion, 'input invalid'] }

it.each<[string, RuleId, JudgedRule]>([
  ['that counts, not a warning', 'fuzz/headers', failed(keyMissing, other({ warning: true }))],
  ['with fewer flaws', 'fuzz/headers', failed(bypass, other({}, flawed))],
  ['that is listed, not generated', bypass, failed('fuzz/api-key', other())],
  ['that names the documented answer', bypass, failed(keyMissing, other({ allowed: [] }))],
  ['that does not allow every pair', bypass, failed('errors/documented-pairs', other({ allowed: every }))],
  ['in a documented rule, not an implied one', bypass, failed('conventions/json-content-type', other())],
  ['from the target client', bypass, failed(keyMissing, other({}, { client: 'second' }))],
  ['whose case comes first, if all else is equal', bypass, failed(keyMissing, found('tested', noKey))],
  ['in a failing rule, not a warning one', 'fuzz/headers', warned(keyMissing, other())],
  ['in a rule with few other findings', keyMissing, failed(bypass, other(), found('third', noKey))],
])('the example of a cause is preferably a finding %s', (_, rule, rival) => {
  const rules = [failed(rule, simple), rival]
  for (const some of [rules, rules.toReversed()])
    expect(causesOf(some)).toMatchObject([{ example: 'simple' }])
})

const { exchange } = found('any')
const sent = (...of: readonly [Sent | readonly string[], Partial<Finding>?]) =>
  found('fuzz/headers:1:a', ...of)
function ofRequest(changes: Partial<typeof exchange.request>): Finding {
  const request = { ...exchange.request, ...changes }
  return found(JSON.stringify(changes), noVersion, { exchange: { ...exchange, request } })
}
const field = (name: string, value = 'x'): Finding => ofRequest({ headers: [[name, value]] })

const h1 = '<h1>Cannot GET</h1>'

/** An answer in this format, without `error_code` unless the body has one. */
function page(status: number, type: string, difference = 'another answer', body = h1): Partial<Finding> {
  const response = { status, headers: [['content-type', type]] as const, body, bodyCut: 0 }
  return { difference, ...answered(status), exchange: { ...exchange, response } }
}

const success = { status: '2xx', errorCode: null } as const
const allowed = [success, { status: 400, errorCode: '1030' }] as const
const quota = [{ status: 429, errorCode: '1020' }] as const
const usedUp = '429 / 1020 (daily quota limit exceeded)'
const nobodys = ['secretKey nobodys']
const altered = (how: string, flaws = wrongKey) => letIn(how, flaws, `answered 200; sent: TARGET_${how}`)
const upper = altered('SECRET_KEY in upper case', nobodys)
const odd = { summary: 'answered oddly' }
const ofSuccess = { ...odd, difference: 'not the success of the endpoints file: type' }
const underTwo = { flaws: wrongKey, conditions: ['?debug=true', 'accept: */*'] }
const underOne = { flaws: noVersion, conditions: ['accept-language: fr-FR'] }
const [notJson, html, json] = ['body is not JSON', 'text/html; charset=utf-8', 'application/json']
const at = (...answer: Parameters<typeof page>): Finding => found('a', ['endpoint unknown'], page(...answer))
const [versionless, unpathed] = ['A request without x-version', 'A request to an unknown path']
const wrong = `422 / 1001, ${documented}`
const ofFlaw = ({ id, phrase }: FlawRow): [string, Given] => {
  return [`A request ${phrase} was accepted`, letIn('a', { flaws: [id], client: 'second' })]
}
const blankUnknown = ['apiKey blank', 'endpoint unknown']
const undocumented = 'A request with undocumented parameters: 422 / 1001, documented success or 400 / 1030'
const noObject = 'JSON that is not an object'
const pageOf500 = page(500, html, notJson)
const ofJson = failed('conventions/json-response', found('a', noVersion, { ...pageOf500, allowed: [] }))
const hidden = page(200, json, 'another answer', '[41,42… (opaque: 30 characters)]')

it.each<[string, ...Given[]]>([
  ['A request with a wrong secret key was accepted (only sometimes)', sent(nobodys, { ...served, ...rare })],
  [`A plain valid request: ${odd.summary}`, sent({ plain: true }, { ...answered(500), allowed: [], ...odd })],
  [`A request with an empty x-api-key, to an unknown path: ${wrong}`, sent(blankUnknown)],
  [`A request without x-version with accept-language: fr-FR: ${wrong}`, sent(underOne)],
  ['The valid API key followed by the byte a0 was accepted', altered('API_KEY followed by the byte a0')],
  // Several values were accepted.
  ['A request with a wrong secret key was accepted', upper, altered('SECRET_KEY with x after it', nobodys)],
  ['A request with a wrong API key with ?debug=true and accept: */* was accepted', sent(underTwo, served)],
  [`A valid request with te: x: ${wrong}`, sent({ conditions: ['te: x'] })],
  ['answered oddly', sent({ flaws: null }, odd)],
  // The summary names the endpoints file.
  ['answered oddly', sent({ plain: true }, ofSuccess)],
  // Several requests.
  ['answered oddly (only sometimes)', findingWith({ ...odd, ...rare })],
  // Valid, but not in the plain form.
  [`A valid request (fuzz/headers) from the client second: ${wrong}`, sent({ client: 'second' })],
  [`${versionless}: 302, ${documented}`, sent(noVersion, answered(302))],
  [`${versionless}: no answer, ${documented}`, sent(noVersion, { answered: null })],
  [undocumented, sent(['input uncertain'], { allowed })],
  [`A plain valid request: 200, documented ${usedUp}`, sent({ plain: true }, { ...served, allowed: quota })],
  // A part of the body is hidden.
  [`A plain valid request: 200, documented ${usedUp}`, sent({ plain: true }, { ...hidden, allowed: quota })],
  ...flawRows.map(ofFlaw),
  // The documented answer comes from another rule if the finding names none.
  [`${versionless}: 500 with HTML, ${documented}`, ofJson, found('b', noVersion, pageOf500)],
  [`${unpathed}: 404 with HTML, ${documented}`, at(404, html, notJson)],
  [`${unpathed}: 404 with plain text, ${documented}`, at(404, 'text/plain', notJson)],
  [`${unpathed}: 404 with XML, ${documented}`, at(404, 'application/problem+xml', notJson)],
  [`${unpathed}: 404 with a body that is not JSON, ${documented}`, at(404, json, notJson)],
  [`${unpathed}: 404 with an empty body, ${documented}`, at(404, html, 'empty body', '')],
  [`${unpathed}: 404 without error_code, ${documented}`, at(404, json, 'error_code is missing', '{}')],
  [`${unpathed}: 404 with ${noObject}, ${documented}`, at(404, json, 'body is not an object', '[]')],
  [`${unpathed}: 302, ${documented}`, at(302, html)],
  [`${unpathed}: 304, ${documented}`, at(304, html, 'another answer', '')],
  // What all requests have in addition.
  [`${versionless}, with version: 1: ${wrong}`, field('VERSION', '1'), field('version', '1')],
  [`${versionless}, with an empty te: ${wrong}`, field('te', '')],
  // Nothing in addition: a missing field, another value, fields that every request has.
  [`${versionless}: ${wrong}`, field('version', '1'), field('x-version', '1')],
  [`${versionless}: ${wrong}`, field('version', '1'), field('version', '2')],
  [`${versionless}: ${wrong}`, field('x-version', '1'), field('Accept', '*/*')],
])('the sentence of a cause is: %s', (sentence, ...given) => {
  expect(causesIn(...given).map((cause) => cause.sentence)).toEqual([sentence])
})

it('a flaw is described by a phrase that continues "A request"', () => {
  for (const { phrase } of flawRows) expect(phrase).toMatch(/^(?:with|without|to|from|of) /)
})

it('the sentence of a cause is the sentence of a user-defined rule', () => {
  const own = { ...ruleOf('fuzz/query'), section: 'ours', says: 'each card has wings' }
  const finding = found('a', {}, { summary: 'answered 200 with JSON, but it has no wings', allowed: [] })
  const sentence = 'The rule "each card has wings" is broken: answered 200 with JSON, but it has no wings'

  const causes = causesOf([failed('own/wings', finding)], new Map([['own/wings', own]]))
  expect(causes).toMatchObject([{ sentence }])
})
