import type { Bend } from '../../../lib/serve/reference/bend.ts'
import { every, failure, isAbsent, onAnswer, onAnyRefusal } from '../../../lib/serve/reference/bending.ts'
import { field, withField, type Call } from '../../../lib/serve/reference/call.ts'
import type { Fault } from '../../../lib/serve/reference/fault.ts'
import { list } from '../../../lib/serve/reference/list.ts'
import { breaking } from './breaking.ts'

const bodyShape = breaking('errors/body-shape')

/** Faults in one answer of nine. */
const inOneOfNine: readonly Fault[] = [
  breaking('conventions/json-content-type')(
    'list-labelled-html-every-ninth-time',
    'Every ninth list is labelled text/html.',
    () => {
      const isTime = every(9)
      return onAnswer(({ refusal }) => refusal === null && isTime(), { contentType: 'text/html' })
    },
  ),
  breaking('security/no-secret-echo')(
    'secret-in-every-ninth-error',
    'The message of every ninth error repeats the secret.',
    () => {
      const isTime = every(9)
      return onAnyRefusal(({ payload }, call) => ({
        payload: isTime()
          ? { ...payload, error_message: `no ${String(field(call, 'x-secret-key'))}` }
          : payload,
      }))
    },
  ),
  bodyShape('error-without-code-every-ninth-time', 'Every ninth error has a message and no code.', () => {
    const isTime = every(9)
    return onAnyRefusal(({ payload }) => ({
      payload: isTime() ? { error_message: payload['error_message'] } : payload,
    }))
  }),
  breaking('authentication/api-key-invalid', 'authentication/secret-key-invalid', 'authentication/no-bypass')(
    'wrong-credentials-served-every-ninth-time',
    'Every ninth request with an invalid key or secret is served.',
    () => {
      const isTime = every(9)
      return {
        answer: (answer, call) =>
          (answer.refusal === '1006' || answer.refusal === '1007') && isTime() ? list(call.query) : answer,
      }
    },
  ),
]

/** Faults that start only after a while. */
const afterMany: readonly Fault[] = [
  breaking('endpoints/list-succeeds', 'errors/documented-pairs')(
    'list-fails-after-two-hundred-requests',
    'From the 200th request on, every seventh list is answered 500.',
    () => {
      const isTime = every(7)
      return onAnswer(
        ({ refusal }, { arrival }) => refusal === null && arrival >= 200 && isTime(),
        failure(500),
      )
    },
  ),
  breaking('authentication/not-cached', 'fuzz/secret-key')(
    'secret-key-not-compared-after-hundred-requests',
    'From the 100th request on, no secret is compared.',
    () => ({ skips: (check, { arrival }) => check === 'secret-key-valid' && arrival >= 100 }),
  ),
  breaking(
    'authentication/not-cached',
    'authentication/isolated-under-concurrency',
    'versioning/version-missing',
  )(
    'missing-version-defaults-after-hundred-requests',
    'From the 100th request on, a missing version is version 1.',
    () => seesLate((call) => (isAbsent(call, 'x-version') ? withField(call, 'x-version', '1') : call)),
  ),
  bodyShape(
    'error-message-missing-after-two-hundred-requests',
    'From the 200th request on, errors have no error_message.',
    () =>
      onAnyRefusal(({ payload }, { arrival }) => ({
        payload: arrival >= 200 ? { error_code: payload['error_code'] } : payload,
      })),
  ),
  breaking('fuzz/path', 'errors/documented-pairs')(
    'unknown-endpoint-not-found-after-hundred-requests',
    'From the 100th request on, an unknown path is answered 404, with the right code.',
    () => onAnswer(({ refusal }, { arrival }) => refusal === '1010' && arrival >= 100, { status: 404 }),
  ),
]

/** Faults that show now and then, or after a while. */
export const nowAndThenFaults: readonly Fault[] = [...inOneOfNine, ...afterMany]

function seesLate(see: (call: Call) => Call): Bend {
  return { see: (call) => (call.arrival >= 100 ? see(call) : call) }
}
