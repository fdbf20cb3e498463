import { page } from './pages.ts'
import { alike, answer } from './serving.ts'
import { targetsOf, type ProofTarget } from './target.ts'

const says = ['another service answers', 'Check TARGET_BASE_URL'] as const

/** Another product answers at the address. None of its answers come from the service. */
export const anotherProduct: readonly ProofTarget[] = targetsOf('cannot be judged', {
  'site-that-serves-everything': [
    'A web application answers every path with 200 and its page.',
    says,
    alike(page('HTTP/1.1 200 OK', 'Welcome')),
  ],
  'page-not-found-for-everything': [
    'A web server, or a gateway whose path prefix is missing in TARGET_BASE_URL, answers 404 and a page.',
    says,
    alike(page('HTTP/1.1 404 Not Found', 'Not found')),
  ],
  'login-for-everything': [
    'Single sign-on redirects every request to its login page.',
    says,
    alike(answer('HTTP/1.1 302 Found', ['Location: https://login.example.invalid/authorize'])),
  ],
  'json-api-of-another-kind': [
    'Another JSON API refuses every request with 403 and an error object of its own.',
    says,
    alike(
      answer(
        'HTTP/1.1 403 Forbidden',
        ['Content-Type: application/json'],
        '{"message":"Missing Authentication Token"}',
      ),
    ),
  ],
  'captive-portal': [
    'The network answers 511 in the place of whatever host was asked for.',
    says,
    alike(page('HTTP/1.1 511 Network Authentication Required', 'Accept the terms')),
  ],
  'captive-portal-that-redirects': [
    'The network redirects every request to its portal.',
    says,
    alike(answer('HTTP/1.1 307 Temporary Redirect', ['Location: http://portal.example.invalid/'])),
  ],
  'proxy-that-refuses': [
    'A company proxy refuses every request with 407 and a page.',
    says,
    alike(page('HTTP/1.1 407 Proxy Authentication Required', 'Who are you?')),
  ],
})
