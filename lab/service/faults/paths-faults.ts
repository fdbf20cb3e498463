import {
  failure,
  isForList,
  onAnswer,
  page,
  serveWhen,
  type Change,
} from '../../../lib/serve/reference/bending.ts'
import type { Fault } from '../../../lib/serve/reference/fault.ts'
import { listPath } from '../../../lib/serve/reference/list.ts'
import { beyondGate } from './breaking.ts'

const rules = ['fuzz/path'] as const

/** Another answer to a path that is not served. */
function answers(
  name: string,
  about: string,
  { when, change }: { readonly when: (path: string) => boolean; readonly change: Change },
): Fault {
  return {
    name,
    about,
    rules,
    bend: () =>
      onAnswer(({ refusal }, { path }) => refusal === '1010' && path !== listPath && when(path), change),
  }
}

/** Paths that the service cannot handle, or that something in front of it answers. */
const answered: readonly Fault[] = [
  answers('path-of-four-segments-page', 'A path of four segments or more is answered 404 with a page.', {
    when: (path) => segmentsOf(path).length >= 4,
    change: page(404, 'Not Found'),
  }),
  answers('path-beyond-ascii-fails', 'A path with percent-encoded bytes beyond ASCII is answered 500.', {
    when: (path) => /%[89a-f]/i.test(path),
    change: failure(500),
  }),
  answers('encoded-letter-in-path-fails', 'A path with a percent-encoded letter is answered 500.', {
    when: (path) => /%[4-7]/.test(path),
    change: failure(500),
  }),
  answers('upper-case-segment-fails', 'A path with a segment in upper case is answered 500.', {
    when: (path) => segmentsOf(path).some((segment) => /^[A-Z]+$/.test(segment)),
    change: failure(500),
  }),
  answers('html-suffix-answered-with-page', 'A path that ends with .html is answered 200 with a page.', {
    when: (path) => path.endsWith('.html'),
    change: page(200, 'Customizations'),
  }),
  answers('unknown-json-file-empty', 'A path that ends with .json is answered 200 with an empty object.', {
    when: (path) => path.endsWith('.json'),
    change: { refusal: null, status: 200, payload: {} },
  }),
  answers('item-of-list-not-found', 'A path below that of the list is answered 404.', {
    when: (path) => path.startsWith(`${listPath}/`) && path.length > listPath.length + 1,
    change: failure(404, 'no such customization'),
  }),
  ...[
    answers('path-segment-above-255-characters-fails', 'A segment above 255 characters is answered 500.', {
      when: (path) => segmentsOf(path).some((segment) => segment.length > 255),
      change: failure(500, 'file name too long'),
    }),
    answers('broken-encoding-in-path-fails', 'A path that cannot be percent-decoded is answered 500.', {
      when: (path) => decodedPath(path) === null,
      change: failure(500, 'URI malformed'),
    }),
  ].map(beyondGate),
]

/** Paths that are answered with a redirect. */
const redirected: readonly Fault[] = [
  answers(
    'trailing-slash-redirects-to-other-host',
    'The list with a trailing slash redirects to another host.',
    { when: (path) => path === `${listPath}/`, change: redirect(308, `https://api.example${listPath}`) },
  ),
  answers(
    'letter-case-of-path-redirects-to-login',
    'The list in another letter case redirects to a login page.',
    { when: (path) => path.toLowerCase() === listPath, change: redirect(302, '/login') },
  ),
]

/** Paths that wrongly lead to the list. */
const served: readonly Fault[] = [
  {
    name: 'list-found-by-last-segment',
    about: 'Every path whose last segment is list, with or without a suffix, is that of the list.',
    rules,
    bend: () => ({
      see: (call) =>
        /^list(?:\.\w+)?$/.test(segmentsOf(call.path).at(-1) ?? '') ? { ...call, path: listPath } : call,
    }),
  },
  {
    name: 'beginning-of-path-skips-authentication',
    about: 'A path with which that of the list begins is not protected, and serves it.',
    rules,
    bend: () =>
      serveWhen(
        (call) => !isForList(call) && segmentsOf(call.path).length > 1 && listPath.startsWith(call.path),
      ),
  },
  beyondGate({
    name: 'encoded-path-skips-authentication',
    about: 'Who may come in is decided before the path is percent-decoded.',
    rules,
    bend: () => serveWhen((call) => !isForList(call) && decodedPath(call.path) === listPath),
  }),
]

/** Wrong answers to paths that only generated ones reveal. */
export const pathFaults: readonly Fault[] = [...answered, ...redirected, ...served]

function segmentsOf(path: string): readonly string[] {
  return path.split('/').filter((segment) => segment !== '')
}

/** Null if it cannot be decoded. */
function decodedPath(path: string): string | null {
  try {
    return decodeURIComponent(path)
  } catch {
    return null
  }
}

function redirect(status: number, location: string): Change {
  return { ...page(status, 'Moved'), headers: { location } }
}
