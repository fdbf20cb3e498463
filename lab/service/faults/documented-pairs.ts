import {
  becomes,
  every,
  failure,
  onAnswer,
  onAnyRefusal,
  onRefusal,
} from '../../../lib/serve/reference/bending.ts'
import type { Fault } from '../../../lib/serve/reference/fault.ts'
import { shipped } from './shipped.ts'

/** Failures outside of the eleven pairs. */
export const documentedPairFaults: readonly Fault[] = [
  shipped('every-error-under-200'),
  {
    name: 'every-error-under-400',
    about: 'Every error comes under 400.',
    rules: ['errors/documented-pairs'],
    bend: () => onAnyRefusal({ status: 400 }),
  },
  {
    name: 'undocumented-code-for-invalid-api-key',
    about: 'An invalid key is answered 401 and 9999.',
    rules: ['errors/documented-pairs'],
    bend: () => onRefusal('1006', ({ payload }) => ({ payload: { ...payload, error_code: '9999' } })),
  },
  {
    name: 'undocumented-code-between-documented-ones',
    about: 'An invalid secret is answered 401 and 1008.',
    rules: ['errors/documented-pairs'],
    bend: () => onRefusal('1007', ({ payload }) => ({ payload: { ...payload, error_code: '1008' } })),
  },
  {
    name: 'error-code-padded',
    about: 'Codes have a blank after them.',
    rules: ['errors/documented-pairs'],
    bend: () =>
      onAnyRefusal(({ payload }) => ({
        payload: { ...payload, error_code: `${String(payload['error_code'])} ` },
      })),
  },
  {
    name: 'inactive-endpoint-gone',
    about: 'An inactive endpoint is answered 410, with the right code.',
    rules: ['errors/documented-pairs', 'authentication/endpoint-inactive'],
    bend: () => onRefusal('1011', { status: 410 }),
  },
  {
    name: 'secret-missing-under-200',
    about: 'A missing secret is answered 200 with the documented error object.',
    rules: ['errors/documented-pairs', 'authentication/secret-key-missing'],
    bend: () => onRefusal('1002', { status: 200 }),
  },
  {
    name: 'refusals-fail-every-ninth-time',
    about: 'Every ninth error is answered 500.',
    rules: ['errors/documented-pairs'],
    bend: () => {
      const isTime = every(9)
      return onAnswer(({ refusal }) => refusal !== null && isTime(), failure(500))
    },
  },
  {
    name: 'quota-code-for-everything-invalid',
    about: 'Invalid credentials are answered 429 and 1020, as by a limit on attempts.',
    rules: ['authentication/api-key-invalid', 'authentication/secret-key-invalid'],
    bend: () => onRefusal(['1006', '1007'], becomes('1020')),
  },
]
