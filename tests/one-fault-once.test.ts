import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { faults } from '../lab/service/faults/all-faults.ts'
import { startService } from '../lab/service/start.ts'
import { runInProcess } from './support/in-process.ts'
import { atMost, settingsFor } from './support/program.ts'

/** Each run keeps a core busy for a second or two. */
const inTurn = atMost(3)

const ofGate = faults.flatMap(({ name, profile, needs }) =>
  profile === undefined && needs === undefined ? [name] : [],
)
const pairs = fc.sample(fc.uniqueArray(fc.constantFrom(...ofGate), { minLength: 2, maxLength: 2 }), {
  seed: 20260101,
  numRuns: 10,
})

/** The sentences of the causes of a service bent in these ways, those of warnings last, and the lines on the terminal. */
async function judged(
  names: readonly string[],
): Promise<{ readonly sentences: readonly string[]; readonly failing: number; readonly lines: number }> {
  return inTurn(async () => {
    const service = await startService({ faults: names })
    try {
      const env = { ...settingsFor(service), RUN_QUIET: 'true' }
      const { verdict, stdout } = await runInProcess([], { env })
      const causes = verdict?.causes ?? []
      return {
        sentences: causes.map(({ sentence }) => sentence),
        failing: causes.filter(({ warning }) => !warning).length,
        lines: stdout.trimEnd().split('\n').length,
      }
    } finally {
      await service.close()
    }
  })
}

describe.concurrent('one mistake is one cause, on at most thirty lines', () => {
  test.for([
    ['errors-in-plain-text', 'Every error answer has a body that is not JSON'],
    ['errors-are-pages-without-accept', 'Every error answer without accept has a body that is not JSON'],
    ['every-error-under-200', 'Every error answer has status 200'],
    ['error-code-padded', 'Every error answer has error_code "1006 " in the place of "1006", or alike'],
    ['error-body-is-nested', 'Every error answer lacks error_code'],
  ] as const)('%s', async ([name, sentence], context) => {
    const { sentences, failing, lines } = await judged([name])

    context.expect(sentences).toEqual([sentence])
    context.expect(failing).toBe(1)
    context.expect(lines).toBeLessThanOrEqual(30)
  })
})

test('of ten services with two faults at least nine are told as two', async () => {
  const told = await Promise.all(pairs.map(judged))

  const merged = pairs.filter((_, place) => (told[place]?.sentences.length ?? 0) < 2)
  expect(merged.length, merged.join('; ')).toBeLessThanOrEqual(1)
})
