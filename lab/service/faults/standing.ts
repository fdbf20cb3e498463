import { succeed } from '../../../lib/serve/reference/answer.ts'
import { becomes, onRefusal } from '../../../lib/serve/reference/bending.ts'
import type { Fault } from '../../../lib/serve/reference/fault.ts'
import { shipped } from './shipped.ts'

const nothing = succeed({ customizations: [], total: 0 })
const emptyList = { refusal: null, status: nothing.status, payload: nothing.payload }

/** Wrong answers to credentials without a customer. */
const noCustomer: readonly Fault[] = [
  {
    name: 'no-customer-served',
    about: 'Credentials without a customer are served.',
    rules: ['authentication/customer-not-found'],
    bend: () => ({ skips: (check) => check === 'customer' }),
  },
  {
    name: 'no-customer-empty-list',
    about: 'Credentials without a customer get an empty list.',
    rules: ['authentication/customer-not-found'],
    bend: () => onRefusal('1012', emptyList),
  },
  {
    name: 'no-customer-not-found-status',
    about: 'Credentials without a customer are answered 404, with the right code.',
    rules: ['authentication/customer-not-found', 'errors/documented-pairs'],
    bend: () => onRefusal('1012', { status: 404 }),
  },
  shipped('no-customer-invalid-api-key'),
  shipped('no-customer-body-cut'),
]

/** Wrong answers if the endpoint is inactive. */
const inactive: readonly Fault[] = [
  {
    name: 'inactive-endpoint-served',
    about: 'An inactive endpoint is served.',
    rules: ['authentication/endpoint-inactive'],
    bend: () => ({ skips: (check) => check === 'endpoint-active' }),
  },
  {
    name: 'inactive-endpoint-forbidden',
    about: 'An inactive endpoint is answered 403, with the right code.',
    rules: ['authentication/endpoint-inactive', 'errors/documented-pairs'],
    bend: () => onRefusal('1011', { status: 403 }),
  },
  {
    name: 'inactive-endpoint-not-found',
    about: 'An inactive endpoint is answered 400 and 1010.',
    rules: ['authentication/endpoint-inactive'],
    bend: () => onRefusal('1011', becomes('1010')),
  },
  shipped('inactive-endpoint-unauthorized'),
  shipped('inactive-endpoint-drips'),
]

/** Wrong answers to clients that are not permitted. */
const unauthorized: readonly Fault[] = [
  {
    name: 'unauthorized-client-served',
    about: 'A client that is not permitted is served.',
    rules: ['authentication/endpoint-unauthorized'],
    bend: () => ({ skips: (check) => check === 'permitted' }),
  },
  shipped('unauthorized-client-forbidden'),
  {
    name: 'unauthorized-client-message-as-code',
    about: 'A client that is not permitted gets the message of the table as its code.',
    rules: ['authentication/endpoint-unauthorized', 'errors/documented-pairs'],
    bend: () =>
      onRefusal('1013', ({ payload }) => ({ payload: { ...payload, error_code: 'unauthorized_endpoint' } })),
  },
  {
    name: 'unauthorized-client-customer-not-found',
    about: 'A client that is not permitted is answered 401 and 1012.',
    rules: ['authentication/endpoint-unauthorized'],
    bend: () => onRefusal('1013', becomes('1012')),
  },
  {
    name: 'unauthorized-client-empty-list',
    about: 'A client that is not permitted gets an empty list.',
    rules: ['authentication/endpoint-unauthorized'],
    bend: () => onRefusal('1013', emptyList),
  },
  shipped('unauthorized-client-never-answered'),
]

/** Wrong answers to clients with valid credentials that may not use the endpoint. */
export const standingFaults: readonly Fault[] = [...noCustomer, ...inactive, ...unauthorized]
