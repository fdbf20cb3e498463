import { rateExcluded } from '../../lib/explain/power.ts'
import { markdownTable } from '../markdown-table.ts'
import { intervalOf, percent } from '../../tests/support/bounds.ts'
import { setups, type Setup } from './judged-stack.ts'
import { isFound, outcomeOf, type Settlement, type StackRecord } from './record.ts'
import type { Stack, StackFault } from './stack.ts'

/** What the page is made of. */
interface StacksPage {
  readonly stacks: readonly (Stack & { readonly faults: readonly StackFault[] })[]
  readonly first: StackRecord
  readonly last: StackRecord
  readonly settlements: readonly Settlement[]
}

/** The page `docs/stacks.md`. */
export function stacksPage(page: StacksPage): string {
  const { first, last } = page
  return `# Services in frameworks that we did not choose

\`npm run lab -- stacks --page\` wrote this page on ${last.date}. Its figures are of ${page.stacks.length} services, each written from the
specification alone in a framework of its own, by an author who had not seen the suite. Each can be started with one of three slips
that are usual in its language. They were committed to \`lab/stacks/\` before the suite had judged any. What was mended since stands
below.

## The first run

It was made on ${first.date}, with the sources as they were written${suiteOf(first)}. It cannot be made again: what it found
has been mended since. \`lab/stacks/first-run.json\` holds all of it.

${figures(page, first, ['gate', 'acceptance'])}

## Now

${figures(page, last, ['gate', 'acceptance', 'nightly', 'described'])}

Nightly runs have 400 generated cases a rule instead of 2,000, and a seed by the date. \`described\` is \`acceptance\` with an endpoints
file (\`lab/stacks/endpoints.json\`) that says what the specification does not show: \`limit\` is an integer from 1 to 100.

## Stack by stack

"First" and "now" are of the plain service in \`acceptance\`; the faults are those found in \`gate\` and in \`acceptance\`, of three.

${stackTable(page)}

## What was settled, and how

Each finding against a plain service, and each fault that was missed, was settled by the text of the specification. "Service": it
was wrong, and was mended if it could be. "Suite" and "runner": they were wrong, and were mended. "Silent": the specification does not say, and
nothing is judged, or a breach is only warned of. "Limit": the suite cannot know.

${markdownTable(['stack', 'seen', 'wrong', 'settled'], page.settlements.map(settlementRow))}

## Fault by fault

${faultTable(page)}

## What this does not say

- The bounds are those of a random draw. These services are none: the frameworks were chosen, all services are small, and all have
  the same one endpoint. They say how little ${page.stacks.length} services can show, not how the next one will be judged.
- After what was found had been mended, the services are no strangers any more. Only the figures of the first run are of
  services that had never been seen.
- One author's ideas of a usual slip are not all slips. Nobody drew the faults at random.
- Every service was judged on the same machine, without a gateway in front, but for nginx before PHP.
  [Trust](trust.md) names what stands for gateways.
- Versions are those of Debian and npm in the table. Another version of a server may refuse other requests itself.

## Repeat it

In a checkout on Debian, after \`npm ci\`:

\`\`\`sh
.ci/install-stacks                                          # as root
npm run lab -- stacks                                              # every plain service, in gate and acceptance
npm run lab -- stacks --only go-net-http --faults               # one, with its faults
npm run lab -- stacks --profiles gate,acceptance,nightly --faults --page  # all, and this page
\`\`\`

Verdicts are written to \`reports/stacks/\`, which Git ignores. \`CONTRIBUTING.md\` says how to add a stack.
`
}

function suiteOf({ suite }: StackRecord): string {
  return suite === undefined ? '' : ` and the suite of commit \`${suite}\``
}

function figures(page: StacksPage, record: StackRecord, profiles: readonly Setup[]): string {
  const rows = profiles.map((profile) => {
    const plain = page.stacks.flatMap(({ name }) => outcomeOf(record, name, null, profile) ?? [])
    const conformant = plain.filter(({ verdict }) => verdict === 'conformant').length
    const blamed = plain.filter(({ verdict, red }) => verdict === 'conformant' && red.length > 0).length
    const tried = faultsIn(page).filter(([stack, fault]) => outcomeOf(record, stack, fault, profile) !== null)
    const found = tried.filter(([stack, fault]) => isFound(record, stack, fault, profile)).length
    return [
      `\`${profile}\``,
      `${conformant} of ${plain.length}${blamed > 0 ? ` (${blamed} with a warning or something not judged)` : ''}`,
      intervalOf(conformant, plain.length),
      tried.length === 0 ? '–' : `${found} of ${tried.length}`,
      tried.length === 0 ? '–' : intervalOf(found, tried.length),
    ]
  })
  const stacks = page.stacks.length
  return `${markdownTable(['profile', 'plain services found conformant', 'bounds at 95 %', 'faults found', 'bounds at 95 %'], rows)}

Bounds are exact (Clopper-Pearson). No false alarm at all among ${stacks} services would support a rate of at most
${percent(rateExcluded(stacks) ?? 1)} (1 − 0.05^(1/${stacks})), and no less.`
}

function faultsIn({ stacks }: StacksPage): readonly (readonly [stack: string, fault: string])[] {
  return stacks.flatMap(({ name, faults }) => faults.map((fault) => [name, fault.name] as const))
}

function stackTable(page: StacksPage): string {
  const rows = page.stacks.map(({ name, faults }) => {
    const count = (record: StackRecord, profile: Setup): number =>
      faults.filter((fault) => isFound(record, name, fault.name, profile)).length
    const versions = page.last.versions[name] ?? []
    return [
      `\`${name}\``,
      versions.map(([program, version]) => `${program} ${version ?? ''}`).join(', '),
      ended(page.first, name),
      `${count(page.first, 'gate')}, ${count(page.first, 'acceptance')}`,
      ended(page.last, name),
      `${count(page.last, 'gate')}, ${count(page.last, 'acceptance')}`,
    ]
  })
  return markdownTable(['stack', 'versions', 'first', 'faults', 'now', 'faults'], rows)
}

function ended(record: StackRecord, stack: string): string {
  const outcome = outcomeOf(record, stack, null, 'acceptance')
  if (outcome === null) return '–'
  const red = outcome.red.map(({ rule }) => `\`${rule}\``)
  return red.length === 0 ? outcome.verdict : `${outcome.verdict}: ${red.join(', ')}`
}

function faultTable(page: StacksPage): string {
  const cell = (record: StackRecord, stack: string, fault: string): string => {
    const by = setups.find((one) => isFound(record, stack, fault, one))
    if (by !== undefined) return `\`${by}\``
    return outcomeOf(record, stack, fault, 'acceptance')?.verdict === 'incomplete' ? 'incomplete' : '**no**'
  }
  const rows = page.stacks.flatMap(({ name, faults }) =>
    faults.map(({ name: fault, what }) => [
      `\`${name}\`: \`${fault}\``,
      what,
      cell(page.first, name, fault),
      cell(page.last, name, fault),
    ]),
  )
  return `The first profile that finds each, in the first run and now. An incomplete run ends in 3: nothing is green.

${markdownTable(['fault', 'what is wrong', 'first', 'now'], rows)}`
}

function settlementRow({ stack, seen, side, settled }: Settlement): readonly string[] {
  return [stack, seen, side, settled]
}
