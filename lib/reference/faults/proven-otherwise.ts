import type { RuleId } from '../../spec/rules.ts'

/** How a rule is seen to fail that no bent service can break. */
export interface OtherProof {
  /** Why no service can break it. */
  readonly because: string
  /** The test, from the root of the repository, that makes it fail. */
  readonly test: string
}

const because =
  'it is about what the suite and the endpoints file expect: whatever a service answers, the service is not blamed'
const test = 'tests/coverage-tolerance.test.ts'

/** The rules that no fault can prove, and what proves them. */
export const provenOtherwise = {
  'tolerance/added-properties': { because, test },
  'tolerance/property-order': { because, test },
  'tolerance/opaque-strings': { because, test },
} as const satisfies Readonly<Partial<Record<RuleId, OtherProof>>>
