import { onAnyRefusal, onRefusal, onSuccess } from '../../../lib/serve/reference/bending.ts'
import { field, type Call } from '../../../lib/serve/reference/call.ts'
import type { Fault } from '../../../lib/serve/reference/fault.ts'
import { withTrailers } from '../deliveries/chunked.ts'
import { withReason } from '../deliveries/spelled.ts'

/** Answers that repeat the secret in a rarely checked place, or in a rare spelling. */
export const secretElsewhereFaults: readonly Fault[] = [
  {
    name: 'secret-in-hexadecimal',
    about: 'Every success repeats the secret in hexadecimal.',
    rules: ['security/no-secret-echo'],
    bend: () => onSuccess(({ payload }, call) => ({ payload: { ...payload, trace: hex(call) } })),
  },
  {
    name: 'secret-in-capital-hexadecimal-for-missing-version',
    about: 'The error for a missing version repeats the secret in hexadecimal, in capital letters.',
    rules: ['security/no-secret-echo'],
    bend: () =>
      onRefusal('1003', ({ payload }, call) => ({
        payload: { ...payload, trace: `0x${hex(call).toUpperCase()}` },
      })),
  },
  {
    name: 'secret-in-percent-encoding-of-every-byte',
    about: 'Every error links to a page, with the secret in its query, all of it percent-encoded.',
    rules: ['security/no-secret-echo'],
    bend: () =>
      onAnyRefusal((_answer, call) => ({
        headers: { link: `</help?s=${hex(call).toUpperCase().replaceAll(/../g, '%$&')}>; rel=help` },
      })),
  },
  {
    name: 'secret-in-reason-phrase',
    about: 'The reason phrase for an invalid secret repeats it.',
    rules: ['security/no-secret-echo'],
    bend: () =>
      onRefusal('1007', (_answer, call) => ({
        delivery: withReason(() => `No client has ${encodeURIComponent(secretOf(call))}`),
      })),
  },
  {
    name: 'secret-in-trailer',
    about: 'A field behind the body of the list repeats the secret.',
    rules: ['security/no-secret-echo'],
    bend: () =>
      onSuccess((_answer, call) => ({
        delivery: withTrailers({ 'x-trace': `k:${encodeURIComponent(secretOf(call))}` }),
      })),
  },
]

function hex(call: Call): string {
  return Buffer.from(secretOf(call), 'latin1').toString('hex')
}

function secretOf(call: Call): string {
  return field(call, 'x-secret-key') ?? ''
}
