import type { Bend } from '../../../lib/serve/reference/bend.ts'
import { becomes, every, failure, onAnswer, onRefusal } from '../../../lib/serve/reference/bending.ts'
import { field, type Call } from '../../../lib/serve/reference/call.ts'
import type { Fault } from '../../../lib/serve/reference/fault.ts'
import { beyondGate } from './beyond-gate.ts'
import { shipped } from './shipped.ts'

/** Wrong answers to a client whose quota is used up. */
const exhausted: readonly Fault[] = [
  shipped('exhausted-client-served'),
  shipped('exhausted-client-without-code'),
  {
    name: 'exhausted-client-forbidden',
    about: 'An exhausted client is answered 403, with the right code.',
    rules: ['quota/exhausted', 'errors/documented-pairs'],
    bend: () => onRefusal('1020', { status: 403 }),
  },
  {
    name: 'exhausted-client-unavailable',
    about: 'An exhausted client is answered 503, with the right code.',
    rules: ['quota/exhausted', 'errors/documented-pairs'],
    bend: () => onRefusal('1020', { status: 503 }),
  },
  {
    name: 'exhausted-client-unauthorized',
    about: 'An exhausted client is answered 401 and 1013.',
    rules: ['quota/exhausted'],
    bend: () => onRefusal('1020', becomes('1013')),
  },
]

/** Quotas that do not last. */
const forgetful: readonly Fault[] = [
  {
    name: 'exhausted-client-served-every-second-time',
    about: 'An exhausted client is served every second time.',
    rules: ['quota/stays-exhausted'],
    implied: true,
    bend: () => forgets(2),
  },
  {
    name: 'exhausted-client-served-every-third-time',
    about: 'An exhausted client is served every third time.',
    rules: ['quota/stays-exhausted'],
    implied: true,
    bend: () => forgets(3),
  },
  {
    name: 'exhausted-client-fails-every-third-time',
    about: 'An exhausted client is answered 500 every third time.',
    rules: ['quota/stays-exhausted', 'errors/documented-pairs'],
    bend: () => {
      const isTime = every(3)
      return onAnswer(({ refusal }) => refusal === '1020' && isTime(), failure(500))
    },
  },
  {
    name: 'exhausted-client-locked-out',
    about: 'From its second refusal on, an exhausted client is answered 401 and 1006.',
    rules: ['quota/stays-exhausted', 'quota/exhausted'],
    bend: () => {
      let refused = false
      return onRefusal('1020', (answer) => {
        const change = refused ? becomes('1006') : answer
        refused = true
        return change
      })
    },
  },
]

/** Quotas of a client whose size is declared. */
const miscounted: readonly Fault[] = [
  {
    name: 'quota-counts-every-second-request',
    about: 'Every second request of a client is not counted.',
    rules: ['quota/exhausted'],
    bend: () => ofDisposable(every(2)),
  },
  {
    name: 'quota-granted-again-by-refusal',
    about: 'After a refusal for the quota, the next request of the client is served.',
    rules: ['quota/stays-exhausted'],
    bend: () => {
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
  },
  beyondGate({
    name: 'quota-of-each-forwarded-address',
    about: 'A client whose request names another address is served beyond its quota.',
    rules: ['quota/stays-exhausted'],
    bend: () => ofDisposable((call) => field(call, 'x-forwarded-for') !== undefined),
  }),
  beyondGate({
    name: 'quota-not-asked-for-head',
    about: 'HEAD is served beyond the quota of the client.',
    rules: ['quota/stays-exhausted'],
    bend: () => ofDisposable(({ method }) => method === 'HEAD'),
  }),
  beyondGate({
    name: 'quota-not-asked-of-new-connections',
    about: 'The first request of a connection is served beyond the quota of its client.',
    rules: ['quota/stays-exhausted'],
    bend: () => {
      const known = new WeakSet<object>()
      return ofDisposable(({ connection }) => {
        const isNew = !known.has(connection)
        known.add(connection)
        return isNew
      })
    },
  }),
]

/** Quotas that affect other clients. */
const shared: readonly Fault[] = [
  {
    name: 'quota-shared-by-all',
    about: 'Once one client is refused for its quota, all are.',
    rules: ['quota/per-client'],
    bend: () => spreads(() => true, Infinity),
  },
  {
    name: 'quota-shared-for-a-moment',
    about: 'After a client was refused for its quota, the next success of another client is too.',
    rules: ['quota/per-client'],
    bend: () => spreads(() => true, 1),
  },
  {
    name: 'quota-shared-with-second-client',
    about: 'Once one client is refused for its quota, the second is.',
    rules: ['quota/per-client'],
    bend: () => spreads((name) => name === 'second', Infinity),
  },
  {
    name: 'quota-shared-with-permitted-client',
    about:
      'After a client was refused for its quota, the next three successes of the permitted client are too.',
    rules: ['quota/per-client'],
    bend: () => spreads((name) => name === 'permitted', 3),
  },
]

/** Quotas that are not enforced, not permanent, or not per client. */
export const quotaFaults: readonly Fault[] = [...exhausted, ...forgetful, ...miscounted, ...shared]

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

/** After a refusal for quota, this many successes of these clients are refused, too. */
function spreads(touches: (name: string) => boolean, times: number): Bend {
  let left = 0
  return onAnswer(({ refusal, client }) => {
    if (refusal === '1020') left = times
    const struck = refusal === null && client !== null && left > 0 && touches(client.name)
    if (struck) left -= 1
    return struck
  }, becomes('1020'))
}
