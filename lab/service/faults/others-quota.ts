import type { Answer } from '../../../lib/serve/reference/answer.ts'
import type { Bend } from '../../../lib/serve/reference/bend.ts'
import { becomes, failure, onAnswer } from '../../../lib/serve/reference/bending.ts'
import type { Fault } from '../../../lib/serve/reference/fault.ts'

/** After a refusal for quota, this many successes of other clients get another answer. */
function disturbs(times: number, change: Partial<Answer>): Bend {
  let left = 0
  return onAnswer(({ refusal, client }) => {
    if (refusal === '1020') left = times
    const struck = refusal === null && client !== null && left > 0
    if (struck) left -= 1
    return struck
  }, change)
}

/**
 * Quotas that apply only to some, that change other answers, or that affect other clients by something other
 * than 1020.
 */
export const othersQuotaFaults: readonly Fault[] = [
  {
    name: 'disposable-client-never-refused',
    about: 'The quota of one client is never enforced, that of another is.',
    rules: ['quota/exhausted'],
    bend: () => ({ skips: (check, _call, client) => check === 'quota' && client?.name === 'disposable' }),
  },
  {
    name: 'others-fail-after-quota-ran-out',
    about: 'After a client was refused for its quota, the next two successes of others are answered 500.',
    rules: ['quota/per-client', 'errors/documented-pairs'],
    bend: () => disturbs(2, failure(500)),
  },
  {
    name: 'others-unauthorized-after-quota-ran-out',
    about:
      'After a client was refused for its quota, the next two successes of others are answered 401 and 1013.',
    rules: ['quota/per-client', 'endpoints/list-succeeds'],
    bend: () => disturbs(2, becomes('1013')),
  },
  {
    name: 'others-get-quota-error-under-200',
    about:
      "After a client was refused for its quota, the next success of another carries that client's error.",
    rules: ['quota/per-client', 'errors/documented-pairs'],
    bend: () => disturbs(1, { payload: becomes('1020').payload ?? {} }),
  },
]
