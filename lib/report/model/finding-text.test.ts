import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { unprintable } from '../../text/printable.ts'
import { findingWith, nonconformantVerdict } from '../../verdict/verdict.testing.ts'
import { findingText } from './finding-text.ts'
import { hostileText, hostileVerdict } from '../testing/hostile.ts'
import { terminalSummary } from '../render/summaries.ts'

function linesOf(text: string): readonly string[] {
  return text.split('\n').map((line) => line.trim())
}

describe('the text of a finding', () => {
  it('says what was sent, documented and answered, how often, and how to send it again', () => {
    const { curl } = findingWith()

    expect(linesOf(findingText(findingWith()))).toEqual([
      'answered 401 / 1006 where 400 / 1001 is documented',
      'documented  400 / 1001 (api key header is missing)',
      'answered    401 / 1006: {"error_code":"1006","error_message":"invalid api key"}',
      'sent        GET https://staging.example.com/cards/api/customizations/list; x-secret-key: <TARGET_SECRET_KEY>; x-version: 1',
      'reproduced  3 of 3; met 3 times',
      'case        authentication/api-key-missing:20260101:absent',
      'replay      npx --no -- card-switch-conformance replay authentication/api-key-missing:20260101:absent',
      'fingerprint 3f2a9c0d1e4b5a67',
      curl,
    ])
  })

  it('has every line that the terminal shows of it', () => {
    const shown = terminalSummary(nonconformantVerdict(), { colour: false, width: 10_000, reportsDir: null })
    const [first = ''] = shown.split('\n✗ ').slice(1)
    const ofFinding = linesOf(first).filter((line) =>
      /^(?:answered  |sent|reproduced|replay|curl)/.test(line),
    )
    const texts = nonconformantVerdict().rules.flatMap(({ findings }) => findings.map(findingText))

    expect(ofFinding).toHaveLength(5)
    expect(texts.some((text) => ofFinding.every((line) => linesOf(text).includes(line)))).toBe(true)
  })

  it('is one line a fact, whatever a service answers', () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        for (const { findings } of hostileVerdict(text).rules) {
          for (const line of findings.flatMap((finding) => findingText(finding).split('\n')))
            expect(line.search(unprintable)).toBe(-1)
        }
      }),
    )
  })
})
