import { expect, test } from 'vitest'
import { answers } from '../judge/judge.ts'
import { served } from '../judge/testing/exchanges.ts'
import { example, type Example } from './plan/cases.ts'
import { rule } from './plan/rule.ts'
import type { TestRequest } from './plan/test-request.ts'
import {
  failure,
  locked,
  plays,
  ruled,
  saying,
  type Came,
  type Meets,
  type Play,
  type Row,
} from './testing/played.ts'

const ruleId = 'authentication/api-key-missing'

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

/** A rule with these rows; `wrong` decides which of them are answered wrongly. */
function rows(names: string, wrong: Wrong, { refining = 40, ...more }: How = {}): Partial<Play> {
  const all = names.split(' ')
  const work = (plain: TestRequest) => ({
    kind: 'generated' as const,
    size: all.length,
    requests: all.length,
    cases: () => all.map((name) => rowOf(plain, name, more)),
    ...(refining === null ? {} : { refining }),
  })
  return {
    rules: [{ ...rule(ruleId, () => []), work: ({ list }) => work(list.request) }],
    service: ({ name, nth }) => {
      const [flaw = '', under = ''] = name.split('.')
      const met = flaw in flaws && wrong(under.replace('P', parts), flaw, nth)
      return typeof met === 'boolean' ? (met ? locked : null) : met
    },
  }
}

const under =
  (...conditions: readonly string[]): Wrong =>
  (sent) =>
    conditions.some((one) => [...one].every((letter) => sent.includes(letter)))
const usual = 'k.abc k.acd k.bde k.ef'
const lookedInto = 'k.abc k.abc k.b k.b plain k.b'
const parted = 'k.Pb k.cP k.be k.ef'
const found = (...all: readonly string[]): Came => ({
  found: all.map((one) => `${ruleId}: ${one}: another answer`),
})
const conditionsOf = (...all: readonly (readonly string[])[]): Came['verdict'] =>
  ruled({
    [ruleId]: {
      findings: all.map((conditions) =>
        expect.objectContaining({ sent: expect.objectContaining({ conditions }) }),
      ),
    },
  })

test.for<Row>([
  [
    'is reported with the single condition that causes it, and lists each row',
    rows(usual, under('b')),
    { ...found('k.b k.bde, 3 of 3'), order: `plain ${usual} ${lookedInto}`, verdict: conditionsOf(['b']) },
  ],
  [
    'is reported with its condition by each rule that it breaks',
    rows(usual, (sent) => sent.includes('b') && failure),
    {
      found: [
        `${ruleId}: k.b k.bde, 3 of 3: error_code is missing`,
        'errors/body-shape: k.b k.bde, 3 of 3: error_code is missing',
        'errors/documented-pairs: k.b k.bde, 3 of 3: not a documented pair',
      ],
      order: `plain ${usual} ${lookedInto}`,
    },
  ],
  [
    'is reported with one part of a condition, for all rows with that condition',
    rows(parted, under('y')),
    { ...found('k.y k.cP, 3 of 3'), order: `plain ${parted} k.Pb k.Pb k.P k.x k.y k.y plain k.y` },
  ],
  [
    'is reported with a whole condition if it needs two of its parts',
    rows(parted, under('xz')),
    found('k.P k.cP, 3 of 3'),
  ],
  ['is not reported if every row is right', rows(usual, () => false), { order: `plain ${usual}` }],
  [
    'needs no condition if the flaw alone shows it',
    rows(usual, () => true),
    found('k. k.acd k.bde k.ef, 3 of 3'),
  ],
  ['may need two conditions together', rows(usual, under('ac')), found('k.ac k.acd, 3 of 3')],
  [
    'has a finding for each flaw, and the first finding is refined',
    rows(`${usual} s.bf s.ac`, under('b')),
    { ...found('k.b k.bde, 3 of 3', 's.bf, 1 of 1'), order: saying(lookedInto) },
  ],
  [
    'is not blamed on a condition under which a row of the flaw is right',
    rows(`${usual} s.bf s.bd s.ad`, (sent, flaw) => sent.includes(flaw === 'k' ? 'b' : 'f')),
    found('k.b k.bde, 3 of 3', 's.f, 3 of 3'),
  ],
  [
    'is reported unrefined if it occurs only sometimes',
    rows('k.abc k.cd', (sent, _, nth) => sent === 'abc' && nth === 0),
    { ...found('k.abc, 1 of 3'), order: 'plain k.abc k.cd k.abc k.abc' },
  ],
  [
    'has at most four causes, and other rows share a finding with several conditions',
    rows('k.au k.av k.bu k.bv k.cu k.cv k.du k.dv k.eu k.ev k.fu k.fv k.uv', under(...'abcdef')),
    {
      ...found(...[...'abcd'].map((one) => `k.${one} k.${one}v, 3 of 3`), 'k.eu k.ev k.fu k.fv, 1 of 1'),
      verdict: conditionsOf(['a'], ['b'], ['c'], ['d'], ['several conditions']),
    },
  ],
  [
    'is reported unrefined if no requests are left for refining',
    rows(usual, under('b'), { refining: 0 }),
    {
      ...found('k.abc k.bde, 1 of 1'),
      order: `plain ${usual}`,
      verdict: conditionsOf(['several conditions']),
    },
  ],
  [
    'is reported unrefined when a case is replayed',
    rows('k.ab', under('b'), { refining: null }),
    { ...found('k.ab, 3 of 3'), order: 'plain k.ab k.ab plain k.ab' },
  ],
  [
    'is refined first if a request was accepted',
    rows('k.ax k.ay k.by k.xy', (sent) => (sent.includes('b') ? served : sent.includes('a'))),
    found('k.b, 3 of 3', 'k.a k.ay, 3 of 3'),
  ],
  [
    'is confirmed on separate connections if it was sent that way',
    rows('k.ab k.cd', under('b'), { alone: true }),
    {
      ...found('k.b, 3 of 3'),
      sent: [0, 1, 2, 3, 4, 5, 6, 7, 8].map((connection) => expect.objectContaining({ connection })),
    },
  ],
])('a breach found in rows %s', plays)
