import { onAnswer, onAnyRefusal, onRefusal, onSuccess } from '../../../lib/serve/reference/bending.ts'
import { field, type Call } from '../../../lib/serve/reference/call.ts'
import type { Fault } from '../../../lib/serve/reference/fault.ts'
import { withTrailers } from '../deliveries/chunked.ts'
import { withReason } from '../deliveries/spelled.ts'
import { breaking } from './breaking.ts'

const secretEcho = breaking('security/no-secret-echo')

/** Answers that repeat the secret that was sent. */
export const secretEchoFaults: readonly Fault[] = [
  secretEcho('secret-in-error-message', 'The message of every error repeats the secret.', () =>
    onAnyRefusal(({ payload }, call) => ({
      payload: { ...payload, error_message: `${String(payload['error_message'])}: ${encoded(call)}` },
    })),
  ),
  secretEcho('invalid-secret-in-error-message', 'The error for an invalid secret repeats it.', () =>
    onRefusal('1007', ({ payload }, call) => ({
      payload: { ...payload, error_message: `no client has the secret "${encoded(call)}"` },
    })),
  ),
  secretEcho('secret-in-response-header', 'Every success repeats the secret in a header.', () =>
    onSuccess((_answer, call) => ({ headers: { 'x-secret-key': encoded(call) } })),
  ),
  secretEcho(
    'secret-in-cookie-of-unauthorized-client',
    'A client that is not permitted gets its secret back in a cookie.',
    () =>
      onRefusal('1013', (_answer, call) => ({
        headers: { 'set-cookie': `session=${encoded(call)}; Path=/` },
      })),
  ),
  secretEcho('secret-in-base64', 'Every success repeats the secret in base64.', () =>
    onSuccess(({ payload }, call) => ({
      payload: { ...payload, trace: Buffer.from(encoded(call)).toString('base64') },
    })),
  ),
  secretEcho(
    'request-headers-dumped-on-unknown-endpoint',
    'The error for an unknown endpoint carries all request headers beside code and message.',
    () =>
      onAnswer(
        ({ refusal }) => refusal === '1010',
        ({ payload }, { headers }) => ({ payload: { ...payload, debug: { headers } } }),
      ),
  ),
  secretEcho('secret-in-hexadecimal', 'Every success repeats the secret in hexadecimal.', () =>
    onSuccess(({ payload }, call) => ({ payload: { ...payload, trace: hex(call) } })),
  ),
  secretEcho(
    'secret-in-capital-hexadecimal-for-missing-version',
    'The error for a missing version repeats the secret in hexadecimal, in capital letters.',
    () =>
      onRefusal('1003', ({ payload }, call) => ({
        payload: { ...payload, trace: `0x${hex(call).toUpperCase()}` },
      })),
  ),
  secretEcho(
    'secret-in-percent-encoding-of-every-byte',
    'Every error links to a page, with the secret in its query, all of it percent-encoded.',
    () =>
      onAnyRefusal((_answer, call) => ({
        headers: { link: `</help?s=${hex(call).toUpperCase().replaceAll(/../g, '%$&')}>; rel=help` },
      })),
  ),
  secretEcho('secret-in-reason-phrase', 'The reason phrase for an invalid secret repeats it.', () =>
    onRefusal('1007', (_answer, call) => ({ delivery: withReason(() => `No client has ${encoded(call)}`) })),
  ),
  secretEcho('secret-in-trailer', 'A field behind the body of the list repeats the secret.', () =>
    onSuccess((_answer, call) => ({ delivery: withTrailers({ 'x-trace': `k:${encoded(call)}` }) })),
  ),
]

function hex(call: Call): string {
  return Buffer.from(secretOf(call), 'latin1').toString('hex')
}

function secretOf(call: Call): string {
  return field(call, 'x-secret-key') ?? ''
}

/** As a header of the answer can contain it. */
function encoded(call: Call): string {
  return encodeURIComponent(secretOf(call))
}
