import { rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { describe, it } from 'vitest'
import { bundled } from './bundle.ts'
import { mutatedTexts } from './instrumented.ts'
import type { MutantOutcome } from './job.ts'
import { runMutants, usualPatience, type Patience } from './workers.ts'

/** Makes an error answer of each refusal; the only place that does. */
const place = 'const { status, message } = errors[code]'
/** What instrumented code does where the active mutant is. */
const reached = "Reflect.get(globalThis, '__stryker__').hitCount += 1"

/** Judges in gate a service whose errors are made in another way. */
async function gateOn(code: string, patience: Patience = usualPatience): Promise<MutantOutcome | undefined> {
  const texts = new Map(await mutatedTexts())
  const text = texts.get('answer.ts') ?? ''
  texts.set('answer.ts', text.replace(place, code))
  const module = await bundled(texts)
  try {
    const job = { id: 'by hand', profile: 'gate', code: { module, active: 'by hand' } } as const
    const [outcome] = await runMutants([job], 1, patience, () => {})
    return outcome
  } finally {
    await rm(dirname(module), { recursive: true })
  }
}

describe.concurrent('a mutant made by hand', () => {
  it('survives if it keeps to the specification', async ({ expect }) => {
    const outcome = await gateOn(`${reached}; const { status } = errors[code]; const message = 'refused'`)

    expect(outcome).toMatchObject({
      id: 'by hand',
      profile: 'gate',
      result: 'survived',
      failed: [],
      crashed: false,
    })
    expect(outcome?.requests).toBeGreaterThan(100)
  })

  it('is not reached if its code never runs', async ({ expect }) => {
    expect(await gateOn(place)).toMatchObject({ result: 'not reached' })
  })

  it('is caught if every error has another status, and the rules are named', async ({ expect }) => {
    const outcome = await gateOn(`${reached}; const { message } = errors[code]; const status = 418`)

    expect(outcome).toMatchObject({ result: 'caught' })
    expect(outcome?.failed).toContain('authentication/api-key-missing')
  })

  it('is a timeout if it never ends', async ({ expect }) => {
    const endless = `if (code === '1002') for (;;); ${place}`

    expect(await gateOn(endless, { ...usualPatience, silentMs: 4_000 })).toMatchObject({
      result: 'timeout',
      because: ['no sign of life'],
    })
  })

  it('is a timeout if the run takes too long', async ({ expect }) => {
    const impatient = { ...usualPatience, runMs: { gate: 1, acceptance: 1 } }

    expect(await gateOn(place, impatient)).toMatchObject({
      result: 'timeout',
      because: ['the run took too long'],
    })
  })

  it('does not run if it throws when it is loaded', async ({ expect }) => {
    const outcome = await gateOn(`throw new Error('no errors'); ${place}`)

    expect(outcome).toMatchObject({ result: 'does not run', because: ['no errors'] })
  })
})
