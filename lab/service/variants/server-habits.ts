import { refuse, succeed } from '../../../lib/serve/reference/answer.ts'
import { field, type Call } from '../../../lib/serve/reference/call.ts'
import { clients } from '../../../lib/serve/reference/clients.ts'
import { bare } from '../../../lib/serve/reference/gateway.ts'
import type { Variant } from '../../../lib/serve/reference/variant.ts'
import { gateway } from './variant-of.ts'

/** How honest servers treat requests meant for dishonest ones. */
export const serverHabitVariants: readonly Variant[] = [
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
