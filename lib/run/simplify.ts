import type { Exchange } from '../http/exchange.ts'
import { isServed } from '../judge/answered.ts'
import type { Breach, Check } from '../judge/judge.ts'
import { fingerprintOf } from '../judge/record.ts'
import { isErrorCode } from '../specification/answers.ts'
import type { RuleId } from '../specification/rules.ts'
import { groupBy } from '../text/counts.ts'
import type { OpenRun } from './open-run.ts'
import type { Example } from './plan/cases.ts'
import { noAnswer } from './plan/errors.ts'
import type { Occurrence } from './record/findings.ts'

/** A breach shown by an answer, either of the case's rule or of a run-wide rule. */
interface Shown {
  readonly rule: RuleId
  readonly breach: Breach
  readonly violates: (again: Exchange) => boolean
}

/** A case and its result; the breach of its own rule comes first. */
export interface Met {
  readonly one: Example
  readonly exchange: Exchange
  readonly check: Check
  readonly breaches: readonly Shown[]
}

/** Sends a case again; null if the transport rejected it. */
type MeetAgain = (one: Example, purpose: 'confirming' | 'shrinking') => Promise<Met | null>

/** The maximum number of requests to simplify one counterexample. */
const shrinkingRequests = 40

/** Simplifies a counterexample: each simpler case with the same fingerprint replaces it. Stops early if a case cannot be judged. */
export async function shrink(first: Met, meet: (simpler: Example) => Promise<Met | null>): Promise<Met> {
  const kind = kindOf(first)
  const simplerThan = ({ one }: Met): Iterator<Example> => (one.simpler?.() ?? [])[Symbol.iterator]()
  let [simplest, left, candidates] = [first, shrinkingRequests, simplerThan(first)]
  for (let next = candidates.next(); next.done !== true && left > 0; next = candidates.next()) {
    left -= next.value.requests
    try {
      const again = await meet(next.value)
      if (again === null || again.breaches.length === 0 || kindOf(again) !== kind) continue
      simplest = again
      candidates = simplerThan(again)
    } catch (error) {
      const { leavesOpen, none } = noAnswer(error)
      if (leavesOpen) break
      if (none === 'rejected') throw error
    }
  }
  return simplest
}

/** The fingerprint that counterexamples of the same kind share. */
export function kindOf({ one, breaches: [shown] }: Met): string {
  return shown === undefined ? '' : fingerprintOf(one.request.traits.endpoint, shown.breach)
}

/** Rows that fail in the same way, and how all the rule's rows compare. */
interface Kind {
  readonly key: string
  readonly wrong: readonly [Met, ...(readonly Met[])]
  readonly judged: ReadonlyMap<Met, JudgedRow>
}

/** A judged row: its flaw, its conditions, and whether it shows the breach in question. */
export interface JudgedRow {
  readonly flaw: string
  readonly conditions: readonly string[]
  readonly isWrong: boolean
}

/** The maximum number of causes to look for; rows with further causes are reported as they are. */
const mostCauses = 4
/** The maximum number of conditions to try alone. */
const mostAlone = 4
/** The name for a cause that is not a single known condition. */
const severalConditions = ['several conditions']

/**
 * Reduces failing rows to the single condition that causes them, then reports it: first without a request, by comparing failing and
 * passing rows, then by leaving out conditions one at a time.
 */
export class Refining {
  readonly #run: OpenRun
  readonly #rule: RuleId
  readonly #meet: MeetAgain
  #left: number
  #looked = 0
  /** Conditions found to cause failures. */
  readonly #causes: (readonly string[])[] = []
  /** The results of simpler rows, keyed by their bytes. */
  readonly #met = new Map<string, Promise<Met | null>>()

  constructor(run: OpenRun, { rule, requests, meet }: { rule: RuleId; requests: number; meet: MeetAgain }) {
    this.#run = run
    this.#rule = rule
    this.#left = requests
    this.#meet = meet
  }

  /** Reports failing rows. Throws `NoAnswer` if a row cannot be judged. */
  async refine(rows: readonly Met[]): Promise<void> {
    for (const { key, wrong, judged } of kindsIn(rows)) {
      let left: readonly Met[] = wrong
      for (let [first, ...others] = left; first !== undefined; [first, ...others] = left)
        left = await this.#refineFirst({ key, wrong: [first, ...others], judged })
    }
  }

  /** Reports and confirms all breaches of a row; the second argument is the original row, if this row is simpler. */
  async addAsItIs(row: Met, { exchange: caseExchange }: Met = row): Promise<void> {
    const { breaches } = this.#run
    const { one } = row
    for (const shown of row.breaches) {
      const found = { ...this.#occurrence(row, shown), exchange: row.exchange, caseExchange }
      const breaksAgain = async (): Promise<boolean> => {
        const again = await this.#meet(one, 'confirming')
        return again !== null && shows(again, keyOf(shown))
      }
      if (one.alone === true) await breaches.add(found, { breaksAgain }, shown.rule)
      else if (shown.rule === this.#rule) await breaches.addOfCase(found, row)
      else await breaches.add(found, shown, shown.rule)
    }
  }

  /** Reports the cause of the first row of a kind; returns the rows that it does not explain. */
  async #refineFirst(kind: Kind): Promise<readonly Met[]> {
    const [first] = kind.wrong
    const cause = await this.#causeOf(kind)
    if (cause === null) return []
    const smallest = await this.#inPart(kind, cause)
    await this.addAsItIs(smallest, first)
    const conditions = conditionsOf(cause.one)
    const isLike = (row: Met): boolean => isExplained(row, conditions, kind.judged)
    const named = conditionsOf(smallest.one)
    const [, ...others] = kind.wrong
    for (const row of others.filter(isLike)) await this.#tell(row, conditions, cause, { named })
    return others.filter((row) => !isLike(row))
  }

  /** The simplest row of a kind; null if there is none, in which case its rows are reported as they are. */
  async #causeOf(kind: Kind): Promise<Met | null> {
    const [first, ...others] = kind.wrong
    for (const known of this.#causes) {
      const fits = known.every((one) => conditionsOf(first.one).includes(one))
      const simpler = fits ? await this.#under(kind, known) : null
      if (simpler !== null) return simpler
    }
    if (this.#looked >= mostCauses || this.#left <= 0) {
      for (const row of kind.wrong) await this.#tell(row, severalConditions, row)
      return null
    }
    this.#looked += 1
    const again = [await this.#send(first.one, 'confirming'), await this.#send(first.one, 'confirming')]
    const seen = 1 + again.filter((met) => met !== null && shows(met, kind.key)).length
    if (seen < 3) {
      await this.#tell(first, [], first, { reproduced: { seen, of: 3 } })
      for (const row of others) await this.#tell(row, [], row)
      return null
    }
    const simplest = await this.#simplest(kind, first)
    this.#causes.push(conditionsOf(simplest.one))
    return simplest
  }

  async #simplest(kind: Kind, first: Met): Promise<Met> {
    const own = kind.judged.get(first)
    for (const few of own === undefined ? [] : suspects(own, [...kind.judged.values()])) {
      const simpler = await this.#under(kind, few)
      if (simpler !== null) return simpler
    }
    let simplest = first
    for (const condition of conditionsOf(first.one)) {
      const fewer = conditionsOf(simplest.one).filter((one) => one !== condition)
      simplest = (await this.#under(kind, fewer)) ?? simplest
    }
    return simplest
  }

  /** The row with one part of its condition, such as one field of a client, if it still fails. */
  async #inPart({ key }: Kind, row: Met): Promise<Met> {
    for (const one of simplerOf(row.one).slice(conditionsOf(row.one).length)) {
      const smaller = await this.#shown(key, one)
      if (smaller !== null) return smaller
    }
    return row
  }

  /** The first row of a kind with only these conditions, if it still fails. */
  #under({ key, wrong: [first] }: Kind, conditions: readonly string[]): Promise<Met | null> {
    return this.#shown(key, reduced(first.one, conditions))
  }

  async #shown(key: string, one: Example): Promise<Met | null> {
    const bytes = `${one.request.hash} ${conditionsOf(one).join()}`
    const known = this.#met.get(bytes)
    if (known === undefined && this.#left <= 0) return null
    const sent = known ?? this.#send(one, 'shrinking')
    this.#met.set(bytes, sent)
    const met = await sent
    return met !== null && shows(met, key) ? met : null
  }

  async #send(one: Example, purpose: 'confirming' | 'shrinking'): Promise<Met | null> {
    this.#left -= 1
    try {
      return await this.#meet(one, purpose)
    } catch (error) {
      const { endsRun, none } = noAnswer(error)
      if (endsRun || none === 'rejected') throw error
      return null
    }
  }

  /** Reports the breaches that a row shares with its cause, under these conditions; sends nothing. */
  async #tell(
    row: Met,
    conditions: readonly string[],
    { breaches: caused }: Met,
    { reproduced = { seen: 1, of: 1 }, named = conditions } = {},
  ): Promise<void> {
    const keys = new Set(caused.map(keyOf))
    const isKnown = conditions.every((one) => conditionsOf(row.one).includes(one))
    const simpler = reduced(row.one, isKnown ? conditions : conditionsOf(row.one))
    const one = { ...row.one, request: row.one.request.trait({ conditions: named }) }
    for (const shown of row.breaches.filter((each) => keys.has(keyOf(each)))) {
      // Omits the answers that only its other conditions allow.
      const judgement = shown.rule === this.#rule ? simpler.check.judge(row.exchange) : null
      const breach = judgement?.kind === 'violates' ? judgement.breach : shown.breach
      const found = this.#occurrence({ ...row, one }, { ...shown, breach })
      await this.#run.breaches.add(found, reproduced, shown.rule)
    }
  }

  #occurrence({ one, exchange }: Met, { breach }: Shown): Occurrence {
    const { name, says, request } = one
    const context = { rule: this.#rule, case: name }
    return { request, exchange, context, breach: { ...breach, summary: `${breach.summary}; sent: ${says}` } }
  }
}

/** The kinds of failing rows, by their first breach: wrong successes first, then by number of rows. */
function kindsIn(rows: readonly Met[]): readonly Kind[] {
  const wrong = rows.filter(({ breaches }) => breaches.length > 0)
  if (wrong.length === 0) return []
  const letsIn = ({ wrong: [{ exchange }] }: Kind): number => Number(isServed(exchange))
  // Rows with the same flaw are the same request apart from their conditions.
  const described = rows.map(
    (row) => [row, { flaw: reduced(row.one, []).request.hash, conditions: conditionsOf(row.one) }] as const,
  )
  return [...groupBy(wrong, ({ breaches: [first] }) => (first === undefined ? '' : keyOf(first)))]
    .flatMap(([key, [first, ...others]]): readonly Kind[] => {
      if (first === undefined) return []
      const judged = described.map(([row, one]) => [row, { ...one, isWrong: shows(row, key) }] as const)
      return [{ key, wrong: [first, ...others], judged: new Map(judged) }]
    })
    .toSorted((a, b) => letsIn(b) - letsIn(a) || b.wrong.length - a.wrong.length)
}

function isExplained(row: Met, conditions: readonly string[], judged: Kind['judged']): boolean {
  const own = judged.get(row)
  if (own === undefined || !conditions.every((one) => own.conditions.includes(one))) return false
  return explains(conditions, own.flaw, [...judged.values()])
}

/** The kind of a breach, whatever the flaw. Undocumented codes count as one. */
function keyOf({ rule, breach: { difference, answered } }: Shown): string {
  if (answered === null) return `${rule} ${difference}`
  const { status, errorCode, flaw } = answered
  const code = isErrorCode(errorCode) ? errorCode : 'another code'
  const answer = errorCode === null ? `${status}` : code
  return `${rule} ${difference} ${flaw === null ? answer : ''}`
}

function shows({ breaches }: Met, key: string): boolean {
  return breaches.some((each) => keyOf(each) === key)
}

function conditionsOf({ request }: Example): readonly string[] {
  return request.traits.conditions ?? []
}

function simplerOf({ simpler }: Example): readonly Example[] {
  return simpler === undefined ? [] : [...simpler()]
}

/** The row with only these conditions. */
function reduced(one: Example, kept: readonly string[]): Example {
  const at = conditionsOf(one).findLastIndex((condition) => !kept.includes(condition))
  const simpler = at === -1 ? undefined : simplerOf(one)[at]
  return simpler === undefined ? one : reduced(simpler, kept)
}

/**
 * The conditions that may cause a row to fail, likeliest first: no condition if every row with its flaw fails, then those in the fewest
 * passing rows, and among these, those in the most failing rows. Pure.
 */
export function suspects(row: JudgedRow, rows: readonly JudgedRow[]): readonly (readonly string[])[] {
  const flaws = new Set(rows.flatMap(({ flaw, isWrong }) => (isWrong ? [flaw] : [])))
  const rowsWith = (one: string, wrong: boolean): number =>
    rows.filter(
      ({ flaw, conditions, isWrong }) => isWrong === wrong && flaws.has(flaw) && conditions.includes(one),
    ).length
  const alone = row.conditions.toSorted(
    (a, b) => rowsWith(a, false) - rowsWith(b, false) || rowsWith(b, true) - rowsWith(a, true),
  )
  return [...(explains([], row.flaw, rows) ? [[]] : []), ...alone.slice(0, mostAlone).map((one) => [one])]
}

/** Whether every row with a flaw fails under these conditions. Pure. */
export function explains(conditions: readonly string[], flaw: string, rows: readonly JudgedRow[]): boolean {
  return rows
    .filter((row) => row.flaw === flaw && conditions.every((one) => row.conditions.includes(one)))
    .every(({ isWrong }) => isWrong)
}
