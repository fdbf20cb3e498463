import type { Blamed, BlamedCounts, SituationKind } from '../judge/power.ts'
import { clientNames, type ClientName } from '../specification/client-rows.ts'
import {
  flawId,
  flawNamed,
  flawRows,
  type FlawRow,
  type FlawSource,
  factNames,
  type Facts,
} from '../specification/flaws.ts'

/** A name for a finding that is unique across all rules. */
export function findingKey(rule: string, fingerprint: string) {
  return `${rule} ${fingerprint}`
}

/** Counts the exchanges and unanswered requests that are blamed by at least one of these findings. */
export function countBlamed(blamed: readonly Blamed[], keys: ReadonlySet<string>): BlamedCounts {
  const met = blamed.filter(({ findings }) => findings.some((key) => keys.has(key)))
  return {
    faulty: met.reduce((sum, { faulty }) => sum + faulty, 0),
    unanswered: met.reduce((sum, { unanswered }) => sum + unanswered, 0),
  }
}

/** The confidence level of every bound. */
export const confidence = 0.95

/** The rate of faulty answers that this many correct answers exclude, if faults are independent and random; null if there are no answers. */
export function rateExcluded(answers: number) {
  return answers === 0 ? null : 1 - (1 - confidence) ** (1 / answers)
}

/** A situation that a run may reach, with the name that reports use for it. */
export type Situation = Readonly<{
  name: string
  /** The settings that it requires. */
  needs: readonly FlawSource[]
  /** Whether any profile sends it. */
  isSent: boolean
}>

/** The flaws in a request, in the order of the facts. */
export function flawsIn(facts: Facts): readonly FlawRow[] {
  return factNames.flatMap((fact) => flawNamed(flawId(fact, facts[fact])) ?? [])
}

/** The name for the flaws in a request: `no x-api-key + no x-version`. */
export function flawsName(found: readonly FlawRow[]) {
  return found.map(({ name }) => name).join(' + ')
}

/** Situations that involve neither a flaw nor a particular client. */
export const plainSituations = {
  fresh: 'a new connection',
  reused: 'a connection used before',
  afterSuccess: 'a flawed request right after a success',
  several: 'several requests at once',
} as const

/** The name of the situation in which a client receives an answer. */
export function clientSituation(client: ClientName) {
  return `client ${client}`
}

/** Every situation except conditions, which are planned by rules. */
export const situations: Readonly<Record<Exclude<SituationKind, 'condition'>, readonly Situation[]>> = {
  flaw: flawRows.map((flaw) => situationOf(flaw)),
  pair: flawRows.flatMap((one, at) =>
    flawRows
      .slice(at + 1)
      .filter((other) => standTogether(one, other))
      .map((other) => situationOf(one, other)),
  ),
  connection: [alwaysSent(plainSituations.fresh), alwaysSent(plainSituations.reused)],
  order: [alwaysSent(plainSituations.afterSuccess)],
  load: [alwaysSent(plainSituations.several)],
  client: clientNames.map((client) => ({ ...alwaysSent(clientSituation(client)), needs: [client] })),
}

function alwaysSent(name: string): Situation {
  return { name, needs: [], isSent: true }
}

function situationOf(...found: readonly FlawRow[]): Situation {
  return {
    name: flawsName(found),
    needs: found.flatMap(({ needs = [] }) => needs),
    isSent:
      !found.some(({ fact }) => fact === 'quota') || found.every(({ besideQuota = true }) => besideQuota),
  }
}

/** Whether one request can have both flaws. A client is in only one state, a wrong key identifies no client, and an unknown path takes no input. */
function standTogether(one: FlawRow, other: FlawRow) {
  if (one.part === other.part) return false
  if (one.part === 'apiKey') return other.part !== 'client' && other.needs !== 'second'
  return one.part !== 'endpoint' || other.id !== 'input invalid'
}
