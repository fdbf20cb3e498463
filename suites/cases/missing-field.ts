import type { Check } from '../../lib/judge/judge.ts'
import { example, type Case } from '../../lib/engine/cases.ts'
import type { RequiredField } from '../../lib/spec/endpoints.ts'
import type { SuiteContext } from '../../lib/engine/suite-context.ts'

/** A request without one of the required headers, of every client that may use the endpoint. */
export function withoutField(
  { endpoints, fixtures: { second } }: SuiteContext,
  field: RequiredField,
  check: Check,
): readonly Case[] {
  return endpoints.flatMap(({ request, named, as }) => [
    example(named('absent'), request.without(field), check),
    ...(second === null
      ? []
      : [example(named('absent-second-client'), as('second', second).without(field), check)]),
  ])
}
