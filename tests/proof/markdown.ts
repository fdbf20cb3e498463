import type { Outcome } from './subject.ts'
import type { ProfileProof, Proof, ProvenRule, ProvenSubject } from './summary.ts'

/** The page `docs/proof.md`: what was run, what it found, rule by rule and subject by subject. */
export function proofMarkdown(proof: Proof): string {
  return [introduction(proof), overview(proof), rules(proof), faults(proof), others(proof)].join('\n\n')
}

function introduction({ subjects, wallSeconds, atOnce, wrongRuns, unproven, profiles }: Proof): string {
  const count = (kind: ProvenSubject['kind']): number => subjects.filter((one) => one.kind === kind).length
  const verdict =
    wrongRuns + unproven.length === 0
      ? 'Every fault was noticed by a rule that is named for it, nothing conformant was blamed, and every run ended as it had to.'
      : `**${wrongRuns} runs ended in another way than they had to, and ${unproven.length} rules are proven by nothing.**`
  return `# Who tests the tester

This page is made by \`npm run proof\`, which runs the whole compiled program (as a process of its own against what cannot be judged or means harm) against ${count('fault')} services that are each bent in one
small way, ${count('variant')} that are conformant in an unusual way, ${count('cannot be judged')} targets that cannot be judged, ${count('hostile')} that mean harm, and ${count('echo')} that echo
the credentials they are sent. Profiles: ${profiles.map(({ profile }) => `\`${profile}\``).join(', ')}. In \`nightly\` a rule gets 200 fuzz cases here, and 2,000 for ten of the subjects.

${verdict}

A fault counts as noticed when a rule that is named for it is red; other red rules are listed, and not held against it. A conformant service must end in
0 with every rule judged. All that every run wrote or printed was searched for the credentials it was given, in many encodings. A run may take
no longer and no more memory than \`tests/proof/resources.ts\` says. The whole took ${minutes(wallSeconds)} with up to ${atOnce} runs side by side.

Any fault and any variant can be looked at by hand: \`npm run conformance -- serve --fault NAME\` or \`--variant NAME\`.`
}

function overview({ profiles }: Proof): string {
  const lines = profiles.map((one) =>
    row([
      `\`${one.profile}\``,
      one.runs,
      `${one.results.caught} of ${one.results.caught + one.results.missed + one.results['wrong rule']}`,
      one.results['wrong rule'],
      one.results.beyond,
      `${one.results['false alarm']} of ${one.results.passed + one.results['false alarm']}`,
      `${one.results['ended well']} of ${endings(one)}`,
      one.requests.toLocaleString('en'),
      one.seconds.toLocaleString('en'),
      one.highestMemoryMiB,
    ]),
  )
  return [
    '## Profile by profile',
    '',
    '"Beyond" are faults that show on cases alone which the profile does not send; it need not notice them, and did not. Seconds are added up over all runs.',
    '',
    ...table(
      [
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
      ],
      lines,
    ),
  ].join('\n')
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
  }: ProvenRule): string =>
    row([
      `\`${id}\``,
      level,
      named === 0 && provenBy !== null ? `proven by \`${provenBy}\`` : named,
      ...names.map((name) => noticed[name] ?? 0),
      missed.length,
      wrongRule.length,
      more,
      requests,
    ])
  return [
    '## Rule by rule',
    '',
    'How many faults are named for a rule; how many of these the rule itself was red for, in each profile (a fault that is named for several needs one of them only); faults that had',
    'to be noticed and were not, or only by rules that are not named for them; how many other faults made the rule red, too; and how many requests a gate with',
    'every fixture sends for it to a service that answers as documented. What equal requests of several rules need is sent once.',
    '',
    ...table(
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
    ...table(
      ['fault', 'what the service does', 'named for it', ...names, 'red besides'],
      own.map((fault) =>
        row([
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
        ...table(
          ['name', 'what it does', ...names],
          subjects
            .filter((one) => one.kind === kind)
            .map(({ name, about, outcomes }) =>
              row([
                `\`${name}\``,
                about,
                ...names.map((profile) => ended(outcomes.find((one) => one.profile === profile))),
              ]),
            ),
        ),
      ].join('\n'),
    )
    .join('\n\n')}\n`
}

function ended(outcome: Outcome | undefined): string {
  if (outcome === undefined) return '–'
  return outcome.shortcomings.length === 0 ? `exit ${outcome.code}` : `**${outcome.result}**`
}

function table(heads: readonly string[], rows: readonly string[]): readonly string[] {
  return [row(heads), row(heads.map(() => '---')), ...rows]
}

function row(cells: readonly (string | number)[]): string {
  return `| ${cells.map((cell) => String(cell).replaceAll('|', '\\|')).join(' | ')} |`
}

function code(ids: readonly string[]): string {
  return ids.map((id) => `\`${id}\``).join(', ')
}

function minutes(seconds: number): string {
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`
}
