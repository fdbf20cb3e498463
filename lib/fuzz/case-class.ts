import { hash } from 'node:crypto'
import fc, { Arbitrary, Random, type Stream, type Value } from 'fast-check'
import { xorshift128plus } from 'pure-rand/generator/xorshift128plus'
import type { Credentials } from '../redact/secret.ts'
import type { Answer } from '../specification/answers.ts'
import type { DescribedInput } from '../specification/endpoints.ts'
import type { FlawBase } from '../specification/flaws.ts'
import type { RequestChange } from './request-changes.ts'

/** The flaw in the request before the change: none, or exactly one certain flaw. */
export type Base = 'valid' | FlawBase

/** The valid request, and the requests with one certain flaw that every setting allows to be sent. */
export const bases: readonly Base[] = [
  'valid',
  'api-key-absent',
  'secret-key-absent',
  'version-absent',
  'api-key-wrong',
  'secret-key-wrong',
  'version-unsupported',
]

/** A generated change to a request, and how its answer is judged. */
export type MutatedRequest = Readonly<{
  /** The change, in words, for findings: `TARGET_API_KEY with U+200B (e2 80 8b) after character 7`. */
  says: string
  /** Changes a plain valid request, or the request with the flaw of `base`. Pure. */
  apply: RequestChange
  /** How the answer is judged. `oracle`: by what arrives; `observed`: only a 5xx is a breach; `refused`: only a success is a breach. */
  treatment: 'oracle' | 'observed' | 'refused'
  /** Why a breach that grants no access is only a warning: always, or because it follows only from HTTP (then a violation in a strict run). */
  weakness?: 'implied' | 'warning'
  /** Some servers strip the added part and then serve the request, which is a warning in every profile. */
  mayBeStripped?: true
  /** The names of its conditions, which must not matter. Simpler cases drop one after another. */
  conditions?: readonly string[]
  /** Whether its conditions allow more answers than its flaw does. */
  excused?: true
  /** Further answers that its conditions allow. */
  also?: readonly Answer[]
  /** A partial or an empty success is acceptable (206, 304, 416). */
  mayBePartial?: true
  /** The connection to use: a separate one, possibly after an earlier request; by default, any connection from the pool. */
  connection?: 'fresh' | 'behind a success' | 'behind a refusal'
  /** A field is malformed, so a 304 or any 4xx is acceptable. */
  fieldMayBeRefused?: true
  /** The transport, a gateway or a firewall may refuse it (T), with a 4xx without the error object or by closing the connection. */
  transportMayRefuse: boolean
  /** The request to change; by default, a plain valid request. */
  base?: Base
  /** Uses an unknown path and a separate connection, so that no cache can keep an error for a real path. */
  toUnknownPath?: boolean
  /** A redirect to the known path on the same host is acceptable. */
  mayRedirect?: boolean
  /** The allowed answers, if they cannot be derived from facts, as with two wrong keys. */
  allowed?: readonly Answer[]
  /** Where the endpoints file describes the value, and how it relates to its schema. */
  described?: { readonly file: string; readonly number: number; readonly says: string }
  /**
   * The request that is sent first. `same-outcome`: both outcomes must agree. `invented-credential`: a request that passes the check
   * which refuses this one was wrongly accepted.
   */
  pairedRequest?: Readonly<{ relation: 'same-outcome' | 'invented-credential'; apply: RequestChange }>
  /** Where it is listed in the run's observations: `duplicates`, `valid key first`. */
  observe?: { readonly id: string; readonly as: string }
}>

/** A class in the catalogue, or part of a class. */
export type CaseClass = Readonly<{
  /** A stable name that, with a number, names a case (`doubled-character.3`). Lower case, digits and hyphens. */
  name: string
  /** Frequency relative to the rule's other classes; 0 if cases are sent only because of `always`. */
  weight: number
  /** The number of cases that a gate sends to the list endpoint before the weighted cases. All other profiles send every listed case. */
  always?: number
  /** Whether a gate also sends these cases to further endpoints. */
  everywhere?: true
  /** Why a gate sends no more of its cases: none by weight either, unless it always sends some. */
  because?: string
  /** The number of requests in each case: two for a metamorphic pair. */
  requests?: 2
  /** The number of different cases. Later cases start over. */
  count?: number
  /** Draws its nth case, counting from 0. The first cases are sent most often. */
  nth: (nth: number) => Arbitrary<MutatedRequest>
}>

/** The input for generating requests. */
export type GeneratorInput = Readonly<{
  target: Credentials
  /** Another permitted client, or null. */
  second: Credentials | null
  /** A key and a secret that were never issued, in the shape of the valid ones. */
  wrongKey: string
  wrongSecret: string
  servedVersion: string
  unsupportedVersion: string
  /** The path of the endpoint, under the base URL. */
  path: string
  /** The query that the endpoint needs, without `?`, or null. */
  query: string | null
  /** The endpoint's input in the endpoints file, or null. */
  described: DescribedInput | null
  /** Further requests with one certain flaw that the settings allow. */
  furtherBases: readonly Base[]
  /** The number of endpoints for which requests are generated. */
  endpoints: number
  seed: number
  /** Whether a page in place of JSON is a breach, rather than only a warning, if the request looks like a browser's. */
  pagesAreBreaches: boolean
}>

/** Makes case classes from the input. */
export type ClassesOf = (input: GeneratorInput) => readonly CaseClass[]

/** The part of the input that is shared by endpoints. */
export type ClientInput = Omit<GeneratorInput, 'path' | 'query' | 'described'>

/** How often a class is sent: by weight (also in a gate, unless there is a reason against it), or else all its listed cases, of which a gate sends the first few. */
export type Share = Partial<Omit<CaseClass, 'name' | 'count' | 'nth'>>

/** Why a gate leaves out cases that are only observed. */
export const onlyObserved = 'it finds no fault'

/** Why a gate leaves out cases that look like an attack. */
export const mayBan = 'firewalls may ban the sender'

/** A change and its description. */
export type NamedChange = readonly [says: string, apply: RequestChange]

/** Cases of a class, each either fixed or with incidental parts drawn. */
export type Cases = readonly (MutatedRequest | Arbitrary<MutatedRequest>)[]

/**
 * A class made up of these cases, most useful first. `share` may be just a weight. `first` come once, before them. Without cases, its
 * `count` is 0 and it is not sent.
 */
export function caseClass(name: string, share: number | Share, cases: Cases, first: Cases = []): CaseClass {
  const given = typeof share === 'number' ? { weight: share } : share
  return {
    name,
    weight: 0,
    ...(given.weight === undefined && { always: 0 }),
    ...given,
    count: cases.length,
    nth(nth) {
      const found = first[nth] ?? cases[(nth - first.length) % cases.length]
      if (found === undefined) throw new RangeError(`${name} has no case ${nth}`)
      return found instanceof Arbitrary ? found : fc.constant(found)
    },
  }
}

/** A change that the oracle judges as it arrives. The transport has no excuse unless `more` provides one. */
export function judged(
  says: string,
  apply: RequestChange,
  more: Partial<MutatedRequest> = {},
): MutatedRequest {
  return { says, apply, treatment: 'oracle', transportMayRefuse: false, ...more }
}

/** A class whose answers are only recorded, by default under its name with spaces, in the run's observations. A gate sends none of it. */
export function observedClass(
  name: string,
  share: Pick<Share, 'weight'>,
  changes: readonly NamedChange[],
  { id = name.replaceAll('-', ' '), ...traits }: Partial<MutatedRequest> & { readonly id?: string } = {},
) {
  const cases = changes.map(([as, apply]) =>
    judged(as, apply, { treatment: 'observed', observe: { id, as }, ...traits }),
  )
  return caseClass(name, { ...share, because: onlyObserved }, cases)
}

/** The transport, a gateway or a firewall may refuse it (T). */
export const byTransport = { transportMayRefuse: true } as const

/** Sent to an unknown path, so that no cache can keep an error for a real path. */
export const nowhere = { ...byTransport, toUnknownPath: true } as const

/** A generated case, or a simpler case shrunk from it. */
export type Drawn = Readonly<{
  mutated: MutatedRequest
  /** The case's name, such as `doubled-character.3`, followed by any shrink path: `doubled-character.3:0:2`. */
  name: string
  /** Simpler cases, simplest first, drawn on demand. */
  simpler: () => Stream<Drawn>
}>

/** A case's class and its number in that class, counting from 0. */
type Place = Readonly<{ caseClass: CaseClass; nth: number }>

/** Draws a case, seeded only by the root seed, rule and case name, so its bytes are the same for any concurrency, profile and number of cases. */
export function draw({ caseClass: of, nth }: Place, rootSeed: number, rule: string): Drawn {
  const arbitrary = of.nth(nth)
  const drawn = ({ value: mutated, context }: Value<MutatedRequest>, name: string): Drawn => {
    const simpler = () => {
      let step = -1
      return arbitrary.shrink(mutated, context).map((one) => drawn(one, `${name}:${(step += 1)}`))
    }
    return { mutated, name, simpler }
  }
  const name = `${of.name}.${nth}`
  const seed = hash('sha256', `${rootSeed}:${rule}:${name}`, 'buffer').readInt32BE(0)
  return drawn(arbitrary.generate(new Random(xorshift128plus(seed)), undefined), name)
}

/** The case with a name that came from {@link draw} or shrinking; null if no class has that name. */
export function drawNamed(name: string, classes: readonly CaseClass[], rootSeed: number, rule: string) {
  const [, of, nth, path = ''] = /^([a-z0-9-]+)\.(\d+)((?::\d+)*)$/.exec(name) ?? []
  const found = classes.find((one) => one.name === of)
  let one = found && draw({ caseClass: found, nth: Number(nth) }, rootSeed, rule)
  for (const step of path.split(':').slice(1)) one = one?.simpler().drop(Number(step)).next().value
  return one ?? null
}

/** Schedules the cases that each class always sends, then `more` cases, each from the class that is furthest behind its weight. */
export function* schedule(classes: readonly CaseClass[], more: number) {
  for (const one of classes)
    for (let nth = 0; nth < (one.always ?? 0); nth += 1) yield { caseClass: one, nth }
  const due = classes
    .filter(({ weight, count }) => weight > 0 && count !== 0)
    .map((one) => ({ caseClass: one, nth: one.always ?? 0 }))
  // The first case of a class is due after half of its interval.
  const turn = ({ caseClass: { weight }, nth }: Place) => (nth + 0.5) / weight
  for (let index = 0; index < more && due.length > 0; index += 1) {
    const next = due.reduce((best, one) => (turn(one) < turn(best) ? one : best))
    yield { ...next }
    next.nth += 1
  }
}
