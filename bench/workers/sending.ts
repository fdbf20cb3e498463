import { Pool } from 'undici'
import { judge } from '../../lib/engine/run/run.ts'
import { suites } from '../../suites/index.ts'
import { answering } from '../measure/child.ts'
import { settingsFrom } from '../measure/settings.ts'
import { requirePeer } from '../peers/load.ts'
import { client, fuzzing } from '../services/subject.ts'

/** Who sends. */
export type Sender = 'fuzzing' | 'dispatch' | 'autocannon'

/** What is sent, and how many at once. */
export interface Burst {
  readonly sender: Sender
  readonly url: string
  readonly atOnce: number
  readonly count: number
}

const path = '/api/customizations/list'
const headers = {
  'x-api-key': 'wrong-key-of-some-length',
  'x-secret-key': client.secretKey,
  'x-version': '1',
}

const senders: Readonly<Record<Sender, (burst: Burst) => Promise<number>>> = {
  fuzzing: fuzz,
  dispatch,
  autocannon: cannon,
}

/** Answers with how many requests were answered in a second. */
answering<Burst, number>((burst) => senders[burst.sender](burst))

/** Generated, sent, judged by the rule and all run-wide rules, tried with tolerated changes: the whole way of a case. */
async function fuzz({ url, atOnce, count }: Burst): Promise<number> {
  const settings = await settingsFrom(fuzzing(url, count, atOnce))
  const started = performance.now()
  const { verdict } = await judge(settings, suites)
  if (verdict.exitCode !== 0) throw new Error(verdict.because.join('; '))
  return verdict.requests.sent / secondsSince(started)
}

async function dispatch({ url, atOnce, count }: Burst): Promise<number> {
  const pool = new Pool(url, { connections: atOnce })
  const started = performance.now()
  let [left, answered] = [count, 0]
  await new Promise<void>((resolve, reject) => {
    const send = (): void => {
      left -= 1
      pool.dispatch(
        { path, method: 'GET', headers },
        {
          onRequestStart: () => {},
          onResponseStart: () => {},
          onResponseData: () => {},
          onResponseEnd: () => {
            answered += 1
            if (answered === count) resolve()
            else if (left > 0) send()
          },
          onResponseError: (_, error) => reject(error),
        },
      )
    }
    for (let open = 0; open < atOnce; open += 1) send()
  })
  const rate = answered / secondsSince(started)
  await pool.close()
  return rate
}

function secondsSince(started: number): number {
  return (performance.now() - started) / 1_000
}

/** What is used of autocannon. */
type Autocannon = (options: {
  readonly url: string
  readonly connections: number
  /** In seconds. */
  readonly duration: number
  readonly headers: Readonly<Record<string, string>>
}) => Promise<{
  readonly requests: { readonly total: number }
  readonly duration: number
  readonly errors: number
}>

/** It looks at its clock once a second, so that it is given time and no number. */
async function cannon({ url, atOnce }: Burst): Promise<number> {
  const autocannon: Autocannon = requirePeer('autocannon')
  const { requests, duration, errors } = await autocannon({
    url: `${url}${path}`,
    connections: atOnce,
    duration: 2,
    headers,
  })
  if (errors > 0) throw new Error(`autocannon met ${errors} errors`)
  return requests.total / duration
}
