import { onAnswer, onAnyRefusal, onRefusal, onSuccess } from '../../../lib/serve/reference/bending.ts'
import { field, type Call } from '../../../lib/serve/reference/call.ts'
import type { Fault } from '../../../lib/serve/reference/fault.ts'

/** Answers that repeat the secret that was sent. */
export const secretEchoFaults: readonly Fault[] = [
  {
    name: 'secret-in-error-message',
    about: 'The message of every error repeats the secret.',
    rules: ['security/no-secret-echo'],
    bend: () =>
      onAnyRefusal(({ payload }, call) => ({
        payload: { ...payload, error_message: `${String(payload['error_message'])}: ${secretOf(call)}` },
      })),
  },
  {
    name: 'invalid-secret-in-error-message',
    about: 'The error for an invalid secret repeats it.',
    rules: ['security/no-secret-echo'],
    bend: () =>
      onRefusal('1007', ({ payload }, call) => ({
        payload: { ...payload, error_message: `no client has the secret "${secretOf(call)}"` },
      })),
  },
  {
    name: 'secret-in-response-header',
    about: 'Every success repeats the secret in a header.',
    rules: ['security/no-secret-echo'],
    bend: () => onSuccess((_answer, call) => ({ headers: { 'x-secret-key': secretOf(call) } })),
  },
  {
    name: 'secret-in-cookie-of-unauthorized-client',
    about: 'A client that is not permitted gets its secret back in a cookie.',
    rules: ['security/no-secret-echo'],
    bend: () =>
      onRefusal('1013', (_answer, call) => ({
        headers: { 'set-cookie': `session=${secretOf(call)}; Path=/` },
      })),
  },
  {
    name: 'secret-in-base64',
    about: 'Every success repeats the secret in base64.',
    rules: ['security/no-secret-echo'],
    bend: () =>
      onSuccess(({ payload }, call) => ({
        payload: { ...payload, trace: Buffer.from(secretOf(call)).toString('base64') },
      })),
  },
  {
    name: 'request-headers-dumped-on-unknown-endpoint',
    about: 'The error for an unknown endpoint carries all request headers beside code and message.',
    rules: ['security/no-secret-echo'],
    bend: () =>
      onAnswer(
        ({ refusal }) => refusal === '1010',
        ({ payload }, { headers }) => ({ payload: { ...payload, debug: { headers } } }),
      ),
  },
]

// As a header of the answer can contain it.
function secretOf(call: Call): string {
  return encodeURIComponent(field(call, 'x-secret-key') ?? '')
}
