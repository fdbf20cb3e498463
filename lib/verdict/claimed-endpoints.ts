import type { EndpointRecord } from '../judge/record.ts'
import { profiles, type ProfileName } from '../settings/profiles.ts'
import { covers, waiverReason, type Waiver } from '../settings/waivers.ts'
import { entryOf, specCatalogue } from '../specification/catalogue.ts'
import type { RunOutcome } from './assemble.ts'
import type { UnjudgedEndpoint, Verdict } from './verdict.ts'

/** What a verdict says of endpoints. */
interface EndpointClaims {
  readonly told: Pick<Verdict['target'], 'endpoints' | 'notJudged'>
  /** Those without which the profile comes to no verdict. The end of a run adds nothing to its own reason. */
  readonly demanded: readonly UnjudgedEndpoint[]
}

/** Which endpoints a verdict is about: those of which a rule about the service judged an answer; pure. */
export function claimedEndpoints(
  { endpoints = [], catalogue = specCatalogue, waivers, today }: RunOutcome,
  profile: ProfileName,
): EndpointClaims {
  const { demandsEveryRule } = profiles[profile]
  const isJudged = ({ judgedBy }: EndpointRecord): boolean =>
    judgedBy.some((id) => entryOf(catalogue, id).level !== 'expectation')
  const others = endpoints
    .filter((one) => !isJudged(one))
    .map(({ name, fingerprint, otherwise: { kind, text } }) => {
      const waiver = waivers.find((one) => demandsEveryRule && coversEndpoint(one, fingerprint, today))
      const waived = waiver === undefined ? {} : { waived: waiverReason(waiver) }
      return { kind, told: { endpoint: name, because: text, fingerprint, ...waived } }
    })
  return {
    told: {
      endpoints: endpoints.filter(isJudged).map(({ name }) => name),
      notJudged: others.map(({ told }) => told),
    },
    demanded: others.flatMap(({ kind, told }) =>
      !demandsEveryRule || kind === 'ended' || 'waived' in told ? [] : [told],
    ),
  }
}

/** Whether a waiver names this endpoint by its fingerprint: one for a whole rule says nothing of what is not judged at all. */
export function coversEndpoint(waiver: Waiver, fingerprint: string, today: string): boolean {
  const rule = 'endpoints/list-succeeds'
  return covers(waiver, { rule, fingerprint }, today) && !covers(waiver, { rule, fingerprint: null }, today)
}
