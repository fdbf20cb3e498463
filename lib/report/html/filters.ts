import { countOf } from '../outcomes.ts'
import { statuses } from '../../verdict/verdict.ts'
import type { VerdictRule } from '../../verdict/verdict.ts'
import { icon } from './icons.ts'
import { html, type Markup } from './markup.ts'

/** What narrows the rules down, by status, level and text. The script shows it, and keeps its state in the address. */
export function filters(rules: readonly VerdictRule[]): Markup {
  const levels = [...new Set(rules.map(({ level }) => level))]
  return html`<form class="filters js-only" id="filters" role="search" aria-label="Filter the rules">
    <fieldset>
      <legend>Status</legend>
      ${statuses
        .filter((status) => countOf(rules, status) > 0)
        .map((status) =>
          choice('status', status, html`${icon(status)}${status} <b>${countOf(rules, status)}</b>`),
        )}
    </fieldset>
    <fieldset>
      <legend>Level</legend>
      ${levels.map((level) => choice('level', level, html`${level} <b>${rules.filter((rule) => rule.level === level).length}</b>`))}
    </fieldset>
    <div class="search">
      <label for="filter-text">Text</label>
      <input
        type="search"
        id="filter-text"
        name="text"
        autocomplete="off"
        placeholder="rule, sentence, section"
      />
      <button type="reset">Clear</button>
    </div>
    <p role="status" id="shown" data-all="${rules.length}">${rules.length} of ${rules.length} rules shown</p>
  </form>`
}

function choice(name: string, value: string, label: Markup): Markup {
  return html`<label class="chip"
    ><input type="checkbox" name="${name}" value="${value}" /><span>${label}</span></label
  >`
}
