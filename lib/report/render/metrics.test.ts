import { expect, it } from 'vitest'
import { errorVerdict, targetWith, verdictWith } from '../../verdict/verdict.testing.ts'
import { view } from '../view.ts'
import { metricsText } from './metrics.ts'

// The golden text of this form covers each kind of verdict.

it('metrics report a running or killed run as unfinished', () => {
  expect(metricsText(view(errorVerdict()), 'unfinished')).toMatch(
    /^card_switch_conformance_finished\{.*\} 0$/m,
  )
})

it('a metric label stays on one line, whatever it contains', () => {
  const target = targetWith({ baseUrl: null, label: 'a "b" \\ c\nd\u202e' })

  expect(metricsText(view(verdictWith({ target })))).toContain(
    String.raw`exit_code{target="a \"b\" \\ c\\nd\\u202e",profile="gate"} 0`,
  )
})
