import { textOf } from '../../tests/support/syntax.ts'
import { firstRun, readRecord, readSettlements } from '../stacks/record.ts'
import type { Sources } from './figures.ts'
import { published } from './published.ts'

/** The pages and records of the checkout that hold the figures. */
export async function sourcesOfTrust(): Promise<Sources> {
  const record = await readRecord(firstRun)
  if (record === null) throw new Error(`lab/stacks/${firstRun} is missing`)
  return {
    proof: textOf('docs/proof.md'),
    mutants: textOf('docs/mutants.md'),
    soak: textOf('docs/soak.md'),
    mutation: textOf('docs/mutation.md'),
    benchmarks: textOf('docs/benchmarks.md'),
    limits: JSON.parse(textOf('lab/mutants/limits.json')),
    firstRun: record,
    settlements: await readSettlements(),
    published: published(),
  }
}
