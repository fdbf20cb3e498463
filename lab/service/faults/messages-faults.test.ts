import { beforeAll, it } from 'vitest'
import { timeByTurns } from '../../../tests/support/virtual-time.ts'
import { startService } from '../start.ts'
import { hear } from '../testing/on-the-wire.ts'
import { messageProbes } from '../testing/wire-probes.ts'
import { messageFaults } from './messages-faults.ts'

/** How long a connection may be silent before it counts as kept open, in turns of the event loop. */
const silenceMs = 500

let plain: readonly string[]
beforeAll(timeByTurns)
beforeAll(async () => {
  plain = await heardOf([])
})

it('the plain service answers the same every time', async ({ expect }) => {
  expect(await heardOf([])).toEqual(plain)
})

it.concurrent.for(messageFaults.map(({ name }) => name))(
  '%s changes the answers',
  async (name, { expect }) => {
    expect(await heardOf([name])).not.toEqual(plain)
  },
)

/** The answers of a service to all messages in sequence. */
async function heardOf(faults: readonly string[]): Promise<readonly string[]> {
  const service = await startService({ faults })
  const heard: string[] = []
  try {
    for (const probe of messageProbes) heard.push(await hear(service, probe, silenceMs))
    return heard
  } finally {
    await service.close()
  }
}
