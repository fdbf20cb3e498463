import { brotli, cutGzip, damagedGzip, halfDeflate, labelled } from '../deliveries/miscoded.ts'
import { every, onAnswer, onAnyRefusal, onRefusal, onSuccess } from './bending.ts'
import type { Fault } from './fault.ts'

/** Bodies that are not in the content coding that they are labelled with. */
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
]
