import {
  bases,
  type Base,
  caseClass,
  judged,
  listed,
  observedOnly,
  type CaseClass,
  type ClientInput,
} from './case-class.ts'
import { adding, setting } from './request-changes.ts'

/** Fields that ordinary clients add by themselves: they change no outcome, of a valid request or a refusal. */
export function clientFieldClasses({ furtherBases }: ClientInput): readonly CaseClass[] {
  const all = [...bases.filter((base) => base !== 'valid'), ...furtherBases]
  const refusals = [...byOtherParts, ...all].filter(
    (base, at, both) => all.includes(base) && both.indexOf(base) === at,
  )
  const [browser, ...others] = fieldSets
  const onRefusals = [browser, ...others.filter((set) => set.onRefusals === true)]

  return [
    caseClass(
      'client-fields',
      listed,
      fieldSets.map((set) => ({ ...withFields(set), base: 'valid' })),
    ),
    {
      ...caseClass(
        'client-fields-on-refusals',
        listed,
        onRefusals.flatMap((set) => refusals.map((base) => ({ ...withFields(set), base }))),
      ),
      telling: refusals.filter((base) => byOtherParts.includes(base)).length,
    },
    malformedFields,
    oddCodings,
  ]
}

/** The refusals that different parts of a service make. */
const byOtherParts: readonly Exclude<Base, 'valid'>[] = [
  'api-key-absent',
  'secret-key-wrong',
  'version-unsupported',
  'endpoint-unknown',
  'input-invalid',
  'client-unauthorized',
]

/** Fields that a client adds to a request. */
interface FieldSet {
  readonly says: string
  readonly lines: readonly string[]
  /** Whether it is also sent with each refusal. */
  readonly onRefusals?: true
}

function alone(line: string, says = line): FieldSet {
  return { says, lines: [line] }
}

/** Most telling first. Excludes `user-agent`, `origin`, `cookie`, `accept`, `upgrade`, `referer` and codings that some Node cannot decode. */
const fieldSets: readonly [FieldSet, ...FieldSet[]] = [
  {
    says: 'the fields of a browser',
    lines: [
      'accept-encoding: gzip, deflate, br',
      'accept-language: en-US,en;q=0.9,de;q=0.8',
      'cache-control: no-cache',
      'pragma: no-cache',
      'priority: u=1, i',
      'sec-ch-ua: "Chromium";v="142", "Not_A Brand";v="99"',
      'sec-ch-ua-mobile: ?0',
      'sec-ch-ua-platform: "Windows"',
      'sec-fetch-dest: empty',
      'sec-fetch-mode: cors',
      'sec-fetch-site: same-origin',
    ],
  },
  { ...alone('accept-encoding: gzip'), onRefusals: true },
  { ...alone('connection: close'), onRefusals: true },
  { ...alone('accept-encoding: identity'), onRefusals: true },
  {
    ...alone('accept-encoding: gzip, deflate', 'accept-encoding: gzip, deflate, as Python sends it'),
    onRefusals: true,
  },
  {
    says: 'the fields of tracing and of JavaScript clients',
    lines: [
      'accept-encoding: gzip, deflate, br',
      'content-type: application/json',
      'x-requested-with: XMLHttpRequest',
      'x-correlation-id: 7b1f9a52-0c3e-4d68-9e21-5f80c4a7d913',
      'traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
      'tracestate: vendor=00f067aa0ba902b7',
      'baggage: release=1.0',
    ],
    onRefusals: true,
  },
  { ...alone('accept-encoding: br'), onRefusals: true },
  { ...alone('accept-encoding: deflate'), onRefusals: true },
  alone('accept-encoding: deflate, gzip, br', 'the fields of curl --compressed'),
  {
    says: 'the fields of a Java client',
    lines: ['accept-encoding: gzip, x-gzip, deflate', 'accept-charset: utf-8', 'cache-control: no-cache'],
    onRefusals: true,
  },
  {
    says: "the fields of Node's fetch",
    lines: ['accept-encoding: br, gzip, deflate', 'accept-language: *', 'sec-fetch-mode: cors'],
  },
  {
    says: 'the fields of a Go client behind Zipkin',
    lines: [
      'accept-encoding: gzip',
      'x-b3-traceid: 463ac35c9f6413ad48485a3953bb6124',
      'x-b3-spanid: a2fb4a1d1a96d312',
      'x-b3-sampled: 0',
    ],
  },
  {
    says: 'the fields of another browser',
    lines: [
      'accept-encoding: gzip, deflate, br',
      'accept-language: ar,ja;q=0.5',
      'cache-control: max-age=0',
      'dnt: 1',
      'sec-fetch-dest: document',
      'sec-fetch-mode: navigate',
      'sec-fetch-site: none',
      'sec-gpc: 1',
    ],
    onRefusals: true,
  },
  alone('accept-encoding: gzip;q=1.0, identity;q=0.5'),
]

function withFields({ says, lines }: Pick<FieldSet, 'says' | 'lines'>): ReturnType<typeof judged> {
  const fields = lines.map((line) => {
    const [name = '', value = ''] = line.split(/: (.*)/s)
    return { name, value }
  })
  return judged(`with ${says}`, adding(...fields))
}

/** Fields with a broken grammar: a service may ignore or refuse them, but must not fail. */
const malformedFields = caseClass(
  'malformed-fields',
  listed,
  [
    'traceparent: zz-not-a-trace',
    'if-modified-since: yesterday',
    'if-none-match: "unterminated',
    'accept-language: ;;q=,,=',
    'if-unmodified-since: Mon, 99 Foo 2026 99:99:99 GMT',
    'if-match: no-quotes',
    'traceparent: 00-00000000000000000000000000000000-0000000000000000-00',
    'date: 2026-13-45T99:99:99Z',
    'if-none-match: W/',
    'if-range: "',
    'tracestate: =,=,=',
    'cache-control: max-age=abc, ="',
    'accept-encoding: gzip;q=abc',
    'x-request-id: %%%',
  ].map((line) => ({ ...withFields(alone(line)), fieldMayBeRefused: true })),
)

/** Codings that servers may refuse or answer with nothing suitable: only observed. */
const oddCodings = caseClass(
  'odd-codings',
  listed,
  ['*;q=0', 'identity;q=0', 'x-unknown', ''].map((value) =>
    observedOnly('odd codings', `accept-encoding: ${value}`, setting('accept-encoding', value)),
  ),
)
