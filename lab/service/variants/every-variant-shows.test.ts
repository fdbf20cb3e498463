import { beforeAll, it } from 'vitest'
import { timeByTurns } from '../../../tests/support/virtual-time.ts'
import { startService } from '../start.ts'
import type { ReferenceService } from '../../../lib/serve/reference/service.ts'
import { hear, type Heard } from '../testing/on-the-wire.ts'
import { flood, manyGuesses, pairInSegment, threeInARow, wireProbes } from '../testing/wire-probes.ts'
import { variants } from './all-variants.ts'

/** How long a connection may be silent before it counts as kept open, in turns of the event loop. */
const silenceMs = 500

/** What is heard of the plain service, one probe after the other. */
let plain: readonly string[]
beforeAll(timeByTurns)
beforeAll(async () => {
  plain = await heardOf(undefined, () => true)
})

it('hears the same of the plain service every time', async ({ expect }) => {
  expect(await heardOf(undefined, () => true)).toEqual(plain)
})

const timed = new Set(variants.filter(({ manner }) => manner().delayMs !== undefined))

it.concurrent.for(variants.filter((one) => !timed.has(one)).map(({ name }) => name))(
  '%s shows',
  async (name, { expect }) => {
    const heard = await heardOf(name, isPlain)

    expect(heard.every(isPlain)).toBe(false)
  },
)

it.for([...timed].map((one) => [one.name, one] as const))('%s waits', ([, { manner }], { expect }) => {
  const { delayMs = () => 0 } = manner()
  const delays = Array.from({ length: 100 }, () => delayMs())

  expect(Math.max(...delays)).toBeGreaterThanOrEqual(20)
  expect(Math.max(...delays)).toBeLessThan(1_000)
})

function isPlain(heard: string, index: number): boolean {
  return heard === plain[index]
}

/** What a service answers to all probes one after the other, up to the first not to `goOn` after. */
async function heardOf(
  variant: string | undefined,
  goOn: (heard: string, index: number) => boolean,
): Promise<readonly string[]> {
  const service = await startService(variant === undefined ? {} : { variant })
  const found: string[] = []
  try {
    for (const ask of questions(service)) {
      const heard = await ask()
      found.push(heard)
      if (!goOn(heard, found.length - 1)) break
    }
    return found
  } finally {
    await service.close()
  }
}

function questions(service: ReferenceService): readonly (() => Promise<string>)[] {
  return [
    ...wireProbes.map((probe) => async () => bytesAndEnd(await hear(service, probe))),
    async () => ((await hear(service, wireProbes[0] ?? '')).pieces === 1 ? 'in one piece' : 'in pieces'),
    async () => bytesAndEnd(await hear(service, pairInSegment, silenceMs)),
    async () => bytesAndEnd(await hear(service, flood)),
    async () => bytesAndEnd(await hear(service, manyGuesses)),
    async () => bytesAndEnd(await hear(service, threeInARow, silenceMs)),
  ]
}

function bytesAndEnd({ bytes, end }: Heard): string {
  return `${bytes}\n${end}`
}
