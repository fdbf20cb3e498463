import { describe, expect, it } from 'vitest'
import { textOf } from '../../tests/support/syntax.ts'
import { credentialsOf } from './credentials.ts'
import { failedRules, judgeStack } from './judged-stack.ts'
import { stacksPage } from './page.ts'
import { firstRun, lastRun, readRecord, readSettlements } from './record.ts'
import { folderOf } from './running-stack.ts'
import { allStacks, faultsOf, missingFor, type Stack } from './stack.ts'

/** These start within a second. */
const quick = allStacks.filter(({ name }) => ['node-http', 'tornado', 'php-server'].includes(name))
const isDemanded = (process.env['TESTS_DEMAND_PROGRAMS'] ?? '') !== ''

function whyLeftOut(stack: Stack): string {
  if (process.platform === 'win32') return ' (started by bash)'
  const missing = isDemanded ? [] : missingFor(stack)
  return missing.length === 0 ? '' : ` (${missing.join(', ')} not installed: run .ci/install-stacks)`
}

describe.each(quick.map((stack) => ({ stack, because: whyLeftOut(stack) })))(
  'the stack $stack.name$because',
  ({ stack, because }) => {
    it.skipIf(because !== '')('is conformant, and one of its faults is found', async () => {
      const folder = await folderOf(stack)
      try {
        const run = { stack: stack.name, profile: 'gate' } as const
        const plain = await judgeStack({ ...run, fault: null }, folder, 'a')
        const bent = await judgeStack({ ...run, fault: found[stack.name] ?? '' }, folder, 'b')

        expect(plain.outcome).toMatchObject({ verdict: 'conformant', red: [] })
        expect(bent.outcome.verdict).toBe('nonconformant')
        expect(failedRules(bent.outcome)).not.toEqual([])
      } finally {
        await folder.remove()
      }
    })
  },
)

/** A fault that a gate finds. */
const found: Readonly<Record<string, string>> = {
  'node-http': 'content-length-in-characters',
  tornado: 'default-error-page',
  'php-server': 'empty-zero',
}

it('docs/stacks.md says what was written down', async () => {
  const [first, last] = [await readRecord(firstRun), await readRecord(lastRun)]
  if (first === null || last === null) throw new Error('a record is missing')
  const stacks = allStacks.map((stack) => ({ ...stack, faults: faultsOf(stack) }))

  expect(textOf('docs/stacks.md')).toBe(
    stacksPage({ stacks, first, last, settlements: await readSettlements() }),
  )
})

it('every stack was in the first run, as it is and with each of its faults', async () => {
  const first = await readRecord(firstRun)
  const runs = new Set(first?.outcomes.map(({ stack, fault, profile }) => `${stack} ${fault} ${profile}`))
  const expected = allStacks.flatMap((stack) =>
    [null, ...faultsOf(stack).map(({ name }) => name)].flatMap((fault) =>
      ['gate', 'acceptance'].map((profile) => `${stack.name} ${fault} ${profile}`),
    ),
  )

  expect(expected.filter((run) => !runs.has(run))).toEqual([])
})

describe('credentials', () => {
  const shapes = [
    /^ak_live_\w{28}$/,
    /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/,
    /^[\da-f]{32}$/,
    /^[\w-]{24}$/,
  ]

  it('have each of four shapes, and the same seed gives the same', () => {
    const keys = Array.from({ length: 60 }, (_, seed) => credentialsOf(String(seed)).permitted.apiKey)

    expect(keys.filter((key) => !shapes.some((shape) => shape.test(key)))).toEqual([])
    expect(shapes.filter((shape) => !keys.some((key) => shape.test(key)))).toEqual([])
    expect(credentialsOf('7')).toEqual(credentialsOf('7'))
  })

  it('are others for each client', () => {
    const all = Object.values(credentialsOf('7')).flatMap(({ apiKey, secretKey }) => [apiKey, secretKey])

    expect(new Set(all).size).toBe(12)
  })
})
