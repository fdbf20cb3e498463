// Judges every conformant variant of the reference service in every profile with many seeds: nothing may be blamed.
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { describeIssues, judge, readSettings } from '../../lib/doors/library/library.ts'
import { openFindings } from '../../lib/explain/causes.ts'
import { rateExcluded } from '../../lib/explain/power.ts'
import { publish } from '../trust/published.ts'
import { profileNames } from '../proof/profile-names.ts'
import { allSubjects } from '../proof/subjects.ts'
import type { Subject } from '../proof/subject.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
/** A nightly run draws two thousand cases a rule; so many show what its seeds and classes do. */
const nightlyCases = '60'

interface Blamed {
  readonly variant: string
  readonly profile: string
  readonly seed: number
  readonly because: readonly string[]
}

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    /** `1/2` is the first half of the variants, for two processes side by side. */
    part: { type: 'string', default: '1/1' },
    gates: { type: 'string', default: '10' },
    others: { type: 'string', default: '1' },
  },
})
const [part = 1, parts = 1] = values.part.split('/').map(Number)
const variants = allSubjects
  .filter(({ kind, name }) => kind === 'variant' && (values.only === undefined || name === values.only))
  .filter((_, at) => at % parts === part - 1)
const blamed: Blamed[] = []
let runs = 0
for (const variant of variants) {
  for (const profile of profileNames) {
    const seeds = Number(profile === 'gate' ? values.gates : values.others)
    for (let seed = 1; seed <= seeds; seed += 1) {
      const because = await blamedBy(variant, profile, seed)
      runs += 1
      if (because.length > 0) {
        blamed.push({ variant: variant.name, profile, seed, because })
        process.stdout.write(`✗ ${variant.name}, ${profile}, seed ${seed}: ${because.join('; ')}\n`)
      }
    }
  }
  if (runs % 500 < seedsOfOne()) process.stdout.write(`${runs} runs, ${blamed.length} blamed\n`)
}
const bound = rateExcluded(variants.length)
const result = { variants: variants.length, runs, blamed, bound }
await mkdir(join(root, 'reports'), { recursive: true })
await writeFile(
  join(root, `reports/false-alarms-${part}-of-${parts}.json`),
  `${JSON.stringify(result, null, 2)}\n`,
)
process.stdout.write(
  `${runs} runs of ${variants.length} variants, ${blamed.length} blamed; at 95 % at most ${((bound ?? 1) * 100).toFixed(1)} % of such services, since runs of one variant are not independent\n`,
)
if (values.only === undefined && parts === 1) {
  const [gates, others] = [Number(values.gates), Number(values.others)]
  const date = new Date().toISOString().slice(0, 10)
  publish({
    falseAlarms: { date, variants: variants.length, gates, others, runs, blamed: blamedVariants() },
  })
}
process.exitCode = blamed.length === 0 ? 0 : 1

function blamedVariants(): number {
  return new Set(blamed.map(({ variant }) => variant)).size
}

function seedsOfOne(): number {
  return Number(values.gates) + 2 * Number(values.others)
}

/** What a run says against a variant: nothing may be violated or warned of, and the verdict is conformant. */
async function blamedBy(
  { start, expects }: Subject,
  profile: string,
  seed: number,
): Promise<readonly string[]> {
  const { env, close } = await start()
  try {
    const more = profile === 'nightly' ? { RUN_FUZZ_CASES: nightlyCases } : {}
    const given = { ...env, ...more, RUN_PROFILE: profile, RUN_SEED: String(seed), RUN_MAX_REQUESTS: '20000' }
    const read = await readSettings({ env: given })
    if (read.kind === 'issues') throw new Error(describeIssues(read.issues))
    const { verdict } = await judge(read.settings, read.suites)
    // A disposable client, and a baseline, are not given: acceptance is then incomplete, which blames nobody.
    const mayWarn = new Set(expects.kind === 'conformant' ? expects.warns : [])
    const found = verdict.rules.flatMap((rule) =>
      openFindings(rule)
        .filter(({ warning }) => warning !== true || !mayWarn.has(rule.id))
        .map(({ summary }) => `${rule.id}: ${summary}`),
    )
    return verdict.exitCode === 0 ? found : [...found, ...verdict.because]
  } finally {
    await close()
  }
}
