import { describe, expect, it } from 'vitest'
import type { MutantOutcome, MutantResult } from './job.ts'
import type { Mutant } from './mutant.ts'
import { mutantsPage } from './page.ts'
import { countOf, idsThat, outcomesIn, type Results } from './summary.ts'

function mutant(id: string, half: Mutant['half'], line: number | null = 7): Mutant {
  return { id, family: 'Kind', file: 'lib/a.ts', line, original: 'a | b', replacement: 'b', half }
}

function outcome(id: string, result: MutantResult, profile: MutantOutcome['profile']): MutantOutcome {
  return { id, profile, result, failed: [], warned: [], because: [], requests: 3, seconds: 1, crashed: false }
}

const mutants = [
  ...['a', 'b', 'c', 'd', 'e'].map((id) => mutant(id, 'seen')),
  mutant('hidden', 'unseen', null),
  mutant('kept', 'unseen', null),
]
const conformant = { e: 'only the wording', kept: 'as it was' }
const results: Results = {
  date: '2026-11-22',
  seed: 20260101,
  wallSeconds: 61,
  atOnce: 2,
  taken: ['b'],
  judges: null,
  outcomes: [
    outcome('a', 'survived', 'gate'),
    outcome('b', 'caught', 'gate'),
    outcome('c', 'not reached', 'gate'),
    outcome('d', 'caught', 'gate'),
    outcome('e', 'caught', 'gate'),
    outcome('hidden', 'survived', 'gate'),
    outcome('kept', 'survived', 'gate'),
    outcome('a', 'survived', 'acceptance'),
    outcome('d', 'caught', 'acceptance'),
    outcome('hidden', 'survived', 'acceptance'),
  ],
}

describe('the results of mutants', () => {
  it('are counted among those that are judged; conformant ones are apart', () => {
    const seen = mutants.filter(({ half }) => half === 'seen')

    expect(countOf(seen, outcomesIn(results, 'gate'), conformant)).toMatchObject({
      mutants: 5,
      conformant: 1,
      blamed: 1,
      judged: 3,
      caught: 2,
      survived: 1,
      'not reached': 1,
    })
  })

  it('take what gate caught as caught in acceptance, where it was not run', () => {
    const { caught, judged } = countOf(mutants, outcomesIn(results, 'acceptance'), conformant)

    expect([caught, judged]).toEqual([2, 4])
  })

  it('name what survived in a half', () => {
    const survived = idsThat('survived', mutants, outcomesIn(results, 'gate'), { half: 'seen', conformant })

    expect(survived).toEqual(['a'])
  })

  it('are written as a page that names survivors of the half seen only', () => {
    const kept = { mutants, conformant, limits: { b: 'nobody can see it' }, published: {} }
    const page = mutantsPage(kept, results)

    expect(page).toContain('- `a` in gate and acceptance: `a \\| b` → `b`')
    expect(page).toContain('| `b` | nobody can see it | 0 | 0 |')
    expect(page).not.toContain('hidden')
    const three = (cell: string): string => [cell, cell, cell].join(' | ')
    expect(page).toContain(`| \`gate\` | seen | ${three('2 of 3: 66.7 % (9.4 % to 99.2 %)')} |`)
    expect(page).toContain(
      `| \`gate\` | seen, outside the limits below | ${three('1 of 2: 50.0 % (1.3 % to 98.7 %)')} |`,
    )
    expect(page).toContain(`| \`gate\` | unseen | ${three('0 of 1: 0.0 % (0.0 % to 97.5 %)')} |`)
    expect(page).not.toContain('Two judges')
    expect(page).toContain('that gate caught was judged in acceptance: 1 of 1 were caught there.')
    expect(page).toContain('| code | seen | 5 | 1 | 1 | 0 | 1 | 3 | 2 | 0 | 1 | 0 | 0 | 0 |')
    expect(page).toContain('1 min 1 s')
  })

  it('tell incomplete runs and warnings apart, and what both judges came to', () => {
    const judges = { exchanges: 900, situations: 7, agree: 3, silent: 2, settled: 2, disagree: 0 }
    const page = mutantsPage(
      {
        mutants: [...mutants, mutant('f', 'seen'), mutant('g', 'seen')],
        conformant,
        limits: { f: 'it never starts' },
        published: {},
      },
      {
        ...results,
        outcomes: [...results.outcomes, outcome('f', 'incomplete', 'gate'), outcome('g', 'warned', 'gate')],
        judges,
      },
    )

    expect(page).toMatch(
      /`gate` \| seen \| 2 of 4: 50\.0 % \([^)]+\) \| 3 of 4: 75\.0 % \([^)]+\) \| 4 of 5: 80\.0 %/,
    )
    expect(page).toContain('agree in 3, one is silent in 2, they differ in 2, of which 2 are settled')
  })
})
