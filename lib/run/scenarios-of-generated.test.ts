import { describe, expect, test } from 'vitest'
import type { Exchange } from '../http/exchange.ts'
import { answers, holds, sameOutcome, succeeds, type Check, type Judgement } from '../judge/judge.ts'
import { served } from '../judge/testing/exchanges.ts'
import { example, rule, type Example, type SuiteRule } from './plan/cases.ts'
import type { SuiteContext, TestRequest } from './plan/suite-context.ts'
import { suspects, type JudgedRow } from './simplify.ts'
import { failure, locked, missing, quota, right, unclear, wrong } from './testing/answers.ts'
import type { Meets } from './testing/in-memory.ts'
import { among, budget, it, noting, parallel, ruled, saying } from './testing/played.ts'
import type { Came, Play, Script } from './testing/played.ts'
import { asking, ruleId, withoutKey } from './testing/rules.ts'
import { times } from './testing/scripts.ts'

/** Further parts of a case, made from its request. */
type More = (request: TestRequest, length: number) => Partial<Example>

/** A case of this length, named after it, that shrinks to every shorter one. */
function ofLength(plain: TestRequest, length: number, more: More, path = ''): Example {
  const request = withoutKey(plain).with('x-case', `${length}`)
  return {
    ...example(`${length}${path}`, request, missing),
    again: true,
    says: `${length} characters`,
    observe: { id: 'seen', as: `${length}` },
    simpler: function* simpler() {
      for (let shorter = 1; shorter < length; shorter += 1)
        yield ofLength(plain, shorter, more, `${path}:${shorter - 1}`)
    },
    ...more(request, length),
  }
}

/** A rule with generated cases of these lengths, and their answers. */
function generated(lengths: readonly number[], service: Script = {}, more: More = () => ({})): Partial<Play> {
  const listed = rule(ruleId, () => [])
  const work = (plain: TestRequest) => {
    const cases = lengths.map((length) => ofLength(plain, length, more))
    return { size: cases.length, requests: cases.length, cases: () => cases }
  }
  return { rules: [{ ...listed, work: ({ list }) => work(list.request) }], service }
}

const upTo = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index + 1)
/** These answers from certain lengths on. */
const from =
  (least: number, met: Meets, leastOther = Infinity, other: Meets = null) =>
  ({ name }: { readonly name: string }): Meets =>
    Number(name) >= least ? met : Number(name) >= leastOther ? other : null
/** Wrong from five characters on. Answers are distinguished by their lists of fields. */
const anewFrom5: Script = ({ name }) => (Number(name) >= 5 ? { ...wrong, fields: [...wrong.fields] } : null)
const judgedOf = (text: string): Came => ({ left: [saying(text)] })
const failsLater: Script = ({ index }) => (index === 0 ? null : failure)
/** Two cases against a failing service: the first needs a success, the second has this check. */
const notServed = (other: Check): Partial<Play> =>
  generated([3, 4], failsLater, (_, length) => ({ check: length === 3 ? succeeds() : other }))
const mayBeRefused: More = (request) => ({ request: request.trait({ transportMayRefuse: true }) })
const pairedWith =
  (more: Partial<Example> = {}): More =>
  (request) => ({
    request: request.trait({ transportMayRefuse: true }),
    requests: 2,
    least: 2,
    pair: {
      request: request.with('x-case', 'before').trait({ transportMayRefuse: true }),
      check: (met) => (met === null ? missing : { allowed: [], judge: (one) => sameOutcome(met, one) }),
    },
    ...more,
  })
const raw: More = (request) => ({ request: request.onRawSocket() })
const rawRow: More = (request) => ({ request: request.onRawSocket().trait({ conditions: [] }) })
const found = (...all: readonly string[]): Came => {
  return { found: all.map((one) => `${ruleId}: ${one}: another answer`) }
}
const connections = (count: number): Came => {
  return { sent: upTo(count).map((place) => expect.objectContaining({ connection: place - 1 })) }
}

const simplified = expect.stringMatching(/^authentication\/api-key-missing:20260101:5(?::\d+)+$/)
const refusedOrNot = expect.objectContaining({ 2: 'connection closed', 3: '400 / 1001' })

describe('generated cases', () => {
  it('are counted by kind, and the first of a kind is simplified fully', parallel, {
    ...generated([30, 2, 31, 9], anewFrom5),
    found: [`${ruleId}: 5 31 9, 3 of 3: another answer`],
    verdict: ruled({
      [ruleId]: {
        findings: [expect.objectContaining({ count: 3, case: simplified, summary: saying('sent: 5 char') })],
        power: expect.objectContaining({ faulty: 3 }),
      },
    }),
  })
  it('of a kind other than the simplified one are separate findings', found('20, 3 of 3', '10, 3 of 3'), {
    ...generated([25, 12], from(20, wrong, 10, locked)),
  })
  it('are simplified with at most forty requests', generated([1_000], from(900, wrong)), {
    found: among(`${ruleId}: 1000, 3 of 3`),
    sent: { length: 1 + 1 + 40 + 3 },
  })
  it('that do not fit into the budget are reported', generated(upTo(20)), budget(8), 'plain 1 2 3 4 5 6 7', {
    left: ['7 of 20 cases were judged: the others did not fit into the budget (RUN_MAX_REQUESTS)'],
  })
  it('continue if the budget has nothing left for the retries of one case', budget(7), {
    ...generated(upTo(6), { 2: ['closed'] }),
    ...judgedOf('5 of 6 cases were judged: the budget of 7 requests was used up'),
    order: 'plain 1 2 3 4 5 6',
  })
  // A lockout would go unnoticed.
  it('end if the budget has nothing left for a due health check', generated(upTo(60)), budget(61), {
    ...judgedOf('49 of 60 cases were judged: the budget of 61'),
  })
  it('stop when the run ends, and give the reason once', {
    ...generated(upTo(90), ({ index }) => (index >= 10 ? quota : null)),
    ended: saying('the daily quota of '),
    left: [expect.stringMatching(/^9 of 90 cases were judged: the daily quota of (?!.*the daily quota of )/)],
  })
  it('that need a missing success are not judged, and follow from its breach', notServed(succeeds()), {
    ...judgedOf('0 of 2 cases were judged: a plain valid request did not succeed either'),
    found: expect.not.arrayContaining([saying(ruleId)]),
    follows: [saying(`${ruleId}: endpoints/list-succeeds`)],
  })
  it('follow from no breach if one case was left open for another reason', notServed(unclear), {
    ...judgedOf('nobody knows'),
    found: expect.anything(),
    follows: [],
  })
  it('that get no answer while others do are a breach', generated([3, 4], { 3: ['closed'] }), {
    found: [saying(`${ruleId}: 3, 6 of 6: no answer`)],
  })
  it('that the transport may refuse are judged by its refusal, with one request each', {
    ...generated(upTo(3), { 1: ['closed'], 2: ['closed'] }, mayBeRefused),
    order: 'plain 1 2 3',
    verdict: { ...noting('seen', refusedOrNot), ...ruled({ [ruleId]: { answers: 3 } }) },
  })
  it('are judged alone if the transport refuses a paired request that it may refuse', found('4, 3 of 3'), {
    ...generated([4], { before: ['closed'], 4: [wrong] }, pairedWith()),
  })
  it('go out on separate connections if required, and so do their paired requests', connections(5), {
    ...generated([4, 5], {}, pairedWith({ alone: true })),
    order: 'plain before 4 before 5',
  })
  it('go out in parallel, never more at once than the settings allow', generated(upTo(7)), {
    env: { RUN_CONCURRENCY: '3' },
    turns: 'plain | 1 2 3 | 4 5 6 | 7',
  })
  it('for the raw socket are untested if it cannot be used', generated(upTo(3), {}, raw), '', {
    rawSocketUnavailable: 'behind a proxy',
    left: ['behind a proxy'],
    verdict: ruled({ [ruleId]: { status: 'untested' } }),
  })
  // Other rows cover the rest.
  it('that are rows for the raw socket are skipped if it cannot be used', generated(upTo(3), {}, rawRow), {
    rawSocketUnavailable: 'behind a proxy',
    order: '',
    left: [],
  })
})

/** Two requests that must get the same answer, and are repeated while the second differs; by default in a listed case. */
function paired(answered: readonly Meets[], against: 'order' | 'outcome', size = 1): Partial<Play> {
  const judge = (before: Exchange | null, given: Exchange): Judgement => {
    const judgement = before === null ? holds : sameOutcome(before, given)
    if (judgement.kind !== 'violates') return judgement
    return { ...judgement, breach: { ...judgement.breach, against } }
  }
  const check = (before: Exchange | null): Check => ({ allowed: [], judge: (given) => judge(before, given) })
  const made = ({ list }: SuiteContext): Example => {
    const request = withoutKey(list.request)
    const pair = { request: request.with('x-case', 'p'), check }
    return { ...example('q', request.with('x-case', 'q'), missing), again: true, pair }
  }
  const listed = rule(ruleId, (context) => [made(context)])
  const work: SuiteRule['work'] = (context) => {
    return { size, requests: 2 * size, cases: () => [made(context)] }
  }
  return { rules: [size === 1 ? listed : { ...listed, work }], service: { p: [right], q: answered } }
}

const inTurns = 'p q q p p q q p p q q p p q q p'
const ofPair = among(`${ruleId}: q`)

describe('a pair', () => {
  for (const [what, against, most, size] of [
    ['with different outcomes', 'outcome', 5, 1],
    ['in the wrong order', 'order', 4, 1],
    ['with different outcomes among many', 'outcome', 8, 200],
  ] as const) {
    it(`${what} is a breach if it differs ${most} more times, every second time in reverse order`, {
      ...paired([wrong], against, size),
      found: ofPair,
      order: saying(`plain p q ${inTurns.slice(0, 4 * most)}`),
    })
    it(`${what} is not a breach if it differs one time fewer`, {
      ...paired([...times(most, wrong), right], against, size),
      count: { plain: 1, p: most + 1, q: most + 1 },
      left: size === 1 ? [] : [saying('1 of 200 cases were judged')],
    })
  }

  const generatedPair = paired([right], 'outcome', 200)
  it('that is generated shares no answer with another rule', generatedPair, 'plain p q q', {
    rules: [asking('authentication/no-bypass', 'q', withoutKey, missing), ...(generatedPair.rules ?? [])],
    left: [saying('1 of 200')],
  })
})

/** Fields that are left out, with their codes. */
const flaws: Readonly<Record<string, readonly [field: string, errorCode: '1001' | '1002']>> = {
  k: ['x-api-key', '1001'],
  s: ['x-secret-key', '1002'],
}
/** The parts of condition P. */
const parts = 'xyz'

/** A row named `k.ab`: a flaw, and the conditions under which it is sent, one parameter each. */
function rowOf(plain: TestRequest, name: string, more: Partial<Example>): Example {
  const [flaw = '', under = ''] = name.split('.')
  const [field = '', errorCode = '1001'] = flaws[flaw] ?? []
  const conditions = [...under]
  const request = [...under.replace('P', parts)]
    .reduce((one, condition) => one.withQuery(`${condition}=1`), plain.without(field).with('x-case', name))
    .trait({ conditions })
  return {
    ...example(name, request, answers({ status: 400, errorCode })),
    again: true,
    says: `under ${under}`,
    simpler: function* simpler() {
      for (const one of conditions) yield rowOf(plain, `${flaw}.${under.replace(one, '')}`, more)
      for (const one of under.includes('P') ? parts : [])
        yield rowOf(plain, `${flaw}.${under.replace('P', one)}`, more)
    },
    ...more,
  }
}

/** The answer to a row, by the parameters that it sends and its flaw. */
type Wrong = (under: string, flaw: string, nth: number) => Meets | boolean

interface How extends Partial<Example> {
  /** Maximum requests for refining rows, or null. */
  readonly refining?: number | null
}

/** A rule with these rows; `isWrong` decides which of them are answered wrongly. */
function rows(names: string, isWrong: Wrong, { refining = 40, ...more }: How = {}): Partial<Play> {
  const all = names.split(' ')
  const work = (plain: TestRequest) => ({
    size: all.length,
    requests: all.length,
    cases: () => all.map((name) => rowOf(plain, name, more)),
    ...(refining === null ? {} : { refining }),
  })
  return {
    rules: [{ ...rule(ruleId, () => []), work: ({ list }) => work(list.request) }],
    service: ({ name, nth }) => {
      const [flaw = '', under = ''] = name.split('.')
      const met = flaw in flaws && isWrong(under.replace('P', parts), flaw, nth)
      return typeof met === 'boolean' ? (met ? locked : null) : met
    },
  }
}

const under =
  (...conditions: readonly string[]): Wrong =>
  (sent) =>
    conditions.some((one) => [...one].every((letter) => sent.includes(letter)))
const never: Wrong = () => false
const always: Wrong = () => true
const usual = 'k.abc k.acd k.bde k.ef'
const lookedInto = 'k.abc k.abc k.b k.b plain k.b'
const parted = 'k.Pb k.cP k.be k.ef'
const conditionsOf = (...all: readonly (readonly string[])[]): Came['verdict'] => {
  const sent = all.map((conditions) => expect.objectContaining({ conditions }))
  return ruled({ [ruleId]: { findings: sent.map((one) => expect.objectContaining({ sent: one })) } })
}

describe('a breach found in rows', () => {
  it('is reported with the single condition that causes it, and lists each row', rows(usual, under('b')), {
    ...found('k.b k.bde, 3 of 3'),
    order: `plain ${usual} ${lookedInto}`,
    verdict: conditionsOf(['b']),
  })
  it('is reported with its condition by each rule that it breaks', {
    ...rows(usual, (sent) => sent.includes('b') && failure),
    found: [
      `${ruleId}: k.b k.bde, 3 of 3: error_code is missing`,
      'errors/body-shape: k.b k.bde, 3 of 3: error_code is missing',
      'errors/documented-pairs: k.b k.bde, 3 of 3: not a documented pair',
    ],
    order: `plain ${usual} ${lookedInto}`,
  })
  it('is reported with one part of a condition, for all rows with that condition', rows(parted, under('y')), {
    ...found('k.y k.cP, 3 of 3'),
    order: `plain ${parted} k.Pb k.Pb k.P k.x k.y k.y plain k.y`,
  })
  it('is reported with a condition if two are needed', rows(parted, under('xz')), found('k.P k.cP, 3 of 3'))
  it('is not reported if every row is right', rows(usual, never), { order: `plain ${usual}` })
  it('needs no condition if the flaw shows it', rows(usual, always), found('k. k.acd k.bde k.ef, 3 of 3'))
  it('may need two conditions together', rows(usual, under('ac')), found('k.ac k.acd, 3 of 3'))
  it('has a finding for each flaw, and the first is refined', rows(`${usual} s.bf s.ac`, under('b')), {
    ...found('k.b k.bde, 3 of 3', 's.bf, 1 of 1'),
    order: saying(lookedInto),
  })
  it('is not blamed on a condition under which a row of the flaw is right', {
    ...rows(`${usual} s.bf s.bd s.ad`, (sent, flaw) => sent.includes(flaw === 'k' ? 'b' : 'f')),
    ...found('k.b k.bde, 3 of 3', 's.f, 3 of 3'),
  })
  it('is reported unrefined if it occurs only sometimes', found('k.abc, 1 of 3'), {
    ...rows('k.abc k.cd', (sent, _, nth) => sent === 'abc' && nth === 0),
    order: 'plain k.abc k.cd k.abc k.abc',
  })
  it('has at most four causes, and other rows share a finding with several conditions', {
    ...rows('k.au k.av k.bu k.bv k.cu k.cv k.du k.dv k.eu k.ev k.fu k.fv k.uv', under(...'abcdef')),
    ...found(...[...'abcd'].map((one) => `k.${one} k.${one}v, 3 of 3`), 'k.eu k.ev k.fu k.fv, 1 of 1'),
    verdict: conditionsOf(['a'], ['b'], ['c'], ['d'], ['several conditions']),
  })
  it('is reported unrefined if no requests are left for refining', rows(usual, under('b'), { refining: 0 }), {
    ...found('k.abc k.bde, 1 of 1'),
    order: `plain ${usual}`,
    verdict: conditionsOf(['several conditions']),
  })
  it('is reported unrefined when a case is replayed', rows('k.ab', under('b'), { refining: null }), {
    ...found('k.ab, 3 of 3'),
    order: 'plain k.ab k.ab plain k.ab',
  })
  it('is refined first if a request was accepted', found('k.b, 3 of 3', 'k.a k.ay, 3 of 3'), {
    ...rows('k.ax k.ay k.by k.xy', (sent) => (sent.includes('b') ? served : sent.includes('a'))),
  })
  it('is confirmed on separate connections if it was sent that way', found('k.b, 3 of 3'), connections(9), {
    ...rows('k.ab k.cd', under('b'), { alone: true }),
  })
})

const row = (flaw: string, of: string, isWrong = true): JudgedRow => ({ flaw, conditions: [...of], isWrong })
const many = row('no key', 'abcdef')
const [first, ...more] = [row('no key', 'ab'), row('no key', 'b', false), row('odd', 'a', false)] as const
const two = [row('no key', 'abc'), row('wrong key', 'bd'), row('no key', 'ae', false)] as const

test.each<[string, JudgedRow, readonly JudgedRow[], string]>([
  ['are ordered by the number of wrong rows they occur in', two[0], two, 'bca'],
  ['ignore the rows of a flaw that is never wrong', first, [first, ...more, ...more.slice(1)], 'ab'],
  ['are at most four, since each costs a request', many, [many, row('no key', '', false)], 'abcd'],
])('the suspects of a wrong row %s', (_, wrongRow, all, conditions) => {
  expect(suspects(wrongRow, all)).toEqual([...conditions].map((one) => [one]))
})
