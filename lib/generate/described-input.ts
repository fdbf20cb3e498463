import { objectOr } from '../json/json-value.ts'
import fc, { type Arbitrary } from 'fast-check'
import { filledPath, type DescribedInput } from '../specification/endpoints.ts'
import type { Answer } from '../specification/answers.ts'
import { caseClass, listed, type CaseClass, type GeneratorInput, type MutatedRequest } from './case-class.ts'
import { inTurns } from './container-values.ts'
import { conjunction, allowanceOf, type Allowance } from './flat-schema.ts'
import { percentEncoded } from './queries.ts'
import { withBody, withPath, withQueryFrom, type RequestChange } from './request-changes.ts'
import type { SchemaValues } from './schema-value.ts'
import { schemaValues } from './schema-values.ts'

/** What `fuzz/query` sends to an endpoint whose input the endpoints file describes: what its schemas forbid, and what they allow. */
export function describedClasses({ described, query, endpoints }: GeneratorInput): readonly CaseClass[] {
  if (described === null) return []
  const allowance = allowanceOf(endpoints)
  const parts = [
    ...queryParts(described, query, allowance),
    ...pathParts(described, allowance),
    ...bodyParts(described, allowance),
  ]
  const [outside, inside, open] = (['outside', 'inside', 'open'] as const).map((which) =>
    inTurns(parts.map((part) => part[which])),
  )
  return [
    { ...caseClass('described-outside', { weight: 30 }, outside ?? []), ...listed },
    { ...caseClass('described-inside', { weight: 15 }, inside ?? []), ...listed },
    caseClass('described-open', { weight: 5 }, open ?? []),
  ]
}

/** The cases of one parameter. */
interface Part {
  readonly outside: readonly Arbitrary<MutatedRequest>[]
  readonly inside: readonly Arbitrary<MutatedRequest>[]
  readonly open: readonly Arbitrary<MutatedRequest>[]
}

const success: Answer = { status: '2xx', errorCode: null }
const invalidInput: Answer = { status: 400, errorCode: '1030' }
const noEndpoint: Answer = { status: 400, errorCode: '1010' }

/** How an answer to a described value is judged, with its parameter in words. */
function judging(
  { file, number }: DescribedInput,
  allowed: readonly Answer[],
): (says: string, apply: RequestChange) => MutatedRequest {
  return (says, apply) => ({
    says: `${says} (${file}, entry ${number})`,
    apply,
    treatment: 'oracle',
    transportMayRefuse: false,
    allowed,
    described: { file, number, says },
  })
}

function queryParts(described: DescribedInput, plain: string | null, allowance: Allowance): readonly Part[] {
  const { values, isWhole } = conjunction(described.query, described.query, allowance)
  const required = new Set(values.required)
  const forbidden = judging(described, [invalidInput])
  return Object.entries(values.properties ?? {}).map(([name, schema]) => {
    const found = schemaValues(schema, described.query, 'text', { allowance })
    const cases = (some: SchemaValues['inside'], judged: ReturnType<typeof judging>) =>
      some.map((one) =>
        one.map(({ value, says }) => judged(`${name}=${says}`, withParameter(name, textsOf(value)))),
      )
    const isRequired = required.has(name) && objectOr(schema)['default'] === undefined
    const absent = fc.constant(forbidden(`without ${name}, which is required`, withParameter(name, [])))
    return {
      outside: [...cases(found.outside, forbidden), ...(isRequired && plain !== null ? [absent] : [])],
      inside: isWhole ? cases(found.inside, judging(described, [success])) : [],
      open: cases(
        isWhole ? found.open : [...found.inside, ...found.open],
        judging(described, [success, invalidInput]),
      ),
    }
  })
}

/** A value of a path names something, which may not exist; one that is not allowed may count as another path. */
function pathParts(described: DescribedInput, allowance: Allowance): readonly Part[] {
  const { template, pathParameters } = described
  const examples = Object.entries(pathParameters).map(
    ([name, { example = '' }]) => [name, String(example)] as const,
  )
  return Object.entries(pathParameters).map(([name, { schema }]) => {
    const found = schemaValues(schema, schema, 'text', { allowance })
    const cases = (some: SchemaValues['inside'], answers: readonly Answer[]) =>
      some.map((one) =>
        one.map(({ value, says }) => {
          const texts = { ...Object.fromEntries(examples), [name]: textsOf(value).join(',') }
          return judging(described, answers)(`{${name}} ${says}`, withPath(filledPath(template, texts)))
        }),
      )
    return {
      outside: cases(found.outside, [invalidInput, noEndpoint]),
      inside: [],
      open: cases([...found.inside, ...found.open], [success, invalidInput, noEndpoint]),
    }
  })
}

/** Each member of a JSON body, the whole of it, and what is no JSON. */
function bodyParts(described: DescribedInput, allowance: Allowance): readonly Part[] {
  if (described.body === null) return []
  const { schema, example, required = true } = described.body
  const found = schemaValues(schema, schema, 'json', { base: example, allowance })
  const cases = (some: SchemaValues['inside'], answers: readonly Answer[]) =>
    some.map((one) =>
      one.map(({ value, says }) =>
        judging(described, answers)(`body with ${says}`, withBody(JSON.stringify(value))),
      ),
    )
  const [forbidden, either] = [
    judging(described, [invalidInput]),
    judging(described, [success, invalidInput]),
  ]
  const text = JSON.stringify(example ?? {})
  const broken = fc.constant(forbidden('body that is broken JSON', withBody(`{${text}`)))
  const empty = fc.constant((required ? forbidden : either)('empty body', withBody('')))
  return [
    {
      outside: [...(required ? [empty] : []), broken],
      inside: [],
      open: required ? [] : [empty],
    },
    {
      outside: cases(found.outside, [invalidInput]),
      inside: cases(found.inside, [success]),
      open: cases(found.open, [success, invalidInput]),
    },
  ]
}

/** With these values for a parameter of the query, and no others. */
function withParameter(name: string, texts: readonly string[]): RequestChange {
  const written = texts.map((text) => `${percentEncoded(name)}=${percentEncoded(text)}`)
  return withQueryFrom((query) => {
    const others = (query ?? '').split('&').filter((pair) => pair !== '' && nameOf(pair) !== name)
    return [...others, ...written].join('&')
  })
}

function nameOf(pair: string): string {
  return decodeURIComponent(pair.split('=')[0] ?? '')
}

/** A value as it stands in a query or a path; the items of a list one after the other. */
function textsOf(value: unknown): readonly string[] {
  return [value].flat().map(String)
}
