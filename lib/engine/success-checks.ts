import { wholeValue } from '../http/body.ts'
import { answeredBy } from '../judge/answered.ts'
import { succeeds, type Breach, type Check } from '../judge/judge.ts'
import { endpointsFileDifferences } from '../judge/explain.ts'
import type { KnownEndpoint } from '../judge/target-model.ts'
import { success } from '../spec/answers.ts'

/** The check of a plain valid request by its endpoint's label: success, in the shape of the endpoints file if given. */
export type SuccessCheck = (endpoint: string) => Promise<Check>

/** The success checks of known endpoints. Ajv is loaded only for a shape, since loading takes longer than a suite. */
export function successChecks(endpoints: readonly KnownEndpoint[]): SuccessCheck {
  const checks = new Map<string, Promise<Check>>()

  return (label) => {
    const endpoint = endpoints.find((one) => one.label === label)
    const check =
      checks.get(label) ??
      (endpoint === undefined || endpoint.success === null
        ? Promise.resolve(succeeds())
        : shaped(endpoint.success, endpoint))
    checks.set(label, check)
    return check
  }
}

/** Whether an answer differs from the success of the endpoints file only. */
export function isEndpointsFileBreach({ difference }: Breach): boolean {
  return difference.startsWith(endpointsFileDifferences.success)
}

async function shaped(schema: object, { label, described }: KnownEndpoint): Promise<Check> {
  const [{ Ajv }, formats] = await Promise.all([import('ajv'), import('ajv-formats')])
  const ajv = new Ajv({ strict: false, allErrors: false })
  formats.default.default(ajv)
  const validate = ajv.compile(schema)

  const judge: Check['judge'] = (exchange) => {
    const { response } = exchange
    const plain = succeeds().judge(exchange)
    if (plain.kind !== 'holds' || response.body.kind !== 'json' || validate(wholeValue(response)))
      return plain
    const { keyword = '', instancePath = '', message = '' } = validate.errors?.[0] ?? {}
    return {
      kind: 'violates',
      breach: {
        allowed: [success],
        answered: answeredBy(response),
        difference: `${endpointsFileDifferences.success}: ${keyword}`,
        summary: `${label} answered ${response.status} without what ${described?.file} demands of it (entry ${described?.number}: ${instancePath || 'the body'} ${message})`,
      },
    }
  }
  return { allowed: [success], judge }
}
