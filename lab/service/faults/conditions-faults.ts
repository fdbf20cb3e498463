import { bodyOf, type Answer, type Code } from '../../../lib/serve/reference/answer.ts'
import { becomes, failure, onAnswer, page, type Change } from '../../../lib/serve/reference/bending.ts'
import { field, type Call } from '../../../lib/serve/reference/call.ts'
import type { Fault } from '../../../lib/serve/reference/fault.ts'
import { list } from '../../../lib/serve/reference/list.ts'
import { brotli, unlabelled } from '../deliveries/miscoded.ts'
import { beyondGate, breaking, breakingWith } from './breaking.ts'
import { flawsOf } from './credentials-sent.ts'
import { placeOnConnection } from './on-connection.ts'
import { asXml, codesOf, notation, sends, slip, warnedInGate } from './slips.ts'

/** A fault that requests without flaws reveal under one condition. */
function slipOfSuccess(
  name: string,
  about: string,
  { under, change }: { readonly under: (call: Call) => boolean; readonly change: Partial<Answer> },
): Fault {
  return {
    name,
    about,
    rules: ['fuzz/headers'],
    bend: () => onAnswer(({ refusal }, call) => refusal === null && under(call), change),
  }
}

function withCode(write: (code: string) => unknown): Change {
  return ({ payload }) => ({ payload: { ...payload, error_code: write(String(payload['error_code'])) } })
}

const byClient: readonly Fault[] = [
  slip('codes-are-numbers-for-scripts', 'Codes of missing headers are numbers for XMLHttpRequest.', {
    under: sends('x-requested-with', 'XMLHttpRequest'),
    hits: codesOf.absentHeaders,
    change: withCode(Number),
  }),
  slip('character-set-fails-wrong-credentials', 'With charset=UTF-8 wrong credentials are answered 500.', {
    under: sends('content-type', 'application/json;charset=UTF-8'),
    hits: codesOf.wrongCredentials,
    change: failure(500, 'unsupported charset'),
  }),
  slip('unsampled-traces-not-permitted', 'A wrong version in a trace not sampled is answered 401 and 1013.', {
    under: sends('x-b3-sampled', '0'),
    hits: codesOf.versions,
    change: becomes('1013'),
  }),
  beyondGate(
    slip('messages-not-stored', 'With cache-control: no-store refused clients get no error_message.', {
      under: sends('cache-control', 'no-store'),
      hits: codesOf.refusedClients,
      change: ({ payload }) => ({ payload: { error_code: payload['error_code'] } }),
    }),
  ),
  beyondGate(
    slipOfSuccess('apps-must-update', 'The list is answered 426 with a page to apps of an older version.', {
      under: sends('x-app-version'),
      change: page(426, 'Please update'),
    }),
  ),
  slip('navigation-sent-to-sign-in', 'Who opens a page without credentials is sent to a form.', {
    under: sends('sec-fetch-mode', 'navigate'),
    hits: codesOf.credentials,
    change: { status: 302, text: '', contentType: null, headers: { location: '/sign-in' } },
  }),
  slip('two-flaws-of-browsers-unanswered', 'Errors of two flaws or more have no body for browsers.', {
    under: (call) => field(call, 'sec-fetch-mode') === 'cors' && flawsOf(call).length > 1,
    change: { text: '' },
  }),
]

const byConnection: readonly Fault[] = [
  slip(
    'errors-cut-where-the-connection-closes',
    'With connection: close a wrong key gets half of an error.',
    {
      under: (call) => /^close$/i.test(field(call, 'connection') ?? ''),
      hits: ['1006'],
      change: { delivery: 'cut' },
    },
  ),
  breaking('fuzz/combined-flaws')(
    'first-secret-of-a-connection-served',
    'A wrong secret is served where a connection begins.',
    () => {
      const placeOf = placeOnConnection()
      return {
        answer: (answer, call) => (placeOf(call) === 1 && answer.refusal === '1007' ? list() : answer),
      }
    },
  ),
  breakingWith({ profile: 'acceptance' }, 'fuzz/combined-flaws')(
    'refusal-before-given-again',
    'A wrong secret right behind a missing version on its connection is answered 400 and 1003.',
    () => {
      const before = new WeakMap<object, Code | null>()
      return {
        answer(answer, { connection }) {
          const last = before.get(connection)
          before.set(connection, answer.refusal)
          return last === '1003' && answer.refusal === '1007' ? { ...answer, ...becomes('1003') } : answer
        },
      }
    },
  ),
]

const byAccept: readonly Fault[] = [
  slip('anything-accepted-gets-a-page', 'With accept: */* what does not exist is answered with a page.', {
    under: sends('accept', '*/*'),
    hits: ['1010'],
    change: page(400, 'Bad Request'),
  }),
  slip(
    'plain-text-where-accepted',
    'Errors of missing headers are plain text for who accepts it besides JSON.',
    {
      under: sends('accept', 'application/json, text/plain, */*'),
      hits: codesOf.absentHeaders,
      change: notation('text/plain', (payload) => String(payload['error_message'])),
    },
  ),
  warnedInGate(
    slip('xml-where-accepted', 'Errors of credentials are XML for who accepts what browsers accept.', {
      under: (call) => field(call, 'accept')?.includes('application/xml') === true,
      hits: codesOf.credentials,
      change: asXml,
    }),
  ),
  warnedInGate(
    beyondGate(
      slip('weights-of-accept-decide', 'Refused clients get a page where they like it better than JSON.', {
        under: sends('accept', 'text/html, application/json;q=0.9'),
        hits: codesOf.refusedClients,
        change: ({ status }) => page(status, 'Unauthorized'),
      }),
    ),
  ),
  warnedInGate(
    slip('accept-compared-by-letter-case', 'With accept: Application/JSON errors are answered 406.', {
      under: sends('accept', 'Application/JSON'),
      change: failure(406, 'not acceptable'),
    }),
  ),
]

const arabicDigits = (code: string): string =>
  code.replaceAll(/\d/g, (digit) => String.fromCodePoint(0x660 + Number(digit)))

const byLanguage: readonly Fault[] = [
  slip('codes-grouped-in-german', 'In German codes of wrong credentials are written 1.006.', {
    under: sends('accept-language', 'de'),
    hits: codesOf.wrongCredentials,
    change: withCode((code) => code.replace('1', '1.')),
  }),
  slip('no-messages-in-american-english', 'Messages for missing headers are null in American English.', {
    under: sends('accept-language', 'en-US'),
    hits: codesOf.absentHeaders,
    change: ({ payload }) => ({ payload: { ...payload, error_message: null } }),
  }),
  beyondGate(
    slip('refused-clients-fail-in-french', 'In French refused clients are answered 500.', {
      under: sends('accept-language', 'fr-FR'),
      hits: codesOf.refusedClients,
      change: failure(500, 'no message of this key'),
    }),
  ),
  slip('codes-in-arabic-digits', 'In Arabic the code of what does not exist has Arabic digits.', {
    under: sends('accept-language', 'ar'),
    hits: ['1010'],
    change: withCode(arabicDigits),
  }),
]

const byCoding: readonly Fault[] = [
  slip(
    'brotli-without-a-label',
    'Errors of credentials come in brotli where accepted, and nothing says so.',
    {
      under: sends('accept-encoding', 'br'),
      hits: codesOf.credentials,
      change: { delivery: unlabelled(brotli) },
    },
  ),
]

/** These concern only successes, so a gate only warns, because no client gets access (RFC 9110, 13.2.1 and 14.2). */
const byCondition: readonly Fault[] = [
  slip('tags-compared-before-credentials', 'Who knows any tag is answered 304 before credentials are read.', {
    under: sends('if-none-match', '*'),
    hits: codesOf.credentials,
    change: { status: 304 },
  }),
  warnedInGate(
    slip('dates-compared-before-versions', 'Who has a newer list is answered 304 whatever the version.', {
      under: (call) => Date.parse(field(call, 'if-modified-since') ?? '') > Date.now(),
      hits: codesOf.versions,
      change: { status: 304 },
    }),
  ),
  warnedInGate(
    slip('ranges-of-errors', 'Who asks for some bytes is sent those of an error, with 206.', {
      under: sends('range'),
      change: (answer) => ({ status: 206, text: bodyOf(answer).slice(0, 4) }),
    }),
  ),
  warnedInGate(
    beyondGate(
      slipOfSuccess(
        'any-tag-fails-the-list',
        'With if-none-match: * the list is answered 412, as if it were written to.',
        { under: sends('if-none-match', '*'), change: failure(412, 'precondition failed') },
      ),
    ),
  ),
]

/** Faults that show only if a flaw meets a certain client, connection, accepted format or HTTP condition. */
export const conditionFaults: readonly Fault[] = [
  ...byClient,
  ...byConnection,
  ...byAccept,
  ...byLanguage,
  ...byCoding,
  ...byCondition,
]
