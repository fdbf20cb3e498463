import { beforeEach, describe, expect, it } from 'vitest'
import { fakeTime } from '../../../tests/support/virtual-time.ts'
import { fieldsOf } from '../../http/request.ts'
import { answer, fieldsWith, refused, served } from '../../judge/testing/exchanges.ts'
import { Inconclusive, RunEnded } from '../plan/errors.ts'
import { FakeConnection } from '../testing/fake-connection.ts'
import { requestOf, through } from '../testing/layers.ts'
import { failure, meets, quota, type Meeting, type Met } from '../testing/meets.ts'
import { Preflight } from './preflight.ts'

beforeEach(fakeTime)

const notFound = refused(400, '1010')
const plain = requestOf({ plain: true }, { fields: fieldsWith({ 'x-version': '3' }) })

interface Watched extends Omit<Meeting, 'sent'> {
  readonly preflight: Preflight
  /** The names of the credentials in each request. */
  readonly credentials: () => readonly (readonly string[])[]
  /** The connections to other addresses. */
  readonly opened: readonly FakeConnection[]
  /** Requests sent. */
  readonly sent: () => number
  /** Where they were sent: the version, and the address if it is another. */
  readonly places: () => readonly string[]
}

/** A preflight that meets these outcomes in turn, the last one repeatedly. */
function preflightThatMeets(
  outcomes: readonly Met[],
  { hasQuery = false, baseUrl = 'https://staging.example', version = '1' } = {},
): Watched {
  const met = meets(outcomes)
  const opened: FakeConnection[] = []
  const openAt = (address: string) => {
    expect(address).toBe('https://staging.example')
    const connection = new FakeConnection([])
    opened.push(connection)
    return Object.assign(connection, {
      rawSocketUnavailable: null,
      connection: () => connection,
      useAtMost: () => {},
    })
  }
  const target = { baseUrl, version, query: hasQuery ? 'page=1' : null }
  const preflight = new Preflight({ ...met, sender: { openAt }, plain, target })
  const places = (): readonly string[] =>
    met.sent.map(({ request: { request }, options: { connection } }) => {
      const sentVersion = fieldsOf(request, 'x-version')[0] ?? ''
      return connection === undefined ? sentVersion : `${sentVersion} at the origin`
    })
  const credentials = (): readonly (readonly string[])[] =>
    met.sent.map(({ request: { request } }) =>
      request.fields.map(({ name }) => name).filter((name) => name.endsWith('-key')),
    )
  return { ...met, preflight, opened, credentials, sent: () => met.sent.length, places }
}

/** What comes of asking whether the service was reached. */
function asked(preflight: Preflight): Promise<void> {
  return preflight.reached() ?? Promise.resolve()
}

describe('the preflight', () => {
  it('is one request, however many ask for it', async () => {
    const { preflight, sent, ended, judged } = preflightThatMeets([served])
    const all = await through(Promise.all([preflight.reached(), preflight.reached(), preflight.reached()]))
    expect(preflight.reached()).toBeNull()

    expect(all).toEqual([undefined, undefined, undefined])
    expect([sent(), ended(), judged]).toEqual([1, null, [200]])
  })

  it('ends the run at once when it fails, and leaves it ended', async () => {
    const { preflight, sent, ended, judged } = preflightThatMeets([failure, served])

    expect(await through(asked(preflight))).toBeInstanceOf(RunEnded)
    expect(await through(asked(preflight))).toBeInstanceOf(RunEnded)
    expect(ended()).toBe('nothing is listening on 127.0.0.1:1')
    expect([sent(), judged]).toEqual([1, []])
  })

  it('ends the run with a sentence about the quota when a second one meets it, too', async () => {
    const { preflight, sent, ended, judged } = preflightThatMeets([quota])

    expect(await through(asked(preflight))).toBeInstanceOf(RunEnded)
    expect(ended()).toBe(
      'the daily quota of the client of TARGET_API_KEY is used up (429 / 1020, also for a plain valid request): run again after it was reset, or with another client',
    )
    expect([sent(), judged]).toEqual([2, []])
  })

  it('goes on when a 1020 does not come again', async () => {
    const { preflight, ended } = preflightThatMeets([quota, served])

    expect(await through(asked(preflight))).toBeUndefined()
    expect(ended()).toBeNull()
  })

  it.each(['1006', '1007', '1011', '1012', '1013'])(
    'ends the run when the credentials are refused with 401 / %s',
    async (code) => {
      const { preflight, sent, ended, judged } = preflightThatMeets([refused(401, code)])

      expect(await through(asked(preflight))).toBeInstanceOf(RunEnded)
      expect(ended()).toBe(
        `the very first valid request was refused with 401 / ${code}: check TARGET_API_KEY and TARGET_SECRET_KEY, and that this client may use the endpoint`,
      )
      expect([sent(), judged]).toEqual([1, []])
    },
  )

  it('ends the run when the input is refused, and names what may be missing or wrong', async () => {
    const without = preflightThatMeets([refused(400, '1030')])
    const given = preflightThatMeets([refused(400, '1030')], { hasQuery: true })
    await through(asked(without.preflight))
    await through(asked(given.preflight))

    expect(without.ended()).toMatch(/refused with 400 \/ 1030 .*may need a query, give it as TARGET_QUERY/)
    expect(given.ended()).toMatch(
      /refused with 400 \/ 1030 .*TARGET_QUERY is not what the list endpoint needs/,
    )
    expect([...without.judged, ...given.judged]).toEqual([])
  })

  it.each([
    ['another documented code', refused(400, '1003')],
    ['a missing header, which was sent', refused(400, '1001')],
    ['refused credentials under another status', refused(403, '1006')],
    ['refused input under another status', refused(422, '1030')],
    ['refused credentials in another form', answer(401, { error_code: '1006' })],
    ['a failure', answer(500, { oops: true })],
    ['a page', answer(200, '<html>')],
    ['nothing', answer(404, '')],
  ])('leaves %s to be judged', async (_, response) => {
    const { preflight, ended, judged } = preflightThatMeets([response, refused(400, '1001')])

    expect(await through(asked(preflight))).toBeUndefined()
    expect(ended()).toBeNull()
    expect(judged).toEqual([response.status])
  })

  it.each([
    ['a page', answer(200, '<html>'), answer(200, '<html>')],
    ['nothing under 404', answer(404, ''), answer(404, '')],
    ['a login', answer(302, ''), answer(302, '')],
    ['the errors of another kind', answer(403, { message: 'no' }), answer(401, { message: 'who?' })],
    ['a network that asks for consent', answer(511, '<html>'), answer(511, '<html>')],
    ['a list of errors', answer(403, ['no']), answer(401, ['who?'])],
  ])('ends the run when %s is all that comes, without credentials too', async (_, first, stranger) => {
    const { preflight, sent, credentials, ended, judged } = preflightThatMeets([first, stranger])

    expect(await through(asked(preflight))).toBeInstanceOf(RunEnded)
    expect(ended()).toContain(
      `what answers is not this service: a plain valid request was answered ${first.status} and one without credentials ${stranger.status},`,
    )
    expect(ended()).toContain('is TARGET_BASE_URL right')
    expect(credentials()).toEqual([['x-api-key', 'x-secret-key'], []])
    expect([sent(), judged]).toEqual([2, []])
  })

  it.each([
    ['a success', served],
    ['a code', refused(401, '1006')],
    ['half an error object', answer(400, { error_code: 1001 })],
    ['a failure', answer(500, '<html>')],
    ['a failure', failure],
  ])('leaves a page to be judged where %s comes without credentials', async (_, stranger) => {
    const { preflight, ended, judged } = preflightThatMeets([answer(404, '<html>'), stranger])

    expect(await through(asked(preflight))).toBeUndefined()
    expect([ended(), judged]).toEqual([null, [404]])
  })

  it('does not take a fault of this suite for a failure', async () => {
    const bug = new TypeError('a bug of ours')
    const { preflight, ended } = preflightThatMeets([bug])

    expect(await through(asked(preflight))).toBe(bug)
    expect(ended()).toBeNull()
  })

  it('ends the run, saying why, when the budget does not allow it', async () => {
    const { preflight, ended } = preflightThatMeets([
      new Inconclusive('the budget of 0 requests was used up'),
    ])

    expect(await through(asked(preflight))).toBeInstanceOf(RunEnded)
    expect(ended()).toBe('the budget of 0 requests was used up')
  })
})

describe('an endpoint that is not known there', () => {
  const found =
    'the very first valid request was refused with 400 / 1010 (endpoint not found for the specified version), and is '

  it('is judged where address and version are those of the specification', async () => {
    const { preflight, places, ended, judged } = preflightThatMeets([notFound])

    expect(await through(asked(preflight))).toBeUndefined()
    expect([places(), ended(), judged]).toEqual([['3'], null, [400]])
  })

  it.each([
    ['another version', { version: '3' }, [served], ['3', '1'], 'TARGET_VERSION=1'],
    [
      'an address of its own',
      { baseUrl: 'https://staging.example/api/v1/' },
      [served],
      ['3', '3 at the origin'],
      'TARGET_BASE_URL=https://staging.example',
    ],
    [
      'both',
      { baseUrl: 'https://staging.example/v1', version: '3' },
      [notFound, failure, served],
      ['3', '1', '3 at the origin', '1 at the origin'],
      'TARGET_BASE_URL=https://staging.example and TARGET_VERSION=1',
    ],
  ] as const)(
    'is looked for elsewhere: the settings give %s',
    async (_, given, elsewhere, expected, settings) => {
      const { preflight, places, opened, ended, judged } = preflightThatMeets([notFound, ...elsewhere], given)

      expect(await through(asked(preflight))).toBeInstanceOf(RunEnded)
      expect([places(), judged]).toEqual([expected, []])
      expect(opened.every(({ closed }) => closed)).toBe(true)
      expect(ended()).toBe(`${found}served with ${settings}: change the settings`)
    },
  )

  it.each([
    ['a success', served],
    ['another code', refused(400, '1003')],
    ['another status', refused(404, '1010')],
    ['another form', answer(400, { error_code: '1010' })],
  ])('is not one that gives %s', async (_, response) => {
    const { preflight, places, judged } = preflightThatMeets([response], { version: '3' })

    expect(await through(asked(preflight))).toBeUndefined()
    expect([places(), judged]).toEqual([['3'], [response.status]])
  })

  it('blames the settings where it is nowhere', async () => {
    const given = { baseUrl: 'https://staging.example/v1', version: '3' }
    const { preflight, ended, judged } = preflightThatMeets([notFound], given)
    await through(asked(preflight))

    expect(judged).toEqual([])
    expect(ended()).toBe(
      `${found}not served with TARGET_VERSION=1; TARGET_BASE_URL=https://staging.example; TARGET_BASE_URL=https://staging.example and TARGET_VERSION=1 either: check TARGET_BASE_URL and TARGET_VERSION`,
    )
  })
})
