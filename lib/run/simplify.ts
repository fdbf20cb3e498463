import type { Exchange } from '../http/exchange.ts'
import { isServed } from '../judge/answered.ts'
import { withHint, type Breach, type Check } from '../judge/judge.ts'
import { fingerprintOf, type Reproduced } from '../judge/record.ts'
import { isErrorCode } from '../specification/answers.ts'
import type { RuleId } from '../specification/rules.ts'
import { groupBy } from '../text/members.ts'
import type { Breaches } from './confirm.ts'
import { costOf, isRow, type Example, noAnswer } from './plan/cases.ts'

/** A breach shown by an answer, either of the case's rule or of a run-wide rule. */
type Shown = Readonly<{
  rule: RuleId
  breach: Breach
  violates: (again: Exchange) => boolean
}>

/** A case and its result; the breach of its own rule comes first. */
export type Met = Readonly<{
  one: Example
  exchange: Exchange
  check: Check
  breaches: readonly Shown[]
}>

/** Sends a case again; null if the transport rejected it. */
type MeetAgain = (one: Example, purpose: 'confirming' | 'shrinking') => Promise<Met | null>

/** The rule whose cases are reported or simplified, and how they are sent again. */
type OfRule = Readonly<{ breaches: Breaches; rule: RuleId; meet: MeetAgain }>

/** Reports and confirms all breaches of a case; the last argument is the original case, if this one is simpler. */
export async function report({ breaches, rule, meet }: OfRule, met: Met, original = met) {
  const { one, check } = met
  const { request } = one
  const context = { rule, case: one.name }
  for (const shown of met.breaches) {
    const breach = toldOf(one, shown.breach)
    const { exchange } = met
    const found = { rule: shown.rule, request, exchange, context, breach, caseExchange: original.exchange }
    const breaksAgain = async () => shows(await meet(one, 'confirming'), keyOf(shown))
    if (one.alone && isRow(one)) await breaches.add(found, { breaksAgain })
    else if (shown.rule === rule) await breaches.addOfCase(found, { ...one, check })
    else await breaches.add(found, shown)
  }
}

/** The breach with the hint of its case, and what was sent. */
function toldOf({ hint, says }: Example, breach: Breach) {
  const hinted = hint === undefined ? breach : withHint(breach, hint)
  return says === undefined ? hinted : { ...hinted, summary: `${hinted.summary}; sent: ${says}` }
}

/** The maximum number of requests to simplify one counterexample. */
const shrinkingRequests = 40

/** Simplifies a counterexample: each simpler case with the same fingerprint replaces it. Stops early if a case cannot be judged. */
export async function shrink(first: Met, meet: MeetAgain) {
  const kind = kindOf(first)
  const simplerThan = ({ one }: Met) => simplerOf(one)[Symbol.iterator]()
  let simplest = first
  let left = shrinkingRequests
  let candidates = simplerThan(first)
  for (let next = candidates.next(); !next.done && left > 0; next = candidates.next()) {
    left -= costOf(next.value).requests
    try {
      const again = await meet(next.value, 'shrinking')
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
export function kindOf({ one, breaches: [shown] }: Met) {
  return shown ? fingerprintOf(one.request.traits.endpoint, shown.breach) : ''
}

/** A judged row: its flaw, its conditions, and whether it shows the breach in question. */
export type JudgedRow = Readonly<{
  flaw: string
  conditions: readonly string[]
  isWrong: boolean
}>

/** The maximum number of causes to look for; rows with further causes are reported as they are. */
const mostCauses = 4
/** The maximum number of conditions to try alone. */
const mostAlone = 4
/** The name for a cause that is not a single known condition. */
const severalConditions = ['several conditions']

/**
 * Reduces failing rows to the single condition that causes them, then reports it: first without a request, by comparing failing and
 * passing rows, then by leaving out conditions one at a time. Throws `NoAnswer` if a row cannot be judged.
 */
export async function refine(given: OfRule, judged: readonly Met[], requests: number) {
  const { breaches, rule, meet } = given
  let left = requests
  let looked = 0
  /** Conditions found to cause failures. */
  const causes: (readonly string[])[] = []
  /** The results of simpler rows, keyed by their bytes. */
  const known = new Map<string, Promise<Met | null>>()

  const send: MeetAgain = async (one, purpose) => {
    left -= 1
    try {
      return await meet(one, purpose)
    } catch (error) {
      const { endsRun, none } = noAnswer(error)
      if (endsRun || none === 'rejected') throw error
      return null
    }
  }

  /** Reports the breaches that a row shares with its cause, under these conditions or those that are `named`; sends nothing. */
  const tell = async (
    met: Met,
    conditions: readonly string[],
    how: { readonly cause?: Met; readonly reproduced?: Reproduced; readonly named?: readonly string[] } = {},
  ) => {
    const { one, exchange } = met
    const { cause = met, reproduced = { seen: 1, of: 1 }, named = conditions } = how
    const isKnown = conditions.every((condition) => conditionsOf(one).includes(condition))
    const simpler = reduced(one, isKnown ? conditions : conditionsOf(one))
    const request = one.request.trait({ conditions: named })
    const context = { rule, case: one.name }
    for (const each of met.breaches.filter((other) => shows(cause, keyOf(other)))) {
      // Omits the answers that only its other conditions allow.
      const judgement = each.rule === rule ? simpler.check.judge(exchange) : null
      const breach = toldOf(one, judgement?.kind === 'violates' ? judgement.breach : each.breach)
      await breaches.add({ rule: each.rule, request, exchange, context, breach }, reproduced)
    }
  }

  /** Reports the rows that first fail in the same way, by their causes. */
  const refineKind = async (key: string) => {
    const rows = described.map((row) => ({ ...row, isWrong: shows(row.met, key) }))

    /** The result of a simpler row; null if it does not show the breach. */
    const shown = async (one: Example) => {
      const bytes = `${one.request.hash} ${conditionsOf(one).join()}`
      if (!known.has(bytes) && left <= 0) return null
      const sent = known.get(bytes) ?? send(one, 'shrinking')
      known.set(bytes, sent)
      const met = await sent
      return shows(met, key) ? met : null
    }

    const simplest = async (first: Row) => {
      for (const few of suspects(first, rows)) {
        const simpler = await shown(reduced(first.met.one, few))
        if (simpler !== null) return simpler
      }
      let found = first.met
      for (const condition of first.conditions) {
        const fewer = conditionsOf(found.one).filter((one) => one !== condition)
        found = (await shown(reduced(first.met.one, fewer))) ?? found
      }
      return found
    }

    /** The simplest row; null if there is none, in which case the rows are reported as they are. */
    const causeOf = async (first: Row, others: readonly Row[]) => {
      for (const cause of causes) {
        const fits = cause.every((one) => first.conditions.includes(one))
        const simpler = fits ? await shown(reduced(first.met.one, cause)) : null
        if (simpler !== null) return simpler
      }
      if (looked >= mostCauses || left <= 0) {
        for (const { met } of [first, ...others]) await tell(met, severalConditions)
        return null
      }
      looked += 1
      const again = [await send(first.met.one, 'confirming'), await send(first.met.one, 'confirming')]
      const seen = 1 + again.filter((met) => shows(met, key)).length
      if (seen < 3) {
        await tell(first.met, [], { reproduced: { seen, of: 3 } })
        for (const { met } of others) await tell(met, [])
        return null
      }
      const found = await simplest(first)
      causes.push(conditionsOf(found.one))
      return found
    }

    /** The row with one part of its condition, such as one field of a client, if it still fails. */
    const inPart = async (row: Met) => {
      for (const one of [...simplerOf(row.one)].slice(conditionsOf(row.one).length)) {
        const smaller = await shown(one)
        if (smaller !== null) return smaller
      }
      return row
    }

    let wrong = rows.filter(({ met }) => firstKey(met) === key)
    for (let [first, ...others] = wrong; first; [first, ...others] = wrong) {
      const cause = await causeOf(first, others)
      if (cause === null) return
      const smallest = await inPart(cause)
      await report(given, smallest, first.met)
      const conditions = conditionsOf(cause.one)
      const isLike = (row: Row) =>
        conditions.every((one) => row.conditions.includes(one)) && explains(conditions, row.flaw, rows)
      const more = { cause, named: conditionsOf(smallest.one) }
      for (const { met } of others.filter(isLike)) await tell(met, conditions, more)
      wrong = others.filter((row) => !isLike(row))
    }
  }

  const kinds = kindsIn(judged)
  // Rows with the same flaw are the same request apart from their conditions.
  const describe = (met: Met) => {
    return { met, flaw: reduced(met.one, []).request.hash, conditions: conditionsOf(met.one) }
  }
  const described = kinds.length === 0 ? [] : judged.map(describe)
  for (const key of kinds) await refineKind(key)
}

type Row = JudgedRow & { readonly met: Met }

/** The kinds of failing rows, by their first breach: wrong successes first, then by number of rows. */
function kindsIn(judged: readonly Met[]) {
  const kinds = groupBy(
    judged.filter(({ breaches }) => breaches.length > 0),
    firstKey,
  )
  const letsIn = ([first]: readonly Met[]) => Number(first !== undefined && isServed(first.exchange))
  return [...kinds]
    .toSorted(([, a], [, b]) => letsIn(b) - letsIn(a) || b.length - a.length)
    .map(([key]) => key)
}

function firstKey({ breaches: [first] }: Met) {
  return first ? keyOf(first) : ''
}

/** The kind of a breach, whatever the flaw. Undocumented codes count as one. */
function keyOf({ rule, breach: { difference, answered } }: Shown) {
  if (answered === null) return `${rule} ${difference}`
  const { status, errorCode, flaw } = answered
  const code = isErrorCode(errorCode) ? errorCode : 'another code'
  const answer = errorCode === null ? `${status}` : code
  return `${rule} ${difference} ${flaw === null ? answer : ''}`
}

function shows(met: Pick<Met, 'breaches'> | null, key: string) {
  return met?.breaches.some((each) => keyOf(each) === key) ?? false
}

function conditionsOf({ request }: Example) {
  return request.traits.conditions ?? []
}

function simplerOf({ simpler }: Example) {
  return simpler?.() ?? []
}

/** The row with only these conditions. */
function reduced(one: Example, kept: readonly string[]): Example {
  const at = conditionsOf(one).findLastIndex((condition) => !kept.includes(condition))
  const simpler = at === -1 ? undefined : [...simplerOf(one)][at]
  return simpler ? reduced(simpler, kept) : one
}

/**
 * The conditions that may cause a row to fail, likeliest first: no condition if every row with its flaw fails, then those in the fewest
 * passing rows, and among these, those in the most failing rows. Pure.
 */
export function suspects(row: JudgedRow, rows: readonly JudgedRow[]): readonly (readonly string[])[] {
  const flaws = new Set(rows.flatMap(({ flaw, isWrong }) => (isWrong ? [flaw] : [])))
  const rowsWith = (one: string, wrong: boolean) =>
    rows.filter(
      ({ flaw, conditions, isWrong }) => isWrong === wrong && flaws.has(flaw) && conditions.includes(one),
    ).length
  const alone = row.conditions.toSorted(
    (a, b) => rowsWith(a, false) - rowsWith(b, false) || rowsWith(b, true) - rowsWith(a, true),
  )
  return [...(explains([], row.flaw, rows) ? [[]] : []), ...alone.slice(0, mostAlone).map((one) => [one])]
}

/** Whether every row with a flaw fails under these conditions. Pure. */
export function explains(conditions: readonly string[], flaw: string, rows: readonly JudgedRow[]) {
  return rows
    .filter((row) => row.flaw === flaw && conditions.every((one) => row.conditions.includes(one)))
    .every(({ isWrong }) => isWrong)
}
