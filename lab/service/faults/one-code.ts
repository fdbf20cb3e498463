import type { Code } from '../../../lib/serve/reference/answer.ts'
import { isForList, onAnswer, onRefusal } from '../../../lib/serve/reference/bending.ts'
import type { Fault } from '../../../lib/serve/reference/fault.ts'
import type { SpecRuleId } from '../../../lib/specification/rules.ts'

/** A documented code under a status that is documented for other codes. */
function under(status: number, code: Code, name: string, about: string, rule: SpecRuleId): Fault {
  return { name, about, rules: [rule, 'errors/documented-pairs'], bend: () => onRefusal(code, { status }) }
}

/** A code under a wrong status, or replaced by another code. */
export const oneCodeFaults: readonly Fault[] = [
  under(
    400,
    '1012',
    'no-customer-bad-request',
    'Credentials without a customer are answered 400, with the right code.',
    'authentication/customer-not-found',
  ),
  under(
    400,
    '1013',
    'unauthorized-client-bad-request',
    'A client that is not permitted is answered 400, with the right code.',
    'authentication/endpoint-unauthorized',
  ),
  under(
    429,
    '1011',
    'inactive-endpoint-too-many-requests',
    'An inactive endpoint is answered 429, with the right code.',
    'authentication/endpoint-inactive',
  ),
  under(
    400,
    '1020',
    'exhausted-client-bad-request',
    'An exhausted client is answered 400, with the right code.',
    'quota/exhausted',
  ),
  under(
    401,
    '1030',
    'invalid-parameters-unauthorized-status',
    'Invalid parameters are answered 401, with the right code.',
    'input/invalid-parameters',
  ),
  {
    name: 'unsupported-version-unauthorized-status',
    about:
      'An unsupported version is answered 401, with the right code; an unknown path is answered rightly.',
    rules: ['versioning/endpoint-not-in-version', 'errors/documented-pairs'],
    bend: () => onAnswer(({ refusal }, call) => refusal === '1010' && isForList(call), { status: 401 }),
  },
  {
    name: 'missing-version-unknown-code',
    about: 'A missing version is answered 400 and 1004.',
    rules: ['versioning/version-missing', 'errors/documented-pairs'],
    bend: () => onRefusal('1003', ({ payload }) => ({ payload: { ...payload, error_code: '1004' } })),
  },
  {
    name: 'missing-api-key-under-200',
    about: 'A missing key is answered 200 with the documented error object.',
    rules: ['authentication/api-key-missing', 'errors/documented-pairs'],
    bend: () => onRefusal('1001', { status: 200 }),
  },
  {
    name: 'invalid-parameters-under-200',
    about: 'Invalid parameters are answered 200 with the documented error object.',
    rules: ['input/invalid-parameters', 'errors/documented-pairs'],
    bend: () => onRefusal('1030', { status: 200 }),
  },
  {
    name: 'invalid-parameters-body-cut',
    about: 'The answer to invalid parameters breaks off in the middle of its body.',
    rules: ['input/invalid-parameters'],
    bend: () => onRefusal('1030', { delivery: 'cut' }),
  },
]
