import { setTimeout as sleep } from 'node:timers/promises'
import type { Answer } from '../../../lib/serve/reference/answer.ts'
import type { Bend } from '../../../lib/serve/reference/bend.ts'
import { becomes, failure, isForList } from '../../../lib/serve/reference/bending.ts'
import { withField, type Call, type RequiredName } from '../../../lib/serve/reference/call.ts'
import type { Fault } from '../../../lib/serve/reference/fault.ts'
import { list } from '../../../lib/serve/reference/list.ts'
import { breaking, breakingWith } from './breaking.ts'

const isolated = breaking('authentication/isolated-under-concurrency')

/** How long the service works on a request, so that others overtake it, in milliseconds. */
const busy = 10

/** The service waits, as for a database, and then reads these headers from the most recent request. */
function readsLate(...names: readonly RequiredName[]): Bend {
  let latest: Call | null = null
  return {
    async around(call, serve) {
      latest = call
      await pause()
      const { headers } = latest ?? call
      return serve(names.reduce((seen, name) => withField(seen, name, single(headers[name])), call))
    },
  }
}

/**
 * Changes the behaviour while more than `most` requests are in flight. Each request waits while others
 * arrive, for at most a second, so that they overlap on a busy machine, too.
 */
function underLoad(most: number, overloaded: (answer: Answer, call: Call) => Answer): Bend {
  let come = 0
  let inFlight = 0
  return {
    async around(call, serve) {
      inFlight += 1
      come += 1
      let seen = 0
      for (let round = 0; seen < come && round < 1_000 / busy; round += 1) {
        seen = come
        await pause()
      }
      const many = inFlight > most
      inFlight -= 1
      const answer = await serve(call)
      return many ? overloaded(answer, call) : answer
    },
  }
}

/** Swaps the answers of two concurrent requests. */
function crossed(): Bend {
  let waiting: { readonly answer: Answer; readonly give: (answer: Answer) => void } | null = null
  return {
    async around(call, serve) {
      const mine = await serve(call)
      if (waiting !== null) {
        const { answer, give } = waiting
        waiting = null
        give(mine)
        return answer
      }
      return new Promise((resolve) => {
        const entry = { answer: mine, give: resolve }
        waiting = entry
        void pause().then(() => {
          if (waiting === entry) waiting = null
          resolve(mine)
          return undefined
        })
      })
    },
  }
}

/** Faults that show only while several requests are in flight. */
export const concurrencyFaults: readonly Fault[] = [
  isolated(
    'answers-crossed-in-flight',
    "Of two requests in flight at once, each gets the other's answer.",
    crossed,
  ),
  isolated(
    'current-request-is-global',
    'The service keeps its current request in a global and waits before it looks at it.',
    () => readsLate('x-api-key', 'x-secret-key', 'x-version'),
  ),
  isolated('credentials-of-latest-request', 'Key and secret are those of the latest request in flight.', () =>
    readsLate('x-api-key', 'x-secret-key'),
  ),
  isolated(
    'secret-of-latest-request',
    'The secret, and only it, is that of the latest request in flight.',
    () => readsLate('x-secret-key'),
  ),
  isolated(
    'authentication-skipped-under-load',
    'With more than three requests in flight wrong credentials are served.',
    () =>
      underLoad(3, (answer, call) =>
        answer.refusal === '1006' || answer.refusal === '1007' ? list(call.query) : answer,
      ),
  ),
  breakingWith({ profile: 'acceptance', inNoOther: true }, 'authentication/isolated-under-concurrency')(
    'store-runs-out-of-connections',
    'With more than twelve requests in flight no key is found, and each is called invalid.',
    () => underLoad(12, (answer) => ({ ...answer, ...becomes('1006') })),
  ),
  breaking('authentication/isolated-under-concurrency', 'endpoints/list-succeeds', 'errors/documented-pairs')(
    'fails-under-load',
    'With more than four requests in flight the list is answered 500.',
    () => underLoad(4, (answer, call) => (isForList(call) ? { ...answer, ...failure(500) } : answer)),
  ),
  breaking('authentication/isolated-under-concurrency', 'versioning/selected-per-request')(
    'unsupported-version-served-under-load',
    'With more than three requests in flight the list is served under every version.',
    () => underLoad(3, (answer, call) => (answer.refusal === '1010' ? list(call.query) : answer)),
  ),
  breaking('versioning/selected-per-request', 'authentication/isolated-under-concurrency')(
    'missing-version-defaults-under-load',
    'With more than two requests in flight a missing version is version 1.',
    () => underLoad(2, (answer, call) => (answer.refusal === '1003' ? list(call.query) : answer)),
  ),
  breaking('authentication/isolated-under-concurrency', 'conventions/json-response')(
    'errors-empty-under-load',
    'With more than three requests in flight errors have no body.',
    () => underLoad(3, (answer) => (answer.refusal === null ? answer : { ...answer, text: '' })),
  ),
  breaking('authentication/isolated-under-concurrency')(
    'standing-not-looked-at-under-load',
    'With more than three requests in flight clients that are inactive or not permitted are served.',
    () =>
      underLoad(3, (answer, call) =>
        answer.refusal === '1011' || answer.refusal === '1013' ? list(call.query) : answer,
      ),
  ),
]

function single(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === 'object' ? value.join(', ') : value
}

async function pause(ms = busy): Promise<void> {
  await sleep(ms, undefined, { ref: false })
}
