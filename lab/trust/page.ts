import { claims } from '../../lib/report/evidence/readme.ts'
import { markdownTable } from '../markdown-table.ts'
import { percent, intervalOf } from '../../tests/support/bounds.ts'
import { expectedShares } from '../power/noticed.ts'
import { noneSeen, trustedProfiles, type Share, type TrustFigures } from './figures.ts'

/** The page `docs/trust.md`. */
export function trustPage(figures: TrustFigures): string {
  const { planted, benchmarked, falseAlarms, limits, mutants, power, stacks } = figures
  const faults = planted.gate?.all ?? 0
  const { violationsWithin, violationsOutside } = mutants.acceptance
  return `# What a verdict is worth

For an auditor. Each claim has a figure, the bound that the figure supports, the command that makes it again in a checkout,
and what it does not say. [Credentials](credentials.md) has its own page. \`npm run lab -- trust\` wrote this page from the pages and
records that hold the figures, and a test fails if one of them says something else.

## What is claimed

${claimTable(figures)}

[What was proven](proof.md), [faults that nobody chose](mutants.md), [services in other frameworks](stacks.md), [mutation](mutation.md), [gates in a row](soak.md) and [benchmarks](benchmarks.md) have the whole figures.

## What each figure means

**Faults that we planted.** A reference service is bent in one way at a time, and the whole program must notice, by a rule that
is named for the fault. All ${faults} faults count, whatever a profile sends: the rest of the ${faults} shows only on cases that the profile
does not send, which the proof calls "beyond". The faults are ours. The figure says that each check works. It says nothing of
faults that nobody thought of. The benchmarks compare on the ${benchmarked} faults that a gate had to notice without further files when
they were made. Of each of eleven faults that near misses and odd values show, a case is found within 50, whatever the seed
(\`lib/generate/faults-found.test.ts\`).

**Variants.** The same service behaves in every unusual way that the specification allows. Runs of one variant are not
independent, so the bound counts variants, not runs: 1 − 0.05^(1/${falseAlarms.variants}). The suite was mended whenever it blamed one, so the
figure is in sample. Each was judged ${falseAlarms.gates} times in \`gate\`, and ${times(falseAlarms.others)} in \`acceptance\` and in \`nightly\` (60 cases a rule), each time
with another seed: ${grouped(falseAlarms.runs)} runs. These are the variants of ${falseAlarms.date}; what was added later stands in the proof alone.

**Services in other frameworks.** A plain service counts as blamed wrongly if a rule failed or warned of what the specification
allows. Rules said something against ${stacks.accused} of the ${stacks.conformant.all}, ${blamed(figures)}. The maintainers of the suite settled that by the
text of the specification, and are a party; the [page](stacks.md) has every reason. The first run cannot be made again, since what
it found has been mended: \`lab/stacks/first-run.json\` keeps it, and the command makes the figures of today.

**Faults that nobody chose.** A program makes them: Stryker's operators change the code of the reference service, and others
its answers, one small place at a time. Which mutants keep to the specification was decided by id before any was judged, by
somebody who saw no result. One half by hash was looked at: what survived there was either mended or named as one of ${limits} limits. Of
the other half only the numbers are known. A mutant counts as noticed if the run ends in a violation, in a warning, or
incomplete. Of the half that was not looked at, ${of(violationsWithin)} verdicts of \`acceptance\` are violations, ${of(violationsOutside)} outside the
limits. The limits are what the suite does not judge on purpose, such as fields of answers that gateways change.

**Two judges.** The second judge is one file, written from the specification and RFC 9110 by somebody who had seen nothing
of the suite. It says of an exchange: allowed, forbidden, or that the texts are silent. Both judges are asked about every
exchange of a gate with every fault and variant, of the services in other frameworks and their slips, and of the mutants.
Distinct situations count, not repetitions:

${judgesTable(figures)}

The maintainers of the suite settled the differences, each time in favour of the suite. They are a party, and no confirmation by
the author of the second judge or by a third person is on record. They decided by the text of the specification, and wrote each
reason down (\`lab/second-judge/settled.ts\`), so that anybody can settle them anew. In all of them the second judge forbade what
the specification leaves open:

- At a path that is not shown, an endpoint may exist, with states, clients and parameters of its own. The first judge accepts
  any documented error there.
- Under a version of which nothing is known, an endpoint may be inactive, closed to the client, or miss a parameter.
- A version outside 32 bits may be no integer for the service, and so an invalid parameter: the specification gives no range.
- A blank version may take the default. For an absent one the specification asks for 1003.
- Credentials that no customer matches may never have been issued: once the secret is wrong, too, the key may be called invalid.

RFC 9110 also asks for a challenge (\`WWW-Authenticate\`) with each 401. The specification shows its 401 without one, and no
scheme is registered for keys in \`x-api-key\`, so the suite does not judge it. Mistakes that were planted in either judge are
found by the other (\`lab/second-judge/planted.test.ts\`).

**The rate that a run excludes.** A verdict without any breach states it: 1 − 0.05^(1/n) after n answers that could have
shown a breach, from 30 answers on. Beside a breach, also one that only warns or is waived, it says how many answers showed
one. [Reports](reports.md#what-a-verdict-is-worth) explains it. A test answers each request of a run wrongly in turn, and
every counted one is noticed. The ${grouped(power.runs * Object.keys(power.noticed).length)} runs at known rates had one case a rule, n = ${power.answers}; one answer more than is counted can show a fault,
so slightly more runs notice.

**An archive.** What \`verify\` says of one that is signed:

> ${claims.signed}

An edit by somebody who has the folder, and neither the key nor the digest of \`verdict.json\` that the run printed, is noticed
where that digest is kept: in the log of the pipeline, or on a signed sheet. [What verify shows](users/acceptance.md#what-verify-shows)
has the rest.

## What is not claimed

- That a service is free of faults. A verdict holds for the requests that were sent, to this address, at this time.
- Anything about an endpoint that was not asked. Each report names those of the endpoints file of which no answer was judged.
- A rate for faults that depend on one input, one node or one connection. For these the *situations reached* speak, and
  those not reached are listed with the setting that would reach them.
- Anything about what the specification does not show: card switches, webhooks, the fields of resources, the size of the
  quota. Every report lists it.
- That no misreading is shared: the authors of the suite, of the reference service and of the second judge read the same text.
- That the variants are a sample of the services that exist.

## What comes with it, and what it contacts

A run connects to its target, or to the proxy in between, and to nothing else: no telemetry, no look for updates. A test
records every connection of \`run\`, \`doctor\` and \`plan\`.

The package holds a bill of materials (CycloneDX 1.5, \`dist/sbom.cdx.json\`): each dependency with its version, hash and licence.
A test holds it against what npm installs, and each licence against a list.

An upgrade does not change the terms: [rule sets](rules.md#rule-sets) judge by the rules of a release.
`
}

type Row = readonly [claim: string, where: string, figure: string, bound: string, again: string]

/** Each claim with one figure; a claim that holds in several places has a row for each. */
function claimTable(figures: TrustFigures): string {
  const { falseAlarms, stacks, mutants, power, killed, soak } = figures
  const { runs, noticed, answers } = power
  const firstRun = 'the first run, in'
  const kept = '`npm run lab -- stacks --faults`, as of today'
  const rows: readonly Row[] = [
    ...trustedProfiles.map((profile) => plantedRow(profile, figures)),
    [
      'A conformant variant of it is blamed',
      'every profile',
      of({ part: falseAlarms.blamed, all: falseAlarms.variants }),
      `${noneSeen(falseAlarms.variants)} of such services; in sample`,
      '`npm run lab -- false-alarms`',
    ],
    [
      'A service in a framework that we did not choose is blamed wrongly, unseen',
      'the first run',
      of(stacks.blamedWrongly),
      boundOf(stacks.blamedWrongly),
      kept,
    ],
    [
      'It is found conformant, unseen',
      `${firstRun} \`acceptance\``,
      of(stacks.conformant),
      boundOf(stacks.conformant),
      kept,
    ],
    ...trustedProfiles.map((profile): Row => {
      const slips = stacks.slips[profile]
      return ['A slip in it is found, unseen', `${firstRun} \`${profile}\``, of(slips), boundOf(slips), kept]
    }),
    ...trustedProfiles.flatMap((profile): readonly Row[] => {
      const { outside, within, blamed: wrongly } = mutants[profile]
      const where = `\`${profile}\`, the half never looked at`
      return [
        [
          'A fault that a program makes at random is noticed, outside the limits',
          where,
          of(outside),
          boundOf(outside),
          '`npm run lab -- mutants`',
        ],
        ['The same, with the limits', where, of(within), boundOf(within), 'the same'],
        [
          'A mutant that keeps to the specification is blamed',
          `\`${profile}\``,
          of(wrongly),
          `${boundOf(wrongly)} of mutants of one service`,
          'the same',
        ],
      ]
    }),
    ...Object.entries(expectedShares).map(([rate, share]): Row => [
      `A service that is wrong at a rate of ${rate}/n is noticed`,
      `one case a rule, n = ${answers}`,
      of({ part: noticed[rate] ?? 0, all: runs }),
      `${percent(share)} are claimed`,
      '`npm run lab -- power --essential`',
    ]),
    [
      "A change of the suite's own judge is noticed by its tests",
      '`lib/judge`, `lib/explain` and `lib/drift`',
      of(killed),
      'the command fails below 90 %',
      '`npm run lab -- mutation`',
    ],
    ['A run behind a bad network ends in 0', '`gate`', of(soak), missedOf(soak), '`npm run lab -- soak`'],
  ]
  return markdownTable(['claim', 'measured in', 'figure', 'bound, at 95 %', 'make it again'], rows)
}

function plantedRow(profile: (typeof trustedProfiles)[number], { planted }: TrustFigures): Row {
  const share = planted[profile]
  return [
    'A fault that we planted is noticed',
    `\`${profile}\``,
    share === null ? 'not measured in the last proof' : of(share),
    'none: we chose the faults',
    '`npm run proof`',
  ]
}

function judgesTable({ judges }: TrustFigures): string {
  const names = {
    proof: ['faults and variants', '`npm run lab -- second-judge`'],
    stacks: ['other frameworks', '`npm run lab -- second-judge --of stacks`'],
    mutants: ['mutants', '`npm run lab -- mutants`'],
  } as const
  const rows = (['proof', 'stacks', 'mutants'] as const).map((name) => {
    const { situations, agree, silent, settled, disagree } = judges[name]
    const [title, again] = names[name]
    return [title, ...[situations, agree, silent, settled, disagree].map(grouped), again]
  })
  const heads = [
    'exchanges with',
    'situations',
    'both speak and agree',
    'one is silent',
    'they differ, settled',
  ]
  return markdownTable([...heads, 'they differ, open', 'make it again'], rows)
}

function blamed({ stacks: { blamedWrongly } }: TrustFigures): string {
  return blamedWrongly.part === 0 ? 'each time rightly' : `wrongly against ${blamedWrongly.part} of them`
}

/** Exact bounds of a share (Clopper and Pearson); of none at all, the rate that is excluded. */
function boundOf(share: Share): string {
  return share.part === 0 ? noneSeen(share.all) : intervalOf(share.part, share.all)
}

/** The bound of those that are missing from a share. */
function missedOf({ part, all }: Share): string {
  const missed = { part: all - part, all }
  return missed.part === 0 ? `${noneSeen(all)} do not` : `${boundOf(missed)} do not`
}

function of({ part, all }: Share): string {
  return `${grouped(part)} of ${grouped(all)}`
}

function times(count: number): string {
  return count === 1 ? 'once' : `${count} times`
}

function grouped(count: number): string {
  return count.toLocaleString('en')
}
