import { becomes, isForList } from '../../../lib/serve/reference/bending.ts'
import { field, type Call } from '../../../lib/serve/reference/call.ts'
import { everyClient } from '../../../lib/serve/reference/clients.ts'
import type { Fault } from '../../../lib/serve/reference/fault.ts'
import { list } from '../../../lib/serve/reference/list.ts'
import { breakingWith } from './breaking.ts'
import { isWrongSecret, ownsSecret } from './credentials-sent.ts'

const listSucceeds = breakingWith({ profile: 'acceptance' }, 'endpoints/list-succeeds')

/** The effects of earlier wrong credentials: one, several in a row, or a familiar one. */
export const guessFaults: readonly Fault[] = [
  listSucceeds(
    'wrong-secret-spoils-next-request',
    'After a wrong secret the next valid request, whoever sends it, is answered 401 and 1007.',
    () => spoiledBy(() => '', '1007'),
  ),
  listSucceeds(
    'wrong-secret-hides-key-once',
    'After a wrong secret for a key its next valid request is answered 401 and 1006.',
    () => spoiledBy((call) => field(call, 'x-api-key') ?? '', '1006'),
  ),
  breakingWith({ profile: 'acceptance' }, 'authentication/not-cached')(
    'thirty-first-guess-in-a-row-served',
    'Behind thirty wrong keys or secrets in a row, with nothing else between them, the next one is served.',
    () => {
      let guesses = 0
      return {
        answer(answer, call) {
          const isGuess = answer.refusal === '1006' || answer.refusal === '1007'
          guesses = isGuess ? guesses + 1 : 0
          return guesses > 30 && isForList(call) ? list(call.query) : answer
        },
      }
    },
  ),
  breakingWith(
    { profile: 'acceptance' },
    'authentication/not-cached',
    'authentication/no-bypass',
    'fuzz/combined-flaws',
  )(
    'wrong-pair-known-after-two-hundred-requests',
    'A wrong secret for a key that was refused two hundred requests before is served.',
    () => {
      const refusedAt = new Map<string, number>()
      return {
        answer(answer, call) {
          if (answer.refusal !== '1007') return answer
          const pair = `${field(call, 'x-api-key')} ${field(call, 'x-secret-key')}`
          const first = refusedAt.get(pair) ?? call.arrival
          refusedAt.set(pair, first)
          return call.arrival - first >= 200 && isForList(call) ? list(call.query) : answer
        },
      }
    },
  ),
  breakingWith({ profile: 'acceptance' }, 'fuzz/secret-key', 'authentication/secret-key-invalid')(
    'one-secret-in-thirty-seven-matches',
    'A secret of the right length with the checksum of the valid one, one of 37, is accepted.',
    () => ({
      secretMatches: (sent, { secretKey }) =>
        sent.length === secretKey.length && checksumOf(sent) === checksumOf(secretKey),
    }),
  ),
  breakingWith({ profile: 'acceptance', implied: true }, 'versioning/endpoint-not-in-version')(
    'versions-below-a-million-served',
    'The list is served under every version from 1 to 999,999.',
    () => ({
      skips: (check, call) =>
        check === 'endpoint-in-version' &&
        isForList(call) &&
        /^[1-9]\d{0,5}$/.test(field(call, 'x-version') ?? ''),
    }),
  ),
]

/** A wrong secret affects the next valid request of the same kind. */
function spoiledBy(kindOf: (call: Call) => string, code: '1006' | '1007'): ReturnType<Fault['bend']> {
  const spoiled = new Set<string>()
  const isKey = (call: Call): boolean => everyClient.some(({ apiKey }) => apiKey === field(call, 'x-api-key'))
  return {
    answer(answer, call) {
      if (answer.refusal === '1007' && isWrongSecret(call) && isKey(call)) spoiled.add(kindOf(call))
      const isSpoiled = answer.refusal === null && ownsSecret(call) && spoiled.delete(kindOf(call))
      return isSpoiled ? { ...answer, ...becomes(code) } : answer
    },
  }
}

function checksumOf(text: string): number {
  return [...text].reduce((sum, character, at) => sum + (at + 1) * (character.codePointAt(0) ?? 0), 0) % 37
}
