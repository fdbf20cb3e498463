import { describe, expect } from 'vitest'
import { answer, refused, served } from '../judge/testing/exchanges.ts'
import { refuse } from '../serve/reference/answer.ts'
import type { Fault } from '../serve/reference/fault.ts'
import { quota } from './testing/answers.ts'
import type { Meets } from './testing/in-memory.ts'
import { type Came, type Play, among, it, parallel, saying } from './testing/played.ts'

const page = answer(200, '<html>')
const notFound = refused(400, '1010')
const input = refused(400, '1030')

const nowhere: Fault = {
  name: 'nowhere',
  about: 'Every request is answered 400 and 1010.',
  rules: ['endpoints/list-succeeds'],
  bend: () => ({ answer: () => refuse('1010') }),
}

/** Answers the first plain valid request, and a request without credentials. */
const toFirst = (met: Meets, stranger: Meets = refused(400, '1001')): Partial<Play> => ({
  service: { plain: [met, null], stranger: [stranger] },
})
const nowhereFound = { service: () => notFound, path: '/v1' }
const ended = (says: unknown, order = 'plain'): Came => ({ ended: says, order })

describe('the first request', () => {
  it('is sent alone, however many cases wait', parallel, { order: 'plain a b c' })
  it('ends the run if it is not answered after its retries', {
    service: { plain: ['closed'] },
    ...ended('the connection was closed', 'plain plain plain plain'),
    exitCode: 3,
    waits: [0.3, 0.8, 1.5],
  })
  it('ends the run if a second request also finds the quota used up', {
    service: { plain: [quota] },
    ended:
      'the daily quota of the client of TARGET_API_KEY is used up (429 / 1020, also for a plain valid request): run again after its reset, or with another client',
    order: 'plain plain',
  })
  it('lets the run continue if a 1020 does not recur', toFirst(quota), { order: 'plain plain a b c' })
  for (const code of ['1006', '1007', '1011', '1012', '1013'])
    it(`ends the run if the credentials are refused with ${code}`, toFirst(refused(401, code)), {
      ...ended(
        `the first valid request was refused with 401 / ${code}: check TARGET_API_KEY and TARGET_SECRET_KEY, and that this client may use the endpoint`,
      ),
    })
  it('ends the run if a query may be missing', toFirst(input), ended(saying('give it as TARGET_QUERY')))
  it('ends the run if its query may be wrong', {
    service: () => input,
    env: { TARGET_QUERY: 'page=1' },
    ...ended(saying('TARGET_QUERY is not what the list endpoint needs'), 'permitted'),
  })
  for (const [what, met] of [
    ['another documented code', refused(400, '1003')],
    ['a report of a missing header', refused(400, '1001')],
    ['credentials that were refused with another status', refused(403, '1006')],
    ['input that was refused with another status', refused(422, '1030')],
    ['an error object without a text', answer(401, { error_code: '1006' })],
    ['a failure', answer(500, { oops: true })],
    ['an endpoint that is not found at the documented address and version', notFound],
    ['an empty 404', answer(404, '')],
  ] as const)
    it(`leaves ${what} to be judged`, toFirst(met), {
      found: among('endpoints/list-succeeds: plain, 1 of 3'),
    })
  for (const [what, met, stranger] of [
    ['a page', page, page],
    ['an empty 404', answer(404, ''), answer(404, '')],
    ['a login redirect', answer(302, ''), answer(302, '')],
    ['an error object of another kind', answer(403, { message: 'no' }), answer(401, { message: 'who?' })],
    ['a captive portal', answer(511, '<html>'), answer(511, '<html>')],
    ['a list of errors', answer(403, ['no']), answer(401, ['who?'])],
  ] as const)
    it(`ends the run if ${what} is the only answer, even without credentials`, toFirst(met, stranger), {
      ended: saying(
        `another service answers: a plain valid request was answered ${met.status} and a request without credentials ${stranger.status},`,
      ),
      order: 'plain stranger',
    })
  for (const [what, stranger] of [
    ['a success', served],
    ['a code', refused(401, '1006')],
    ['half an error object', answer(400, { error_code: 1001 })],
    ['a failure', answer(500, '<html>')],
    ['no answer', 'closed'],
  ] as const)
    it(`leaves a page to be judged if a request without credentials gets ${what}`, toFirst(page, stranger), {
      found: among('conventions/json-response: plain, 1 of 3'),
    })
  it('is sent with the documented version if another version is not found', {
    service: ({ name }) => (name === 'permitted' ? notFound : null),
    env: { TARGET_VERSION: '3' },
    ended:
      'the first valid request was refused with 400 / 1010 (endpoint not found for the specified version), and is served with TARGET_VERSION=1: change the settings',
    order: 'permitted plain',
  })
  it('is sent to the address without its path if the path is not found', {
    ...nowhereFound,
    ...ended(saying('and is served with TARGET_BASE_URL=http://')),
  })
  it('is sent with both changes, and blames the settings if it is found nowhere', {
    ...nowhereFound,
    env: { TARGET_VERSION: '3' },
    reference: { faults: [nowhere] },
    ended: expect.stringMatching(
      /is not served with TARGET_VERSION=1; TARGET_BASE_URL=\S+; TARGET_BASE_URL=\S+ and TARGET_VERSION=1 either: check TARGET_BASE_URL and TARGET_VERSION$/,
    ),
    order: 'permitted plain',
  })
  for (const [what, met] of [
    ['a different code', refused(400, '1003')],
    ['a different status', refused(404, '1010')],
    ['a different form', answer(400, { error_code: '1010' })],
  ] as const)
    it(`is not sent elsewhere after ${what}`, {
      service: ({ nth, name }) => (name === 'permitted' && nth === 0 ? met : null),
      env: { TARGET_VERSION: '3' },
      order: expect.not.stringContaining('plain'),
      found: among('endpoints/list-succeeds: plain'),
    })
  it('does not blame the service for a fault in the suite', {
    service: () => {
      throw new TypeError('a bug of ours')
    },
    exitCode: 4,
    left: ['the rule was not judged completely'],
  })
})
