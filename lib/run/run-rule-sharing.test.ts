import { beforeEach, describe, expect, it } from 'vitest'
import { fakeTime } from '../../tests/support/virtual-time.ts'
import type { Response } from '../http/exchange.ts'
import { answers } from '../judge/judge.ts'
import type { Reason } from '../judge/record.ts'
import { refused, served } from '../judge/testing/exchanges.ts'
import type { RuleId } from '../specification/rules.ts'
import { example, inScene, type Case, type Scene } from './plan/cases.ts'
import { SharedRequests } from './plan/shared-requests.ts'
import type { TestRequest } from './plan/test-request.ts'
import { given, requestOf } from './testing/layers.ts'
import type { Replying } from './testing/in-memory.ts'
import { open } from './testing/open.ts'
import type { OpenRun } from './open-run.ts'
import { judgeRule, playScenarios } from './judge-rule.ts'

beforeEach(fakeTime)

const [alone, alsoAlone] = ['authentication/not-cached', 'versioning/selected-per-request'] as const
const [one, other] = ['authentication/api-key-missing', 'authentication/no-bypass'] as const
const third = 'authentication/secret-key-missing' as const
const missing = answers({ status: 400, errorCode: '1001' })
const right = refused(400, '1001')
const wrong = refused(401, '1006')
const to = (target: string): TestRequest => requestOf({ endpoint: `GET ${target}` }, { target })
const exampleOf = (target: string): Case => example('a', to(target), missing)
const sceneOf = (...targets: readonly string[]): Scene =>
  targets.map((target) => [{ request: to(target), check: missing }])

interface Judging {
  readonly run: OpenRun
  /** The targets of what was sent, without the first request of the run. */
  readonly sent: () => readonly string[]
  readonly play: (rule: RuleId) => Promise<void>
  readonly judge: (rule: RuleId) => Promise<readonly Reason[]>
  /** How many answers a rule was judged on. */
  readonly answers: (rule: RuleId) => number
}

interface Budgeted {
  readonly allotted?: Readonly<Record<RuleId, number>>
  readonly env?: Readonly<Record<string, string>>
  /** The first answer of all that are no plain valid request's. */
  readonly first?: Response
}

/** Plans these cases together, each rule with the requests that it then costs. */
async function judging(
  cases: Readonly<Record<RuleId, readonly Case[]>>,
  { allotted = {}, env = {}, first = right }: Budgeted = {},
): Promise<Judging> {
  const shared = new SharedRequests()
  shared.announce(Object.values(cases).flat())
  const planned = new Map<RuleId, readonly Case[]>()
  for (const rule of [alone, alsoAlone, one, other, third]) {
    planned.set(
      rule,
      (cases[rule] ?? []).map((made) => shared.planned(rule, made)),
    )
  }
  let isFirst = true
  const answering: Replying = ({ target }) => {
    const isPlain = target.startsWith('/api/')
    const { fields, ...rest } = isPlain ? served : isFirst ? first : right
    isFirst &&= isPlain
    // Answers are told apart by their lists of fields.
    return { ...rest, fields: [...fields] }
  }
  const { run, arrived } = await open({ reply: answering, shared: shared.opened(), env })
  for (const [rule, own] of planned) {
    const requests = own.reduce((sum, { requests: some }) => sum + some, 0)
    run.sender.budget.reserve(rule, allotted[rule] ?? requests)
  }
  const workOf = (rule: RuleId) => ({ kind: 'cases' as const, cases: planned.get(rule) ?? [] })
  return {
    run,
    sent: () => arrived.slice(1).map(({ target }) => target),
    play: (rule) => given(playScenarios(run, rule, workOf(rule))),
    judge: (rule) => given(judgeRule(run, rule, workOf(rule))),
    answers: (rule) => run.record.answers.answers(rule),
  }
}

it('a request of two rules is sent for one that must send it again, whose answer no other takes', async () => {
  const again: Case = { ...example('a', to('/a'), missing), again: true }
  const cases = { [one]: [exampleOf('/a')], [other]: [again], [third]: [exampleOf('/a')] }
  const { judge, sent } = await judging(cases)
  for (const rule of [one, other]) await judge(rule)
  expect(sent()).toEqual(['/a', '/a'])

  await judge(third)
  expect(sent()).toEqual(['/a', '/a'])
})

it('a wrong answer in a scenario breaks no other rule: its order may be why, so that the request is sent by itself', async () => {
  const cases = { [alone]: [inScene('s', sceneOf('/a', '/b'))], [one]: [exampleOf('/a')] }
  const { play, judge, sent, answers: judged } = await judging(cases, { first: wrong })
  await play(alone)

  expect([await judge(one), judged(one), sent()]).toEqual([[], 1, ['/a', '/b', '/a']])
})

describe('scenarios that are played before all other cases', () => {
  // With the first request of a run, three are all that a scenario of two needs.
  const env = { RUN_MAX_REQUESTS: '3' }

  it('are not played again where another rule played their scene, though nothing is left', async () => {
    const scene = sceneOf('/a', '/b')
    const cases = { [alone]: [inScene('s', scene)], [alsoAlone]: [inScene('t', scene)] }
    const { judge, sent } = await judging(cases, { env, allotted: { [alone]: 0 } })

    expect([await judge(alsoAlone), await judge(alone)]).toEqual([[], []])
    expect(sent()).toEqual(['/a', '/b'])
  })
})
