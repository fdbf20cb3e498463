import { beginning } from '../../settings/printable.ts'
import type { HistoryLine } from '../../verdict/history-line.ts'
import type { Verdict } from '../../verdict/verdict.ts'
import { paragraph, type Section } from '../document.ts'
import { groupByFingerprint } from '../findings.ts'
import { askedAddress, embeddedNotice, headlineWord } from '../headline.ts'
import { legend } from '../legend.ts'
import { notScoredSection, unjudgedEndpointsSection, whatWasNotJudged } from '../not-judged.ts'
import { powerSection } from '../power.ts'
import { htmlSections } from '../render/html.ts'
import { tabIcon } from '../render/icons.ts'
import { html, nothing, type Markup } from '../render/markup.ts'
import {
  areaSection,
  causeSection,
  notCoveredSection,
  observationSection,
  otherWaiverSection,
  present,
} from '../sections.ts'
import { waiverSection, waiverTable } from '../waiver-sections.ts'
import { counted } from '../words.ts'
import { chartsSection } from './charts.ts'
import { cover } from './cover.ts'
import { findingsSection } from './findings.ts'
import { hero } from './hero.ts'
import { rulesSection } from './rules.ts'
import { pageShell } from './shell.ts'

const longestTitle = 200

/** Page `index.html` of a verdict and the runs before it, oldest first; its size is bounded, and what is left out is counted. `keptRun` is the start of the run in `previous/`. */
export function htmlPage(
  verdict: Verdict,
  earlier: readonly HistoryLine[],
  keptRun: string | null = null,
): string {
  const { target, startedAt, rules, suite } = verdict
  // Rules lead to their findings, or to their rows.
  const links = new Map(rules.map(({ id, findings }) => [id, findings.length > 0 ? `findings/${id}` : id]))
  const sections = (...some: readonly (Section | null)[]): readonly Markup[] =>
    htmlSections(present(some), links)
  const body = html`<a class="skip" href="#main">Skip to the verdict</a>
    <header>
      <p><strong>Conformance report</strong> card-switching and customization service</p>
      ${themes}
    </header>
    <main id="main" tabindex="-1">
      ${target.embedded ? html`<p class="embedded">${embeddedNotice}</p>` : nothing} ${cover(verdict, links)}
      ${hero(verdict, links)} ${sections(waiverSection(verdict))} ${contents(verdict)}
      ${sections(causesSection(verdict))}
      <div class="coverage">${sections(...coverage(verdict))}</div>
      ${sections(powerSection(verdict), notScoredSection(verdict), whatWasNotJudged(verdict), unjudgedEndpointsSection(verdict), otherWaiverSection(verdict, detail), waiverTable(verdict))}
      ${rulesSection(verdict)} ${findingsSection(rules)}
      ${chartsSection(verdict, { earlier, keptRun }, links)} ${sections(observationSection(verdict), legend)}
    </main>
    <footer>
      <p>
        Made from <code>verdict.json</code>, which holds every finding, by card-switch-conformance
        ${suite.version}.
      </p>
    </footer>
    <p class="sr" role="status" id="copied"></p>`
  const subject = beginning(target.label ?? askedAddress(target), longestTitle)
  const title = `${headlineWord(verdict)}: ${subject}, ${startedAt.slice(0, 10)}`
  return pageShell({ title, body, icon: tabIcon(verdict), script: true })
}

const themes = html`<fieldset class="themes js-only" id="themes">
  <legend class="sr">Theme</legend>
  ${['system', 'light', 'dark'].map((name) => html`<label class="chip"><input type="radio" name="theme" value="${name}" /><span>${name}</span></label>`)}
</fieldset>`

function contents(verdict: Verdict): Markup {
  const { rules, observations, waivers } = verdict
  const causes = verdict.causes.length
  const findings = rules.reduce((sum, rule) => sum + groupByFingerprint(rule.findings).length, 0)
  const entries: readonly (readonly [id: string, name: string, there: number])[] = [
    ['causes', counted(causes, 'cause'), causes],
    ['power', 'What it is worth', verdict.power === undefined ? 0 : 1],
    ['rules', counted(rules.length, 'rule'), rules.length],
    ['findings', counted(findings, 'finding'), findings],
    ['waivers', counted(waivers.length, 'waiver'), waivers.length],
    ['trends', 'Runs, latency, requests', rules.length],
    ['observations', counted(observations.length, 'observation'), observations.length],
    ['legend', 'Words and codes', 1],
  ]
  const there = entries.filter(([, , count]) => count > 0)
  if (there.length === 0) return nothing
  return html`<nav class="contents" aria-label="Contents">
    ${there.map(([id, name]) => html`<a href="#${id}">${name}</a> `)}
  </nav>`
}

const detail = {
  full: 0,
  repeatable: 40,
  most: 40,
  named: Number.POSITIVE_INFINITY,
  allRules: false,
  folds: true,
}

function causesSection(verdict: Verdict): Section | null {
  const parts = present([
    causeSection('Violations', verdict, detail),
    causeSection('Warnings', verdict, detail),
  ])
  if (parts.length === 0) return null
  const note =
    'One explanation fits all findings of a cause. Answers that are alike may still hide more than one fault.'
  return { id: 'causes', title: 'Causes', blocks: [paragraph(note, 'faint')], parts }
}

/** Reach of the verdict: what holds by area, and what the specification does not show. */
function coverage(verdict: Verdict): readonly (Section | null)[] {
  const none = (id: string, title: string, text: string): Section => ({
    id,
    title,
    blocks: [paragraph(text)],
  })
  return [
    areaSection(verdict, 'lines') ?? none('areas', 'Rules by area', 'No rule was judged.'),
    notCoveredSection(verdict),
  ]
}
