import fc, { type Arbitrary } from 'fast-check'
import { refusalOf, success, type Answer } from '../specification/answers.ts'
import { filledPath, type DescribedInput } from '../specification/endpoints.ts'
import { caseClass, judged, type CaseClass, type GeneratorInput, type MutatedRequest } from './case-class.ts'
import { allowanceOf, type Allowance } from './plain-value.ts'
import { withBody, withPath, withQueryFrom, type RequestChange } from './request-changes.ts'
import {
  schemaInputs,
  type Candidate,
  type InputSource,
  type Kind,
  type SchemaInput,
} from './schema-inputs.ts'
import { percentEncoded } from './targets.ts'

/** The input from which parts are made. */
interface Given {
  readonly described: DescribedInput
  readonly query: string | null
  readonly allowance: Allowance
}

/** Cases for `fuzz/query` on an endpoint whose input is in the endpoints file: values that its schemas forbid, and values that they allow. */
export function describedClasses({ described, query, endpoints }: GeneratorInput): readonly CaseClass[] {
  if (described === null) return []
  const given = { described, query, allowance: allowanceOf(endpoints) }
  const parts = [bareBodies, queryParts, pathParts, bodyParts].flatMap((of) => of(given))
  const ofBounds = {
    because: 'each is about a different bound in the endpoints file',
    everywhere: true,
  } as const
  return [
    { ...kindClass('outside', 30, parts), always: 40, ...ofBounds },
    { ...kindClass('inside', 15, parts), always: 12, ...ofBounds },
    kindClass('open', 5, parts),
  ]
}

/** A case, and others of the same kind. */
interface Part extends Pick<Candidate, 'kind' | 'turn'> {
  readonly one: MutatedRequest
  readonly drawn: Arbitrary<MutatedRequest>
}

/** Lists the first case for each place, then the second for each, so that a gate reaches every place. Cases beyond the list are drawn. */
function kindClass(kind: Kind, weight: number, parts: readonly Part[]): CaseClass {
  const ofKind = parts.filter((part) => part.kind === kind).toSorted((a, b) => a.turn - b.turn)
  const [listed, drawn] = [ofKind.map((part) => part.one), ofKind.map((part) => part.drawn)]
  return caseClass(`described-${kind}`, weight, drawn, listed)
}

/** The documented answers to each kind of input. */
const answers: Readonly<Record<Kind, readonly Answer[]>> = {
  outside: [refusalOf('1030')],
  inside: [success],
  open: [success, refusalOf('1030')],
}

/** Makes a described change from each value for a schema. */
type Made = (input: SchemaInput) => readonly [says: string, apply: RequestChange]

function changed(
  { file, number }: DescribedInput,
  [told, apply]: ReturnType<Made>,
  allowed: readonly Answer[],
  why: string | null = null,
): MutatedRequest {
  const says = why === null ? told : `${told}, ${why}`
  return judged(`${says} (${file}, entry ${number})`, apply, { allowed, described: { file, number, says } })
}

/** The parts for a schema. A path value may name something that does not exist, and a forbidden value may count as a different path. */
function partsOf(
  described: DescribedInput,
  source: InputSource,
  made: Made,
  { ofPath = false } = {},
): readonly Part[] {
  const kindOf = ({ kind }: SchemaInput): Kind => (ofPath && kind === 'inside' ? 'open' : kind)
  const change = (input: SchemaInput): MutatedRequest => {
    const allowed = [...answers[kindOf(input)], ...(ofPath ? [refusalOf('1010')] : [])]
    return changed(described, made(input), allowed, input.why)
  }
  return schemaInputs(source).map((input) => ({
    kind: kindOf(input),
    turn: input.turn,
    one: change(input),
    drawn: input.drawn.map(change),
  }))
}

function queryParts({ described, query, allowance }: Given): readonly Part[] {
  const { query: schema } = described
  if (schema === null) return []
  const sent = new URLSearchParams(query ?? '')
  const names = [...sent.keys()].map((name) => [name, sent.getAll(name)] as const)
  const base = Object.fromEntries(names.map(([name, all]) => [name, all.length === 1 ? all[0] : all]))
  return partsOf(described, { schema, carrier: 'text', base, allowance }, ({ name, leaf, value }) => {
    const texts = leaf === undefined ? [] : textsOf(Reflect.get(Object(value), name))
    const told = texts.length > 3 ? `${texts.length} items` : shown(texts.join(','))
    return [texts.length === 0 ? `without ${name}` : `${name}=${told}`, withParameter(name, texts)]
  })
}

function pathParts({ described, allowance }: Given): readonly Part[] {
  const { template, pathParameters } = described
  const parameters = Object.entries(pathParameters)
  const examples = parameters.map(([name, { example = '' }]) => [name, String(example)] as const)
  return parameters.flatMap(([name, { schema, example: base }]) =>
    partsOf(
      described,
      { schema, carrier: 'text', base, allowance },
      ({ value }) => {
        const text = textsOf(value).join(',')
        const texts = { ...Object.fromEntries(examples), [name]: text }
        return [`{${name}} ${shown(text)}`, withPath(filledPath(template, texts))]
      },
      { ofPath: true },
    ),
  )
}

/** Invalid JSON, and a missing body. */
function bareBodies({ described }: Given): readonly Part[] {
  if (described.body === null) return []
  const { example = {}, required = true } = described.body
  const bare = (kind: Kind, says: string, body: string): Part => {
    const one = changed(described, [says, withBody(body)], answers[kind])
    return { kind, turn: 0, one, drawn: fc.constant(one) }
  }
  return [
    bare(required ? 'outside' : 'open', 'empty body', ''),
    bare('outside', 'body that is broken JSON', `{${JSON.stringify(example)}`),
  ]
}

function bodyParts({ described, allowance }: Given): readonly Part[] {
  if (described.body === null) return []
  const { schema, example: base } = described.body
  return partsOf(described, { schema, carrier: 'json', base, allowance }, ({ name, leaf, value }) => {
    const text = typeof leaf === 'string' ? leaf : JSON.stringify(leaf)
    const place = name === '' ? '' : `${name} `
    const told =
      leaf === undefined ? `body without ${name}` : `body with ${place}${shown(text, JSON.stringify(leaf))}`
    return [told, withBody(JSON.stringify(value))]
  })
}

/** Text, or its length if it is long. */
function shown(text: string, quoted = text): string {
  return text.length > 40 ? `${[...text].length} characters` : quoted
}

/** Sets exactly these values for a query parameter. */
function withParameter(name: string, texts: readonly string[]): RequestChange {
  const written = texts.map((text) => `${percentEncoded(name)}=${percentEncoded(text)}`)
  return withQueryFrom((query) => {
    const pairs = query.split('&').filter((pair) => pair !== '')
    const others = pairs.filter((pair) => decodeURIComponent(pair.split('=')[0] ?? '') !== name)
    return [...others, ...written].join('&')
  })
}

/** A value as query parameters, with the items in a list one after another. */
function textsOf(value: unknown): readonly string[] {
  return [value].flat().map(String)
}
