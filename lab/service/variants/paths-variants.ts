import { refuse, succeed } from '../../../lib/serve/reference/answer.ts'
import type { Call } from '../../../lib/serve/reference/call.ts'
import { bare, page } from '../../../lib/serve/reference/gateway.ts'
import { listPath } from '../../../lib/serve/reference/list.ts'
import type { Variant } from '../../../lib/serve/reference/variant.ts'
import { shipped } from './shipped.ts'
import { gateway } from './variant-of.ts'

/** Answers to paths that almost equal the known one, and to prefixed ones. */
export const pathVariants: readonly Variant[] = [
  taking('trailing-slash-served', 'A slash at the end of a path is ignored.', (path) =>
    path.replace(/(?<=.)\/$/, ''),
  ),
  redirecting('trailing-slash-redirected', 'A slash at the end of a path is redirected away.', 308, (path) =>
    path.replace(/(?<=.)\/$/, ''),
  ),
  redirecting('trailing-slash-redirected-by-301', 'The same, in the old way.', 301, (path) =>
    path.replace(/(?<=.)\/$/, ''),
  ),
  taking('doubled-slashes-merged', 'Slashes that follow each other count as one.', (path) =>
    path.replaceAll(/\/+/g, '/'),
  ),
  redirecting(
    'doubled-slashes-redirected',
    'Slashes that follow each other are redirected to one.',
    301,
    (path) => path.replaceAll(/\/+/g, '/'),
  ),
  gateway(
    'doubled-slashes-refused-bare',
    'Slashes that follow each other are refused by the gateway with 400.',
    { answers: ({ path }) => (path.includes('//') ? bare(400) : null) },
  ),
  taking('paths-in-any-letter-case', 'The letter case of a path does not matter.', (path) =>
    path.toLowerCase(),
  ),
  redirecting(
    'paths-in-upper-case-redirected',
    'A path with letters in upper case is redirected to lower case.',
    302,
    (path) => (isNearList(path) ? path.toLowerCase() : path),
  ),
  taking(
    'percent-encoded-letters-decoded',
    'Letters that are percent-encoded for no reason are decoded first.',
    decoded,
  ),
  redirecting(
    'percent-encoded-letters-redirected',
    'Letters that are percent-encoded for no reason are redirected away.',
    301,
    decoded,
  ),
  taking('dot-segments-resolved', 'Dot segments are resolved before anything else is looked at.', (path) =>
    path.includes('/.') ? new URL(path, 'http://host').pathname : path,
  ),
  taking('format-suffix-served', 'The path with .json at its end names the same list.', (path) =>
    path.replace(/\.json$/, ''),
  ),
  taking(
    'path-parameters-dropped',
    'What follows a semicolon in a segment is dropped, as servlets do.',
    (path) => path.replaceAll(/;[^/]*/g, ''),
  ),
  {
    name: 'near-path-is-another-endpoint',
    about: 'Above the list there is another endpoint, served to whom the list is served.',
    manner: () => ({
      reading: {
        isForList: ({ path, method }) => method === 'GET' && /^\/api\/customizations(?:\/list)?$/.test(path),
      },
    }),
  },
  elsewhere('items-below-the-list', 'Below the list there is each item, whatever it is called.', (path) =>
    /^\/api\/customizations\/list\/[^/]+$/.test(path),
  ),
  elsewhere(
    'all-below-the-list-is-one-more-endpoint',
    'All paths below the list are one more endpoint.',
    (path) => path.startsWith(`${listPath}/`),
  ),
  elsewhere(
    'names-beside-the-list-are-filters',
    'Any name beside the list is that of a shorter one.',
    (path) => /^\/api\/customizations\/[^/]+$/.test(path) && path !== listPath,
  ),
  {
    name: 'names-beside-an-empty-list-are-filters',
    about: 'Any name beside the list is that of a shorter one, and both are empty.',
    manner: () => ({
      reading: {
        isForList: ({ path, method }) => method === 'GET' && /^\/api\/customizations\/[^/]+$/.test(path),
        list: () => succeed({ customizations: [], total: 0 }),
      },
    }),
  },
  near('near-path-invalid-input', 'A path that nearly is the known one is called invalid input.', '1030'),
  near('near-path-inactive', 'Below the list there is an endpoint that is inactive.', '1011'),
  near(
    'near-path-not-permitted',
    'Below the list there is an endpoint that nobody is permitted to use.',
    '1013',
  ),
  shipped('path-prefix'),
  gateway(
    'path-prefix-with-escapes',
    'The prefix holds a space, which is percent-encoded, and ends like the path begins.',
    { prefix: '/staging%20eu/api' },
  ),
]

/** A gateway that treats some paths as others. */
function taking(name: string, about: string, rewrite: (path: string) => string): Variant {
  return gateway(name, about, { passes: (call) => ({ ...call, path: rewrite(call.path) }) })
}

/** Paths to one more endpoint, served under the same conditions as the list: a list with one item. */
function elsewhere(name: string, about: string, when: (path: string) => boolean): Variant {
  return gateway(name, about, {
    passes: (call) => (when(call.path) ? { ...call, path: listPath, query: 'limit=1' } : call),
  })
}

function redirecting(
  name: string,
  about: string,
  status: number,
  rewrite: (path: string) => string,
): Variant {
  return gateway(name, about, {
    answers: (call) => {
      const path = rewrite(call.path)
      return path === call.path ? null : redirect(status, path, call)
    },
  })
}

function redirect(status: number, path: string, { query, headers }: Call): ReturnType<typeof page> {
  const target = query === '' ? path : `${path}?${query}`
  // 301 and 302 as written by older servers, with the full address.
  const location = status === 308 ? target : `http://${headers.host ?? 'localhost'}${target}`
  return page(status, 'moved', { location })
}

function near(name: string, about: string, code: '1030' | '1011' | '1013'): Variant {
  return {
    name,
    about,
    manner: () => ({
      gateway: { answers: ({ path }) => (isNearList(path) && path !== listPath ? refuse(code) : null) },
    }),
  }
}

function isNearList(path: string): boolean {
  return /^\/api\/customizations\/[^/]+(?:\/[^/]*)?$/i.test(path)
}

function decoded(path: string): string {
  return path.replaceAll(/%(?:4[1-9a-f]|5[\da]|6[1-9a-f]|7[\da])/gi, (escape) => decodeURIComponent(escape))
}
