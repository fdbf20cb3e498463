import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { seededNumber } from '../../lib/fuzz/seeded.ts'
import { clients, type ClientName } from '../../lib/serve/reference/clients.ts'
import type { SpecRuleId } from '../../lib/specification/rules.ts'
import { closed, instead, unavailable, type Texts } from '../../tests/support/program.ts'
import type { Service, Started } from '../judge/service.ts'
import { easilyMisread, intervening, lacking, onReference, withEnv, type Intervene } from './target.ts'

const html = { 'content-type': 'text/html' }
const list = '/api/customizations/list'
const breaks = (rule: SpecRuleId, says = '') => ({ exit: 1, by: [rule], says }) as const

/** Whether a request comes from this client. */
const isOf = (name: ClientName, { headers }: IncomingMessage): boolean =>
  headers['x-api-key'] === clients[name].apiKey

/** The documented error object with this code. */
const errorWith = (code: string): string => JSON.stringify({ error_code: code, error_message: 'x' })

/** The reference service with this answer to every request of a client. */
const answering = (name: ClientName, status: number, body: string, env: Texts = {}) =>
  intervening((request, response) => isOf(name, request) && instead(response, status, body), env)

/** Redirects near misses of the path. */
function redirecting(status: number, location: string) {
  return ({ url = '' }: IncomingMessage, response: ServerResponse): boolean =>
    /list\/$|LIST$/.test(url) && instead(response, status, '<h1>no</h1>', { ...html, location })
}

const pageOfNginx =
  '<html>\r\n<head><title>404 Not Found</title></head>\r\n<body>\r\n<center><h1>404 Not Found</h1></center>\r\n<hr><center>nginx</center>\r\n</body>\r\n</html>\r\n'

/** A new day begins at the fifteenth request of the disposable client. */
function resetWhileUsedUp(): Promise<Started> {
  let asked = 0
  const changes = {
    quotas: { disposable: 20 },
    now: () => (asked >= 15 ? 86_400_000 : 0),
    intervene: (request: IncomingMessage): boolean => isOf('disposable', request) && (asked += 1) < 0,
  }
  return onReference(changes, (env) => lacking(env, 'FIXTURE_EXHAUSTED_'))
}

const unreached: Intervene = (_, response, service) => {
  const at = service.requests()
  return at >= 60 && at < 76 && instead(response, 521, '<h1>no</h1>', html)
}

/** Version 2 is served like version 1 before. */
function retired(request: IncomingMessage, response: ServerResponse): boolean {
  const version = request.headers['x-version']
  if (version === '2') request.headers['x-version'] = '1'
  return version === '1' && isOf('permitted', request) && instead(response, 401, errorWith('1011'))
}

const likeNginx = '✗ Answers that look like those of nginx, not of the service'
const asNginx: Intervene = ({ headers }, response) =>
  headers['x-version'] === undefined && instead(response, 404, pageOfNginx, { ...html, server: 'nginx' })

const ofQuota = { RUN_ONLY: 'quota/exhausted,quota/per-client' }
const aroundQuota = { RUN_ONLY: 'quota/*,authentication/not-cached' }
const failureRules = 'endpoints/list-succeeds,authentication/secret-key-invalid,quota/per-client,errors/*'
const ofFailure = { RUN_ONLY: failureRules }
const ofCredentials = { RUN_ONLY: 'authentication/*-invalid' }
const strict = { RUN_STRICT: 'true' }
const declared = { FIXTURE_DISPOSABLE_QUOTA: '20', RUN_ONLY: 'quota/*', ...strict }
/** One request at a time, so that the seed alone decides which ones fail. */
const inTurn = { RUN_CONCURRENCY: '1', RUN_SEED: '1' }
const oneMore =
  'answered 200 with JSON where 429 / 1020 is documented, 21 times of a declared quota of 20, or FIXTURE_DISPOSABLE_QUOTA is wrong, reproduced 1 of 1'
const ofOneMore = { exit: 0, by: ['quota/exhausted'], says: oneMore } as const
const isServed = 'the client of FIXTURE_EXHAUSTED_API_KEY is not exhausted today'
const notExhausted = { exit: 3, says: isServed } as const
const seesOtherwise = breaks('quota/exhausted', 'where 429 / 1020 is documented (see quota/exhausted)')

/** The reference service, of which a run knows only the required settings: the address and a client. */
const bare = (more: Texts = {}) => withEnv((env) => ({ ...lacking(env, 'FIXTURE_'), ...more }))

const profileNeeded = 'needed: --profile acceptance'
const threeUntested = `3 rules not tested; ${profileNeeded}, TARGET_VERSION, RUN_BASELINE.`
const nineUntested = `9 rules not tested; ${profileNeeded}, FIXTURE_NO_CUSTOMER_…, FIXTURE_INACTIVE_…,`
const nothingJudged = ['no rule was judged', '4 rules: 0 passed, 0 failed, 4 untested']
const ofClients = ['customer-not-found', 'endpoint-inactive', 'endpoint-unauthorized', 'stays-refused']
const needFixtures = ofClients
  .map((rule) => `authentication/${rule}`)
  .concat(['quota/exhausted', 'quota/stays-exhausted', 'quota/per-client', 'tolerance/no-breaking-change'])
  .concat('must be tested in acceptance')

const onlyQuota = { RUN_ONLY: 'quota/*,authentication/customer-not-found' }
const notJudged =
  'quota/per-client could not be judged: the daily quota of the client of FIXTURE_SECOND_API_KEY is used up'
const secondUsedUp = { RUN_ONLY: 'quota/per-client,authentication/no-bypass' }
const bothRules = 'authentication/api-key-missing,authentication/no-bypass'
const twoRules = { RUN_MAX_REQUESTS: '60', RUN_ONLY: bothRules }

const elsewhere = withEnv((env) => {
  return { ...env, TARGET_BASE_URL: `${env['TARGET_BASE_URL']}/v1`, TARGET_VERSION: '3' }
})

async function resetAtTheSixtieth(): Promise<Started> {
  let served = 0
  return onReference({ now: () => ((served += 1) < 60 ? 0 : 86_400_000) })
}

/** Percentage of requests that fail. The seed decides which ones. */
function often(percent: number, seed: number, trouble = closed): Intervene {
  let arrived = 0
  return (_, response) => {
    arrived += 1
    return seededNumber(seed, `${arrived}`, 100) < percent && trouble(response)
  }
}

/** Every second connection is closed at its first request. The others serve one request each. */
function everySecondConnection(): Intervene {
  let connections = 0
  return (_, response) => {
    connections += 1
    response.shouldKeepAlive = false
    return connections % 2 === 0 && closed(response)
  }
}

/** Answers 429 to requests beyond a number per second. */
function limited(perSecond: number, headers: OutgoingHttpHeaders): Intervene {
  let [second, taken] = [0, 0]
  return (_, response) => {
    const now = Math.floor(performance.now() / 1_000)
    taken = now === second ? taken + 1 : 1
    second = now
    if (taken > perSecond) response.writeHead(429, headers).end()
    return taken > perSecond
  }
}

/** Little trouble, except that requests with an API key and without a secret are never answered. */
function neverWithoutSecret(): Intervene {
  const little = often(4, 9)
  return (request, response, service) => {
    const { 'x-api-key': key, 'x-secret-key': secret } = request.headers
    if (secret === undefined && key !== undefined) return closed(response)
    return little(request, response, service)
  }
}

function bent(intervene: () => Intervene, env = {}): () => Promise<Started> {
  return () => intervening(intervene(), { ...inTurn, ...env })()
}

const inTrouble = ['the service is in trouble', 'plain valid requests got no answer']
const tooOften = { exit: 3, says: inTrouble, requests: 200 } as const
const told = { exit: 0, says: ' %) had to be sent again', mayBeIncomplete: true } as const
const toldByKind = { exit: 0, says: [' %) had to be sent again: ', ' × closed connection'] } as const
const notHurried = { exit: 0, mayBeIncomplete: true } as const
// A whole run would take a minute.
const aPart = { RUN_CONCURRENCY: '8', RUN_STRICT: 'true', RUN_ONLY: 'conventions/*,versioning/*' }
const closing = (percent: number, seed: number) => bent(() => often(percent, seed))

const changeSettings = ' and TARGET_VERSION=1: change the settings'
const noEndpoint = ['400 / 1010 (endpoint not found', 'is served with ', changeSettings]
const failing = breaks('endpoints/list-succeeds', 'answered 500')
const needsQuery = { exit: 3, says: 'may need a query: set TARGET_QUERY' } as const

/** Services that are easily blamed or missed. */
export const misread: readonly Service[] = easilyMisread({
  // Honest services that are easily blamed, and faulty ones that are easily missed.

  // A day begins while a quota is used up.
  'quota-reset-while-it-is-used-up': [resetWhileUsedUp, { exit: 0, by: ['quota/exhausted'] }],
  // A quota is one larger than declared, and warnings count.
  'quota-one-larger': [() => onReference({ quotas: { disposable: 21 } }, declared), ofOneMore],
  // A CDN does not reach the service for a while.
  'unreached-for-sixteen-requests': [intervening(unreached), { exit: 0 }],
  // Version 1 is inactive, and version 2 is judged.
  'version-one-retired': [intervening(retired, { TARGET_VERSION: '2' }), { exit: 0, says: threeUntested }],
  // UUIDs are known in another letter case, which is written down and not judged.
  'uuids-in-any-letter-case': [
    () => onReference({ variant: 'credentials-uuids-in-any-letter-case' }, ofCredentials),
    { exit: 0, says: ['letter-case-of-x-api-key: "accepted"', 'letter-case-of-x-secret-key: "accepted"'] },
  ],
  // Near misses of the path are redirected to a login page.
  'near-misses-lead-to-a-login': [intervening(redirecting(302, '/login')), breaks('errors/documented-pairs')],
  // Near misses of the path are redirected to it, and warnings count.
  'near-misses-lead-to-the-list': [intervening(redirecting(308, list), strict), { exit: 0 }],
  // The list fails every ninth time, which is called intermittent.
  'wrong-every-ninth-time': [
    () => onReference({ faults: ['list-fails-every-ninth-time'] }, inTurn),
    { exit: 1, by: ['endpoints/list-succeeds'], says: ['answered 500', 'reproduced 1 of 3'] },
  ],
  // A gateway is named for all that it breaks.
  'gateway-that-refuses-by-itself': [intervening(asNginx), breaks('versioning/version-missing', likeNginx)],
  // The exhausted client of the settings is served.
  'exhausted-client-is-served': [answering('exhausted', 200, '[]', ofQuota), notExhausted],
  // The exhausted client is refused with another code.
  'exhausted-client-is-unknown': [answering('exhausted', 401, errorWith('1006'), aroundQuota), seesOtherwise],
  // The exhausted client gets a page.
  'exhausted-client-gets-a-page': [answering('exhausted', 200, '<h1>no</h1>', aroundQuota), seesOtherwise],
  // The server reports a failure of its own for every plain request.
  'plain-requests-fail': [answering('permitted', 500, '<h1>no</h1>', ofFailure), failing],
  // Services of which a run knows only a part, or judges only a part.

  // The settings give the address and a client alone.
  'without-fixtures': [bare(), { exit: 0, says: nineUntested }],
  // An acceptance is given the address and a client alone.
  'without-fixtures-in-acceptance': [bare(), { exit: 3, says: needFixtures, profile: 'acceptance' }],
  // What the selected rules need is not given.
  'without-what-was-selected': [bare(onlyQuota), { exit: 3, says: nothingJudged }],
  // The settings select one area.
  'a-part-of-the-rules': [withEnv({ RUN_ONLY: 'versioning/*' }), { exit: 0, says: 'only versioning/*' }],
  // The quota of the second client is used up.
  'second-client-used-up': [
    () => onReference({ quotas: { second: 0 } }, secondUsedUp),
    { exit: 3, says: [notJudged, '2 rules: 1 passed'] },
  ],
  // A day begins at the sixtieth request.
  'exhausted-client-reset': [resetAtTheSixtieth, { exit: 0, mayBeIncomplete: true }],
  // The settings look for the endpoint where it is not.
  'another-version-and-a-path': [elsewhere, { exit: 3, says: noEndpoint, requests: 4 }],
  // The list wants a query.
  'query-is-missing': [answering('permitted', 400, errorWith('1030')), needsQuery],
  // What sixty requests find of a fault counts.
  'budget-of-sixty': [
    () => onReference({ faults: ['missing-api-key-called-invalid'] }, twoRules),
    { exit: 1, by: ['authentication/api-key-missing'], requests: 60 },
  ],
  // Services that often fail to answer: too often to be judged, or rarely enough.

  // Every second connection is closed.
  'every-second-connection-dropped': [bent(everySecondConnection), tooOften],
  // Half of all requests meet 503.
  'half-unavailable': [bent(() => often(50, 1, unavailable)), tooOften],
  // Half of all requests meet a closed connection.
  'half-closed': [closing(50, 2), tooOften],
  // So does a third.
  'third-closed': [closing(34, 3), tooOften],
  // So does another third.
  'another-third-closed': [closing(34, 4), tooOften],
  // So does a quarter.
  'quarter-closed': [closing(25, 5), told],
  // So does another quarter.
  'another-quarter-closed': [closing(25, 6), told],
  // So do three in ten.
  'three-tenths-closed': [closing(30, 7), told],
  // So do nine in a hundred.
  'nine-percent-closed': [closing(9, 8), toldByKind],
  // So do three in a hundred.
  'three-percent-closed': [closing(3, 8), toldByKind],
  // Beyond ten requests a second it says when to ask again.
  'ten-a-second': [bent(() => limited(10, { 'retry-after': '1' }), aPart), notHurried],
  // Beyond fifteen requests a second it does not.
  'fifteen-a-second': [bent(() => limited(15, {}), aPart), notHurried],
  // Little trouble, and no answer without a secret.
  'secretless-never-answered': [bent(neverWithoutSecret), breaks('authentication/secret-key-missing')],
})
