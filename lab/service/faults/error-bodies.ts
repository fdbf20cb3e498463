import type { Answer } from '../../../lib/serve/reference/answer.ts'
import { every, onAnswer, onAnyRefusal, onRefusal } from '../../../lib/serve/reference/bending.ts'
import type { Fault } from '../../../lib/serve/reference/fault.ts'
import { placeOnConnection } from './on-connection.ts'
import { shipped } from './shipped.ts'

/** Error bodies that are JSON, but not the documented object. */
export const errorBodyFaults: readonly Fault[] = [
  shipped('error-code-is-a-number'),
  {
    name: 'error-code-is-a-number-on-reused-connection',
    about: 'From the second request of a connection on, error_code is a number.',
    rules: ['errors/body-shape'],
    bend: () => {
      const placeOf = placeOnConnection()
      return onAnswer((answer, call) => placeOf(call) > 1 && answer.refusal !== null, codeAsNumber)
    },
  },
  shipped('error-message-missing'),
  {
    name: 'error-message-null-now-and-then',
    about: 'In every ninth error error_message is null.',
    rules: ['errors/body-shape'],
    bend: () => {
      const isTime = every(9)
      return onAnswer(
        ({ refusal }) => refusal !== null && isTime(),
        ({ payload }) => ({ payload: { ...payload, error_message: null } }),
      )
    },
  },
  {
    name: 'error-message-is-an-object-for-no-customer',
    about: 'In the error for credentials without a customer error_message is an object of translations.',
    rules: ['errors/body-shape'],
    bend: () =>
      onRefusal('1012', ({ payload }) => ({
        payload: { ...payload, error_message: { en: payload['error_message'] } },
      })),
  },
  {
    name: 'error-body-is-a-list',
    about: 'Errors are arrays of error objects.',
    rules: ['errors/body-shape'],
    bend: () => onAnyRefusal(({ payload }) => ({ text: JSON.stringify([payload]) })),
  },
  {
    name: 'error-body-is-nested',
    about: 'The error object stands under a property "error".',
    rules: ['errors/body-shape'],
    bend: () => onAnyRefusal(({ payload }) => ({ payload: { error: payload } })),
  },
  {
    name: 'error-properties-in-camel-case',
    about: 'The properties are errorCode and errorMessage.',
    rules: ['errors/body-shape'],
    bend: () =>
      onAnyRefusal(({ payload }) => ({
        payload: { errorCode: payload['error_code'], errorMessage: payload['error_message'] },
      })),
  },
  {
    name: 'error-body-is-a-string',
    about: 'The error for a missing secret is the message as a JSON string.',
    rules: ['errors/body-shape', 'authentication/secret-key-missing'],
    bend: () => onRefusal('1002', ({ payload }) => ({ text: JSON.stringify(payload['error_message']) })),
  },
]

function codeAsNumber({ payload }: Answer): Partial<Answer> {
  return { payload: { ...payload, error_code: Number(payload['error_code']) } }
}
