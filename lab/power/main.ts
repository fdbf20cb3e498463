// Judges services that are wrong at random, at known rates, and says how often runs noticed.
import { parseArgs } from 'node:util'
import { drawing } from '../seed.ts'
import { publish } from '../trust/published.ts'
import { expectedShares, noticedAtRandom } from './noticed.ts'

/** How far a share may be from the expected one. */
const tolerance = 0.05
/** Fewer runs are a look, and leave what is published. */
const publishedRuns = 1_000

const { values } = parseArgs({
  options: { runs: { type: 'string', default: '1000' }, essential: { type: 'boolean', default: false } },
})
const runs = Number(values.runs)
if (!Number.isInteger(runs) || runs < 1) {
  process.stderr.write(`--runs: given ${values.runs}, expected a number from 1\n`)
  process.exit(2)
}
const flags = values.essential ? { RUN_ESSENTIAL: 'true' } : {}
const all = await noticedAtRandom(flags, runs, drawing(), (text) => process.stdout.write(text))
const expected = new Map(Object.entries(expectedShares).map(([times, share]) => [Number(times), share]))
const off = all.filter(
  ({ times, noticed }) => Math.abs(noticed / runs - (expected.get(times) ?? 0)) > tolerance,
)
for (const { times, noticed, answers } of off)
  process.stdout.write(
    `✗ ${times} in ${answers}: noticed by ${noticed} of ${runs}, which is not what it claims\n`,
  )
if (values.essential && runs >= publishedRuns) {
  const noticed = Object.fromEntries(all.map((one) => [one.times, one.noticed]))
  const date = new Date().toISOString().slice(0, 10)
  publish({ power: { date, answers: all[0]?.answers ?? 0, runs, noticed } })
}
process.exitCode = off.length === 0 ? 0 : 1
