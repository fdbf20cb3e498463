import { expect, it } from 'vitest'
import { specification } from '../../specification/specification.ts'
import { errorVerdict, targetWith, verdictWith } from '../../verdict/verdict.testing.ts'
import { view } from '../view.ts'
import { htmlPage } from './html-page.ts'
import { statement } from './statement.ts'

// The golden text of the page covers the statement of acceptance runs.

it('the quotable sentence never mistakes the reference service for another service', () => {
  const target = targetWith({ embedded: true, label: null, build: null })

  expect(statement(view(verdictWith({ target })))).toContain(
    'judged the EMBEDDED REFERENCE SERVICE, version 1',
  )
})

it('the statement appears only for acceptance runs that judged something; every page names the specification', () => {
  const verdicts = [verdictWith(), { ...errorVerdict(), profile: 'acceptance' } as const]

  for (const page of verdicts.map((verdict) => htmlPage(view(verdict)))) {
    expect(page).not.toContain('<section class="cover"')
    expect(page).toContain(specification.sha256)
  }
})
