import { gzipSync } from 'node:zlib'
import type { Answer } from '../../../lib/serve/reference/answer.ts'
import { every, onAnswer, onAnyRefusal, onRefusal, onSuccess } from '../../../lib/serve/reference/bending.ts'
import type { Call } from '../../../lib/serve/reference/call.ts'
import { labelled } from '../../../lib/serve/reference/deliveries.ts'
import type { Fault } from '../../../lib/serve/reference/fault.ts'
import { brotli, cutGzip, damagedGzip, halfDeflate } from '../deliveries/miscoded.ts'

/** Bodies whose content coding differs from their label. */
export const contentCodingFaults: readonly Fault[] = [
  {
    name: 'success-labelled-gzip-and-plain',
    about: 'The list is labelled gzip and is not compressed.',
    rules: ['conventions/json-response'],
    bend: () => onSuccess({ delivery: labelled('gzip', (body) => body) }),
  },
  {
    name: 'errors-in-gzip-cut-short',
    about: 'Errors come in gzip without its last twelve bytes, and their length says so.',
    rules: ['conventions/json-response'],
    bend: () => onAnyRefusal({ delivery: labelled('gzip', cutGzip) }),
  },
  {
    name: 'success-now-and-then-in-damaged-gzip',
    about: 'Every fifth list comes in gzip with a checksum that does not fit.',
    rules: ['conventions/json-response'],
    bend: () => {
      const isTime = every(5)
      return onAnswer(({ refusal }) => refusal === null && isTime(), {
        delivery: labelled('gzip', damagedGzip),
      })
    },
  },
  {
    name: 'invalid-secret-key-labelled-gzip-and-in-brotli',
    about: 'The error for an invalid secret is labelled gzip and is in brotli.',
    rules: ['conventions/json-response', 'authentication/secret-key-invalid'],
    bend: () => onRefusal('1007', { delivery: labelled('gzip', brotli) }),
  },
  {
    name: 'missing-version-in-half-of-deflate',
    about: 'The error for a missing version is the first half of what deflate makes of it.',
    rules: ['conventions/json-response', 'versioning/version-missing'],
    bend: () => onRefusal('1003', { delivery: labelled('deflate', halfDeflate) }),
  },
  {
    name: 'unknown-endpoint-in-two-codings-of-one',
    about: 'The error for an unknown endpoint is labelled as gzip within brotli and is in brotli only.',
    rules: ['conventions/json-response', 'versioning/unknown-endpoint'],
    bend: () => onRefusal('1010', { delivery: labelled('gzip, br', brotli) }),
  },
  {
    name: 'success-empty-where-gzip-is-asked-for',
    about: 'The list is labelled gzip and has no bytes where the request accepts gzip.',
    rules: ['conventions/json-response', 'fuzz/headers'],
    bend: () => onAnswer(isSuccessInGzip, { delivery: labelled('gzip', () => Buffer.alloc(0)) }),
  },
  {
    name: 'success-cut-where-gzip-is-asked-for',
    about: 'The list comes in gzip and is cut short where the request accepts gzip.',
    rules: ['conventions/json-response', 'fuzz/headers'],
    bend: () => onAnswer(isSuccessInGzip, { delivery: labelled('gzip', cutGzip) }),
  },
  {
    name: 'success-in-gzip-of-gzip-where-asked-for',
    about: 'The list comes in gzip twice, labelled once, where the request accepts gzip.',
    rules: ['conventions/json-response', 'fuzz/headers'],
    bend: () => onAnswer(isSuccessInGzip, { delivery: labelled('gzip', (body) => gzipSync(gzipSync(body))) }),
  },
]

function isSuccessInGzip({ refusal }: Answer, { headers }: Call): boolean {
  return refusal === null && /\bgzip\b/.test(headers['accept-encoding'] ?? '')
}
