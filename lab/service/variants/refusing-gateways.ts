import { refuse, succeed } from '../../../lib/serve/reference/answer.ts'
import { field, type Call } from '../../../lib/serve/reference/call.ts'
import { clients } from '../../../lib/serve/reference/clients.ts'
import { bare, page } from '../../../lib/serve/reference/gateway.ts'
import type { Variant } from '../../../lib/serve/reference/variant.ts'
import { gateway } from './variant-of.ts'

/** A path without dot segments and percent-encoded letters. */
function plainPath(path: string): string {
  return path
    .replaceAll(/%[46][1-9a-f]|%[57][0-9a]/gi, (encoded) =>
      String.fromCharCode(Number.parseInt(encoded.slice(1), 16)),
    )
    .replaceAll(/(?:\/\.)+(?=\/)/g, '')
}

/** Requests that gateways, servers and firewalls answer on their own, unrelated to the specification. */
export const refusingGatewayVariants: readonly Variant[] = [
  gateway('long-values-refused-with-431', 'A field value above 4,000 bytes is refused with a bare 431.', {
    answers: (call) => (longestValue(call) > 4_000 ? bare(431) : null),
  }),
  gateway(
    'long-values-refused-with-400-page',
    'Fields above 8 KiB in all are refused with a page, as by nginx.',
    {
      answers: (call) =>
        call.rawHeaders.join('').length > 8_192 ? page(400, 'Request Header Or Cookie Too Large') : null,
    },
  ),
  gateway('long-values-refused-by-closing', 'A field value above 4,000 bytes closes the connection.', {
    answers: (call) => (longestValue(call) > 4_000 ? { ...bare(400), delivery: 'reset' } : null),
  }),
  gateway('long-targets-refused-with-414', 'A target above 4,000 bytes is refused with a page and 414.', {
    answers: ({ path, query }) => (path.length + query.length > 4_000 ? page(414, 'URI Too Long') : null),
  }),
  gateway(
    'unknown-origins-refused',
    'An origin that is not known is refused with 403 and a text, as by Spring.',
    {
      answers: (call) =>
        field(call, 'origin') === undefined
          ? null
          : { ...bare(403), text: 'Invalid CORS request', contentType: 'text/plain' },
    },
  ),
  gateway(
    'normalised-paths-redirected',
    'A path that is written otherwise is redirected to its plain form.',
    {
      answers: ({ path, query }) => {
        const plain = plainPath(path)
        return plain === path ? null : bare(301, { location: query === '' ? plain : `${plain}?${query}` })
      },
    },
  ),
  gateway(
    'normalised-paths-passed-on',
    'A path that is written otherwise reaches the service in its plain form.',
    { passes: (call) => ({ ...call, path: plainPath(call.path) }) },
  ),
  gateway('http-1-0-refused-with-426', 'HTTP/1.0 is refused with a bare 426, as by Envoy.', {
    answers: (call) => (call.httpVersion === '1.0' ? bare(426, { upgrade: 'HTTP/1.1' }) : null),
  }),
  gateway('http-1-0-refused-with-505', 'HTTP/1.0 is refused with a page and 505, as by uWebSockets.', {
    answers: (call) => (call.httpVersion === '1.0' ? page(505, 'HTTP Version Not Supported') : null),
  }),
  gateway('http-1-0-refused-by-closing', 'HTTP/1.0 closes the connection.', {
    answers: (call) => (call.httpVersion === '1.0' ? { ...bare(400), delivery: 'reset' } : null),
  }),
  gateway('values-beyond-ascii-refused-bare', 'Bytes beyond ASCII in a field are refused with a bare 400.', {
    answers: (call) => (/[^\t\x20-\x7e]/.test(call.rawHeaders.join('')) ? bare(400) : null),
  }),
  gateway(
    'broken-bytes-refused-bare',
    'What no parser takes is refused with a bare 400, or 431, as by node itself.',
    {
      refusesBytes: (errorCode) =>
        errorCode === 'HPE_HEADER_OVERFLOW'
          ? 'HTTP/1.1 431 Request Header Fields Too Large\r\nConnection: close\r\n\r\n'
          : 'HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n',
    },
  ),
  gateway('broken-bytes-refused-with-a-page', 'What no parser takes is refused with a page, over HTTP/1.0.', {
    refusesBytes: () =>
      'HTTP/1.0 400 Bad request\r\ncache-control: no-cache\r\ncontent-type: text/html\r\n\r\n<h1>400 Bad request</h1>\n',
  }),
  gateway('broken-bytes-close-the-connection', 'What no parser takes closes the connection without a word.', {
    refusesBytes: () => null,
  }),
  gateway(
    'broken-encoding-in-targets-refused-bare',
    'A target that is not percent-encoded UTF-8 is refused with a bare 400.',
    { answers: ({ path, query }) => (isDecodable(path) && isDecodable(query) ? null : bare(400)) },
  ),
  gateway(
    'excluded-characters-in-targets-refused',
    'Characters that have no place in a target are refused with a page.',
    {
      answers: ({ path, query }) =>
        /[^\w\-.~:/?@!$&'()*+,;=%]/.test(`${path}?${query}`) ? page(400, 'Bad Request') : null,
    },
  ),
  gateway(
    'firewall-against-injection',
    'A firewall refuses with a page what looks like code, in targets and fields.',
    {
      answers: (call) => (looksLikeCode(call) ? page(403, 'Request blocked', { server: 'firewall' }) : null),
    },
  ),
  gateway('blocks-other-names', 'A firewall refuses the names of browsers with a page.', {
    answers: (call) =>
      browsers.test(field(call, 'user-agent') ?? '') ? page(403, 'error code: 1010') : null,
  }),
  gateway('closes-on-names-of-scripts', 'A firewall closes the connection on the names of libraries.', {
    answers: (call) =>
      libraries.test(field(call, 'user-agent') ?? '') ? { ...bare(403), delivery: 'reset' } : null,
  }),
  gateway('firewall-closing-connections', 'A firewall closes the connection on what looks like code.', {
    answers: (call) => (looksLikeCode(call) ? { ...bare(403), delivery: 'reset' } : null),
  }),
  // How honest servers treat requests meant for dishonest ones.
  gateway('malformed-fields-refused-bare', 'A malformed trace, date or entity tag is refused with 400.', {
    answers: (call) => (hasMalformedField(call) ? bare(400) : null),
  }),
  gateway(
    'status-page-beside-the-api',
    'Every path outside of /api/ is answered with the state of the host.',
    { answers: ({ path }) => (path.startsWith('/api/') ? null : succeed({ status: 'up' })) },
  ),
  gateway('path-parameters-answered-alike', 'Every path with a parameter in it gets the same JSON page.', {
    answers: ({ path }) => (path.includes(';') ? succeed({ hint: 'no such page' }) : null),
  }),
  gateway(
    'wrong-secret-makes-key-unknown',
    'Credentials without a customer are unknown where the secret is wrong.',
    {
      answers: (call) =>
        field(call, 'x-api-key') === clients.noCustomer.apiKey &&
        field(call, 'x-secret-key') !== clients.noCustomer.secretKey &&
        field(call, 'x-secret-key') !== undefined &&
        field(call, 'x-version') === '1'
          ? refuse('1006')
          : null,
    },
  ),
]

const browsers = /(?:Chrome|Firefox|Safari)\//
const libraries = /^(?:axios|curl|Go-http-client|python-requests)\//

function longestValue({ rawHeaders }: Call): number {
  return Math.max(0, ...rawHeaders.map((text) => text.length))
}

function isDecodable(text: string): boolean {
  try {
    return !/[\0\r\n]/.test(decodeURIComponent(text))
  } catch {
    return false
  }
}

/** Complete strings that an interpreter would execute. A single character does not count. */
const code =
  /['"]\W*\s*(?:or|and)\s|^1 or 1=1$|\$(?:ne|gt)\b|\)\(|\{\{|[$#]\{|<%|<\/?[a-z]+[ >]|(?:\.\.(?:[/\\]|%2f|%5c))+|%0d%0a|%27%20or/i

function looksLikeCode({ path, query, rawHeaders }: Call): boolean {
  return [path, query, decodedOnce(query), ...rawHeaders].some((text) => code.test(text))
}

function decodedOnce(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function hasMalformedField(call: Call): boolean {
  const [trace, date, tag] = ['traceparent', 'if-modified-since', 'if-none-match'].map((name) =>
    field(call, name),
  )
  return (
    (trace !== undefined && !/^00-[0-9a-f]{32}-[0-9a-f]{16}-\d\d$/.test(trace)) ||
    (date !== undefined && Number.isNaN(Date.parse(date))) ||
    (tag !== undefined && !/^(?:\*|(?:W\/)?"[^"]*")$/.test(tag))
  )
}
