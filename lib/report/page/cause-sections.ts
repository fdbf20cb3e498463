import type { Cause } from '../../explain/causes.ts'
import type { Finding, RuleStatus } from '../../judge/record.ts'
import { beginning } from '../../text/printable.ts'
import { groupBy, capitalised, counted, plural } from '../../text/counts.ts'
import { promiseOf } from '../../specification/promises.ts'
import type { Verdict, VerdictRule } from '../../verdict/verdict.ts'
import {
  countsOf,
  extentOf,
  findingsOf,
  natureOf,
  numberOf,
  rulesOf,
  waivedCauses,
  type RuleFinding,
} from '../model/cause-text.ts'
import { withCodeNames } from '../model/codes.ts'
import { groupByFingerprint } from '../model/finding-facts.ts'
import { foldMarkup } from '../render/html.ts'
import { badge } from '../render/icons.ts'
import { html, nothing, type Markup } from '../render/markup.ts'
import { joined, listMarkup, titled } from '../render/parts.ts'
import { short } from '../model/sections.ts'
import { visible } from '../../text/visible.ts'
import { waiverFold } from '../model/waiver-drafts.ts'
import { exchangeMarkup } from './exchange-markup.ts'

/** Maximum findings on a page, with their exchange and in one line. */
interface Bounds {
  readonly full: number
  readonly brief: number
}

/** Keeps a page with 10,000 findings below a second to open. */
const bounds: Bounds = { full: 60, brief: 240 }
/** Maximum causes of one status that are shown. */
export const mostCauses = 60

/** Maximum causes of one status that are told by their sentence alone. */
const mostSentences = 240

/** A cause on the page: its findings with their exchange, those in one line, and the number left to `verdict.json`. */
export interface PageCause {
  readonly id: string
  readonly status: Extract<RuleStatus, 'failed' | 'warned' | 'waived'>
  readonly cause: Cause
  readonly full: readonly RuleFinding[]
  readonly brief: readonly RuleFinding[]
  readonly hidden: number
}

/** Causes of a page, violations first and waived ones last: the first finding of each has its exchange before the second of any. */
export function pageCauses(verdict: Verdict, most: Bounds = bounds): readonly PageCause[] {
  const told = [
    ...verdict.causes.map((cause) => ({
      cause,
      status: cause.warning ? ('warned' as const) : ('failed' as const),
    })),
    ...waivedCauses(verdict).map((cause) => ({ cause, status: 'waived' as const })),
  ].map((one) => ({ ...one, findings: distinct(findingsOf(one.cause, verdict.rules)) }))
  const turns = told
    .flatMap(({ cause, findings }) => findings.map((_, turn) => ({ cause, turn })))
    .toSorted((a, b) => a.turn - b.turn)
  const share = (room: number, of: Cause): number =>
    turns.slice(0, room).filter(({ cause }) => cause === of).length
  return told.map(({ cause, status, findings }, place) => {
    const [full, named] = [share(most.full, cause), share(most.full + most.brief, cause)]
    return {
      id: `cause-${place + 1}`,
      status,
      cause,
      full: findings.slice(0, full),
      brief: findings.slice(full, named),
      hidden: findings.length - named,
    }
  })
}

/** Findings of a cause with those of one rule and fingerprint merged. */
function distinct(found: readonly RuleFinding[]): readonly RuleFinding[] {
  const byRule = groupBy(found, ({ rule }) => rule.id)
  return [...new Set(found.map(({ rule }) => rule))].flatMap((rule) =>
    groupByFingerprint((byRule.get(rule.id) ?? []).map(({ finding }) => finding)).map((finding) => ({
      rule,
      finding,
    })),
  )
}

const titles = { failed: 'Violations', warned: 'Warnings', waived: 'Waived' } as const

/** Violations, warnings and waived breaches by cause, each with one exchange side by side. */
export function causesSections(verdict: Verdict, causes: readonly PageCause[]): readonly Markup[] {
  return (['failed', 'warned', 'waived'] as const).flatMap((status) => {
    const own = causes.filter((one) => one.status === status)
    if (own.length === 0) return []
    const bare = own.map(({ cause }) => cause)
    const counts = status === 'waived' ? plural(own.length, 'cause') : countsOf(bare, verdict)
    const sentences = own
      .slice(mostCauses, mostCauses + mostSentences)
      .map(
        ({ id, cause }) =>
          html`<li data-cause="${id}" data-status="${status}">
            ${causeSentence(cause)} (${extentOf(cause, verdict.rules, 1)})
          </li>`,
      )
    const more = own.length - mostCauses - sentences.length
    const shown = own
      .slice(0, mostCauses)
      .map((one, place) => causeMarkup(one, { verdict, late: place >= mostExchanges }))
    return titled(
      'causes',
      [status, `${titles[status]} (${counts})`],
      [...shown, listMarkup(sentences), moreOf(more, 'cause')],
    )
  })
}

function causeSentence({ sentence }: Cause): string {
  return withCodeNames(short(visible(sentence)))
}

/** Maximum causes of a status of which paper has the exchange. */
const mostExchanges = 12

function causeMarkup(one: PageCause, { verdict, late }: { verdict: Verdict; late: boolean }): Markup {
  const { id, status, cause, full } = one
  const [first] = full
  return html`<article
    class="cause${late ? ' late' : ''}"
    id="${id}"
    data-cause="${id}"
    data-status="${status}"
  >
    <h3>${badge(status)} ${causeSentence(cause)}</h3>
    <p class="nature">
      <strong>${capitalised(natureOf(cause, verdict.rules))}.</strong> ${extent(one, verdict)}
    </p>
    ${agreed(one)}
    ${first === undefined ? nothing : html`${documented(first.rule)}${exchangeMarkup(first.finding, first.rule)}`}
    ${findingsFold(one)} ${waiverFold(status === 'failed' ? [cause] : [], verdict).map(foldMarkup)}
  </article>`
}

/** `116 findings of 23 rules: a (90), b, …; warned: c`: how many are of each, with links to their rows. */
function extent({ cause, status }: PageCause, verdict: Verdict): Markup {
  const named = new Set(status === 'waived' ? cause.rules : rulesOf([cause], verdict.rules))
  const own = cause.rules.filter((id) => named.has(id))
  const others = cause.rules.filter((id) => !named.has(id))
  const found = findingsOf(cause, verdict.rules)
  return html`${plural(cause.cases.length, 'finding')} of
  ${numberOf(own)}${ruleLinks(own, found)}${others.length === 0 ? nothing : html`; warned: ${ruleLinks(others, found)}`}`
}

function ruleLinks(names: readonly string[], found: readonly RuleFinding[]): Markup {
  const linked = names.map((name) => {
    const count = found.filter(({ rule }) => rule.id === name).length
    return html`<a href="#${name}"><code>${name}</code></a
      >${count > 1 ? ` (${count})` : ''}`
  })
  return joined(linked)
}

function agreed({ full, brief }: PageCause): Markup {
  const reasons = new Set([...full, ...brief].flatMap(({ finding: { waived } }) => waived ?? []))
  return html`${[...reasons].map((reason) => html`<p class="waived">Agreed: ${short(reason)}</p>`)}`
}

/** Section of the specification, and what it promises there. */
function documented({ id, section }: VerdictRule): Markup {
  const text = promiseOf(id)
  return html`<p class="promise"><strong>${section}</strong>${text === null ? nothing : html`: ${text}`}</p>`
}

/** Maximum findings of a cause that paper lists; of more it has the number of each rule, which stands above. */
const mostOnPaper = 24

function findingsFold({ full, brief, hidden }: PageCause): Markup {
  const others = full.slice(1)
  const count = others.length + brief.length + hidden
  if (count === 0) return nothing
  return html`<details class="more${count > mostOnPaper ? '' : ' printed'}">
    <summary>${counted(count, 'more finding')}, each of another rule or answer</summary>
    ${others.map(findingDetails)} ${listMarkup(brief.map((one) => html`<li>${lineOf(one)}</li>`))}
    ${moreOf(hidden, 'finding')}
  </details>`
}

function moreOf(count: number, what: string): Markup {
  return count > 0
    ? html`<p class="hidden-count">${counted(count, `more ${what}`)} in verdict.json</p>`
    : nothing
}

function findingDetails(one: RuleFinding): Markup {
  return html`<details class="finding">
    <summary>${lineOf(one)}</summary>
    ${documented(one.rule)}${exchangeMarkup(one.finding, one.rule)}
  </details>`
}

function lineOf({ rule, finding }: RuleFinding): Markup {
  const { summary, reproduced, count, fingerprint } = finding
  return html`<code>${rule.id}</code>: ${short(withCodeNames(visible(summary)))}
    <span class="faint">${howOften({ reproduced, count })}, ${beginning(fingerprint, 40)}</span>`
}

function howOften({ reproduced, count }: Pick<Finding, 'reproduced' | 'count'>): string {
  return `${reproduced}${count > 1 ? `, met ${count} times` : ''}`
}
