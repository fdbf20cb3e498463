import { changeText, toleratedChanges, type ToleratedChange } from '../../drift/tolerated.ts'
import { readBody } from '../../http/body.ts'
import type { Exchange, Response } from '../../http/exchange.ts'
import type { Breach, Judgement } from '../../judge/judge.ts'
import type { SpecRuleId } from '../../specification/rules.ts'
import { isEndpointsFileBreach } from './success-checks.ts'

/** An expectation of an answer; null if it says nothing of such an answer. */
export type Expectation = (exchange: Exchange) => Judgement | null

/** The rule that judges expectations by each tolerated change. */
export const ruleOfChange: Readonly<Record<ToleratedChange['name'], SpecRuleId>> = {
  added: 'tolerance/added-properties',
  order: 'tolerance/property-order',
  opaque: 'tolerance/opaque-strings',
}

/** An expectation that a tolerated change breaks. */
export interface Intolerance {
  readonly rule: SpecRuleId
  /** The exchange that shows it, after the change. */
  readonly exchange: Exchange
  readonly breach: Breach
}

interface ChangedAnswer {
  readonly rule: SpecRuleId
  readonly content: Pick<Response, 'text' | 'body'>
}

/**
 * Maximum memory for changed answers, in characters. Each text is changed once: a gate gets few different ones, and would take a tenth
 * longer to change every answer; a hostile target may send new ones without end.
 */
const keptText = 4 * 1_024 * 1_024
/** Maximum length of a changed answer, in characters: longer ones cost seconds and hundreds of MiB. */
const longest = 256 * 1_024
/** Maximum depth: deeper answers take hundreds of milliseconds and are unrealistic. */
const deepest = 200
/** Answers with more values are large: only two are changed for each of eight paths. */
const manyValues = 5_000
const largeOfPath = 2
const largePaths = 8

/** Judges answers again after each tolerated change: an expectation that then fails demands more than the specification promises. */
export class Tolerance {
  readonly #seed: number
  readonly #changed = new Map<string, readonly ChangedAnswer[]>()
  #kept = 0
  /** Large answers changed so far, by path. */
  readonly #large = new Map<string, number>()

  constructor(seed: number) {
    this.#seed = seed
  }

  /** The tolerated changes that break an expectation; none for an answer that is not changed. */
  intolerances(exchange: Exchange, expects: Expectation): readonly Intolerance[] {
    const { response } = exchange
    if (response.body.kind !== 'json' || response.cutFrom !== undefined || response.text.length > longest)
      return none
    if (expects(exchange)?.kind !== 'holds') return none
    const found: Intolerance[] = []
    for (const { rule, content } of this.#changesOf(exchange)) {
      const changed = { ...exchange, response: { ...response, ...content } }
      const after = expects(changed)
      if (after?.kind === 'violates') found.push({ rule, exchange: changed, breach: blaming(after.breach) })
    }
    return found
  }

  #changesOf(exchange: Exchange): readonly ChangedAnswer[] {
    const { response } = exchange
    const known = this.#changed.get(response.text)
    if (known !== undefined) return known

    const changes = this.#isWorthIt(exchange) ? toleratedChanges : []
    const made = changes.map(({ name }) => ({
      rule: ruleOfChange[name],
      content: readBody(Buffer.from(changeText(response.text, [name], this.#seed).text)),
    }))
    this.#keep(response.text, made)
    return made
  }

  #isWorthIt({ request, response }: Exchange): boolean {
    const { depth, values } = sizeOf(response.text)
    if (depth > deepest) return false
    if (values <= manyValues) return true

    const [path = ''] = request.target.split('?', 1)
    const before = this.#large.get(path) ?? (this.#large.size < largePaths ? 0 : largeOfPath)
    if (before === largeOfPath) return false
    this.#large.set(path, before + 1)
    return true
  }

  #keep(text: string, made: readonly ChangedAnswer[]): void {
    const size = made.reduce((sum, { content }) => sum + content.text.length, text.length)
    if (this.#kept + size > keptText) {
      this.#changed.clear()
      this.#kept = 0
    }
    this.#kept += size
    this.#changed.set(text, made)
  }
}

const none: readonly Intolerance[] = []

/** Depth and number of values of a JSON text: an upper bound, since strings may hold brackets and commas. */
function sizeOf(text: string): { readonly depth: number; readonly values: number } {
  let [open, depth, values] = [0, 0, 0]
  for (const sign of text) {
    const opens = sign === '{' || sign === '['
    if (opens || sign === ',' || sign === ':') values += 1
    if (opens) open += 1
    if (open > depth) depth = open
    if (sign === '}' || sign === ']') open -= 1
  }
  return { depth, values }
}

function blaming(breach: Breach): Breach {
  return {
    ...breach,
    difference: `not tolerated: ${breach.difference}`,
    summary: `an answer that was accepted no longer is once it is changed in a way that clients must tolerate: ${breach.summary}`,
    blames: isEndpointsFileBreach(breach) ? 'endpoints-file' : 'suite',
  }
}
