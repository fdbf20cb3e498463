import type { ProofTarget } from './target.ts'
import { page } from './pages.ts'
import { alike, answer } from './serving.ts'

const common = { kind: 'cannot be judged', exit: 3, rules: [] } as const
const says = ['is not this service', 'is TARGET_BASE_URL right'] as const

/** Something else answers at the address: nothing that it says is the service's. */
export const anotherProduct: readonly ProofTarget[] = [
  {
    ...common,
    name: 'site-that-serves-everything',
    about: 'A web application answers every path with 200 and its page.',
    says,
    start: alike(page('HTTP/1.1 200 OK', 'Welcome')),
  },
  {
    ...common,
    name: 'page-not-found-for-everything',
    about:
      'A web server, or a gateway whose path prefix is missing in TARGET_BASE_URL, answers 404 and a page.',
    says,
    start: alike(page('HTTP/1.1 404 Not Found', 'Not found')),
  },
  {
    ...common,
    name: 'login-for-everything',
    about: 'Single sign-on redirects every request to its login page.',
    says,
    start: alike(answer('HTTP/1.1 302 Found', ['Location: https://login.example.invalid/authorize'])),
  },
  {
    ...common,
    name: 'json-api-of-another-kind',
    about: 'Another JSON API refuses every request with 403 and an error object of its own.',
    says,
    start: alike(
      answer(
        'HTTP/1.1 403 Forbidden',
        ['Content-Type: application/json'],
        '{"message":"Missing Authentication Token"}',
      ),
    ),
  },
  {
    ...common,
    name: 'captive-portal',
    about: 'The network answers 511 in the place of whatever host was asked for.',
    says,
    start: alike(page('HTTP/1.1 511 Network Authentication Required', 'Accept the terms')),
  },
  {
    ...common,
    name: 'captive-portal-that-redirects',
    about: 'The network redirects every request to its portal.',
    says,
    start: alike(answer('HTTP/1.1 307 Temporary Redirect', ['Location: http://portal.example.invalid/'])),
  },
  {
    ...common,
    name: 'proxy-that-refuses',
    about: 'A company proxy refuses every request with 407 and a page.',
    says,
    start: alike(page('HTTP/1.1 407 Proxy Authentication Required', 'Who are you?')),
  },
]
