import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { historyText, parsedLine } from '../report/history/history.ts'
import { profiles } from '../settings/profiles.ts'
import { errorVerdict, unfinishedVerdict } from './assemble.ts'
import { drawnRun, startOfRuns, verdictOfRun } from './drawn-run.testing.ts'
import { forged, honest } from './forged-verdicts.testing.ts'
import { historyLine } from './history-line.ts'
import { readVerdictBytes } from './read-verdict.ts'
import { verdictJson } from './verdict-json.ts'
import { metadataWith } from './verdict.testing.ts'
import type { Verdict } from './verdict.ts'

/** The reason why readers refuse a verdict, or null. */
function refusalOf(verdict: Verdict): string | null {
  const read = readVerdictBytes(Buffer.from(verdictJson(verdict)), startOfRuns)
  return read.kind === 'wrong' ? read.wrong : null
}

it('a verdict from a run is accepted, whatever happened in the run', () => {
  const met = new Map<string, number>()
  const note = (what: string): unknown => met.set(what, (met.get(what) ?? 0) + 1)
  fc.assert(
    fc.property(drawnRun, (run) => {
      const verdict = verdictOfRun(run)
      note(`${verdict.verdict} ${verdict.profile}`)
      for (const { status } of verdict.rules) note(status)
      for (const { gone } of verdict.waivers) if (gone === true) note('gone')

      expect(refusalOf(verdict)).toBeNull()
      expect(parsedLine(historyText(historyLine(verdict)))).not.toBeNull()
      // The verdict that a run writes if a file cannot be written.
      const failed = { ...verdict, verdict: 'error', exitCode: 4, because: ['the disk is full'] } as const
      expect(refusalOf(failed)).toBeNull()
      expect(refusalOf({ ...failed, rules: [], waivers: [] })).toBeNull()
    }),
    { numRuns: 100 },
  )
  const words = ['conformant', 'nonconformant', 'incomplete', 'error']
  for (const word of words)
    for (const profile of Object.keys(profiles))
      expect(met.get(`${word} ${profile}`), `${word} ${profile}`).toBeGreaterThan(0)
  for (const what of ['gone', 'failed', 'warned', 'waived', 'inconclusive', 'untested'])
    expect(met.get(what), what).toBeGreaterThan(0)
})

it('a verdict from a run is accepted if the run never began or never finished', () => {
  const head = metadataWith({ baseUrl: null, profile: 'acceptance', strict: true, startedAt: startOfRuns })
  for (const verdict of [unfinishedVerdict(head), errorVerdict(head, 2, ['TARGET_LABEL: expected words'])])
    expect(refusalOf(verdict)).toBeNull()
})

it.each(forged)('an unusual verdict is refused if no run can produce it: %s', (_, says, verdict) => {
  expect(refusalOf(verdict)).toContain(says)
})

it.each(honest)('an unusual verdict is accepted if a run can produce it: %s', (_, verdict) => {
  expect(refusalOf(verdict)).toBeNull()
})
