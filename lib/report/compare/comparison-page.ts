import { heroOf, pageHead, pageShell, styleSheets } from '../page/shell.ts'
import { htmlSections } from '../render/html.ts'
import { html, nothing } from '../render/markup.ts'
import { capitalised } from '../../text/counts.ts'
import type { Comparison } from './comparison.ts'
import { rulesByRun, runSections } from './comparison-text.ts'

const style = styleSheets(import.meta.url, ['./comparison.css'])
const title = 'Conformance compared'

/** Comparison as a self-contained page without scripts: the outcome, rules by target, then each run against the first. */
export function comparisonPage(comparison: Comparison): string {
  const { worse, outcome, names } = comparison
  const [runs, ...differences] = runSections(comparison)
  const sections = [
    rulesByRun(comparison, names, true),
    ...(runs === undefined ? [] : [{ ...runs, title: 'Runs' }]),
    ...differences,
  ]
  const body = html`${pageHead(title)}
    <main>
      ${heroOf(worse ? 'failed' : 'passed', ['outcome', capitalised(outcome)], nothing)}
      ${htmlSections(sections, new Map())}
    </main>`
  return pageShell({ title, body, script: false, style })
}
