import type { Variant } from '../../../lib/serve/reference/variant.ts'

/** Heads beyond 16 KiB, the default limit of many clients. */
export const longHeadVariants: readonly Variant[] = [
  {
    name: 'fields-of-40-kib',
    about: 'Every answer has header fields of 40 KiB, as of policies, cookies and traces.',
    manner: () => ({
      writing: {
        headers: () => ({
          'content-security-policy': `default-src 'none'; img-src ${'https://cdn.example '.repeat(1_500)}`,
          'set-cookie': Array.from({ length: 10 }, (_, at) => `c${String(at)}=${'v'.repeat(1_000)}; Path=/`),
        }),
      },
    }),
  },
]
