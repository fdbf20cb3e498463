import { describe, expect, it } from 'vitest'
import { ruleWith, verdictWith } from '../../verdict/verdict.testing.ts'
import type { VerdictRule, VerdictWaiver } from '../../verdict/verdict.ts'
import { plainText, type Section } from './document.ts'
import { waiverSection, waiverTable } from './waiver-sections.ts'

const waiver: VerdictWaiver = {
  rule: 'fuzz/path',
  fingerprint: null,
  reason: 'mended soon',
  owner: 'Kim',
  expires: '2027-01-31',
  expired: false,
  used: false,
}

/** What a section says, a line for each item or row. */
function linesOf(section: Section | null): readonly string[] {
  return (section?.blocks ?? []).flatMap((block) => {
    if (block.kind === 'list') return block.items.map(({ text }) => plainText(text))
    return block.kind === 'table' ? block.rows.map((row) => row.map(plainText).join(' | ')) : []
  })
}

describe('a waiver', () => {
  const judged = ruleWith('fuzz/path')
  const untested = ruleWith('fuzz/path', { status: 'untested', because: 'no budget' })

  it.each<[string, Partial<VerdictWaiver>, VerdictRule, RegExp | null, RegExp]>([
    ['covered nothing', {}, judged, /COVERED NOTHING in this run/, /remove it if the fault is fixed$/],
    [
      'covered nothing by its fingerprint',
      { rule: null, fingerprint: 'abcdef12' },
      judged,
      /COVERED NOTHING/,
      /^abcdef12 .* remove it if/,
    ],
    [
      'is not needed any more',
      { gone: true },
      judged,
      /its fault is gone: remove it/,
      /because the fault is gone: remove it$/,
    ],
    ['expired', { expired: true }, judged, /EXPIRED on 2027-01-31/, /expired: covers nothing any more$/],
    [
      'covers something',
      { used: true },
      judged,
      null,
      /^fuzz\/path \| mended soon \| Kim \| 2027-01-31 \| covers what was found$/,
    ],
    ['has a rule that was not judged', {}, untested, null, /what it covers was not judged$/],
    ['has a rule that was not asked for', {}, ruleWith('fuzz/query'), null, /what it covers was not judged$/],
  ])('that %s is announced if somebody must act, and says its state', (_, changes, rule, alarm, state) => {
    const verdict = verdictWith({ waivers: [{ ...waiver, ...changes }], rules: [rule] })

    expect(linesOf(waiverSection(verdict))).toEqual(alarm === null ? [] : [expect.stringMatching(alarm)])
    expect(linesOf(waiverTable(verdict))).toEqual([expect.stringMatching(state)])
  })
})
