import { markdownTable } from '../markdown-table.ts'
import { boundText, goals, keeps } from './goals.ts'
import { shown } from './measure/spread.ts'
import type { Figures, Measured, Section, Table } from './section.ts'

/** A section and what it measured. */
export type MeasuredSection = Measured & Pick<Section, 'name' | 'title'>

/** The page `docs/benchmarks.md`. */
export function benchmarksPage(
  sections: readonly MeasuredSection[],
  { machine, date, rounds }: { readonly machine: string; readonly date: string; readonly rounds: number },
): string {
  const names = sections.map(({ name }) => `\`${name}\``).join(', ')
  return `# Benchmarks

\`npm run lab -- bench\` wrote this page on ${date}: ${machine}.

Ratios are what another machine can be compared by. Both sides of a ratio were measured in the same run, by turns, and divided round by
round. A figure is the median of ${rounds} rounds; in brackets stand the least and the most of them.

## Figures to reach

${tableText(goalsTable(Object.assign({}, ...sections.map(({ figures }) => figures))))}

${sections.map(sectionText).join('\n')}
## What is not measured

Schemathesis and other tools in Python, since the peers come from npm alone. What they reach on another machine is not repeated here.

## Repeat it

\`\`\`sh
npm run lab -- bench                                # everything; writes this page
npm run lab -- bench --only gate,latency            # some sections; prints them
npm run lab -- bench --quick                        # less of everything; prints it
npm run lab -- bench --ci                           # ratios that must not get worse; exit 1 if one did
\`\`\`

Sections: ${names}. The peers are pinned in \`lab/bench/peers/package.json\`, and installed by the command where they are missing.
`
}

/** A section with its heading. */
export function sectionText({ title, parts }: Pick<MeasuredSection, 'title' | 'parts'>): string {
  const texts = parts.map((part) => (typeof part === 'string' ? part : tableText(part)))
  return `## ${title}\n\n${texts.join('\n\n')}\n`
}

function goalsTable(figures: Figures): Table {
  return {
    head: ['figure', 'asked', 'measured', ''],
    rows: goals.map((goal) => {
      const spread = figures[goal.figure]
      if (spread === undefined) return [goal.says, boundText(goal), 'not measured', '']
      return [goal.says, boundText(goal), shown(spread), keeps(goal, spread) ? 'reached' : '**not reached**']
    }),
  }
}

function tableText({ head, rows }: Table): string {
  return markdownTable(head, rows)
}
