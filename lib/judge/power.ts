import { factNames, factValues, flawless, type Facts } from './facts.ts'

/** What a verdict is worth. Plain JSON. */
export interface Power {
  /** How certain {@link excludes} is: 0.95. */
  readonly confidence: number
  /** Answers that could have shown a breach; one that several rules judged counts once. */
  readonly answers: number
  /** Those that showed one, also if it only warns or a waiver covers it; confirmations apart. Absent if unknown. */
  readonly faulty?: number
  /** Requests that the service left unanswered; absent if unknown. */
  readonly unanswered?: number
  /** The rate of faulty answers that a run without any breach excludes, if faults strike at random; else null, also without answers. */
  readonly excludes: number | null
  readonly situations: readonly Situations[]
  readonly draws: readonly Draws[]
}

/** The part of {@link Power} that a rule has of its own. */
export type RulePower = Pick<Power, 'answers' | 'faulty' | 'unanswered' | 'excludes'>

/** How many exchanges, and requests without an answer, findings blame. */
export type BlamedCounts = Required<Pick<Power, 'faulty' | 'unanswered'>>

/** Exchanges and unanswered requests that the same findings blame. */
export interface Blamed {
  /** By {@link findingKey}. */
  readonly findings: readonly string[]
  readonly faulty: number
  readonly unanswered: number
}

/** The name of a finding among those of all rules. */
export function findingKey(rule: string, fingerprint: string): string {
  return `${rule} ${fingerprint}`
}

/** How many exchanges and unanswered requests at least one of these findings blames. */
export function countBlamed(blamed: readonly Blamed[], keys: ReadonlySet<string>): BlamedCounts {
  const met = blamed.filter(({ findings }) => findings.some((key) => keys.has(key)))
  return {
    faulty: met.reduce((sum, { faulty }) => sum + faulty, 0),
    unanswered: met.reduce((sum, { unanswered }) => sum + unanswered, 0),
  }
}

/** Kinds of situations, in the order of reports. */
export const situationKinds = ['flaw', 'pair', 'connection', 'order', 'load', 'client', 'values'] as const

/** The situations of one kind: those met with the number of answers, and those not met with what would meet them. */
export interface Situations {
  readonly kind: (typeof situationKinds)[number]
  readonly reached: Readonly<Record<string, number>>
  /** By name: the setting that would reach it. */
  readonly missing: Readonly<Record<string, string>>
}

/** Random draws of one class of values, and how many kinds of answers they met. */
export interface Draws {
  readonly rule: string
  readonly values: string
  readonly draws: number
  /** Kinds of answers: status and `error_code`. */
  readonly kinds: number
  /** Kinds of answers met once. */
  readonly once: number
  /** Upper bound, at 95 %, of the share of draws that meet a kind of answer not met so far. */
  readonly unseen: number
}

/** The confidence of every bound. */
export const confidence = 0.95

/** The rate of faulty answers that this many right ones exclude, if faults strike independently and at random; null without answers. */
export function rateExcluded(answers: number): number | null {
  return answers === 0 ? null : 1 - (1 - confidence) ** (1 / answers)
}

/**
 * Upper bound of the share of draws whose kind of answer was not met. Good and Turing's estimate, `once` of `draws`, misses the share by
 * little: the share stays within sqrt(ln(2/d)/n) of its mean (Berend and Kontorovich), the estimate within sqrt(2 ln(2/d)/n) of its own,
 * which is no smaller (McDiarmid). 1 without draws.
 */
export function unseenAtMost(draws: number, once: number): number {
  if (draws === 0) return 1
  const spread = Math.sqrt(Math.log(2 / (1 - confidence)) / draws)
  return Math.min(1, once / draws + (1 + Math.SQRT2) * spread)
}

/** Every flaw, in words, by fact and value. Source: Authentication, Errors, Versioning. */
const flawNames: { readonly [Name in keyof Facts]: Readonly<Record<string, string>> } = {
  apiKey: { absent: 'no x-api-key', blank: 'blank x-api-key', invalid: 'wrong x-api-key' },
  secretKey: {
    absent: 'no x-secret-key',
    blank: 'blank x-secret-key',
    nobodys: 'wrong x-secret-key',
    'another-clients': 'x-secret-key of another client',
  },
  version: {
    absent: 'no x-version',
    blank: 'blank x-version',
    malformed: 'x-version is no integer',
    odd: 'x-version written oddly',
    unsupported: 'unsupported x-version',
    'out-of-range': 'x-version out of range',
    other: 'another x-version',
  },
  endpoint: { unknown: 'unknown endpoint', uncertain: 'near miss of a path' },
  state: { inactive: 'inactive' },
  customer: { none: 'no customer' },
  permission: { denied: 'not permitted' },
  quota: { 'used-up': 'quota used up' },
  input: { uncertain: 'undocumented input', invalid: 'invalid input' },
}

/** The setting without which a flaw cannot be sent. */
const flawSettings: Readonly<Record<string, string>> = {
  'x-secret-key of another client': 'FIXTURE_SECOND_API_KEY',
  inactive: 'FIXTURE_INACTIVE_API_KEY',
  'no customer': 'FIXTURE_NO_CUSTOMER_API_KEY',
  'not permitted': 'FIXTURE_UNAUTHORIZED_API_KEY',
  'quota used up': 'FIXTURE_EXHAUSTED_API_KEY',
  'invalid input': 'FIXTURE_INVALID_QUERY',
}

/** Pairs that no profile sends: an exhausted client is asked little. */
const unsentBesideQuota: ReadonlySet<string> = new Set([
  'blank x-version',
  'x-version is no integer',
  'x-version written oddly',
  'x-version out of range',
  'another x-version',
  'near miss of a path',
])

/** The setting that would meet a flaw or a pair of them; null if none is missing. */
export function settingOf(situation: string, given: ReadonlySet<string>): string | null {
  const [first = '', second] = situation.split(' + ')
  if (second === 'quota used up' && unsentBesideQuota.has(first)) return 'no setting'
  const wanted = situation.split(' + ').map((flaw) => flawSettings[flaw])
  return wanted.find((setting) => setting !== undefined && !given.has(setting)) ?? null
}

/** The flaws of a request in words, in the order of the facts. */
export function flawsIn(facts: Facts): readonly string[] {
  const flaws: string[] = []
  for (const fact of factNames) {
    if (facts[fact] === flawless[fact]) continue
    const name = flawNames[fact][facts[fact]]
    if (name !== undefined) flaws.push(name)
  }
  return flaws
}

interface Flaw {
  readonly fact: keyof Facts
  readonly value: string
  readonly name: string
}

const allFlaws: readonly Flaw[] = factNames.flatMap((fact) =>
  factValues[fact].flatMap((value) => {
    const name = flawNames[fact][value]
    return name === undefined ? [] : [{ fact, value, name }]
  }),
)

/** What the service knows of a client that its key names: one of these at a time. */
const ofKeys: ReadonlySet<keyof Facts> = new Set(['state', 'customer', 'permission', 'quota'])

/** Every flaw alone. */
export const flaws: readonly string[] = allFlaws.map(({ name }) => name)

/** Every pair of flaws that one request can have, as `no x-api-key + no x-version`. */
export const flawPairs: readonly string[] = allFlaws.flatMap((one, at) =>
  allFlaws
    .slice(at + 1)
    .filter((other) => standTogether(one, other))
    .map((other) => `${one.name} + ${other.name}`),
)

/** Whether one request can have both flaws: a client is in one state, a wrong key names none, and a path that is unknown has no input. */
function standTogether(one: Flaw, other: Flaw): boolean {
  if (one.fact === other.fact) return false
  if (ofKeys.has(one.fact) && ofKeys.has(other.fact)) return false
  if (one.fact === 'apiKey') return !ofKeys.has(other.fact) && other.value !== 'another-clients'
  return one.fact !== 'endpoint' || other.value !== 'invalid'
}
