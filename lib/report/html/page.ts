import { clustered } from '../clustered.ts'
import type { HistoryLine } from '../../verdict/history-line.ts'
import type { Verdict } from '../../verdict/verdict.ts'
import { latencyChart, requestsChart } from './bars.ts'
import { causesIn } from '../causes-in.ts'
import { causesSection } from './causes.ts'
import { coverage } from './coverage.ts'
import { findingsSection } from './findings.ts'
import { head } from './head.ts'
import { iconSprite } from './icons.ts'
import { html, nothing, type Markup } from './markup.ts'
import { matrix } from './matrix.ts'
import { observationsSection } from './observations.ts'
import { overview } from './overview.ts'
import { runsSection } from './runs.ts'
import { waiverAlarm, waiverTable } from './waivers.ts'
import { counted } from './wording.ts'

/**
 * The page `index.html`: a verdict, with the runs before it, oldest first. It is one file that asks for nothing else, and runs no
 * script and takes no style but its own. A verdict of any size makes a page of bounded size; what is left out is counted.
 */
export function htmlPage(verdict: Verdict, earlier: readonly HistoryLine[]): string {
  const page = html`<!doctype html>
    <html lang="en">
      ${head(verdict)}
      <body>
        <a class="skip" href="#main">Skip to the verdict</a>
        ${iconSprite}
        <header class="top">
          <p>Conformance report <span class="muted">card-switching and customization service</span></p>
          ${themes}
        </header>
        <main id="main" tabindex="-1">
          ${overview(verdict)} ${waiverAlarm(verdict)} ${contents(verdict)} ${causesSection(verdict)}
          ${coverage(verdict)} ${waiverTable(verdict)} ${matrix(verdict)} ${findingsSection(verdict)}
          ${charts(verdict, earlier)} ${observationsSection(verdict)}
        </main>
        <footer>
          <p>
            Made from <code>verdict.json</code>, which holds every finding, by card-switch-conformance
            ${verdict.suite.version}.
          </p>
        </footer>
        <p class="sr" role="status" id="copied"></p>
      </body>
    </html> `
  return page.toString()
}

const themes = html`<fieldset class="themes js-only" id="themes">
  <legend class="sr">Theme</legend>
  ${['system', 'light', 'dark'].map((name) => html`<label><input type="radio" name="theme" value="${name}" /><span>${name}</span></label>`)}
</fieldset>`

function contents(verdict: Verdict): Markup {
  const { rules, observations, waivers } = verdict
  const causes = causesIn(verdict).length
  const findings = rules.reduce((sum, rule) => sum + clustered(rule.findings).length, 0)
  const entries: readonly (readonly [id: string, name: string, there: boolean])[] = [
    ['causes', counted(causes, 'cause'), causes > 0],
    ['rules', counted(rules.length, 'rule'), rules.length > 0],
    ['findings', counted(findings, 'finding'), findings > 0],
    ['waivers', counted(waivers.length, 'waiver'), waivers.length > 0],
    ['trends', 'Runs, latency, requests', rules.length > 0],
    ['observations', counted(observations.length, 'observation'), observations.length > 0],
  ]
  const there = entries.filter(([, , is]) => is)
  if (there.length === 0) return nothing
  return html`<nav class="contents" aria-label="Contents">
    ${there.map(([id, name]) => html`<a href="#${id}">${name}</a> `)}
  </nav>`
}

function charts(verdict: Verdict, earlier: readonly HistoryLine[]): Markup {
  if (verdict.rules.length === 0) return nothing
  return html`<section aria-labelledby="trends">
    <h2 id="trends">Runs, latency, requests</h2>
    <div class="charts">
      ${runsSection(verdict, earlier)}${latencyChart(verdict)}${requestsChart(verdict)}
    </div>
  </section>`
}
