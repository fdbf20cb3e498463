// npm run lab -- trust: writes the figures of claims.json, which the programs of the lab measured, into the
// table of docs/trust.md.
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { rateExcluded } from '../../lib/verdict/power.ts'
import { intervalOf, percent } from '../../tests/support/bounds.ts'
import { markdownTable } from '../markdown.ts'
import claims from './claims.json' with { type: 'json' }

/** At 95 %, after Clopper and Pearson. If the count is zero, the excluded rate. */
const boundOf = (part: number, all: number): string =>
  part === 0 ? `at most ${percent(rateExcluded(all) ?? 1)}` : intervalOf(part, all)

// In `bound`, RANGE stands for the exact bounds of the share, and REST for those of its complement.
const grouped = (count: number): string => count.toLocaleString('en')
const table = markdownTable(
  ['claim', 'measured in', 'figure', 'bound, at 95 %', 'command'],
  claims.map(({ claim, where, part, all, bound, again }) => [
    claim,
    where,
    `${grouped(part)} of ${grouped(all)}`,
    bound.replace('RANGE', boundOf(part, all)).replace('REST', boundOf(all - part, all)),
    again,
  ]),
)
const page = fileURLToPath(new URL('../../docs/trust.md', import.meta.url))
const text = readFileSync(page, 'utf8')
writeFileSync(page, text.replace(/(?<=## What is claimed\n\n)(?:\|.*\n)+/, `${table}\n`))
