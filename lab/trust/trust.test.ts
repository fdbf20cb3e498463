import { describe, expect, it } from 'vitest'
import { faults } from '../service/faults/all-faults.ts'
import { variants } from '../service/variants/all-variants.ts'
import { expectedShares } from '../power/noticed.ts'
import { textOf } from '../../tests/support/syntax.ts'
import { figuresOf, type Sources } from './figures.ts'
import { trustPage } from './page.ts'
import { sourcesOfTrust } from './sources.ts'

const sources = await sourcesOfTrust()

/** The rows of the table of claims, cell by cell. */
function claimsIn(page: string): readonly (readonly string[])[] {
  const [, table = ''] = /## What is claimed\n\n((?:\|.+\n)+)/.exec(page) ?? []
  const rows = [...table.matchAll(/^\| (.+) \|$/gm)].map(([, cells = '']) => cells.split(' | '))
  return rows.slice(2)
}

/** The page, made of the sources with these changes. */
function pageOf(changes: Partial<Sources>): string {
  return trustPage(figuresOf({ ...sources, ...changes }))
}

/** A row of the table in docs/proof.md. */
function proofRow(profile: string, noticed: string, beyond: number): string {
  return `| \`${profile}\` | 900 | ${noticed} | 0 | ${beyond} | 0 of 256 | 134 of 134 | 1 | 1 | 1 |\n`
}

describe('docs/trust.md', () => {
  it('says what the pages and records say: npm run lab -- trust writes it anew', () => {
    expect(textOf('docs/trust.md')).toBe(pageOf({}))
  })

  it('has one figure a cell', () => {
    const figures = claimsIn(textOf('docs/trust.md')).map(([, , figure]) => figure)

    expect(figures.length).toBeGreaterThan(15)
    for (const figure of figures)
      expect(figure).toMatch(/^(?:[\d,]+ of [\d,]+|not measured in the last proof)$/)
  })

  it('counts all faults that the proof judges today, in every profile', () => {
    const page = pageOf({})

    expect(page).toContain(`| A fault that we planted is noticed | \`gate\` | `)
    for (const [, where, figure = ''] of claimsIn(page).filter(([claim]) => claim?.includes('planted'))) {
      if (figure.startsWith('not measured')) expect(sources.proof).not.toContain(`| ${where} |`)
      else expect(figure).toMatch(new RegExp(` of ${faults.length}$`))
    }
    expect(page).toContain(`All ${faults.length} faults count`)
  })

  it('takes acceptance from the proof as soon as it is measured there', () => {
    const head = `| services with one fault | ${faults.length} | a rule |\n`
    const measured = (gate: string, acceptance: string): readonly string[] =>
      claimsIn(pageOf({ proof: head + proofRow('gate', gate, 45) + proofRow('acceptance', acceptance, 5) }))
        .filter(([claim]) => claim?.includes('planted'))
        .map(([, where, figure]) => `${where}: ${figure}`)

    const all = faults.length
    // The first page of a proof left out what it called beyond.
    expect(measured('473 of 473', '513 of 513')).toEqual([
      `\`gate\`: 473 of ${all}`,
      `\`acceptance\`: 513 of ${all}`,
    ])
    expect(measured(`473 of ${all}`, `513 of ${all}`)).toEqual(measured('473 of 473', '513 of 513'))
  })

  it('follows each of its sources', () => {
    const { published } = sources
    const { falseAlarms, judges, power } = published
    const changed: Readonly<Record<string, Partial<Sources>>> = {
      benchmarks: { benchmarks: 'Faults are the 445 services of the proof' },
      soak: { soak: '199 of 200 ended in exit 0.' },
      mutation: { mutation: '| both | 2,706 | 94.9 % (2,570) |' },
      mutants: { mutants: sources.mutants.replaceAll('914 of 932:', '915 of 932:') },
      'mutants of both judges': { mutants: sources.mutants.replace('agree in 4472', 'agree in 4473') },
      'mutants blamed': { mutants: sources.mutants.replaceAll('| 1550 | 396 | 0 |', '| 1550 | 396 | 1 |') },
      limits: { limits: { one: 'limit' } },
      'false alarms': { published: { ...published, falseAlarms: { ...falseAlarms, blamed: 1 } } },
      judges: {
        published: { ...published, judges: { ...judges, stacks: { ...judges.stacks, disagree: 1 } } },
      },
      power: { published: { ...published, power: { ...power, noticed: { ...power.noticed, 1: 660 } } } },
    }

    expect(Object.keys(changed).filter((name) => pageOf(changed[name] ?? {}) === pageOf({}))).toEqual([])
    for (const page of ['soak', 'mutation', 'mutants', 'benchmarks', 'proof'])
      expect(() => pageOf({ [page]: 'nothing' }), page).toThrow(/a page has no/)
  })

  it('counts a service as blamed wrongly unless each rule that was red for it was right', () => {
    const { settlements } = sources
    const jetty = settlements.filter(({ stack, accused }) => stack === 'jetty' && accused !== undefined)
    const others = settlements.filter((one) => !jetty.includes(one))
    const wrong = jetty.map((one) => ({ ...one, side: 'suite' as const }))

    expect(figuresOf(sources).stacks).toMatchObject({ accused: 3, blamedWrongly: { part: 0, all: 19 } })
    expect(figuresOf({ ...sources, settlements: [...others, ...wrong] }).stacks.blamedWrongly.part).toBe(1)
    expect(() => figuresOf({ ...sources, settlements: others })).toThrow('errors/documented-pairs')
  })
})

describe('what is published', () => {
  const { falseAlarms, judges, power } = sources.published

  it('is of nearly all variants, and of as many runs as the program makes', () => {
    const program = textOf('lab/false-alarms/main.ts')

    // Judging each of them with many seeds takes hours: those that were added since may wait.
    expect(falseAlarms.variants).toBeLessThanOrEqual(variants.length)
    expect(falseAlarms.variants).toBeGreaterThan(variants.length * 0.8)
    expect(falseAlarms.runs).toBe(falseAlarms.variants * (falseAlarms.gates + 2 * falseAlarms.others))
    expect(program).toContain(`gates: { type: 'string', default: '${falseAlarms.gates}' }`)
    expect(program).toContain(`others: { type: 'string', default: '${falseAlarms.others}' }`)
  })

  it('adds up', () => {
    for (const { situations, ...parts } of Object.values({
      ...judges,
      mutants: figuresOf(sources).judges.mutants,
    }))
      expect(Object.values(parts).reduce((sum, part) => sum + part, 0)).toBe(situations)
    expect(Object.keys(power.noticed)).toEqual(Object.keys(expectedShares))
  })

  it('of the proof leaves no fault out', () => {
    const rows = [...sources.proof.matchAll(/^\| `\w+` \| \d+ \| (\d+) of \d+ \| (\d+) \| (\d+) \|/gm)]

    expect(rows.length).toBeGreaterThan(0)
    for (const [, noticed, byWrongRule, beyond] of rows)
      expect([Number(noticed) + Number(beyond), byWrongRule]).toEqual([faults.length, '0'])
  })
})
