import type { Ajv } from 'ajv'
import { wholeValue } from '../../http/body.ts'
import { answeredBy } from '../../judge/answered.ts'
import { succeeds, type Breach, type Check, type Judgement } from '../../judge/judge.ts'
import { endpointsFileDifferences } from '../../judge/differences.ts'
import type { KnownEndpoint } from '../../judge/target-model.ts'
import { success } from '../../specification/answers.ts'
import { MachineTooBusy, within, workLimits, WorkStopped, type SyncWork } from '../../specification/within.ts'

/** The checks of plain valid requests: success, in the shape of the endpoints file if given. */
export class SuccessChecks {
  readonly #endpoints: readonly KnownEndpoint[]
  readonly #shapes: Shapes | null
  readonly #checks = new Map<string, Check>()

  private constructor(endpoints: readonly KnownEndpoint[], shapes: Shapes | null) {
    this.#endpoints = endpoints
    this.#shapes = shapes
  }

  /** The checks of known endpoints. Ajv is loaded only for a shape, since loading takes longer than a suite. */
  static async of(endpoints: readonly KnownEndpoint[]): Promise<SuccessChecks> {
    const isShaped = endpoints.some(({ success: shape }) => shape !== null)
    return new SuccessChecks(endpoints, isShaped ? await loaded() : null)
  }

  /** The check of an endpoint, by its label. */
  check(label: string): Check {
    const check = this.#checks.get(label) ?? this.#made(label)
    this.#checks.set(label, check)
    return check
  }

  #made(label: string): Check {
    const endpoint = this.#endpoints.find((one) => one.label === label)
    if (this.#shapes === null || endpoint === undefined || endpoint.success === null) return succeeds()
    return shaped(endpoint.success, endpoint, this.#shapes)
  }
}

/** Makes what compiles one schema; of its own, since a stopped one may be broken. */
type Shapes = () => Ajv

async function loaded(): Promise<Shapes> {
  const [{ Ajv: Loaded }, formats] = await Promise.all([import('ajv'), import('ajv-formats')])
  return () => formats.default.default(new Loaded({ strict: false, allErrors: false }))
}

/** Whether an answer differs from the success of the endpoints file only. */
export function isEndpointsFileBreach({ difference }: Breach): boolean {
  return difference.startsWith(endpointsFileDifferences.success)
}

function shaped(schema: object, { label, described }: KnownEndpoint, shapes: Shapes): Check {
  const of = `${described?.file} (entry ${described?.number})`
  const orUnclear = <Done>(ms: number, work: SyncWork<Done>): Done | Judgement => {
    try {
      return within(ms, work)
    } catch (error) {
      if (!(error instanceof WorkStopped || error instanceof MachineTooBusy)) throw error
      const because = `an answer of ${label} could not be checked against its schema in ${of}: ${error.message}`
      return { kind: 'unclear', because }
    }
  }
  // Once stopped, what is said of every answer: another check might take as long, and Ajv may be broken.
  let validate = orUnclear(workLimits.schema, () => shapes().compile(schema))

  const judge: Check['judge'] = (exchange) => {
    const { response } = exchange
    const plain = succeeds().judge(exchange)
    if (plain.kind !== 'holds' || response.body.kind !== 'json') return plain
    if (typeof validate !== 'function') return validate
    const validator = validate
    // A compiled schema keeps nothing but its errors, so the second attempt can use the same.
    const fits = orUnclear(workLimits.value, () => validator(wholeValue(response)))
    if (typeof fits !== 'boolean') return (validate = fits)
    if (fits) return plain
    const { keyword = '', instancePath = '', message = '' } = validator.errors?.[0] ?? {}
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
