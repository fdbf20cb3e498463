import type { SpecRuleId } from '../../../lib/specification/rules.ts'

/** How a rule is seen to fail that no bent service can break. */
export interface OtherProof {
  /** Why no service can break it. */
  readonly because: string
  /** The test, from the root of the repository, that makes it fail. */
  readonly test: string
}

const because =
  'it is about what the suite and the endpoints file expect: whatever a service answers, the service is not blamed'

/** The rules that no fault can prove, and what proves them. */
export const provenOtherwise = {
  'tolerance/added-properties': { because, test: 'tests/endpoints-file.test.ts' },
  'tolerance/property-order': {
    because: `${because}; and no JSON Schema sees the order of properties, so that only the suite itself could break it`,
    test: 'lib/run/record/tolerance.test.ts',
  },
  'tolerance/opaque-strings': { because, test: 'tests/endpoints-file.test.ts' },
} as const satisfies Readonly<Partial<Record<SpecRuleId, OtherProof>>>
