import { beforeAll, it } from 'vitest'
import { connect, type Question, type Reply } from '../testing/ask.ts'
import { startReference, type ReferenceService } from '../service.ts'
import { faults } from './all-faults.ts'
import { messageFaults } from './messages-faults.ts'
import { crowd, probes } from '../testing/probes.ts'

/** How long an answer may take, in milliseconds; only services that never answer make use of it. */
const patience = 2_000

let straight: readonly string[]
beforeAll(async () => {
  straight = await seen([], () => true)
})

it('sees the same of an unbent service every time', async ({ expect }) => {
  expect(await seen([], () => true)).toEqual(straight)
})

// Each fault that a gate must notice is noticed by the proof, or the proof is red: what is left are those beyond a gate. What only shows
// on described input is asked in `described-input.test.ts`, messages in `messages.test.ts`.
const others = new Set(messageFaults)
const beyond = faults
  .filter((one) => one.profile === 'acceptance' && one.needs !== 'described-input' && !others.has(one))
  .map(({ name }) => name)

it.for(beyond)('%s shows', async (name, { expect }) => {
  const replies = await seen([name], isStraight)

  expect(replies.every(isStraight)).toBe(false)
})

function isStraight(reply: string, index: number): boolean {
  return reply === straight[index]
}

/** What a service answers to a crowd and to all probes one after the other, up to the first not to `goOn` after. */
async function seen(
  names: readonly string[],
  goOn: (reply: string, index: number) => boolean,
): Promise<readonly string[]> {
  const service = await startReference({ faults: names })
  const connection = connect(service, patience)
  const replies: string[] = []
  try {
    replies.push(...(await together(service, crowd(service.clients))))
    if (!replies.every(goOn)) return replies
    for (const question of probes(service.clients)) {
      const reply = shown(await connection.ask(question))
      replies.push(reply)
      if (!goOn(reply, replies.length - 1)) return replies
    }
    return replies
  } finally {
    await connection.close()
    await service.close()
  }
}

async function together(
  service: ReferenceService,
  questions: readonly Question[],
): Promise<readonly string[]> {
  const connections = questions.map(() => connect(service, patience))
  const replies = await Promise.all(connections.map((connection, index) => connection.ask(questions[index])))
  await Promise.all(connections.map((connection) => connection.close()))
  return replies.map(shown)
}

function shown({ status, reason, headers, body, trouble }: Reply): string {
  return JSON.stringify([status, reason, { ...headers, date: undefined }, body, trouble])
}
