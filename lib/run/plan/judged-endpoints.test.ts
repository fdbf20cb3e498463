import { describe, expect, it } from 'vitest'
import { suites } from '../../../suites/index.ts'
import { answer, exchange } from '../../judge/testing/exchanges.ts'
import { redactorFor } from '../../redact/redact.ts'
import type { Settings } from '../../settings/settings.ts'
import { read, settingsOf, target, temporaryFolder } from '../../settings/testing/read.ts'
import { JudgedAnswers } from '../record/judged-answers.ts'
import { requestOf } from '../testing/layers.ts'
import { targetModel } from './model-of-settings.ts'
import { endpointRecords, plan, unplannedEndpoints } from './plan.ts'
import type { TestRequest } from './test-request.ts'

const file = [
  { method: 'GET', path: '/api/cards' },
  { method: 'POST', path: '/api/cards' },
  { method: 'GET', path: '/api/cards/{id}', pathParameters: { id: { schema: {}, example: 'c 1' } } },
  { method: 'PUT', path: '/api/cards', versions: [1, 2], fuzz: true },
]
const folder = temporaryFolder({ 'endpoints.json': JSON.stringify(file) })

async function settingsWith(env: Readonly<Record<string, string>> = {}): Promise<Settings> {
  return settingsOf(await read({ ...target, TARGET_ENDPOINTS: 'endpoints.json', ...env }, { cwd: folder }))
}

/** The endpoints that a run with these settings sends nothing to, with reasons. */
async function unplanned(env: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const settings = await settingsWith(env)
  const left = unplannedEndpoints(settings, plan(settings, suites))
  return left.map(({ endpoint, because }) => `${endpoint}: ${because}`)
}

const others = ['/api/cards', '/api/cards/{id}', 'PUT /api/cards', 'PUT /api/cards (version 2)']
const post = 'POST /api/cards: POST is only sent where the endpoints file says "fuzz": true'

describe('the endpoints that a plan leaves out', () => {
  it.each(['gate', 'acceptance', 'nightly'])(
    'are those that may not receive requests: %s',
    async (profile) => {
      expect(await unplanned({ RUN_PROFILE: profile })).toEqual([post])
    },
  )

  it('are all except the list with one case per rule', async () => {
    const because = 'only one case a rule was selected, and none goes to it'
    const [cards, ...more] = others.map((endpoint) => `${endpoint}: ${because}`)

    expect(await unplanned({ RUN_ESSENTIAL: 'true' })).toEqual([cards, post, ...more])
  })

  it.each([
    ['versioning/unknown-endpoint', others],
    ['errors/*', others],
    ['fuzz/query', []],
    ['conventions/accept-optional', others],
    ['quota/exhausted', ['/api/customizations/list', ...others]],
  ])('are those that no selected rule uses: %s', async (only, names) => {
    const left = names.map((endpoint) => `${endpoint}: no selected rule sends to it`)

    expect((await unplanned({ RUN_ONLY: only })).toSorted()).toEqual([...left, post].toSorted())
  })
})

describe('an endpoint with a judged answer', () => {
  /** The endpoints that a rule judged by the answers to these requests. */
  async function judged(...requests: readonly TestRequest[]): Promise<readonly string[]> {
    const settings = await settingsWith()
    const input = { baseUrl: 'https://staging.example', redactor: redactorFor([]) }
    const answers = new JudgedAnswers({ ...input, model: targetModel(settings) })
    const rule = 'endpoints/list-succeeds'
    for (const request of requests) answers.countAnswer(rule, request, exchange(answer(200, {})))
    const judgedBy = () => answers.endpointsOf(rule)
    const rules = [{ id: rule, endpoints: [] }] as const
    const records = endpointRecords(settings, rules, { hasEnded: false, judgedBy })
    return records.filter((one) => one.judgedBy.length > 0).map(({ name }) => name)
  }
  const cards = requestOf({ endpoint: 'GET /api/cards' }, { target: '/api/cards' })
  const card = requestOf({ endpoint: 'GET /api/cards/{id}' }, { target: '/api/cards/c%201' })

  const put = cards.trait({ endpoint: 'PUT /api/cards (version 2)' }).method('PUT')

  it.each<[string, readonly TestRequest[], readonly string[]]>([
    ['recognized by its path', [cards], ['/api/cards']],
    ['recognized with a query', [cards.withQuery('a=b')], ['/api/cards']],
    ['recognized by its method and version', [put, card], ['/api/cards/{id}', 'PUT /api/cards (version 2)']],
    [
      'recognized with another path parameter',
      [card.to('/api/cards/7').trait({ described: true })],
      ['/api/cards/{id}'],
    ],
    ['not recognized by a near miss of its path', [cards.to('/api/cards/')], []],
    ['not recognized by another method', [cards.method('HEAD')], []],
    ['not recognized by an answer that is only observed', [cards.trait({ observed: true })], []],
    [
      'not recognized by an unknown path',
      [cards.to('/api/zzabcdefghijklmn', 'an unknown path under /api/')],
      [],
    ],
  ])('is %s', async (_, requests, names) => {
    expect(await judged(...requests)).toEqual(names)
  })
})

it('an endpoint that an early end left out differs from one without judged answers', async () => {
  const settings = await settingsWith()
  const rules = plan(settings, suites)
  const reasons = (hasEnded: boolean): readonly string[] => {
    const records = endpointRecords(settings, rules, { hasEnded, judgedBy: () => new Set() })
    return records.map(({ otherwise: { kind, text } }) => `${kind}: ${text}`)
  }
  const never = 'untested: POST is only sent where the endpoints file says "fuzz": true'
  const ended = 'ended: the run ended before'
  const unjudged = 'untested: no rule judged an answer from exactly this endpoint'

  expect(reasons(true)).toEqual([ended, ended, never, ended, ended, ended])
  expect(reasons(false)).toEqual([unjudged, unjudged, never, unjudged, unjudged, unjudged])
})
