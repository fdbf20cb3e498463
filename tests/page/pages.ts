import { comparisonPage, targetsPage } from '../../lib/report/compare/compare-page.ts'
import { compared, sideOf } from '../../lib/report/compare/comparison.ts'
import { comparedTargets, type TargetRow } from '../../lib/report/compare/targets.ts'
import { historyPage } from '../../lib/report/page/history-page.ts'
import { htmlPage } from '../../lib/report/page/html-page.ts'
import { night, nights, remembered } from '../../lib/report/page/nights.testing.ts'
import { hostileVerdict } from '../../lib/report/testing/hostile.ts'
import { absentRow, rowWith } from '../../lib/report/testing/verdicts.ts'
import { view } from '../../lib/report/view.ts'
import { ruleIds } from '../../lib/specification/rules.ts'
import { specification } from '../../lib/specification/specification.ts'
import { errorVerdict, nonconformantVerdict } from '../../lib/verdict/verdict.testing.ts'
import { targetWith, verdictWith } from '../../lib/verdict/verdict.testing.ts'
import type { Verdict } from '../../lib/verdict/verdict.ts'

const agreed = { fingerprint: null, reason: 'agreed', owner: 'Kim' }

/** A verdict in which every part of the page has something to show. */
const fullVerdict: Verdict = {
  ...nonconformantVerdict(),
  requests: { ...nonconformantVerdict().requests, byRule: { 'fuzz/path': 180, 'quota/exhausted': 2 } },
  observations: [{ id: 'methods', value: { HEAD: '200' } }],
  waivers: [{ ...agreed, rule: 'quota/per-client', expires: '2026-01-31', expired: true, used: false }],
}

/** Thirty nights in which every rule failed, each with its own build. */
function crowdedHistory(): string {
  const all = ruleIds.map((id) => [id] as const)
  const before = Array.from({ length: 29 }, (_, index) =>
    remembered(night(index + 1, all, { target: targetWith({ build: `${index} ${'W'.repeat(150)}` }) })),
  )
  return historyPage(view(night(30, all)), before)
}

const pageOfRows = (rows: readonly TargetRow[]): string =>
  targetsPage(comparedTargets(rows, new Date('2026-11-20T08:00:00.000Z')))

/** A page with this many targets of every kind, with long and short names. */
export function pageOfTargets(count: number): string {
  const rows = Array.from({ length: count }, (_, index): TargetRow => {
    const name = index % 7 === 2 ? `a-vendor-with-a-long-name-in-region-${index}` : `vendor-${index}`
    const target = targetWith({ label: `release ${index}`, baseUrl: `https://vendor-${index}.example/cards` })
    if (index % 20 === 3) return absentRow(name)
    const verdict = index % 6 === 1 ? { ...nonconformantVerdict(), target } : verdictWith({ target })
    return rowWith(name, verdict, verdictWith({ target }))
  })
  return pageOfRows(rows)
}

function comparisonOf(first: Verdict, ...others: readonly Verdict[]): string {
  const [one, ...rest] = [first, ...others].map((verdict, index) => {
    const label = 'ABCDEF'.charAt(index)
    return sideOf(`verdicts/${label}`, { ...verdict, target: { ...verdict.target, label } })
  })
  return one === undefined ? '' : comparisonPage(compared(one, rest))
}

/** The page of a history whose texts are all from this verdict. */
const lastNight = (verdict: Verdict): string =>
  historyPage(view({ ...verdict, startedAt: '2026-12-01T00:00:00.000Z' }), [remembered(verdict)])

/** Every kind of page, with this text wherever a service, a vendor or a user can put one. */
export const pagesWith = (text: string): Readonly<Record<string, string>> => ({
  'a run': htmlPage(view(hostileVerdict(text))),
  'a comparison': comparisonOf(verdictWith(), hostileVerdict(text)),
  'a history': lastNight(hostileVerdict(text)),
  'many targets': pageOfRows([{ ...rowWith(text, hostileVerdict(text)), path: `javascript:a(3)//${text}` }]),
})

/** Every page that a user may see. */
export const pages = {
  'a run': htmlPage(view(fullVerdict)),
  'an acceptance': htmlPage(view({ ...fullVerdict, profile: 'acceptance', strict: true, specification })),
  'an error': htmlPage(view(errorVerdict())),
  'a comparison': comparisonOf(verdictWith(), ...Array.from({ length: 5 }, () => nonconformantVerdict())),
  'a history': historyPage(view(night(30, [['errors/body-shape']])), nights.map(remembered), true),
  'a history in which every rule failed': crowdedHistory(),
  '200 targets': pageOfTargets(200),
}

/** Each page by its name, including pages of long words. */
export const named: readonly (readonly [string, string])[] = Object.entries(pages).concat(
  Object.entries(pagesWith('W'.repeat(3_000))).map(([name, html]) => [`${name} of long words`, html]),
)
