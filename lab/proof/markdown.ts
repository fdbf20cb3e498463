import { markdownTable } from '../markdown-table.ts'
import type { Outcome, Subject, SubjectKind } from './subject.ts'
import type { ProfileProof, Proof, ProvenRule, ProvenSubject } from './summary.ts'

/** Where the long tables and the data are written. */
export const proofFolder = 'reports/proof'

/** The page `docs/proof.md`: what was proven, the figures, and how to repeat it. */
export function proofPage(proof: Proof): string {
  const { date, wallSeconds, atOnce, profiles } = proof
  return `# What was proven

\`npm run proof\` wrote this page on ${date}. It runs the whole program against services whose faults are known, and checks that each run
ends as it must.

## What was run

${kindsTable(proof.subjects)}

A fault counts as noticed when a rule that is named for it fails or warns. Other rules may fail, too. After every run the proof searches
everything that was written or printed for the credentials of that run, in many encodings. A run may take no longer and no more memory than
\`lab/proof/resources.ts\` allows. Profiles: ${profiles.map(({ profile }) => `\`${profile}\``).join(', ')}. In \`nightly\` a rule gets 200 fuzz cases here, and 2,000 for
ten of the targets.

## What came out

${verdictOf(proof)}

${overview(proof)}

All faults count, also those "beyond", which show only on cases that the profile does not send: it need not notice them, and did not. "Other
targets" are those that cannot be judged, are hostile, or echo credentials. Seconds are added up over all runs; the whole took ${minutes(wallSeconds)} with up to ${atOnce} runs
side by side.

${proofOfRules(proof)}

## Repeat it

In a checkout, after \`npm ci\`:

\`\`\`sh
npm run proof                                   # every target in every profile; writes this page
npm run proof -- --profiles gate,acceptance     # every target in two profiles; writes this page
npm run proof -- --profiles gate                # every target in one profile; leaves this page
npm run proof -- --only api-key                 # the targets whose names hold this
npm run proof -- --each-once                    # each fault and each variant once
npm run proof -- --again                        # only the runs that ended in another way than they must
\`\`\`

The long tables (rule by rule, fault by fault, target by target) are written to \`${proofFolder}/tables.md\`, and the data to
\`${proofFolder}/proof.json\`. Git ignores both. To see one of the services yourself, start it, and judge it from another terminal:

\`\`\`sh
npm run conformance -- serve --list-faults
npm run conformance -- serve --fault api-key-compared-by-prefix
npm run conformance -- serve --variant order-reversed
\`\`\`
`
}

/** The long tables: rule by rule, and subject by subject. */
export function proofTables(proof: Proof): string {
  return ['# The tables of the proof', rules(proof), faults(proof), others(proof)].join('\n\n')
}

function verdictOf({ wrongRuns, unproven }: Proof): string {
  return wrongRuns + unproven.length === 0
    ? 'Every fault that a profile must notice was noticed by a rule that is named for it.\nNo conformant service was blamed. Every run ended as it must.'
    : `**Runs that ended in another way than they must: ${wrongRuns}. Rules that nothing proves: ${unproven.length}.**`
}

/** What must come of a run, by kind of subject. */
const expected: Readonly<Record<SubjectKind, readonly [name: string, expectation: string]>> = {
  fault: ['services with one fault', 'a rule that is named for the fault notices it'],
  variant: ['conformant services that behave in an unusual way', 'exit 0, every rule judged'],
  'cannot be judged': ['targets that cannot be judged', 'exit 3 and the reason; no rule is blamed'],
  hostile: ['hostile targets', 'the verdict that is right for them; the reports stay harmless'],
  echo: ['services that echo credentials', 'the verdict that is right for them; no credential in any output'],
}

/** The table of what was run; a test holds the one in `docs/proof.md` to the subjects of today. */
export function kindsTable(subjects: readonly Pick<Subject, 'kind'>[]): string {
  const count = (kind: string): number => subjects.filter((subject) => subject.kind === kind).length
  const rows = Object.entries(expected).map(([kind, [name, must]]) => [name, count(kind), must])
  return markdownTable(['target', 'how many', 'what must come of a run'], rows)
}

/** The minimum number of faults that prove a rule, and the tests that prove the others. */
function proofOfRules({ rules: all }: Proof): string {
  const proven = all.filter(({ provenBy }) => provenBy === null)
  const fewest = Math.min(...proven.map(({ proofs }) => proofs))
  const byTest = all.filter(({ provenBy }) => provenBy !== null)
  const sentence = `${proven.length} rules were each red for ${fewest} or more of the faults that are named for them.`
  if (byTest.length === 0) return sentence
  return `${sentence} No service can break the other ${byTest.length}. A test proves each of them:

${byTest.map(({ id, provenBy }) => `- \`${id}\`: \`${provenBy}\``).join('\n')}`
}

function overview({ profiles }: Proof): string {
  const lines = profiles.map((one) => [
    `\`${one.profile}\``,
    one.runs,
    `${one.results.caught} of ${faultsIn(one)}`,
    one.results['wrong rule'],
    one.results.beyond,
    `${one.results['false alarm']} of ${one.results.passed + one.results['false alarm']}`,
    `${one.results['ended well']} of ${endings(one)}`,
    one.requests.toLocaleString('en'),
    one.seconds.toLocaleString('en'),
    one.highestMemoryMiB,
  ])
  const heads = [
    'profile',
    'runs',
    'faults noticed',
    'by the wrong rule',
    'beyond',
    'false alarms',
    'other targets ended well',
    'requests',
    'seconds',
    'most memory, MiB',
  ]
  return markdownTable(heads, lines)
}

/** Every fault that ran, whatever a profile must notice. */
function faultsIn({ results }: ProfileProof): number {
  return results.caught + results.missed + results.beyond + results['wrong rule']
}

function endings({ results }: ProfileProof): number {
  return results['ended well'] + results['ended wrongly']
}

function rules({ rules: all, profiles }: Proof): string {
  const names = profiles.map(({ profile }) => profile)
  const line = ({
    id,
    level,
    faults: named,
    noticed,
    missed,
    wrongRule,
    others: more,
    provenBy,
    requests,
  }: ProvenRule): readonly (string | number)[] => [
    `\`${id}\``,
    level,
    named === 0 && provenBy !== null ? `proven by \`${provenBy}\`` : named,
    ...names.map((name) => noticed[name] ?? 0),
    missed.length,
    wrongRule.length,
    more,
    requests,
  ]
  return [
    '## Rule by rule',
    '',
    '- faults: how many are named for the rule',
    '- one column for each profile: for how many of them the rule was red (a fault that is named for several rules needs one of them only)',
    '- missed, wrong rule: faults that nothing noticed, or only rules that are not named for them',
    '- red for others: how many other faults made the rule red',
    '- requests of a gate: what a gate with every fixture sends for the rule to a conformant service (equal requests of several rules are sent once)',
    '',
    markdownTable(
      ['rule', 'level', 'faults', ...names, 'missed', 'wrong rule', 'red for others', 'requests of a gate'],
      all.map(line),
    ),
  ].join('\n')
}

function faults({ subjects, profiles }: Proof): string {
  const own = subjects.filter(({ kind }) => kind === 'fault')
  const names = profiles.map(({ profile }) => profile)
  return [
    '## Fault by fault',
    '',
    markdownTable(
      ['fault', 'what the service does', 'named for it', ...names, 'red besides'],
      own.map((fault) => [
        `\`${fault.name}\``,
        fault.about,
        code(fault.named),
        ...names.map((name) =>
          howNoticed(
            fault,
            fault.outcomes.find(({ profile }) => profile === name),
          ),
        ),
        code(
          [...new Set(fault.outcomes.flatMap(({ red }) => red))].filter((id) => !fault.named.includes(id)),
        ),
      ]),
    ),
  ].join('\n')
}

function howNoticed({ named }: ProvenSubject, outcome: Outcome | undefined): string {
  if (outcome === undefined) return '–'
  return outcome.result === 'caught'
    ? `${named.filter((id) => outcome.red.includes(id)).length} of ${named.length}`
    : outcome.result
}

function others({ subjects, profiles }: Proof): string {
  const kinds: readonly (readonly [ProvenSubject['kind'], string])[] = [
    ['variant', 'Conformant variants'],
    ['cannot be judged', 'Targets that cannot be judged'],
    ['hostile', 'Targets that mean harm'],
    ['echo', 'Services that echo credentials'],
  ]
  const names = profiles.map(({ profile }) => profile)
  return `${kinds
    .map(([kind, title]) =>
      [
        `## ${title}`,
        '',
        markdownTable(
          ['name', 'what it does', ...names],
          subjects
            .filter((one) => one.kind === kind)
            .map(({ name, about, outcomes }) => [
              `\`${name}\``,
              about,
              ...names.map((profile) => ended(outcomes.find((one) => one.profile === profile))),
            ]),
        ),
      ].join('\n'),
    )
    .join('\n\n')}\n`
}

function ended(outcome: Outcome | undefined): string {
  if (outcome === undefined) return '–'
  return outcome.shortcomings.length === 0 ? `exit ${outcome.code}` : `**${outcome.result}**`
}

function code(ids: readonly string[]): string {
  return ids.map((id) => `\`${id}\``).join(', ')
}

function minutes(seconds: number): string {
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`
}
