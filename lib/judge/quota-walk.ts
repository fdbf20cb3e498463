import type { Exchange } from '../http/exchange.ts'
import { success } from '../specification/answers.ts'
import { answeredBy, describeAnswered } from './answered.ts'
import { answers, holds, isRefused, neverSucceeds, weakened, type Judgement } from './judge.ts'

/** One answer to a client whose quota should run out. `other`: refused for a different reason, which may use the quota. `odd`: anything else. */
export type QuotaAnswer = Readonly<{ kind: 'served' | 'refused' | 'other' | 'odd'; exchange: Exchange }>

/** Concurrent requests from a client, with none of its other requests in flight. Turns never overlap. */
export type QuotaTurn = Readonly<{
  /** The answers, in any order. */
  answers: readonly QuotaAnswer[]
  /** The number of further attempts without an answer. Each may have used the quota. */
  unanswered: number
  /** Whether the run was silent immediately before. */
  settled: boolean
}>

/** A client whose answers are judged. */
type QuotaOf = Readonly<{
  /** The declared quota; null if it is unknown. */
  quota: number | null
  /** The client's name in sentences. */
  whose: string
}>

type QuotaUse = QuotaOf &
  Readonly<{
    /** Whether the quota was certainly not reset in the meantime. */
    noReset: boolean
    /** Whether the quota was unused at the start, as far as is known; a replayed run has used it. */
    isFresh?: boolean
  }>

/** A judgement with its exchange. */
export type QuotaJudgement = Readonly<{ judgement: Judgement; about: Exchange }>

const refusal = { status: 429, errorCode: '1020' } as const
const usedUp = answers(refusal)

/** Classifies an answer. `isOther` recognizes refusals for a different flaw in the request. An answer to HEAD shows no code. */
export function quotaAnswer(exchange: Exchange, isOther: (exchange: Exchange) => boolean): QuotaAnswer {
  const isHead = exchange.request.method === 'HEAD'
  const kind = (): QuotaAnswer['kind'] => {
    if (isRefused(exchange) || (isHead && exchange.response.status === refusal.status)) return 'refused'
    if (neverSucceeds([refusal]).judge(exchange).kind === 'violates') return 'served'
    return isHead || isOther(exchange) ? 'other' : 'odd'
  }
  return { kind: kind(), exchange }
}

/**
 * Judges how much was served before the first 1020. More than twice the quota is a breach, because one reset restores it only once.
 * More than the quota is also a breach if a lone request was served after a silence and nothing was reset. Otherwise counts may
 * be late, which is a warning. Source: Limits (size and reset time not shown).
 */
export function judgeUse(
  turns: readonly QuotaTurn[],
  { quota, whose, noReset, isFresh = true }: QuotaUse,
): QuotaJudgement {
  const first = turns.findIndex(isRefusing)
  const before = first === -1 ? turns : turns.slice(0, first + 1)
  const odd = of('odd', before)[0]
  if (odd !== undefined) return { judgement: usedUp.judge(odd), about: odd }

  const served = of('served', before)
  const beyond = served.at(-1)
  const refused = of('refused', before)[0]
  const about = refused ?? beyond ?? anyOf(turns)
  if (quota === null || beyond === undefined || served.length <= quota) {
    if (refused !== undefined && !isFresh) return { judgement: holds, about }
    if (refused !== undefined) return { judgement: early(refused, served.length, { quota, whose }), about }
    return { judgement: { kind: 'unclear', because: `${whose} is not exhausted today` }, about }
  }
  const isCertain = served.length > 2 * quota || (noReset && isServedAfterSilence(before, quota))
  const told = `, ${served.length} times of a declared quota of ${quota}`
  return breachOf(beyond, told, isCertain ? undefined : 'warning')
}

/**
 * Judges answers since the first 1020. One reset may come at any time and restores the quota once. A further 1020 before that
 * many requests, no 1020 after them, or a second reset is a breach. Source: Limits (reset time not shown).
 */
export function judgeLasting(turns: readonly QuotaTurn[], { quota, whose }: QuotaOf): QuotaJudgement {
  const first = turns.findIndex(isRefusing)
  const since = first === -1 ? [] : turns.slice(first)
  const odd = of('odd', turns)[0]
  if (odd !== undefined) return { judgement: usedUp.judge(odd), about: odd }

  const resets = resetsIn(since)
  const unlike = quota === null ? undefined : resets.find((one) => !explainsReset(one, quota))
  const breach = unlike ?? (resets.length > 1 ? resets[1] : undefined)
  const shown = breach?.served[0]
  if (breach !== undefined && shown !== undefined) {
    const isImplied = quota === null || breach.served.every(({ request }) => request.method === 'HEAD')
    return breachOf(shown, ', after it was refused for its quota', isImplied ? 'implied' : undefined)
  }
  const last = since.findLast((turn) => isServing(turn) || isRefusing(turn))
  const about = last?.answers[0]?.exchange ?? anyOf(turns)
  const isSettled = last !== undefined && !isServing(last) && (quota !== null || resets.length === 0)
  if (isSettled && resets.every(({ isOpen }) => !isOpen)) return { judgement: holds, about }
  const because =
    first === -1 ? `${whose} is not exhausted today` : `the quota of ${whose} may have been reset`
  return { judgement: { kind: 'unclear', because }, about }
}

/** Successes after a refusal, which mean either the beginning of a new day or a breach. */
type Reset = Readonly<{
  served: readonly Exchange[]
  /** How many requests may have used the new quota before the next refusal. */
  used: number
  /** Whether a further refusal and a refusal of a lone request followed. */
  isRefusedAgain: boolean
  /** Whether a judgement needs one more refusal. */
  isOpen: boolean
  turns: readonly QuotaTurn[]
}>

/** Whether a single reset explains it, under either reading of "exceeded". */
function explainsReset({ used, isRefusedAgain, turns }: Reset, quota: number) {
  return !(isRefusedAgain && used < quota) && !isServedAfterSilence(turns, quota)
}

/** The turns since the first refusal, split at each refusal that follows a success. */
function resetsIn(since: readonly QuotaTurn[]): readonly Reset[] {
  const resets: Reset[] = []
  let from = 0
  for (const [at, turn] of since.entries()) {
    if (isServing(turn) || !isRefusing(turn)) continue
    const reset = resetOf(since, from, at)
    if (reset !== null) resets.push(reset)
    from = at
  }
  const open = resetOf(since, from, since.length)
  return open === null ? resets : [...resets, open]
}

/** The successes between two refusals, or null. A request concurrent with the first refusal may have arrived after the reset. */
function resetOf(since: readonly QuotaTurn[], from: number, to: number): Reset | null {
  const turns = since.slice(from + 1, to)
  const served = of('served', turns)
  if (served.length === 0) return null
  const isClosed = to < since.length
  const again = since.slice(to + 1).find((turn) => isServing(turn) || isRefusing(turn))
  const isRefusedAgain = isClosed && again !== undefined && again.answers.length === 1 && isRefusing(again)
  const used = since.slice(from, to + 1).reduce((sum, turn) => sum + usesOf(turn), 0)
  return { served, used, isRefusedAgain, isOpen: !isClosed, turns }
}

/** How many requests may have used a quota. */
function usesOf({ answers: given, unanswered }: QuotaTurn) {
  return given.filter(({ kind }) => kind !== 'refused').length + unanswered
}

/** Whether a lone request was served right after a silence, although more than the quota had been served before. */
function isServedAfterSilence(turns: readonly QuotaTurn[], quota: number) {
  const isLone = (turn: QuotaTurn) => turn.settled && turn.answers.length === 1 && isServing(turn)
  return turns.some((turn, at) => isLone(turn) && of('served', turns.slice(0, at)).length > quota)
}

/**
 * A warning if less than half of the quota was served, because other clients in the run may share it. Part of it may have been used by
 * hand before the run.
 */
function early(refused: Exchange, served: number, { quota, whose }: QuotaOf): Judgement {
  if (quota === null || served === 0 || served >= quota / 2) return holds
  const answered = answeredBy(refused.response)
  const summary = `answered ${describeAnswered(answered)} after ${served} successes of a declared quota of ${quota}: other clients, or an earlier run, may have used the quota of ${whose}`
  return {
    kind: 'violates',
    breach: {
      allowed: [success],
      answered,
      difference: 'refused within its quota',
      summary,
      warning: true,
    },
  }
}

function breachOf(
  exchange: Exchange,
  told: string,
  weakness: 'implied' | 'warning' | undefined,
): QuotaJudgement {
  const judgement = neverSucceeds([refusal]).judge(exchange)
  if (judgement.kind !== 'violates') throw new RangeError('only a success is a breach of a quota')
  const { breach } = judgement
  const shown = { ...breach, summary: `${breach.summary}${told}` }
  return { judgement: { kind: 'violates', breach: weakened(shown, weakness) }, about: exchange }
}

function isServing(turn: QuotaTurn) {
  return of('served', [turn]).length > 0
}

function isRefusing(turn: QuotaTurn) {
  return of('refused', [turn]).length > 0
}

function of(wanted: QuotaAnswer['kind'], turns: readonly QuotaTurn[]): readonly Exchange[] {
  const given = turns.flatMap(({ answers: all }) => all)
  return given.flatMap(({ kind, exchange }) => (kind === wanted ? [exchange] : []))
}

function anyOf(turns: readonly QuotaTurn[]): Exchange {
  const [any] = turns.flatMap(({ answers: given }) => given)
  if (any === undefined) throw new RangeError('no answers to judge')
  return any.exchange
}
