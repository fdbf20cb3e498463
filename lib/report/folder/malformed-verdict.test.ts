import { expect, test } from 'vitest'
import { fitsVerdict } from '../../verdict/verdict-validator.ts'
import { nonconformantVerdict } from '../../verdict/verdict.testing.ts'
import type { Verdict } from '../../verdict/verdict.ts'
import { waiverDrafts } from '../model/waiver-drafts.ts'
import { bent } from '../testing/bent.ts'
import { reportsOf } from '../testing/every-report.ts'

/** A verdict with most optional parts and one rule for each status. */
const whole: Verdict = {
  ...nonconformantVerdict(),
  connection: { proxy: 'http://proxy.example', caFiles: ['/ca.pem'], certFile: '/cert.pem' },
  baseline: { file: '/baseline.json', did: 'compared' },
  observations: [{ id: 'flaw-order', value: ['1001'] }],
}
const { rules } = whole
const kept = ['failed', 'warned', 'waived', 'inconclusive', 'untested', 'passed'] as const
const verdict: Verdict = {
  ...whole,
  rules: kept.flatMap((status) => rules.find((rule) => rule.status === status) ?? []),
}

const others: readonly unknown[] = [undefined, null, {}, [], '', 7, [[]], [{}], { a: {} }]

test('every report can be made from any verdict that fits the schema', () => {
  const failed: string[] = []
  for (const [place, value] of bent(verdict, () => others)) {
    if (!fitsVerdict(value)) continue
    const read = JSON.parse(JSON.stringify(value))
    try {
      reportsOf(read)
      waiverDrafts(read)
    } catch (error) {
      failed.push(`${place}: ${String(error)}`)
    }
  }

  expect(failed).toEqual([])
})
