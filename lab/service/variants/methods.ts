import { refuse, type Answer } from '../../../lib/serve/reference/answer.ts'
import type { Call } from '../../../lib/serve/reference/call.ts'
import { bare, page } from '../../../lib/serve/reference/gateway.ts'
import type { Variant } from '../../../lib/serve/reference/variant.ts'

/** Answers to methods other than GET. The specification shows none. */
export const methodVariants: readonly Variant[] = [
  answering('head-refused-bare', 'HEAD is refused by the gateway with 405.', ['HEAD'], () =>
    bare(405, { allow: 'GET' }),
  ),
  answering('head-unknown', 'The framework knows no HEAD.', ['HEAD'], () => page(501, 'not implemented')),
  answering('head-not-found', 'HEAD is answered 404, as where routes are by method.', ['HEAD'], () =>
    page(404, 'not found'),
  ),
  answering('head-is-another-endpoint', 'HEAD names an endpoint that does not exist.', ['HEAD'], () =>
    refuse('1010'),
  ),
  answering(
    'options-answered-for-browsers',
    'OPTIONS is answered by the gateway, whoever asks, as browsers want it.',
    ['OPTIONS'],
    () =>
      bare(204, {
        'access-control-allow-origin': '*',
        'access-control-allow-methods': 'GET, OPTIONS',
        'access-control-allow-headers': 'x-api-key, x-secret-key, x-version, accept',
        'access-control-max-age': '86400',
      }),
  ),
  answering('options-served-bare', 'OPTIONS is answered 200 with nothing but the methods.', ['OPTIONS'], () =>
    bare(200, { allow: 'GET, HEAD, OPTIONS' }),
  ),
  answering(
    'other-methods-refused-bare',
    'Every method but GET is refused by the gateway with 405.',
    others,
    () => bare(405, { allow: 'GET' }),
  ),
  answering('other-methods-not-found', 'Every method but GET is answered 404.', others, () =>
    page(404, 'not found'),
  ),
]

function others(method: string): boolean {
  return method !== 'GET'
}

function answering(
  name: string,
  about: string,
  methods: readonly string[] | ((method: string) => boolean),
  answer: (call: Call) => Answer,
): Variant {
  const isMeant = typeof methods === 'function' ? methods : (method: string) => methods.includes(method)
  return {
    name,
    about,
    manner: () => ({ gateway: { answers: (call) => (isMeant(call.method) ? answer(call) : null) } }),
  }
}
