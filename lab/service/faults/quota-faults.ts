import type { Answer } from '../../../lib/serve/reference/answer.ts'
import type { Bend } from '../../../lib/serve/reference/bend.ts'
import { becomes, every, failure, onAnswer, onRefusal } from '../../../lib/serve/reference/bending.ts'
import { field, type Call } from '../../../lib/serve/reference/call.ts'
import type { ClientName } from '../../../lib/serve/reference/clients.ts'
import type { Fault } from '../../../lib/serve/reference/fault.ts'
import { breaking, breakingWith } from './breaking.ts'

const warnedOf = breakingWith({ implied: true }, 'quota/stays-exhausted')
const staysExhaustedLater = breakingWith({ profile: 'acceptance' }, 'quota/stays-exhausted')
const perClient = breaking('quota/per-client')

/** Quotas that do not last. */
const forgetful: readonly Fault[] = [
  warnedOf(
    'exhausted-client-served-every-second-time',
    'An exhausted client is served every second time.',
    () => forgets(2),
  ),
  warnedOf(
    'exhausted-client-served-every-third-time',
    'An exhausted client is served every third time.',
    () => forgets(3),
  ),
  breaking('quota/stays-exhausted', 'errors/documented-pairs')(
    'exhausted-client-fails-every-third-time',
    'An exhausted client is answered 500 every third time.',
    () => {
      const isTime = every(3)
      return onAnswer(({ refusal }) => refusal === '1020' && isTime(), failure(500))
    },
  ),
  breaking('quota/stays-exhausted', 'quota/exhausted')(
    'exhausted-client-locked-out',
    'From its second refusal on, an exhausted client is answered 401 and 1006.',
    () => {
      let refused = false
      return onRefusal('1020', (answer) => {
        const change = refused ? becomes('1006') : answer
        refused = true
        return change
      })
    },
  ),
]

/** Quotas of a client whose size is declared. */
const miscounted: readonly Fault[] = [
  breaking('quota/exhausted')(
    'quota-counts-every-second-request',
    'Every second request of a client is not counted.',
    () => ofDisposable(every(2)),
  ),
  breaking('quota/stays-exhausted')(
    'quota-granted-again-by-refusal',
    'After a refusal for the quota, the next request of the client is served.',
    () => {
      let wasRefused = false
      return {
        skips: (check, _call, client) => {
          if (check !== 'quota' || client?.name !== 'disposable' || !wasRefused) return false
          wasRefused = false
          return true
        },
        answer: (answer) => {
          if (answer.refusal === '1020' && answer.client?.name === 'disposable') wasRefused = true
          return answer
        },
      }
    },
  ),
  staysExhaustedLater(
    'quota-of-each-forwarded-address',
    'A client whose request names another address is served beyond its quota.',
    () => ofDisposable((call) => field(call, 'x-forwarded-for') !== undefined),
  ),
  staysExhaustedLater('quota-not-asked-for-head', 'HEAD is served beyond the quota of the client.', () =>
    ofDisposable(({ method }) => method === 'HEAD'),
  ),
  staysExhaustedLater(
    'quota-not-asked-of-new-connections',
    'The first request of a connection is served beyond the quota of its client.',
    () => {
      const known = new WeakSet<object>()
      return ofDisposable(({ connection }) => {
        const isNew = !known.has(connection)
        known.add(connection)
        return isNew
      })
    },
  ),
]

/** Quotas that affect other clients. */
const shared: readonly Fault[] = [
  perClient('quota-shared-by-all', 'Once one client is refused for its quota, all are.', () =>
    disturbs(Infinity, becomes('1020')),
  ),
  perClient(
    'quota-shared-for-a-moment',
    'After a client was refused for its quota, the next success of another client is too.',
    () => disturbs(1, becomes('1020')),
  ),
  perClient(
    'quota-shared-with-second-client',
    'Once one client is refused for its quota, the second is.',
    () => disturbs(Infinity, becomes('1020'), 'second'),
  ),
  perClient(
    'quota-shared-with-permitted-client',
    'After a client was refused for its quota, the next three successes of the permitted client are too.',
    () => disturbs(3, becomes('1020'), 'permitted'),
  ),
]

/** Ignores the quota of the disposable client for some requests. */
export function ofDisposable(isFree: (call: Call) => boolean): Bend {
  return {
    skips: (check, call, client) => check === 'quota' && client?.name === 'disposable' && isFree(call),
  }
}

/** Ignores the quota of the exhausted client every `n`th time. */
function forgets(n: number): Bend {
  const isTime = every(n)
  return { skips: (check, _call, client) => check === 'quota' && client?.name === 'exhausted' && isTime() }
}

const perClientUndocumented = breaking('quota/per-client', 'errors/documented-pairs')

/** After a refusal for quota, this many successes of other clients, or of the named one, get another answer. */
function disturbs(times: number, change: Partial<Answer>, name?: ClientName): Bend {
  let left = 0
  return onAnswer(({ refusal, client }) => {
    if (refusal === '1020') left = times
    const isStruck = refusal === null && client !== null && left > 0 && (name ?? client.name) === client.name
    if (isStruck) left -= 1
    return isStruck
  }, change)
}

/**
 * Quotas that apply only to some, that change other answers, or that affect other clients by something other
 * than 1020.
 */
const othersQuotaFaults: readonly Fault[] = [
  breaking('quota/exhausted')(
    'disposable-client-never-refused',
    'The quota of one client is never enforced, that of another is.',
    () => ({ skips: (check, _call, client) => check === 'quota' && client?.name === 'disposable' }),
  ),
  perClientUndocumented(
    'others-fail-after-quota-ran-out',
    'After a client was refused for its quota, the next two successes of others are answered 500.',
    () => disturbs(2, failure(500)),
  ),
  breaking('quota/per-client', 'endpoints/list-succeeds')(
    'others-unauthorized-after-quota-ran-out',
    'After a client was refused for its quota, the next two successes of others are answered 401 and 1013.',
    () => disturbs(2, becomes('1013')),
  ),
  perClientUndocumented(
    'others-get-quota-error-under-200',
    "After a client was refused for its quota, the next success of another carries that client's error.",
    () => disturbs(1, { payload: becomes('1020').payload ?? {} }),
  ),
]

/** Quotas that are not enforced, not permanent, not per client, or that change other answers. */
export const quotaFaults: readonly Fault[] = [...forgetful, ...miscounted, ...shared, ...othersQuotaFaults]
