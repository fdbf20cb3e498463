import { expect, it } from 'vitest'
import { errorVerdict, targetWith, verdictWith } from '../../verdict/verdict.testing.ts'
import { metricsText } from './metrics.ts'
import { view } from '../view.ts'

// What they say of each kind of verdict is in the golden text of the form.

it('metrics say of a run that lasts, or was killed, that it did not finish', () => {
  expect(metricsText(view(errorVerdict()), 'unfinished')).toMatch(
    /^card_switch_conformance_finished\{.*\} 0$/m,
  )
})

it('a label of a metric stays on its line, whatever it holds', () => {
  const target = targetWith({ baseUrl: null, label: 'a "b" \\ c\nd\u202e' })

  expect(metricsText(view(verdictWith({ target })))).toContain(
    String.raw`exit_code{target="a \"b\" \\ c\\nd\\u202e",profile="gate"} 0`,
  )
})
