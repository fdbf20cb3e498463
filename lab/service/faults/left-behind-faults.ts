import { randomUUID } from 'node:crypto'
import type { Answer } from '../../../lib/serve/reference/answer.ts'
import type { Bend } from '../../../lib/serve/reference/bend.ts'
import { becomes, isForList } from '../../../lib/serve/reference/bending.ts'
import { field, type Call } from '../../../lib/serve/reference/call.ts'
import type { Fault } from '../../../lib/serve/reference/fault.ts'
import { bare } from '../../../lib/serve/reference/gateway.ts'
import { list } from '../../../lib/serve/reference/list.ts'
import { breakingWith } from './breaking.ts'
import { ownsSecret } from './credentials-sent.ts'

const fault = breakingWith({ profile: 'acceptance' }, 'authentication/not-cached')
/** The connections of other rules may reach that instance, too. */
const faultOfKey = breakingWith(
  { profile: 'acceptance' },
  'authentication/not-cached',
  'authentication/secret-key-invalid',
)
const tag = '"list-33a64df5"'

/**
 * Each success gives out a new value. A client that sends one back is served although the service should
 * refuse it.
 */
function letsInBy(handsOut: (value: string) => Answer['headers'], bringsBack: (call: Call) => string): Bend {
  const known = new Set<string>()
  return {
    answer(answer, call) {
      if (answer.refusal !== null) return known.has(bringsBack(call)) ? list(call.query) : answer
      const value = randomUUID()
      known.add(value)
      return { ...answer, headers: { ...answer.headers, ...handsOut(value) } }
    },
  }
}

/** Numbers the connections from 0, and returns the connection of a request. */
function connectionsInTurn(): (call: Call) => number {
  const numbers = new WeakMap<object, number>()
  let count = 0
  return ({ connection }) => {
    const number = numbers.get(connection) ?? count
    if (number === count) count += 1
    numbers.set(connection, number)
    return number
  }
}

/** Effects of a success, a count or one of several instances on later requests. */
export const leftBehindFaults: readonly Fault[] = [
  fault('session-cookie-stands-for-credentials', 'Who brings the cookie of a success back is served.', () =>
    letsInBy(
      (value) => ({ 'set-cookie': `session=${value}; Path=/; HttpOnly` }),
      (call) => /(?:^|;\s*)session=([\w-]+)/.exec(field(call, 'cookie') ?? '')?.[1] ?? '',
    ),
  ),
  fault('token-stands-for-credentials', 'Who brings the token of a success back is served.', () =>
    letsInBy(
      (value) => ({ 'x-auth-token': value }),
      (call) => field(call, 'x-auth-token') ?? '',
    ),
  ),
  fault('bearer-token-stands-for-credentials', 'Who brings the token of a success as bearer is served.', () =>
    letsInBy(
      (value) => ({ 'x-session-token': value }),
      (call) => field(call, 'authorization')?.replace(/^Bearer /, '') ?? '',
    ),
  ),
  fault(
    'entity-tag-matched-before-secret',
    'Who has the current list is answered 304 before the secret is compared.',
    () => ({
      answer(answer, call) {
        if (answer.refusal === null) return { ...answer, headers: { ...answer.headers, etag: tag } }
        const isKnown = answer.refusal === '1007' && field(call, 'if-none-match') === tag
        return isKnown ? { ...answer, ...bare(304), refusal: answer.refusal } : answer
      },
    }),
  ),
  fault(
    'success-replayed-by-request-id',
    'A success is given again to the same key and x-request-id, whatever the secret.',
    () => {
      const served = new Set<string>()
      const idOf = (call: Call): string => `${field(call, 'x-api-key')} ${field(call, 'x-request-id')}`
      return {
        answer(answer, call) {
          if (field(call, 'x-request-id') === undefined) return answer
          if (answer.refusal === null) served.add(idOf(call))
          return answer.refusal === '1007' && served.has(idOf(call)) ? list(call.query) : answer
        },
      }
    },
  ),
  fault(
    'head-vouches-for-next-secret',
    'Right after HEAD with valid credentials the next GET of the key is served whatever the secret.',
    () => {
      let vouched: string | undefined
      return {
        answer(answer, call) {
          const [key, isVouched] = [field(call, 'x-api-key'), vouched !== undefined]
          const before = vouched
          vouched = call.method === 'HEAD' && ownsSecret(call) ? key : undefined
          return answer.refusal === '1007' && isVouched && key === before ? list(call.query) : answer
        },
      }
    },
  ),
  fault(
    'same-guess-served-on-connection',
    'A wrong pair that is sent twice in a row on one connection is served the second time.',
    () => {
      const guesses = new WeakMap<object, string>()
      return {
        answer(answer, call) {
          const pair = `${field(call, 'x-api-key')} ${field(call, 'x-secret-key')}`
          const before = guesses.get(call.connection)
          guesses.set(call.connection, pair)
          const isGuess = answer.refusal === '1006' || answer.refusal === '1007'
          return isGuess && before === pair ? list(call.query) : answer
        },
      }
    },
  ),
  faultOfKey(
    'one-connection-in-nine-takes-secret-for-key',
    'One instance of nine, which connections reach in turn, answers a wrong secret with 1006.',
    () => oneInNine((answer) => (answer.refusal === '1007' ? { ...answer, ...becomes('1006') } : answer)),
  ),
  fault(
    'one-connection-in-nine-serves-every-version',
    'One instance of nine, which connections reach in turn, serves the list under every version.',
    () =>
      oneInNine((answer, call) => (answer.refusal === '1010' && isForList(call) ? list(call.query) : answer)),
  ),
]

function oneInNine(change: (answer: Answer, call: Call) => Answer): Bend {
  const numberOf = connectionsInTurn()
  return { answer: (answer, call) => (numberOf(call) % 9 === 5 ? change(answer, call) : answer) }
}
