import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Started } from '../judge/service.ts'
import { answering, errorWith, instead, isOf, onReference } from './serving.ts'
import { easilyMisread, type ProofTarget } from './target.ts'

const html = { 'content-type': 'text/html' }

/** Redirects near misses of the path. */
function redirecting(status: number, location: string) {
  return ({ url = '' }: IncomingMessage, response: ServerResponse): boolean =>
    /list\/$|LIST$/.test(url) && instead(response, status, '<h1>no</h1>', { ...html, location })
}

const pageOfNginx =
  '<html>\r\n<head><title>404 Not Found</title></head>\r\n<body>\r\n<center><h1>404 Not Found</h1></center>\r\n<hr><center>nginx</center>\r\n</body>\r\n</html>\r\n'

/** A new day begins at the fifteenth request of the disposable client. */
async function resetWhileUsedUp(): Promise<Started> {
  let asked = 0
  const started = await onReference({
    quotas: { disposable: 20 },
    now: () => (asked >= 15 ? 86_400_000 : 0),
    intervene: (request) => {
      if (isOf('disposable', request)) asked += 1
      return false
    },
  })
  const { FIXTURE_EXHAUSTED_API_KEY: _, FIXTURE_EXHAUSTED_SECRET_KEY: __, ...env } = started.env
  return { ...started, env }
}

function unreached(): Promise<Started> {
  return onReference((service) => ({
    intervene: (_, response) => {
      const at = service().requests()
      return at >= 60 && at < 76 && instead(response, 521, '<h1>no</h1>', html)
    },
  }))
}

/** Version 2 is served like version 1 before. */
function retired(request: IncomingMessage, response: ServerResponse): boolean {
  const version = request.headers['x-version']
  if (version === '2') request.headers['x-version'] = '1'
  return version === '1' && isOf('permitted', request) && instead(response, 401, errorWith('1011'))
}

function asNginx({ headers }: IncomingMessage, response: ServerResponse): boolean {
  return (
    headers['x-version'] === undefined && instead(response, 404, pageOfNginx, { ...html, server: 'nginx' })
  )
}

const ofQuota = { RUN_ONLY: 'quota/exhausted,quota/per-client' }
const aroundQuota = { RUN_ONLY: 'quota/*,authentication/not-cached' }
const ofFailure = {
  RUN_ONLY: 'endpoints/list-succeeds,authentication/secret-key-invalid,quota/per-client,errors/*',
}
const ofCredentials = { RUN_ONLY: 'authentication/*-invalid' }
const strict = { RUN_STRICT: 'true' }
const declared = { FIXTURE_DISPOSABLE_QUOTA: '20', RUN_ONLY: 'quota/*', ...strict }
const inTurn = { RUN_CONCURRENCY: '1', RUN_SEED: '1' }
const seesOtherwise = {
  exit: 1,
  rules: ['quota/exhausted'],
  says: ['where 429 / 1020 is documented (see quota/exhausted)'],
} as const

/** Honest services that are easily blamed, and faulty ones that are easily missed. */
export const misread: readonly ProofTarget[] = easilyMisread({
  'quota-reset-while-it-is-used-up': [
    'A day begins while a quota is used up.',
    resetWhileUsedUp,
    { exit: 0, rules: ['quota/exhausted'] },
  ],
  'quota-one-larger': [
    'A quota is one larger than declared, and warnings count.',
    () => onReference({ quotas: { disposable: 21 } }, declared),
    {
      exit: 0,
      rules: ['quota/exhausted'],
      says: [
        'answered 200 with JSON where 429 / 1020 is documented, 21 times of a declared quota of 20, or FIXTURE_DISPOSABLE_QUOTA is wrong, reproduced 1 of 1',
      ],
    },
  ],
  'unreached-for-sixteen-requests': ['A CDN does not reach the service for a while.', unreached, { exit: 0 }],
  'version-one-retired': [
    'Version 1 is inactive, and version 2 is judged.',
    () => onReference({ intervene: retired }, { TARGET_VERSION: '2' }),
    { exit: 0, says: ['3 rules not tested; needed: --profile acceptance, TARGET_VERSION, RUN_BASELINE.'] },
  ],
  'uuids-in-any-letter-case': [
    'UUIDs are known in another letter case, which is written down and not judged.',
    () => onReference({ variant: 'credentials-uuids-in-any-letter-case' }, ofCredentials),
    { exit: 0, says: ['letter-case-of-x-api-key: "accepted"', 'letter-case-of-x-secret-key: "accepted"'] },
  ],
  'near-misses-lead-to-a-login': [
    'Near misses of the path are redirected to a login page.',
    () => onReference({ intervene: redirecting(302, '/login') }),
    { exit: 1, rules: ['errors/documented-pairs'] },
  ],
  'near-misses-lead-to-the-list': [
    'Near misses of the path are redirected to it, and warnings count.',
    () => onReference({ intervene: redirecting(308, '/api/customizations/list') }, strict),
    { exit: 0 },
  ],
  'wrong-every-ninth-time': [
    'The list fails every ninth time, which is called intermittent.',
    () => onReference({ faults: ['list-fails-every-ninth-time'] }, inTurn),
    { exit: 1, rules: ['endpoints/list-succeeds'], says: ['answered 500', 'reproduced 1 of 3'] },
  ],
  'gateway-that-refuses-by-itself': [
    'A gateway is named for all that it breaks.',
    () => onReference({ intervene: asNginx }),
    {
      exit: 1,
      rules: ['versioning/version-missing'],
      says: ['✗ Answers that look like those of nginx, not of the service'],
    },
  ],
  'exhausted-client-is-served': [
    'The exhausted client of the settings is served.',
    answering('exhausted', 200, '[]', ofQuota),
    { exit: 3, says: ['the client of FIXTURE_EXHAUSTED_API_KEY is not exhausted today'] },
  ],
  'exhausted-client-is-unknown': [
    'The exhausted client is refused with another code.',
    answering('exhausted', 401, errorWith('1006'), aroundQuota),
    seesOtherwise,
  ],
  'exhausted-client-gets-a-page': [
    'The exhausted client gets a page.',
    answering('exhausted', 200, '<h1>no</h1>', aroundQuota),
    seesOtherwise,
  ],
  'plain-requests-fail': [
    'The server reports a failure of its own for every plain request.',
    answering('permitted', 500, '<h1>no</h1>', ofFailure),
    { exit: 1, rules: ['endpoints/list-succeeds'], says: ['answered 500'] },
  ],
})
