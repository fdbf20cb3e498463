import { failure, onAnswer, onAnyRefusal, onSuccess, page } from '../../../lib/serve/reference/bending.ts'
import { field, type Call } from '../../../lib/serve/reference/call.ts'
import type { Fault } from '../../../lib/serve/reference/fault.ts'
import { beyondGate, breaking } from './breaking.ts'
import { seesVersionOne } from './credentials-sent.ts'
import { sends, slip } from './slips.ts'

const fuzzedQuery = breaking('fuzz/query')
const malformedVersion = breaking('versioning/malformed-version')
const noBypass = breaking('authentication/no-bypass')

/** Services that fail on something that ordinary clients send. */
const tripping = breaking('fuzz/headers')

/** Faults that show only if a request contains fields of browsers or client libraries, or malformed ones. */
export const realClientFaults: readonly Fault[] = [
  slip('refusals-fail-where-gzip-is-accepted', 'Errors are answered 500 to who accepts gzip.', {
    under: (call) => accepts(call, 'gzip'),
    change: failure(500),
  }),
  beyondGate(
    tripping('list-empty-without-a-cache', 'The list is empty for who wants nothing from a cache.', () =>
      onAnswer(({ refusal }, call) => refusal === null && field(call, 'cache-control') === 'no-cache', {
        text: '',
        contentType: null,
      }),
    ),
  ),
  slip('pages-for-browsers', 'Errors are a page for what looks like a browser.', {
    under: sends('sec-fetch-mode'),
    change: page(400, 'Bad Request'),
  }),
  {
    ...tripping('identity-not-acceptable', 'Who accepts nothing but identity is answered 406.', () =>
      onAnswer((_answer, call) => field(call, 'accept-encoding') === 'identity', failure(406)),
    ),
    rules: ['fuzz/headers', 'fuzz/combined-flaws'],
  },
  tripping(
    'answers-cut-where-the-connection-closes',
    'With connection: close the list is cut half-way.',
    () =>
      onAnswer(({ refusal }, call) => refusal === null && /^close$/i.test(field(call, 'connection') ?? ''), {
        delivery: 'cut',
      }),
  ),
  slip('languages-as-error-codes', 'With accept-language the error_code is a word.', {
    under: sends('accept-language'),
    change: { payload: { error_code: 'invalid', error_message: 'invalid' } },
  }),
  tripping('malformed-trace-fails', 'A malformed traceparent is answered 500.', () =>
    onAnswer((_answer, call) => {
      const trace = field(call, 'traceparent')
      return trace !== undefined && !/^00-[0-9a-f]{32}-[0-9a-f]{16}-\d\d$/.test(trace)
    }, failure(500)),
  ),
  tripping('malformed-date-fails', 'A date that is none in if-modified-since is answered 500.', () =>
    onAnswer((_answer, call) => {
      const date = field(call, 'if-modified-since')
      return date !== undefined && Number.isNaN(Date.parse(date))
    }, failure(500)),
  ),
]

function accepts(call: Call, coding: string): boolean {
  return (field(call, 'accept-encoding') ?? '').includes(coding)
}

/** Faults that show only if a query or a path contains something that no form sends. */
export const oddQueryFaults: readonly Fault[] = [
  fuzzedQuery('parameter-without-equals-fails', 'A parameter without = is answered 500.', () =>
    onAnswer((_answer, { query }) => /(?:^|&)[^=&]+(?:&|$)/.test(query), failure(500)),
  ),
  fuzzedQuery('limit-in-brackets-fails', 'A limit that is a list is answered 500.', () =>
    onAnswer((_answer, { query }) => /limit(?:%5B|\[)/i.test(query), failure(500)),
  ),
  breaking('fuzz/path', 'conventions/json-response')(
    'quote-in-unknown-path-breaks-json',
    'The error for an unknown path holds the path, unescaped.',
    () =>
      onAnswer(
        ({ refusal }, { path }) => refusal === '1010' && path.includes('%22'),
        (_answer, { path }) => ({
          text: `{"error_code":"1010","error_message":"no ${decodeURIComponent(path)}"}`,
        }),
      ),
  ),
  breaking('fuzz/path')(
    'unknown-path-with-a-query-fails',
    'An unknown path with a query is answered 500.',
    () =>
      onAnswer(
        ({ refusal }, { query, path }) => refusal === '1010' && query !== '' && path.startsWith('/api/zz'),
        failure(500),
      ),
  ),
  breaking('versioning/version-missing')(
    'version-in-the-query-counts',
    'Without x-version the parameter version counts.',
    () =>
      seesVersionOne((call) => field(call, 'x-version') === undefined && /version=1(?:&|$)/.test(call.query)),
  ),
  breaking('versioning/endpoint-not-in-version')(
    'version-in-the-query-goes-before',
    'The parameter version goes before x-version.',
    () =>
      seesVersionOne((call) => field(call, 'x-version') !== undefined && /version=1(?:&|$)/.test(call.query)),
  ),
  malformedVersion(
    'superscript-version-fails',
    'A version of digits that are no decimal ones is answered 500, as by isdigit() before int().',
    () =>
      onAnswer(
        (_answer, call) => /[\xb2\xb3\xb9]|\xe2\x91/.test(field(call, 'x-version') ?? ''),
        failure(500),
      ),
  ),
  malformedVersion('latest-version-served', 'The version latest is served.', () =>
    seesVersionOne((call) => field(call, 'x-version') === 'latest'),
  ),
  noBypass(
    'invalid-input-without-a-key-fails',
    'Invalid input of somebody without a key is answered 500.',
    () =>
      onAnyRefusal((answer, call) =>
        field(call, 'x-api-key') === undefined && /limit=abc/.test(call.query) ? failure(500) : answer,
      ),
  ),
  noBypass(
    'invalid-input-under-another-version-served',
    'Invalid input under a version that does not exist gets the list.',
    () => ({
      see: (call) =>
        /limit=abc/.test(call.query) && field(call, 'x-version') === '2147483647'
          ? { ...call, query: '', headers: { ...call.headers, 'x-version': '1' } }
          : call,
    }),
  ),
  tripping('list-in-gzip-and-cut-where-asked-for', 'The list is cut half-way for who accepts gzip.', () =>
    onSuccess((answer, call) =>
      accepts(call, 'gzip') ? { delivery: 'cut' } : { delivery: answer.delivery },
    ),
  ),
]
