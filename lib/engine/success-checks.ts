import { wholeValue } from '../http/body.ts'
import type { Exchange } from '../http/exchange.ts'
import { answeredBy } from '../judge/answered.ts'
import { succeeds, type Breach, type Check, type Judgement } from '../judge/judge.ts'
import type { KnownEndpoint } from '../judge/knowledge.ts'
import { success } from '../spec/answers.ts'

/** What a plain valid request must be answered: success, and the shape that the endpoints file gives, if it gives one. */
export type SuccessCheck = (endpoint: string) => Promise<Check>

/** The checks by the endpoints' labels. Ajv is loaded only where a shape is given: it takes longer than a suite. */
export function successChecks(endpoints: readonly KnownEndpoint[]): SuccessCheck {
  const made = new Map<string, Promise<Check>>()

  return (label) => {
    const known = made.get(label)
    if (known !== undefined) return known
    const shape = endpoints.find((endpoint) => endpoint.label === label)?.success ?? null
    const check = shape === null ? Promise.resolve(succeeds()) : shaped(shape)
    made.set(label, check)
    return check
  }
}

const ofEndpointsFile = 'not the success of the endpoints file'

/** Whether it is the endpoints file that an answer does not fit. */
export function isEndpointsFileBreach({ difference }: Breach): boolean {
  return difference.startsWith(ofEndpointsFile)
}

async function shaped(schema: object): Promise<Check> {
  const [{ Ajv }, formats] = await Promise.all([import('ajv'), import('ajv-formats')])
  const ajv = new Ajv({ strict: false, allErrors: false })
  formats.default.default(ajv)
  const validate = ajv.compile(schema)

  const judge = (exchange: Exchange): Judgement => {
    const plain = succeeds().judge(exchange)
    const { body } = exchange.response
    if (plain.kind !== 'holds' || body.kind !== 'json' || validate(wholeValue(exchange.response)))
      return plain
    const where = validate.errors?.[0]
    return {
      kind: 'violates',
      breach: {
        allowed: [success],
        answered: answeredBy(exchange.response),
        difference: `${ofEndpointsFile}: ${where?.keyword ?? ''}`,
        summary: `answered ${exchange.response.status} with JSON that is not what TARGET_ENDPOINTS expects: ${where?.instancePath || 'the body'} ${where?.message ?? ''}`,
      },
    }
  }
  return { allowed: [success], judge }
}
