import type { EndpointRecord } from '../judge/record.ts'
import { profiles, type ProfileName } from '../settings/profiles.ts'
import { covers, waiverReason, type Waiver } from '../settings/waivers.ts'
import { entryOf, specCatalogue, type Catalogue } from '../specification/catalogue.ts'
import type { Verdict } from './verdict.ts'

/** The outcome of a run as far as it decides which endpoints a verdict is about. */
export interface EndpointOutcome {
  /** The rules of the run; those of the specification by default. */
  readonly catalogue?: Catalogue
  /** The endpoints that the run was to judge; none if unknown. */
  readonly endpoints?: readonly EndpointRecord[]
  readonly waivers: readonly Waiver[]
  readonly today: string
}

/** Which endpoints a verdict is about: those of which a rule about the service judged an answer; pure. */
export function claimedEndpoints(
  { endpoints = [], catalogue = specCatalogue, waivers, today }: EndpointOutcome,
  profile: ProfileName,
): Pick<Verdict['target'], 'endpoints' | 'notJudged'> {
  const isJudged = ({ judgedBy }: EndpointRecord): boolean =>
    judgedBy.some((id) => entryOf(catalogue, id).level !== 'expectation')
  const notJudged = endpoints
    .filter((one) => !isJudged(one))
    .map(({ name, fingerprint, otherwise: { text } }) => {
      const covering = (one: Waiver): boolean => coversEndpoint(one, fingerprint, today)
      const waiver = profiles[profile].demandsEveryRule ? waivers.find(covering) : undefined
      const waived = waiver === undefined ? {} : { waived: waiverReason(waiver) }
      return { endpoint: name, because: text, fingerprint, ...waived }
    })
  return { endpoints: endpoints.filter(isJudged).map(({ name }) => name), notJudged }
}

/** Whether a waiver names this endpoint by its fingerprint: one for a whole rule says nothing of what is not judged at all. */
export function coversEndpoint(waiver: Waiver, fingerprint: string, today: string): boolean {
  const rule = 'endpoints/list-succeeds'
  return covers(waiver, { rule, fingerprint }, today) && !covers(waiver, { rule, fingerprint: null }, today)
}
