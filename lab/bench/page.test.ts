import { it } from 'vitest'
import { boundText, breaks, keeps } from './goals.ts'
import { exactly } from './measure/spread.ts'
import { benchmarksPage, type MeasuredSection } from './page.ts'

const section: MeasuredSection = {
  name: 'gate',
  title: 'A whole gate',
  parts: ['What it is.', { head: ['what', 'seconds'], rows: [['a gate', '0.50']] }],
  figures: {
    'gate : newman': { median: 0.5, least: 0.4, most: 0.6 },
    'requests of a gate': exactly(400),
  },
}

it('a page tells what was reached, what was not, and what was not measured', ({ expect }) => {
  const page = benchmarksPage([section], { machine: 'a processor, 2 cores', date: '2026-11-22', rounds: 5 })

  expect(page).toContain('wrote this page on 2026-11-22: a processor, 2 cores.')
  expect(page).toContain('the median of 5 rounds')
  expect(page).toContain('| at most 0.65 | 0.50 (0.40–0.60) | reached |')
  expect(page).toContain('| at most 326 | 400 | **not reached** |')
  expect(page).toContain('| at least 125 | not measured |  |')
  expect(page).toContain(
    '## A whole gate\n\nWhat it is.\n\n| what | seconds |\n| --- | --- |\n| a gate | 0.50 |',
  )
})

it.for([
  { bound: { atMost: 1.3 }, median: 1.3, kept: true, text: 'at most 1.3' },
  { bound: { atMost: 1.3 }, median: 1.31, kept: false, text: 'at most 1.3' },
  { bound: { atLeast: 0.45 }, median: 0.45, kept: true, text: 'at least 0.45' },
  { bound: { atLeast: 0.45 }, median: 0.44, kept: false, text: 'at least 0.45' },
  { bound: { atMost: 1 }, median: Number.NaN, kept: false, text: 'at most 1' },
])('$median $text: $kept', ({ bound, median, kept, text }, { expect }) => {
  const named = { figure: 'gate : newman', ...bound } as const

  expect([keeps(named, exactly(median)), boundText(named)]).toEqual([kept, text])
})

it.for([
  { bound: { atMost: 0.8 }, least: 0.68, most: 1.01, broken: false },
  { bound: { atMost: 0.8 }, least: 0.81, most: 1.01, broken: true },
  { bound: { atLeast: 0.45 }, least: 0.2, most: 0.45, broken: false },
  { bound: { atLeast: 0.45 }, least: 0.2, most: 0.44, broken: true },
  { bound: { atMost: 0.8 }, least: Number.NaN, most: Number.NaN, broken: true },
])('$least to $most of $bound is broken: $broken', ({ bound, least, most, broken }, { expect }) => {
  expect(breaks({ figure: 'gate : newman', ...bound }, { median: 1, least, most })).toBe(broken)
})
