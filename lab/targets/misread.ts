import type { IncomingMessage, ServerResponse } from 'node:http'
import { answering, errorWith, instead, isOf, onReference } from './serving.ts'
import type { ProofTarget } from './target.ts'

const common = { kind: 'easily misread', over: 'program', profiles: ['gate'], rules: [], says: [] } as const

const html = { 'content-type': 'text/html' }

/** Near misses of the path are redirected. */
function redirecting(status: number, location: string) {
  return ({ url = '' }: IncomingMessage, response: ServerResponse): boolean =>
    /list\/$|LIST$/.test(url) && instead(response, status, '<h1>no</h1>', { ...html, location })
}

const pageOfNginx =
  '<html>\r\n<head><title>404 Not Found</title></head>\r\n<body>\r\n<center><h1>404 Not Found</h1></center>\r\n<hr><center>nginx</center>\r\n</body>\r\n</html>\r\n'

/** Honest services that are easily blamed, and bent ones that are easily missed. */
export const misread: readonly ProofTarget[] = [
  {
    ...common,
    name: 'quota-reset-while-it-is-used-up',
    about: 'A day begins at the fifteenth request of the disposable client.',
    exit: 0,
    rules: ['quota/exhausted'],
    also: { only: true },
    start: async () => {
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
    },
  },
  {
    ...common,
    name: 'quota-one-larger-than-declared',
    about: 'The disposable client is served once more than the settings say, and warnings count.',
    exit: 0,
    rules: ['quota/exhausted'],
    says: [
      'answered 200 with JSON where 429 / 1020 is documented, 21 times of a declared quota of 20, or FIXTURE_DISPOSABLE_QUOTA is not its quota, reproduced 1 of 1',
    ],
    start: () =>
      onReference(
        { quotas: { disposable: 21 } },
        { FIXTURE_DISPOSABLE_QUOTA: '20', RUN_ONLY: 'quota/*', RUN_STRICT: 'true' },
      ),
  },
  {
    ...common,
    name: 'unreached-for-sixteen-requests',
    about: 'A CDN does not reach the service for sixteen requests.',
    exit: 0,
    also: { only: true },
    start: () =>
      onReference((service) => ({
        intervene: (_, response) => {
          const at = service().requests()
          return at >= 60 && at < 76 && instead(response, 521, '<h1>no</h1>', html)
        },
      })),
  },
  {
    ...common,
    name: 'version-one-retired-where-two-is-judged',
    about: 'Version 1 is inactive, and version 2 is judged.',
    exit: 0,
    says: ['whether the endpoint must be served under it is not shown versioning/default-version'],
    also: { only: true },
    start: () =>
      onReference(
        {
          intervene: (request, response) => {
            const version = request.headers['x-version']
            if (version === '2') request.headers['x-version'] = '1'
            return version === '1' && isOf('permitted', request) && instead(response, 401, errorWith('1011'))
          },
        },
        { TARGET_VERSION: '2' },
      ),
  },
  {
    ...common,
    name: 'near-misses-lead-to-a-login',
    about: 'Near misses of the path are redirected to a login page.',
    exit: 1,
    rules: ['errors/documented-pairs'],
    start: () => onReference({ intervene: redirecting(302, '/login') }),
  },
  {
    ...common,
    name: 'near-misses-lead-to-the-list',
    about: 'Near misses of the path are redirected to the path, and warnings count.',
    exit: 0,
    also: { only: true },
    start: () =>
      onReference({ intervene: redirecting(308, '/api/customizations/list') }, { RUN_STRICT: 'true' }),
  },
  {
    ...common,
    name: 'wrong-every-ninth-time',
    about: 'The list fails every ninth time, which is called intermittent.',
    exit: 1,
    rules: ['endpoints/list-succeeds'],
    says: ['answered 500', 'reproduced 1 of 3'],
    start: () =>
      onReference({ faults: ['list-fails-every-ninth-time'] }, { RUN_CONCURRENCY: '1', RUN_SEED: '1' }),
  },
  {
    ...common,
    name: 'gateway-that-refuses-by-itself',
    about: 'A gateway answers a request without a version, and is named for all that it breaks.',
    exit: 1,
    says: ['✗ Answers that look like those of nginx, not of the service', 'Violations (1 cause, '],
    rules: ['versioning/version-missing'],
    start: () =>
      onReference({
        intervene: ({ headers }, response) =>
          headers['x-version'] === undefined &&
          instead(response, 404, pageOfNginx, { ...html, server: 'nginx' }),
      }),
  },
  {
    ...common,
    name: 'exhausted-client-is-served',
    about: 'The client of which the settings say that its quota is used up is served.',
    exit: 3,
    says: ['the client of FIXTURE_EXHAUSTED_API_KEY is not exhausted today'],
    start: answering('exhausted', 200, '[]', { RUN_ONLY: 'quota/exhausted,quota/per-client' }),
  },
  ...(
    [
      ['is-unknown', 401, errorWith('1006')],
      ['gets-a-page', 200, '<h1>no</h1>'],
    ] as const
  ).map(([name, status, body]) => ({
    ...common,
    name: `exhausted-client-${name}`,
    about: 'The client of which the settings say that its quota is used up gets another answer.',
    exit: 1 as const,
    rules: ['quota/exhausted'] as const,
    says: ['where 429 / 1020 is documented (see quota/exhausted)'],
    start: answering('exhausted', status, body, { RUN_ONLY: 'quota/*,authentication/not-cached' }),
  })),
  {
    ...common,
    name: 'plain-requests-fail',
    about: 'The server reports a failure of its own for every plain request.',
    exit: 1,
    rules: ['endpoints/list-succeeds'],
    says: ['answered 500'],
    start: answering('permitted', 500, '<h1>no</h1>', {
      RUN_ONLY: 'endpoints/list-succeeds,authentication/secret-key-invalid,quota/per-client,errors/*',
    }),
  },
]
