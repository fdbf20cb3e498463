import type { SpecRuleId } from '../../../lib/specification/rules.ts'

/** Other proof that a rule can fail, if no faulty service can break it. */
export interface OtherProof {
  /** Why no service can break it. */
  readonly because: string
  /** The test that makes it fail, relative to the root of the repository. */
  readonly test: string
}

const because =
  'it is about what the suite and the endpoints file expect: whatever a service answers, the service is not blamed'

/** The rules that no fault can prove, with their other proof. */
export const provenOtherwise = {
  'tolerance/added-properties': { because, test: 'tests/endpoints-file.test.ts' },
  'tolerance/property-order': {
    because: `${because}; and no JSON Schema sees the order of properties, so that only the suite itself could break it`,
    test: 'lib/run/record/record.test.ts',
  },
  'tolerance/opaque-strings': { because, test: 'tests/endpoints-file.test.ts' },
} as const satisfies Readonly<Partial<Record<SpecRuleId, OtherProof>>>
