import type { Exchange } from '../../http/exchange.ts'
import {
  situationKinds,
  type Blamed,
  type BlamedCounts,
  type Power,
  type SituationKind,
  type Situations,
} from '../../judge/power.ts'
import type { TargetModel } from '../../judge/target-model.ts'
import { clientEntry } from '../../settings/client-settings.ts'
import type { FlawSource, Facts } from '../../specification/flaws.ts'
import {
  clientSituation,
  confidence,
  flawsIn,
  flawsName,
  plainSituations,
  rateExcluded,
  situations,
  type Situation,
} from '../../verdict/power.ts'
import type { Property } from '../plan/cases.ts'
import type { MoreOf } from '../plan/suite-context.ts'
import type { RequestTraits, TestRequest } from '../plan/test-request.ts'

/** Counts the judged and faulty answers in a run, and the situations that it reached. */
export class PowerRecord {
  #answers = 0
  /** The field lists of the counted answers; truncated copies keep them. */
  readonly #counted = new WeakSet<object>()
  /** The exchanges and missing answers that findings blame, by the object that identifies each. */
  readonly #blamedBy = new WeakMap<object, Blamed & { readonly findings: string[] }>()
  readonly #blamed: Blamed[] = []
  readonly #reached = new Map<string, number>()
  /** The conditions by name, because several rules announce the same ones. */
  readonly #conditions = new Map<string, Situation>()
  readonly #given: ReadonlySet<FlawSource>

  constructor(model: TargetModel) {
    const { clients, endpoints } = model
    const [list] = endpoints
    this.#given = new Set<FlawSource>([
      ...clients.map(({ name }) => name),
      ...(endpoints.some(({ inactive }) => inactive) ? (['inactive'] as const) : []),
      ...(list?.invalidQuery === null ? [] : (['invalidQuery'] as const)),
    ])
  }

  /** Counts an answer that a rule judges. */
  answered({ observed }: Pick<RequestTraits, 'observed'>, exchange: Exchange): void {
    if (!observed) this.#countAnswer(exchange)
  }

  /** Counts an exchange that a finding blames; it counts once, however many findings blame it. */
  showed(finding: string, exchange: Exchange): void {
    this.#countAnswer(exchange)
    this.#blame(finding, exchange.response.fields, { faulty: 1, unanswered: 0 })
  }

  /** Counts an unanswered request that a finding blames, like {@link showed}; `failure` identifies it. */
  leftUnanswered(finding: string, failure: object): void {
    this.#blame(finding, failure, { faulty: 0, unanswered: 1 })
  }

  /** The exchanges blamed by all findings, including dropped findings and those for rules that were not selected. */
  get blamed(): readonly Blamed[] {
    return this.#blamed
  }

  /** Counts the situations that an answer reached. */
  met({ traits }: TestRequest, exchange: Exchange, facts: Facts): void {
    const found = flawsIn(facts)
    const { fresh, reused, afterSuccess, several } = plainSituations
    if (found.length === 1 || found.length === 2) this.#count(flawsName(found))
    this.#count(exchange.reused ? reused : fresh)
    if (found.length > 0 && exchange.followsSuccess === true) this.#count(afterSuccess)
    if (exchange.amidOthers === true) this.#count(several)
    this.#count(clientSituation(traits.client))
    const { conditions = [], excused = false } = traits
    if (found.length <= 1 && !excused) for (const name of conditions) this.#count(name)
  }

  /** Announces the conditions for rows. */
  planned({ conditions = [] }: Pick<Property, 'conditions'>): void {
    for (const one of conditions) this.#conditions.set(one.name, one)
  }

  /** The power of the run so far, if it finds nothing. */
  power(more: MoreOf): Power {
    return {
      confidence,
      answers: this.#answers,
      excludes: rateExcluded(this.#answers),
      situations: situationKinds.map((kind) => this.#situationsOf(kind, more)),
    }
  }

  #countAnswer({ response }: Exchange): void {
    if (this.#counted.has(response.fields)) return
    this.#counted.add(response.fields)
    this.#answers += 1
  }

  #blame(finding: string, what: object, counts: BlamedCounts): void {
    const known = this.#blamedBy.get(what)
    if (known !== undefined) return void (known.findings.includes(finding) || known.findings.push(finding))
    const blamed = { ...counts, findings: [finding] }
    this.#blamedBy.set(what, blamed)
    this.#blamed.push(blamed)
  }

  #count(name: string): void {
    this.#reached.set(name, (this.#reached.get(name) ?? 0) + 1)
  }

  #situationsOf(kind: SituationKind, { cases, rows }: MoreOf): Situations {
    const more = kind === 'condition' ? rows : cases
    const all = kind === 'condition' ? [...this.#conditions.values()] : situations[kind]
    const reached: Record<string, number> = {}
    const missing: Record<string, string> = {}
    for (const situation of all) {
      const answers = this.#reached.get(situation.name) ?? 0
      if (answers > 0) reached[situation.name] = answers
      else missing[situation.name] = this.#wantedFor(situation) ?? more
    }
    return { kind, reached, missing }
  }

  /** The missing setting that a situation needs; null if none is missing. */
  #wantedFor({ needs, isSent }: Situation): string | null {
    if (!isSent) return 'no setting'
    const missing = needs.find((source) => !this.#given.has(source))
    if (missing === undefined) return null
    return missing === 'invalidQuery' ? 'FIXTURE_INVALID_QUERY' : clientEntry(missing).apiKey
  }
}
