import { expect, test } from 'vitest'
import { answeredBy, describeAllowed, describeAnswered } from '../../judge/answered.ts'
import { answer, exchange } from '../../judge/testing/exchanges.ts'
import { pairOf, success, type Answer } from '../../specification/answers.ts'
import type { ClientName } from '../../specification/client-rows.ts'
import { looksLike } from '../../verdict/show.ts'
import { checkClient } from './run-commands.ts'

const page = '<!doctype html><title>Hello</title>'
const error = (code: string): string => JSON.stringify({ error_code: code, error_message: 'x' })

/** Whether an answer is as it should be, counts as a fault, or is the user's to mend, which is the default. */
type End = 'well' | 'counts' | 'mend'

type Row = [readonly ClientName[], status: number, body: string, because: string, end?: End, hasQuery?: true]

const all = ['target', 'second', 'disposable'] as const
const others = ['second', 'disposable'] as const
const foreign = 'this answer is not documented'
const hello = '; it is an HTML page: Hello'
const targetIsServed = 'the client of TARGET_API_KEY is served'
const addressIsRight = `${foreign}${hello}; the address is right: ${targetIsServed} there`
const addressMayBeWrong = `${foreign}${hello}: check TARGET_BASE_URL`
const gateway = 'a gateway answered 502 in place of the service: run doctor again once it reaches the service'
const ownFailure = `the server reports an internal failure${hello}`
const keyIsUnknown = 'the service does not know this API key: is it a key of this environment?'
const keyIsLost = 'x-api-key was sent: a proxy on the way drops it, or the service does not find it'
const notPermitted = 'this client is not permitted to use the endpoint'
const ifUsedUp = 'the daily quota of this client is used up: wait for its reset, or use another client'
const butForCredentials = `${targetIsServed} for the same request, which differs only in its credentials`
const noEndpoint = 'the service does not have the endpoint under this version'
const notUsedUp = 'it is served: its quota is not used up today, or the service does not enforce it'
const notSuchAClient = 'it is served: it is the wrong kind of client, or the service accepts it wrongly'
const unlessMeant = (code: string, status = 401): string =>
  `${code} is documented only with ${status}; if the code is right, `

const documented = { noCustomer: '1012', inactive: '1011', unauthorized: '1013', exhausted: '1020' } as const

/** The rows for a client that must be refused with its documented code. */
function refused(name: keyof typeof documented, status: number, isServed: string): readonly Row[] {
  const { [name]: code } = documented
  const one = [name]
  const underStatus = `the code is right, but ${code} is documented only with ${status}`
  const bare = JSON.stringify({ error_code: code })
  return [
    [one, status, error(code), `refused as it should be (${status} / ${code})`, 'well'],
    [one, 403, error(code), underStatus, 'counts'],
    [one, 200, error(code), underStatus, 'counts'],
    [one, status, bare, 'the code is right, but the error object differs from the documented one', 'counts'],
    [one, 200, '[]', isServed],
    [one, 401, error('1006'), keyIsUnknown],
    [one, 403, error('1006'), `${unlessMeant('1006')}${keyIsUnknown}`],
    [one, 200, page, addressIsRight],
    [one, 404, page, addressIsRight],
    [one, 502, page, gateway],
    [one, 500, page, ownFailure, 'counts'],
  ]
}

const rows: readonly Row[] = [
  [all, 200, '[]', 'served (200 with JSON)', 'well'],
  [all, 200, error('9999'), 'served (200 / 9999)', 'well'],
  [all, 401, error('1006'), keyIsUnknown],
  [all, 200, error('1006'), `${unlessMeant('1006')}${keyIsUnknown}`],
  [all, 401, error('1007'), 'the secret does not belong to this API key'],
  [all, 401, error('1011'), 'the endpoint is inactive for this client'],
  [all, 401, error('1012'), 'no customer matches these credentials'],
  [all, 401, error('1013'), notPermitted],
  [all, 403, error('1013'), `${unlessMeant('1013')}${notPermitted}`],
  [all, 503, error('1020'), `${unlessMeant('1020', 429)}${ifUsedUp}`],
  [all, 401, error('9999'), '"9999" is not a documented code', 'counts'],
  [all, 429, page, 'too many requests, but not the daily quota (1020): lower RUN_MAX_RPS, or try later'],
  [all, 502, page, gateway],
  [all, 500, page, ownFailure, 'counts'],
  [['target'], 200, page, addressMayBeWrong],
  [['target'], 404, page, addressMayBeWrong],
  [['target'], 511, page, addressMayBeWrong],
  [['target'], 403, '{"message":"no"}', `${foreign}: check TARGET_BASE_URL`],
  [['target'], 400, error('1010'), `${noEndpoint}: check TARGET_BASE_URL and TARGET_VERSION`],
  [['target'], 400, error('1001'), keyIsLost],
  [['target'], 400, error('1030'), 'the endpoint needs a query: set TARGET_QUERY, for example page=1'],
  [['target'], 400, error('1030'), 'TARGET_QUERY does not suit the list endpoint', 'mend', true],
  [['target', 'second'], 429, error('1020'), ifUsedUp],
  [['disposable'], 429, error('1020'), 'its quota is used up today (429 / 1020), as intended', 'well'],
  [others, 200, page, addressIsRight],
  [others, 404, page, addressIsRight],
  [others, 400, error('1010'), butForCredentials],
  [others, 400, error('1030'), butForCredentials],
  ...refused('noCustomer', 401, notSuchAClient),
  ...refused('inactive', 401, notSuchAClient),
  ...refused('unauthorized', 401, notSuchAClient),
  ...refused('exhausted', 429, notUsedUp),
  [['noCustomer'], 401, error('1013'), notPermitted],
  [['unauthorized'], 429, error('1020'), ifUsedUp],
]

const cases = rows.flatMap(([names, ...row]) => names.map((name) => [name, ...row] as const))
test.for(cases)('doctor explains why an answer is right or wrong: %s is answered %s %s', (row) => {
  const [name, status, body, because, end = 'mend', hasQuery = false] = row
  const type = body === page ? 'text/html' : 'application/json'
  const met = exchange(answer(status, body, { fields: [['Content-Type', type]] }))
  const code = new Map<string, string>(Object.entries(documented)).get(name)
  const wanted: readonly Answer[] = [pairOf(code) ?? success]
  const looks = looksLike(met.response, { url: 'https://a.example/', redact: (text) => text })
  const text = describeAnswered(answeredBy(met.response))
  const before = end === 'well' ? '' : `answered ${text} where ${describeAllowed(wanted)} is documented: `

  const check = checkClient(name, met, { documented: wanted, hasQuery, looks })

  expect(check).toEqual({ well: end === 'well', isFault: end === 'counts', says: `${before}${because}` })
})
