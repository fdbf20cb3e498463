import { changedText, toleratedChanges, type ToleratedChange } from '../drift/tolerated.ts'
import { readBody, wholeValue } from '../http/body.ts'
import type { Exchange, Response } from '../http/exchange.ts'
import type { Breach, Judgement } from '../judge/judge.ts'
import type { RuleId } from '../spec/rules.ts'
import { isEndpointsFileBreach } from './success-checks.ts'

/** An expectation of an answer: null where it says nothing of such an answer. */
export type Expectation = (exchange: Exchange) => Judgement | null

/** The rule that holds expectations against answers changed in a tolerated way. */
export const ruleOfChange: Readonly<Record<ToleratedChange['name'], RuleId>> = {
  added: 'tolerance/added-properties',
  order: 'tolerance/property-order',
  opaque: 'tolerance/opaque-strings',
}

/** An expectation that a tolerated change turns. */
export interface Intolerance {
  readonly rule: RuleId
  /** The exchange as it would have been. */
  readonly exchange: Exchange
  readonly breach: Breach
}

/** Of the changed answers so much text is kept, in characters, since most answers of a run are alike. */
const mostKept = 4 * 1_024 * 1_024
/** So many answers are known to be accepted in all ways. */
const mostAccepted = 5_000
const longestAccepted = 1_024
/** Deeper answers, which no client is made for, take hundreds of milliseconds. */
const deepest = 200
/** Answers of more values take that, too: of each path a few are enough, and of few paths. */
const manyValues = 5_000
const mostLargeOfPath = 2
const mostLargePaths = 8
/** Longer answers, in characters, would cost seconds and hundreds of MiB, and say nothing that shorter ones do not. */
const longest = 256 * 1_024

/**
 * Holds what is expected of answers against the same answers, changed in the ways that clients must tolerate: an expectation
 * that was met, and then no longer is, demands more than the specification promises. Answers beyond 256 Ki characters or 200 levels
 * are left out, and most of those with thousands of values.
 */
export class Tolerance {
  readonly #seed: number
  readonly #changed = new Map<string, readonly Changed[]>()
  /** How many large answers of each path were changed. */
  readonly #large = new Map<string, number>()
  #kept = 0
  /** What was accepted in all ways already, by {@link accepted}. */
  readonly #accepted = new Set<string>()

  constructor(seed: number) {
    this.#seed = seed
  }

  /** What each tolerated change turns, by an expectation that judges all answers alike where it has a key; null for an answer that is not changed: no JSON, or a very long one. */
  intolerances(
    exchange: Exchange,
    expects: Expectation,
    key: string | null = null,
  ): readonly Intolerance[] | null {
    const { response } = exchange
    if (response.body.kind !== 'json' || response.cutFrom !== undefined) return null
    if (response.text.length > longest) return null

    const known = key === null ? null : accepted(key, response)
    if (known !== null && this.#accepted.has(known)) return []
    const before = expects(exchange)
    if (before?.kind !== 'holds') return []
    const found = this.#changesOf(exchange).flatMap(({ rule, content }) => {
      const changed = { ...exchange, response: { ...response, ...content } }
      const after = expects(changed)
      return after?.kind === 'violates'
        ? [{ rule, exchange: changed, breach: intolerance(after.breach) }]
        : []
    })
    if (known !== null && found.length === 0 && this.#accepted.size < mostAccepted) this.#accepted.add(known)
    return found
  }

  #changesOf(exchange: Exchange): readonly Changed[] {
    const { response } = exchange
    const known = this.#changed.get(response.text)
    if (known !== undefined) return known
    if (!this.#isWorthIt(exchange)) {
      this.#keep(response.text, [])
      return []
    }
    const value = wholeValue(response)
    const made = toleratedChanges.map(({ name }) => ({
      rule: ruleOfChange[name],
      content: readBody(Buffer.from(changedText(name, value, this.#seed))),
    }))
    this.#keep(response.text, made)
    return made
  }

  #isWorthIt({ request, response }: Exchange): boolean {
    const { depth, values } = sizeOf(response.text)
    if (depth > deepest) return false
    if (values <= manyValues) return true

    const [path = ''] = request.target.split('?', 1)
    const before = this.#large.get(path) ?? 0
    if (before === mostLargeOfPath || (before === 0 && this.#large.size === mostLargePaths)) return false
    this.#large.set(path, before + 1)
    return true
  }

  #keep(text: string, made: readonly Changed[]): void {
    const size = made.reduce((sum, { content }) => sum + content.text.length, text.length)
    if (this.#kept + size > mostKept) {
      this.#changed.clear()
      this.#kept = 0
    }
    this.#kept += size
    this.#changed.set(text, made)
  }
}

/** How deep a JSON text is, and how many values and names it holds; more than that where its strings hold brackets and commas. */
function sizeOf(text: string): { readonly depth: number; readonly values: number } {
  let [open, depth, values] = [0, 0, 0]
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === braceOpens || code === bracketOpens) {
      open += 1
      values += 1
      if (open > depth) depth = open
    } else if (code === braceCloses || code === bracketCloses) open -= 1
    else if (code === comma || code === colon) values += 1
  }
  return { depth, values }
}

const [comma, colon] = [0x2c, 0x3a]
const [bracketOpens, bracketCloses, braceOpens, braceCloses] = [0x5b, 0x5d, 0x7b, 0x7d]

/** An expectation and an answer that it was held against; null for longer ones, which are not remembered. */
function accepted(key: string, { status, text }: Response): string | null {
  return text.length > longestAccepted ? null : `${key} ${status} ${text}`
}

/** An answer's content after a tolerated change. */
interface Changed {
  readonly rule: RuleId
  readonly content: Pick<Response, 'text' | 'body'>
}

function intolerance(breach: Breach): Breach {
  return {
    ...breach,
    difference: `not tolerated: ${breach.difference}`,
    summary: `an answer that was accepted no longer is once it is changed in a way that clients must tolerate: ${breach.summary}`,
    blames: isEndpointsFileBreach(breach) ? 'endpoints-file' : 'suite',
  }
}
