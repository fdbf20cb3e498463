import { markdownTable } from '../markdown-table.ts'
import { intervalOf, percent } from '../../tests/support/bounds.ts'
import { limitOf, type Kept } from './inventory.ts'
import { judgedProfiles, type JudgedProfile, type MutantResult } from './job.ts'
import type { Half, Mutant } from './mutant.ts'
import { countOf, idsThat, outcomesIn, type Count, type Results } from './summary.ts'

const halves: readonly Half[] = ['seen', 'unseen']

/** The page about mutants, made of a run of all of them in both profiles. */
export function mutantsPage(kept: Kept, results: Results): string {
  const { date, wallSeconds, atOnce, seed } = results
  return [
    '# Faults that nobody chose',
    '',
    `\`npm run lab -- mutants\` wrote this page on ${date}. The [proof](proof.md) uses faults that we thought of. Here a program makes the faults:`,
    'it changes a conformant service in one small place at a time. The page says which share of these mutants the suite catches.',
    '',
    '## How they are made',
    '',
    '- **Mutants of code.** All operators of Stryker, on the code of the reference service that every run executes or passes through. The',
    '  files are listed in `lab/mutants/instrumented.ts`. Stryker leaves `as const` values alone, so these words are taken away first. The',
    '  code is loaded anew for each mutant, so that constants are mutated, too.',
    '- **Mutants of answers.** Operators on the answers of the unchanged service: status, error code, members, body, encoding, content type,',
    '  length, other fields, connection, latency, order. Each is applied to each kind of answer: success, and every documented error. Some are',
    '  also applied on a condition only, for example on every tenth such answer, on reused connections, or to HEAD. Answers to bytes that',
    "  node's parser refuses are not changed.",
    '- **Halves.** A mutant belongs to a half by the SHA-256 of its id. We look at the survivors of the half "seen", and mend the suite. Nobody',
    '  looks at those of the half "unseen": of them only the numbers are published.',
    '- **Conformant mutants** keep to the specification. They are named in `lab/mutants/conformant.json`, each with a reason. They were named',
    '  before anyone knew which mutants survived, and are not counted. A conformant mutant that was found to violate is counted as blamed.',
    '- **Results.** Caught: a violation, exit 1. Warned: exit 0, and a breach of HTTP or JSON is reported. Survived: exit 0, and nothing is.',
    '  Incomplete: exit 3. Error: the suite itself failed, exit 4.',
    '  Timeout: the process hung. Does not run: nothing listens. Not reached: exit 0, and the changed code never ran. The last two are not judged.',
    '',
    '## Results',
    '',
    ...bounds(kept, results),
    '',
    checkOfTaken(results),
    '',
    ...judgedProfiles.flatMap((profile) => [...table(kept, results, profile), '']),
    ...unseenByFamily(kept, results),
    '',
    '## Survivors of the half "seen"',
    '',
    ...survivors(kept, results),
    '',
    ...judgesOf(results),
    '## What it does not say',
    '',
    '- The share is one of these mutants. Real faults come in other proportions.',
    '- Mutants of answers outnumber those of code, and many are easy to catch. Read the families, not only the total.',
    '- The bound treats mutants as independent draws. Mutants of one line are not independent.',
    '- The limits were named after survivors of the half "seen" only. They take unseen mutants of the same kind with them, caught or not.',
    '- A mutant that survives may still keep to the specification: `conformant.json` names only what its author recognised.',
    '- Every fixture is configured. Without fixtures fewer rules are judged, and fewer mutants are caught.',
    '',
    '## Repeat it',
    '',
    '```sh',
    'npm run lab -- mutants                                  # all mutants in both profiles; writes this page',
    'npm run lab -- mutants --half seen --profiles gate   # one half in one profile',
    'npm run lab -- mutants --list                        # every mutant with its code; runs nothing',
    'npm run lab -- mutants --renew                       # writes the list anew when the code has changed',
    'npm run lab -- mutants --sample 40 --profiles gate   # what CI runs',
    '```',
    '',
    `The seed is ${String(seed)}, that of the profiles; a run waits 1 s for an answer. The whole took ${minutes(wallSeconds)} with ${String(atOnce)} runs side by side.`,
    'The raw results are written to `reports/mutants/results.json`, which git ignores.',
    '',
  ].join('\n')
}

function bounds({ mutants, conformant, limits }: Kept, results: Results): readonly string[] {
  const rows = judgedProfiles.flatMap((profile) =>
    halves.flatMap((half) =>
      [true, false].map((withLimits) => {
        const { caught, warned, incomplete, judged } = countOf(
          mutants.filter(
            ({ half: its, id }) => its === half && (withLimits || limitOf(id, limits) === undefined),
          ),
          outcomesIn(results, profile),
          conformant,
        )
        const parts = [
          [caught, judged - incomplete],
          [caught + warned, judged - incomplete],
          [caught + warned + incomplete, judged],
        ] as const
        const cells = parts.map(
          ([part, all]) =>
            `${String(part)} of ${String(all)}: ${percent(part / all)} (${intervalOf(part, all)})`,
        )
        return `| \`${profile}\` | ${half}${withLimits ? '' : ', outside the limits below'} | ${cells.join(' | ')} |`
      }),
    ),
  )
  return [
    '| profile | half | caught, of those with a verdict | caught or warned of, of those with a verdict | caught, warned of or incomplete, of all |',
    '| --- | --- | --- | --- | --- |',
    ...rows,
    '',
    'Intervals are those of Clopper and Pearson, at 95 %. Most incomplete runs end at the first valid request, which is refused or gets no',
    'answer: the suite cannot tell a broken service from a wrong address or wrong credentials. It blames nobody, and exits with 3.',
    'Of many mutants the specification says nothing, while HTTP or JSON does: such a breach is a warning, and a violation under `--strict`.',
  ]
}

/** What both judges came to on the exchanges of the runs. */
function judgesOf({ judges }: Results): readonly string[] {
  if (judges === null) return []
  const { exchanges, situations, agree, silent, settled, disagree } = judges
  return [
    '## Two judges',
    '',
    `Both judges of [trust.md](trust.md) were asked about each of the ${String(exchanges)} exchanges: ${String(situations)} different situations. Both speak and`,
    `agree in ${String(agree)}, one is silent in ${String(silent)}, they differ in ${String(settled + disagree)}, of which ${String(settled)} are settled and ${String(disagree)} are not.`,
    '',
  ]
}

/** Says for how many of those caught in gate acceptance was really run, and what came of it. */
function checkOfTaken({ taken, outcomes }: Results): string {
  if (taken.length === 0) return 'Every mutant was judged in both profiles.'
  const inGate = new Set(
    outcomes.filter(({ profile, result }) => profile === 'gate' && result === 'caught').map(({ id }) => id),
  )
  const checked = outcomes.filter(({ profile, id }) => profile === 'acceptance' && inGate.has(id))
  const again = checked.filter(({ result }) => result === 'caught').length
  return [
    `${String(taken.length)} mutants that gate caught were not judged in acceptance, and count as caught there. To check this, a tenth of those`,
    `that gate caught was judged in acceptance: ${String(again)} of ${String(checked.length)} were caught there.`,
  ].join('\n')
}

const columns = [
  'mutants',
  'conformant',
  'blamed',
  'does not run',
  'not reached',
  'judged',
  'caught',
  'warned',
  'survived',
  'incomplete',
  'error',
  'timeout',
] as const satisfies readonly (keyof Count)[]

function table({ mutants, conformant }: Kept, results: Results, profile: JudgedProfile): readonly string[] {
  const outcomes = outcomesIn(results, profile)
  const row = (title: string, half: Half, of: readonly Mutant[]): readonly (string | number)[] => {
    const count = countOf(of, outcomes, conformant)
    return [title, half, ...columns.map((column) => count[column])]
  }
  const groups: readonly (readonly [string, readonly Mutant[]])[] = [
    ['code', mutants.filter(isOfCode)],
    ['answers', mutants.filter((mutant) => !isOfCode(mutant))],
    ['all', mutants],
  ]
  return [
    `In \`${profile}\`:`,
    '',
    markdownTable(
      ['mutants of', 'half', ...columns],
      groups.flatMap(([title, of]) =>
        halves.map((half) =>
          row(
            title,
            half,
            of.filter((mutant) => mutant.half === half),
          ),
        ),
      ),
    ),
  ]
}

/** The unseen half by family: only numbers. */
function unseenByFamily({ mutants, conformant }: Kept, results: Results): readonly string[] {
  const unseen = mutants.filter(({ half }) => half === 'unseen')
  const rows = familiesOf(unseen).map(([title, of]) => {
    const counts = judgedProfiles.map((profile) => countOf(of, outcomesIn(results, profile), conformant))
    return [title, ...counts.map(({ survived, judged }) => `${String(survived)} of ${String(judged)}`)]
  })
  return [
    'Survivors of the half "unseen", by family:',
    '',
    markdownTable(['family', ...judgedProfiles.map((profile) => `in \`${profile}\``)], rows),
  ]
}

function isOfCode({ line }: Mutant): boolean {
  return line !== null
}

function familiesOf(mutants: readonly Mutant[]): readonly (readonly [string, readonly Mutant[]])[] {
  const families = new Map<string, Mutant[]>()
  for (const mutant of mutants) {
    const title = `${isOfCode(mutant) ? 'code' : 'answers'}: ${mutant.family}`
    families.set(title, [...(families.get(title) ?? []), mutant])
  }
  return [...families]
}

/** Survivors of the half that we look at: those within a limit are counted, the others are named. */
function survivors({ mutants, conformant, limits }: Kept, results: Results): readonly string[] {
  const rows = judgedProfiles.flatMap((profile) => {
    const outcomes = outcomesIn(results, profile)
    const of = (result: MutantResult): readonly string[] =>
      idsThat(result, mutants, outcomes, { half: 'seen', conformant })
    return [...of('survived'), ...of('error'), ...of('timeout')].map((id) => ({ id, profile }))
  })
  const within = (start: string): typeof rows => rows.filter(({ id }) => limitOf(id, limits) === start)
  const open = mutants.filter(({ id }) =>
    rows.some((row) => row.id === id && limitOf(id, limits) === undefined),
  )
  return [
    '| limit: mutants of these ids | the suite does not judge it, because | survived in gate | in acceptance |',
    '| --- | --- | --- | --- |',
    ...Object.entries(limits).map(([start, sentence]) => {
      const counts = judgedProfiles.map(
        (name) => within(start).filter(({ profile }) => profile === name).length,
      )
      return `| \`${start}\` | ${sentence} | ${counts.join(' | ')} |`
    }),
    '',
    open.length === 0 ? 'No other mutant survived.' : 'Others that survived:',
    '',
    ...open.map(({ id, original, replacement }) => {
      const where = rows.filter((row) => row.id === id).map(({ profile }) => profile)
      return `- \`${id}\` in ${where.join(' and ')}: ${cell(original)} → ${cell(replacement)}`
    }),
  ]
}

function cell(text = ''): string {
  return text === '' ? '(nothing)' : `\`${text.replaceAll('|', '\\|').replaceAll('`', "'")}\``
}

function minutes(seconds: number): string {
  return `${String(Math.floor(seconds / 60))} min ${String(Math.round(seconds % 60))} s`
}
