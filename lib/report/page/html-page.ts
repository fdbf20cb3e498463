import { beginning } from '../../text/printable.ts'
import type { Verdict } from '../../verdict/verdict.ts'
import type { Section } from '../model/document.ts'
import { briefSubject, embeddedNotice, headlineWord } from '../model/headline.ts'
import { legend } from '../model/legend.ts'
import { unjudgedEndpointsSection } from '../model/not-judged.ts'
import { powerSection } from '../model/power-sections.ts'
import { htmlSections, type Links } from '../render/html.ts'
import { tabIcon } from '../render/icons.ts'
import { html, nothing, type Markup } from '../render/markup.ts'
import { notCoveredSection, observationSection, otherWaiverSection, present } from '../model/sections.ts'
import { waiverSection, waiverTable } from '../model/waiver-sections.ts'
import { causesSections, mostCauses, pageCauses, type PageCause } from './cause-sections.ts'
import { chartsSection } from './charts.ts'
import { hero } from './hero.ts'
import { filters, rulesSection } from './rules-section.ts'
import { pageHead, pageShell, styleSheets } from './shell.ts'
import { madeAgainBy, sheetFoot, statementMarkup } from './statement.ts'
import { packageVersion } from '../../settings/package-version.ts'

const style = styleSheets(import.meta.url, ['./report.css', './report-paper.css'])

const longestTitle = 200

/**
 * Page `index.html` of a verdict: the verdict, its causes, rules that are not green, and, folded, all that explains them. Its size is
 * bounded, and what is left out is counted. It tells of no other run.
 */
export function htmlPage(verdict: Verdict, digest: string | null = null): string {
  const { target, startedAt } = verdict
  const causes = pageCauses(verdict)
  const links = linksOf(verdict, causes)
  const sections = (...some: readonly (Section | null)[]): readonly Markup[] =>
    htmlSections(present(some), links)
  const body = html`${pageHead('Conformance report', ['verdict', 'the verdict'], themes)}
    <main id="main">
      ${target.embedded ? html`<p class="embedded">${embeddedNotice}</p>` : nothing}
      ${statementMarkup(verdict, digest, links)} ${hero(verdict, links)} ${sections(waiverSection(verdict))}
      ${filters(verdict)} ${causesSections(verdict, causes)} ${sections(unjudgedEndpointsSection(verdict))}
      ${rulesSection(verdict, links)}
      <section class="folds" aria-label="More about this run">${folds(verdict, links)}</section>
    </main>
    <footer>
      <p>
        Made ${madeAgainBy(verdict) === null ? '' : 'again '}from <code>verdict.json</code>, which holds every
        finding, by card-switch-conformance ${packageVersion()}.
      </p>
    </footer>
    <p class="sr" role="status" id="copied"></p>`
  const subject = beginning(briefSubject(target), longestTitle)
  const title = `${headlineWord(verdict)}: ${subject}, ${startedAt.slice(0, 10)}`
  return pageShell({
    title,
    body,
    icon: tabIcon(verdict),
    script: true,
    style,
    foot: sheetFoot(verdict, digest),
  })
}

/** Rules lead to their gravest cause, or to their rows. */
function linksOf({ rules }: Verdict, causes: readonly PageCause[]): Links {
  const shown = causes.filter(
    ({ status }, place) => causes.slice(0, place).filter((one) => one.status === status).length < mostCauses,
  )
  const ofCauses = shown
    .toReversed()
    .flatMap(({ id, cause }) => cause.rules.map((rule) => [rule, id] as const))
  return new Map<string, string>([...rules.map(({ id }) => [id, id] as const), ...ofCauses])
}

const themes = html`<fieldset class="themes js-only" id="themes">
  <legend class="sr">Theme</legend>
  ${['system', 'light', 'dark'].map((name) => html`<label class="chip"><input type="radio" name="theme" value="${name}" /><span>${name}</span></label>`)}
</fieldset>`

/** Its name stands on the line that unfolds it. */
function untitled({ id, blocks, parts = [] }: Section): Section {
  return { id, blocks, parts }
}

/** What explains a verdict, each behind its name; paper has those that say what it covers. */
function folds(verdict: Verdict, links: Links): readonly Markup[] {
  const { waivers, observations } = verdict
  const fold = (title: string, content: readonly Markup[] | Markup, isPrinted = false): Markup =>
    html`<details class="more${isPrinted ? ' printed' : ''}">
      <summary>${title}</summary>
      ${content}
    </details>`
  const folded = (title: string, section: Section | null, isPrinted = false): readonly Markup[] =>
    section === null ? [] : [fold(title, htmlSections([untitled(section)], links), isPrinted)]
  return [
    ...folded(`Not covered by any verdict (${verdict.notCovered.length})`, notCoveredSection(verdict), true),
    ...folded('What this verdict is worth', powerSection(verdict), true),
    ...folded(`Waivers (${waivers.length})`, waiverTable(verdict), true),
    ...folded('More that can be waived', otherWaiverSection(verdict, mostCauses)),
    ...(verdict.rules.length === 0 ? [] : [fold('Latency and requests', chartsSection(verdict))]),
    ...folded(`Observations (${observations.length})`, observationSection(verdict)),
    ...folded('Words and codes', legend),
  ]
}
