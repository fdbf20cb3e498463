import type { Exchange } from '../../http/exchange.ts'
import { isServed } from '../../judge/answered.ts'
import type { Breach } from '../../judge/judge.ts'
import { isErrorCode } from '../../specification/answers.ts'
import { groupBy } from '../../text/counts.ts'
import type { RuleId } from '../../specification/rules.ts'
import type { GeneratedCase } from '../plan/cases.ts'
import { ClientLockedOut, Inconclusive, NoResponse, RunEnded } from '../plan/errors.ts'
import type { Occurrence } from '../record/finding-recorder.ts'
import { confirmScenario } from './confirm.ts'
import type { OpenRun } from './open-run.ts'
import { explains, suspects, type JudgedRow } from './suspects.ts'

/** A breach that a row shows, of its own rule or of one that holds for every answer. */
interface RowBreach {
  readonly rule: RuleId
  readonly breach: Breach
  readonly violates: (again: Exchange) => boolean
}

/** A row, and what came of it; its own rule's breach comes first. */
export interface MetRow {
  readonly one: GeneratedCase
  readonly exchange: Exchange
  readonly breaches: readonly RowBreach[]
}

/** Sends a row; null if the transport closed the connection instead, and may. */
export type MeetRow = (one: GeneratedCase, purpose?: 'confirming' | 'shrinking') => Promise<MetRow | null>

/** Rows that are wrong in the same way, and how each row of the rule stands to it. */
interface Kind {
  readonly key: string
  readonly wrong: readonly [MetRow, ...(readonly MetRow[])]
  readonly judged: ReadonlyMap<MetRow, JudgedRow>
}

type Cause = 'only sometimes' | 'not refined' | MetRow

/** Maximum causes that are looked for; what has further ones is told as it came. */
const mostCauses = 4

/** What is named where it is not known which condition it is. */
const severalConditions = ['several conditions']

/**
 * Refines what rows show to the one condition that makes it, and accuses: first without a request, by what wrong rows have and right
 * ones have not, then by leaving out conditions one at a time.
 */
export class Refining {
  readonly #run: OpenRun
  readonly #rule: RuleId
  readonly #meet: MeetRow
  #left: number
  #looked = 0
  /** Conditions that were found to make something wrong. */
  readonly #causes: (readonly string[])[] = []
  /** What came of simpler rows, by their bytes. */
  readonly #met = new Map<string, Promise<MetRow | null>>()

  constructor(run: OpenRun, { rule, requests, meet }: { rule: RuleId; requests: number; meet: MeetRow }) {
    this.#run = run
    this.#rule = rule
    this.#left = requests
    this.#meet = meet
  }

  /** Accuses of what these rows show. Throws what a case may throw that cannot be judged. */
  async refine(rows: readonly MetRow[]): Promise<void> {
    for (const kind of kindsIn(rows)) await this.#refineKind(kind)
  }

  /** Accuses of what a row shows that is sent again, as it is. */
  async accuseAsItIs(row: MetRow): Promise<void> {
    await this.#accuse(row, row)
  }

  async #refineKind({ key, wrong, judged }: Kind): Promise<void> {
    let [first, ...others]: readonly (MetRow | undefined)[] = wrong
    while (first !== undefined) {
      const open: Kind = { key, wrong: [first, ...others.filter((one) => one !== undefined)], judged }
      const cause = await this.#causeOf(open)
      if (cause === 'only sometimes' || cause === 'not refined') return
      const smallest = await this.#inPart(open, cause)
      await this.#accuse(smallest, first)
      const conditions = conditionsOf(cause.one)
      const explained = open.wrong.filter((row) => isExplained(row, conditions, judged))
      const named = conditionsOf(smallest.one)
      for (const row of explained) if (row !== first) await this.#tell(row, conditions, cause, { named })
      const left: readonly MetRow[] = open.wrong.filter((row) => row !== first && !explained.includes(row))
      ;[first, ...others] = left
    }
  }

  /** The simplest row that shows a kind. Where there is none, its rows are told as they came. */
  async #causeOf(kind: Kind): Promise<Cause> {
    const [first, ...others] = kind.wrong
    for (const known of this.#causes) {
      const fits = known.every((one) => conditionsOf(first.one).includes(one))
      const simpler = fits ? await this.#under(kind, known) : null
      if (simpler !== null) return simpler
    }
    if (this.#looked >= mostCauses || this.#left <= 0) {
      for (const row of kind.wrong) await this.#tell(row, severalConditions, row)
      return 'not refined'
    }
    this.#looked += 1
    const again = await this.#seenAgain(kind, first)
    if (again < 2) {
      await this.#tell(first, [], first, { reproduced: { seen: 1 + again, of: 3 } })
      for (const row of others) await this.#tell(row, [], row)
      return 'only sometimes'
    }
    const simplest = await this.#simplest(kind, first)
    this.#causes.push(conditionsOf(simplest.one))
    return simplest
  }

  async #simplest(kind: Kind, first: MetRow): Promise<MetRow> {
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

  /** The row with one part of a condition in its place, as one of the fields of a client, if it shows the same. */
  async #inPart({ key }: Kind, row: MetRow): Promise<MetRow> {
    for (const one of [...row.one.simpler()].slice(conditionsOf(row.one).length)) {
      const smaller = await this.#shown(key, one)
      if (smaller !== null) return smaller
    }
    return row
  }

  /** How often the same row, sent twice more, shows the same. */
  async #seenAgain({ key }: Kind, { one }: MetRow): Promise<number> {
    const again = [await this.#send(one, 'confirming'), await this.#send(one, 'confirming')]
    return again.filter((met) => met !== null && shows(met, key)).length
  }

  /** The first row of a kind under these of its conditions alone, if it shows the same. */
  async #under({ key, wrong: [first] }: Kind, conditions: readonly string[]): Promise<MetRow | null> {
    return this.#shown(key, reduced(first.one, conditions))
  }

  async #shown(key: string, one: GeneratedCase): Promise<MetRow | null> {
    const bytes = `${one.request.hash} ${conditionsOf(one).join()}`
    const known = this.#met.get(bytes)
    if (known === undefined && this.#left <= 0) return null
    const sent = known ?? this.#send(one, 'shrinking')
    this.#met.set(bytes, sent)
    const met = await sent
    return met !== null && shows(met, key) ? met : null
  }

  async #send(one: GeneratedCase, purpose: 'confirming' | 'shrinking'): Promise<MetRow | null> {
    this.#left -= 1
    try {
      return await this.#meet(one, purpose)
    } catch (error) {
      if (error instanceof RunEnded || error instanceof ClientLockedOut) throw error
      if (error instanceof Inconclusive || error instanceof NoResponse) return null
      throw error
    }
  }

  /** Accuses of all that a row shows, each sent again; it is the simplest form of a case. */
  async #accuse(row: MetRow, { exchange: caseExchange }: MetRow): Promise<void> {
    const { accuser } = this.#run
    const { one } = row
    for (const shown of row.breaches) {
      const found = { ...this.#occurrence(row, shown), exchange: row.exchange, caseExchange }
      if (one.alone) {
        const play = (): ReturnType<typeof confirmScenario> =>
          confirmScenario(() => this.#showsAgain(one, shown))
        await accuser.accuse(found, { kind: 'play', play }, shown.rule)
      } else if (shown.rule === this.#rule) await accuser.accuseOf(found, { check: one.check(null) })
      else await accuser.accuse(found, { kind: 'request', violates: shown.violates }, shown.rule)
    }
  }

  async #showsAgain(one: GeneratedCase, shown: RowBreach): Promise<boolean> {
    const again = await this.#meet(one, 'confirming')
    return again !== null && shows(again, keyOf(shown))
  }

  /** Tells what a row shows that its cause shows, too, under these conditions; nothing is sent again. */
  async #tell(
    row: MetRow,
    conditions: readonly string[],
    { breaches: caused }: MetRow,
    { reproduced = { seen: 1, of: 1 }, named = conditions } = {},
  ): Promise<void> {
    const keys = new Set(caused.map(keyOf))
    const isKnown = conditions.every((one) => conditionsOf(row.one).includes(one))
    const simpler = reduced(row.one, isKnown ? conditions : conditionsOf(row.one))
    for (const shown of row.breaches.filter((each) => keys.has(keyOf(each)))) {
      // Without the further answers that its other conditions allow: they are not told either.
      const judgement = shown.rule === this.#rule ? simpler.check(null).judge(row.exchange) : null
      const breach = judgement?.kind === 'violates' ? judgement.breach : shown.breach
      const one = { ...row.one, request: row.one.request.trait({ conditions: named }) }
      const found = this.#occurrence({ ...row, one }, { ...shown, breach })
      await this.#run.accuser.accuse(found, { kind: 'known', reproduced }, shown.rule)
    }
  }

  #occurrence({ one, exchange }: MetRow, { breach }: RowBreach): Occurrence {
    const { name, says, request } = one
    return {
      request,
      exchange,
      context: { rule: this.#rule, case: name },
      breach: { ...breach, summary: `${breach.summary}; sent was ${says}` },
    }
  }
}

/** What rows show, by their first breach: what lets somebody in comes first, then what most rows show. */
function kindsIn(rows: readonly MetRow[]): readonly Kind[] {
  const wrong = rows.filter(({ breaches }) => breaches.length > 0)
  return [...groupBy(wrong, ({ breaches: [first] }) => (first === undefined ? '' : keyOf(first)))]
    .flatMap(([key, [first, ...others]]): readonly Kind[] => {
      if (first === undefined) return []
      const judged = new Map(rows.map((row) => [row, judgedRow(row, key)]))
      return [{ key, wrong: [first, ...others], judged }]
    })
    .toSorted((a, b) => Number(letsIn(b)) - Number(letsIn(a)) || b.wrong.length - a.wrong.length)
}

function letsIn({ wrong: [{ exchange }] }: Kind): boolean {
  return isServed(exchange)
}

/** Rows of one flaw are the same request without conditions. */
function judgedRow(row: MetRow, key: string): JudgedRow {
  const { one } = row
  return { flaw: reduced(one, []).request.hash, conditions: conditionsOf(one), isWrong: shows(row, key) }
}

function isExplained(row: MetRow, conditions: readonly string[], judged: Kind['judged']): boolean {
  const own = judged.get(row)
  if (own === undefined || !conditions.every((one) => own.conditions.includes(one))) return false
  return explains(conditions, own.flaw, [...judged.values()])
}

/** What is wrong, whatever the flaw: a code that nobody documents counts as any other. */
function keyOf({ rule, breach: { difference, answered } }: RowBreach): string {
  if (answered === null) return `${rule} ${difference}`
  const { status, errorCode } = answered
  const isOfForm = answered.flaw !== null
  const answer = isOfForm
    ? ''
    : errorCode === null
      ? `${status}`
      : isErrorCode(errorCode)
        ? errorCode
        : 'another code'
  return `${rule} ${difference} ${answer}`
}

function shows({ breaches }: MetRow, key: string): boolean {
  return breaches.some((each) => keyOf(each) === key)
}

function conditionsOf({ request }: GeneratedCase): readonly string[] {
  return request.traits.conditions ?? []
}

/** The simpler row with these of its conditions alone. */
function reduced(one: GeneratedCase, kept: readonly string[]): GeneratedCase {
  const at = conditionsOf(one).findLastIndex((condition) => !kept.includes(condition))
  const simpler = at === -1 ? undefined : [...one.simpler()][at]
  return simpler === undefined ? one : reduced(simpler, kept)
}
