import type { Headers } from '../../../lib/serve/reference/answer.ts'
import type { Variant } from '../../../lib/serve/reference/variant.ts'

/** Instructions to caches that do not give one client's list to another. */
export const keptAnswerVariants: readonly Variant[] = [
  successes('success-kept-by-its-client', 'Clients may keep a success for a minute.', {
    'cache-control': 'private, max-age=60',
  }),
  successes('success-kept-by-no-gateway', 'Gateways may not keep a success; browsers may.', {
    'cache-control': 'max-age=60, s-maxage=0',
  }),
  successes('success-public-without-age', 'A success is public, without an age.', {
    'cache-control': 'public',
  }),
  successes('success-kept-and-asked-for', 'Caches must ask before they give a kept success again.', {
    'cache-control': 'max-age=60, no-cache',
  }),
  successes('success-kept-by-credentials', 'Caches keep a success for each key of its own.', {
    'cache-control': ['public', 'max-age=60'],
    vary: ['accept-encoding', 'X-Api-Key, X-Secret-Key, X-Version'],
  }),
  successes('success-with-malformed-age', 'The age of a success is malformed.', {
    'cache-control': 'public; max-age=60',
  }),
  {
    name: 'errors-kept-by-any-cache',
    about: 'Caches may keep an error for some seconds.',
    manner: () => ({
      writing: {
        headers: ({ refusal }) => (refusal === null ? {} : { 'cache-control': 'public, max-age=5' }),
      },
    }),
  },
]

function successes(name: string, about: string, headers: Headers): Variant {
  return {
    name,
    about,
    manner: () => ({ writing: { headers: ({ refusal }) => (refusal === null ? headers : {}) } }),
  }
}
