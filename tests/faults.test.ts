import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'vitest'
import { faults } from '../lib/reference/faults/all-faults.ts'
import { startReference } from '../lib/reference/service.ts'
import { ruleIds, ruleOf, type RuleId } from '../lib/spec/rules.ts'
import { provenOtherwise } from '../lib/reference/faults/proven-otherwise.ts'
import { atMost } from './at-most.ts'
import { emptyFolder, rulesThat, runProgram, settingsFor } from './program.ts'

/** Each run keeps a core busy for a second or two; more at once would only wait for each other. */
const inTurn = atMost(3)
/** A gate is enough for most; what takes more cases runs as an acceptance, whole, since that judges no part by itself. */
const named = faults.map(({ name, rules, profile = 'gate', needs }) => ({ name, rules, profile, needs }))

/** By rule, the faults that turned it red and are named for it. */
const proofs = new Map<RuleId, Set<string>>(ruleIds.map((id) => [id, new Set()]))
const caught = new Set<string>()

describe.concurrent('the whole program notices each fault, by a rule that is named for it', () => {
  test.for(named)('$name', { timeout: 600_000 }, async ({ name, rules, profile, needs }, { expect }) => {
    await inTurn(async () => {
      const service = await startReference({ faults: [name] })
      try {
        const { code, verdict, stderr } = await runProgram([], {
          env: {
            ...settingsFor(service),
            ...(needs === undefined ? {} : await given(needs)),
            RUN_TIMEOUT_MS: '1000',
            RUN_PROFILE: profile,
          },
        })
        const red = rulesThat(verdict, 'failed', 'warned')
        const violated = rulesThat(verdict, 'failed')

        expect(stderr).toBe('')
        expect(
          rules.filter((rule) => red.includes(rule)),
          `red: ${red.join(', ')}`,
        ).not.toEqual([])
        // A breach of implied rules alone is a warning, and stops no deploy.
        if (rules.every((rule) => ruleOf(rule).level === 'documented')) expect(violated).not.toEqual([])
        // What needs more than a run keeps to the specification, so that nothing else may blame it.
        if (needs !== undefined) expect(red).toEqual(rules)
        expect(code).toBe(violated.length > 0 ? 1 : 0)

        caught.add(name)
        for (const rule of rules) if (red.includes(rule)) proofs.get(rule)?.add(name)
      } finally {
        await service.close()
      }
    })
  })
})

describe('each rule', () => {
  test('turned red for three of the faults that are named for it', ({ expect, skip }) => {
    skip(caught.size < faults.length, 'not every fault was tried')
    const unproven = ruleIds
      .filter((id) => !Object.hasOwn(provenOtherwise, id))
      .map((id) => ({ id, proofs: [...(proofs.get(id) ?? [])] }))
      .filter((one) => one.proofs.length < 3)

    expect(unproven).toEqual([])
  })
})

/** A file that a run is told of, made once: the baseline of the plain service, or the description of the list. */
const files = {
  baseline: once(async () => {
    const cwd = await emptyFolder()
    const service = await startReference()
    await runProgram(['--baseline', 'baseline.json'], { cwd, env: settingsFor(service) })
    await service.close()
    return { RUN_BASELINE: join(cwd, 'baseline.json') }
  }),
  'endpoints-file': once(async () => {
    const file = join(await emptyFolder(), 'endpoints.json')
    const success = {
      type: 'object',
      required: ['customizations'],
      properties: { customizations: { type: 'array' } },
    }
    const list = { method: 'GET', path: '/api/customizations/list', versions: [1], success }
    await writeFile(file, JSON.stringify([list]))
    return { TARGET_ENDPOINTS: file }
  }),
} as const

function given(needs: keyof typeof files): Promise<Readonly<Record<string, string>>> {
  return files[needs]()
}

function once<Made>(make: () => Promise<Made>): () => Promise<Made> {
  let made: Promise<Made> | undefined
  return () => (made ??= make())
}
