import { refuse } from '../../../lib/serve/reference/answer.ts'
import { field, withField, type Call } from '../../../lib/serve/reference/call.ts'
import { bare } from '../../../lib/serve/reference/gateway.ts'
import type { Variant } from '../../../lib/serve/reference/variant.ts'
import { inRanges, notModifiedWhenAsked } from '../deliveries/conditional.ts'
import { gateway } from './variant-of.ts'

const required = ['x-api-key', 'x-secret-key', 'x-version'] as const

/** Readings of header lines that HTTP leaves open, and fields with a meaning in HTTP. */
export const requestFieldVariants: readonly Variant[] = [
  gateway('repeated-fields-first-counts', 'Of a repeated field the first value counts.', {
    passes: (call) => withValues(call, ([first]) => first),
  }),
  gateway('repeated-fields-last-counts', 'Of a repeated field the last value counts.', {
    passes: (call) => withValues(call, (values) => values.at(-1)),
  }),
  gateway('repeated-fields-alike-count-once', 'Values of a repeated field that are the same count as one.', {
    passes: (call) => withValues(call, (values) => [...new Set(values)].join(',')),
  }),
  gateway('repeated-fields-invalid-input', 'A credential or version that is repeated is invalid input.', {
    answers: (call) => (required.some((name) => valuesOf(call, name).length > 1) ? refuse('1030') : null),
  }),
  {
    ...gateway(
      'underscores-count-as-hyphens',
      'Names with underscores count as those with hyphens, as with CGI.',
      {
        passes: (call) => {
          const found = required.map(
            (name) => [name, field(call, name) ?? field(call, name.replaceAll('-', '_'))] as const,
          )
          return found.reduce((seen, [name, value]) => withField(seen, name, value), call)
        },
      },
    ),
    warns: ['fuzz/combined-flaws'],
  },
  gateway('hop-by-hop-fields-dropped', 'Fields that connection names are dropped, as a proxy must.', {
    passes: (call) => {
      const named = (field(call, 'connection') ?? '').split(',').map((name) => name.trim().toLowerCase())
      return named.reduce((seen, name) => (name === '' ? seen : withField(seen, name, undefined)), call)
    },
  }),
  {
    name: 'lenient-parser',
    about: 'The parser takes folded lines and control characters in values.',
    manner: () => ({ server: { insecureHTTPParser: true } }),
  },
  gateway('host-not-required', 'A request without a host is served like any other.', {
    passes: (call) => withField(call, 'host', field(call, 'host') ?? 'default'),
  }),
  gateway(
    'cookies-and-authorization-refused-bare',
    'The gateway refuses cookies and any authorization with 400.',
    {
      answers: ({ headers }) =>
        headers.cookie !== undefined || headers.authorization !== undefined ? bare(400) : null,
    },
  ),
  gateway(
    'other-accept-values-refused-bare',
    'Who accepts no JSON is refused with 406 before anything else is read.',
    { answers: (call) => (acceptsJson(field(call, 'accept') ?? '*/*') ? null : bare(406)) },
  ),
  {
    name: 'not-modified-when-asked',
    about: 'Who has the current list already is answered 304, once authenticated.',
    manner: () => ({ deliver: notModifiedWhenAsked }),
  },
  {
    name: 'ranges-honoured',
    about: 'Who asks for some bytes of the list is sent those bytes, once authenticated.',
    manner: () => ({ deliver: inRanges }),
  },
  {
    name: 'origins-reflected',
    about: 'Every answer names the origin that asked, and what it may send and read.',
    manner: () => ({
      writing: {
        headers: (_answer, call) => ({
          'access-control-allow-origin': field(call, 'origin') ?? '*',
          'access-control-expose-headers': 'x-request-id, retry-after',
          vary: 'origin, accept-encoding',
        }),
      },
    }),
  },
  {
    name: 'request-ids-echoed',
    about: 'Every answer repeats the request id and the trace of the request, or one of its own.',
    manner: () => ({
      writing: {
        headers: (_answer, call) => ({
          'x-request-id': field(call, 'x-request-id') ?? `req-${String(call.arrival)}`,
          traceparent:
            field(call, 'traceparent') ?? '00-00000000000000000000000000000001-0000000000000001-00',
        }),
      },
    }),
  },
]

function valuesOf({ rawHeaders }: Call, name: string): readonly string[] {
  return rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === name)
}

function withValues(call: Call, choose: (values: readonly string[]) => string | undefined): Call {
  return required.reduce(
    (seen, name) => withField(seen, name, choose(valuesOf(call, name)) ?? field(call, name)),
    call,
  )
}

function acceptsJson(accept: string): boolean {
  return /(?:^|,)\s*(?:\*\/\*|application\/(?:\*|json))\s*(?:;(?!\s*q=0(?:\.0*)?(?:,|$))[^,]*)?(?:,|$)/i.test(
    accept,
  )
}
