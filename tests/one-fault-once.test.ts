import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { faults } from '../lib/serve/reference/faults/all-faults.ts'
import { startReference } from '../lib/serve/reference/service.ts'
import { runInProcess } from './support/in-process.ts'
import { atMost, settingsFor } from './support/program.ts'

/** Each run keeps a core busy for a second or two. */
const inTurn = atMost(3)

const ofGate = faults.flatMap(({ name, profile, needs }) =>
  profile === undefined && needs === undefined ? [name] : [],
)
/** A fixed sample, so that the figures hold from day to day. */
const single = ofGate.filter((_, place) => place % 16 === 0)
const pairs = fc.sample(fc.uniqueArray(fc.constantFrom(...ofGate), { minLength: 2, maxLength: 2 }), {
  seed: 20260101,
  numRuns: 20,
})

/** The sentences of the causes of a service bent in these ways, those of warnings last, and the lines on the terminal. */
async function judged(
  names: readonly string[],
): Promise<{ readonly sentences: readonly string[]; readonly failing: number; readonly lines: number }> {
  return inTurn(async () => {
    const service = await startReference({ faults: names })
    try {
      const env = { ...settingsFor(service), RUN_TIMEOUT_MS: '1000', RUN_QUIET: 'true' }
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

test('faults of the proof have one cause in the median, and at most three of 95 %', async () => {
  const told = await Promise.all(single.map((name) => judged([name])))
  const counts = told.map(({ sentences }) => sentences.length).filter((count) => count > 0)

  const inOrder = counts.toSorted((a, b) => a - b)
  expect(counts.length).toBeGreaterThan(20)
  expect(inOrder[Math.floor(counts.length / 2)]).toBe(1)
  expect(counts.filter((count) => count <= 3).length).toBeGreaterThanOrEqual(0.95 * counts.length)
})

test('of twenty services with two faults at least eighteen are told as two', async () => {
  const told = await Promise.all(pairs.map(judged))

  const merged = pairs.filter((_, place) => (told[place]?.sentences.length ?? 0) < 2)
  expect(merged.length, merged.join('; ')).toBeLessThanOrEqual(2)
})
