import type { ServerResponse } from 'node:http'
import { expect, onTestFinished, test, vi } from 'vitest'
import { suites } from '../../../suites/index.ts'
import { clients } from '../../serve/reference/clients.ts'
import { startReference, type ReferenceOptions } from '../../serve/reference/service.ts'
import { read, settingsOf, target } from '../../settings/testing/read.ts'
import type { Verdict } from '../../verdict/verdict.ts'
import { jumpingNow } from '../testing/at-once.ts'
import { judge } from './run.ts'

// No time passes: the clock of the run, and of the services here, jumps ahead.
vi.mock('../send/sleep.ts', () => import('../testing/at-once.ts'))

const { second } = clients
const about =
  'endpoints/list-succeeds,authentication/secret-key-invalid,authentication/isolated-under-concurrency,quota/per-client,authentication/not-cached,authentication/no-bypass'

/** Refuses the valid pair of the second client as if its secret were wrong, for half a minute after two wrong ones in a row, which a busy machine does not take for its requests. */
function lockingSecond(): NonNullable<ReferenceOptions['intervene']> {
  let [wrong, until] = [0, 0]
  return ({ headers }, response) => {
    const secret = headers['x-secret-key']
    if (headers['x-api-key'] !== second.apiKey || secret === undefined) return false
    const isLocked = until > jumpingNow()
    if (!isLocked) wrong = secret === second.secretKey ? 0 : wrong + 1
    if (!isLocked && wrong >= 2) until = jumpingNow() + 30_000
    return isLocked && wrongSecret(response)
  }
}

function wrongSecret(response: ServerResponse): true {
  response.writeHead(401, { 'content-type': 'application/json' })
  response.end(JSON.stringify({ error_code: '1007', error_message: 'invalid secret key' }))
  return true
}

async function judged(options: ReferenceOptions): Promise<Verdict> {
  const service = await startReference(options)
  onTestFinished(() => service.close())
  const env = {
    ...target,
    TARGET_BASE_URL: service.baseUrl,
    TARGET_API_KEY: clients.permitted.apiKey,
    TARGET_SECRET_KEY: clients.permitted.secretKey,
    FIXTURE_SECOND_API_KEY: second.apiKey,
    FIXTURE_SECOND_SECRET_KEY: second.secretKey,
    RUN_PROFILE: 'acceptance',
    RUN_ONLY: about,
  }
  const { verdict } = await judge(settingsOf(await read(env)), suites)
  return verdict
}

const ofStatus = ({ rules }: Verdict, status: string): readonly string[] =>
  rules.filter((one) => one.status === status).map(({ id }) => id)

test('a second client that wrong secrets for its key lock out is waited for, and nobody is blamed', async () => {
  const verdict = await judged({ intervene: lockingSecond() })

  expect([ofStatus(verdict, 'failed'), ofStatus(verdict, 'inconclusive')]).toEqual([[], []])
})
