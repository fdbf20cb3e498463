import fc, { type Arbitrary } from 'fast-check'
import { filledPath, type DescribedInput } from '../specification/endpoints.ts'
import type { Answer } from '../specification/answers.ts'
import {
  caseClass,
  listed,
  type CaseClass,
  type CaseDraw,
  type GeneratorInput,
  type MutatedRequest,
} from './case-class.ts'
import { allowanceOf, type Allowance } from './plain-value.ts'
import { percentEncoded } from './queries.ts'
import { withBody, withPath, withQueryFrom, type RequestChange } from './request-changes.ts'
import {
  schemaInputs,
  type Candidate,
  type InputSource,
  type Kind,
  type SchemaInput,
} from './schema-inputs.ts'

/** What `fuzz/query` sends to an endpoint whose input the endpoints file describes: what its schemas forbid, and what they allow. */
export function describedClasses({ described, query, endpoints }: GeneratorInput): readonly CaseClass[] {
  if (described === null) return []
  const allowance = allowanceOf(endpoints)
  const parts = [
    ...bareBodies(described),
    ...queryParts(described, query, allowance),
    ...pathParts(described, allowance),
    ...bodyParts(described, allowance),
  ]
  return [
    { ...classOf('outside', 30, parts), ...listed },
    { ...classOf('inside', 15, parts), ...listed },
    classOf('open', 5, parts),
  ]
}

/** A case, and others of its kind near it. */
interface Part extends Pick<Candidate, 'kind' | 'turn'> {
  readonly one: MutatedRequest
  readonly drawn: Arbitrary<MutatedRequest>
}

/** Lists the first case of each place, then the second of each: a gate reaches every place. Cases beyond the list are drawn. */
function classOf(kind: Kind, weight: number, parts: readonly Part[]): CaseClass {
  const ofKind = parts.filter((part) => part.kind === kind).toSorted((a, b) => a.turn - b.turn)
  const classWith = (cases: readonly CaseDraw[]): CaseClass =>
    caseClass(`described-${kind}`, { weight }, cases)
  const [whole, more] = [classWith(ofKind.map(({ one }) => one)), classWith(ofKind.map(({ drawn }) => drawn))]
  return { ...whole, nth: (at) => (at < ofKind.length ? whole : more).nth(at) }
}

const success: Answer = { status: '2xx', errorCode: null }
const invalidInput: Answer = { status: 400, errorCode: '1030' }
const noEndpoint: Answer = { status: 400, errorCode: '1010' }

/** The answers to each kind of input. A value of a path may name nothing that exists, and one that is forbidden may count as another path. */
const answers: Readonly<Record<'input' | 'path', Readonly<Record<Kind, readonly Answer[]>>>> = {
  input: { outside: [invalidInput], inside: [success], open: [success, invalidInput] },
  path: {
    outside: [invalidInput, noEndpoint],
    inside: [success, invalidInput, noEndpoint],
    open: [success, invalidInput, noEndpoint],
  },
}

/** A described change, and how its answer is judged. */
function change(
  { file, number }: DescribedInput,
  says: string,
  apply: RequestChange,
  allowed: readonly Answer[],
): MutatedRequest {
  return {
    says: `${says} (${file}, entry ${number})`,
    apply,
    treatment: 'oracle',
    transportMayRefuse: false,
    allowed,
    described: { file, number, says },
  }
}

/** The parts of a schema, each value in words and as a change. */
function partsOf(
  source: InputSource,
  described: DescribedInput,
  made: (input: SchemaInput) => readonly [says: string, apply: RequestChange],
  of: 'input' | 'path' = 'input',
): readonly Part[] {
  const changed = (input: SchemaInput): MutatedRequest => {
    const [says, apply] = made(input)
    const told = input.why === null ? says : `${says}, ${input.why}`
    return change(described, told, apply, answers[of][input.kind])
  }
  return schemaInputs(source).map((input) => ({
    kind: of === 'path' && input.kind === 'inside' ? 'open' : input.kind,
    turn: input.turn,
    one: changed(input),
    drawn: input.drawn.map(changed),
  }))
}

function queryParts(described: DescribedInput, plain: string | null, allowance: Allowance): readonly Part[] {
  if (described.query === null) return []
  const sent = new URLSearchParams(plain ?? '')
  const base = Object.fromEntries([...sent.keys()].map((name) => [name, oneOrAll(sent.getAll(name))]))
  return partsOf(
    { schema: described.query, carrier: 'text', base, allowance },
    described,
    ({ name, leaf, value }) => {
      const texts = leaf === undefined ? [] : textsOf(Reflect.get(Object(value), name))
      return [
        texts.length === 0 ? `without ${name}` : shownParameter(name, texts),
        withParameter(name, texts),
      ]
    },
  )
}

function oneOrAll(texts: readonly string[]): unknown {
  return texts.length === 1 ? texts[0] : texts
}

function shownParameter(name: string, texts: readonly string[]): string {
  return `${name}=${texts.length > 3 ? `${texts.length} items` : shown(texts.join(','))}`
}

function pathParts(described: DescribedInput, allowance: Allowance): readonly Part[] {
  const { template, pathParameters } = described
  const examples = Object.entries(pathParameters).map(
    ([name, { example = '' }]) => [name, String(example)] as const,
  )
  return Object.entries(pathParameters).flatMap(([name, { schema, example }]) =>
    partsOf(
      { schema, carrier: 'text', base: example, allowance },
      described,
      ({ value }) => {
        const text = textsOf(value).join(',')
        const texts = { ...Object.fromEntries(examples), [name]: text }
        return [`{${name}} ${shown(text)}`, withPath(filledPath(template, texts))]
      },
      'path',
    ),
  )
}

/** What is no JSON, and no body at all. */
function bareBodies(described: DescribedInput): readonly Part[] {
  if (described.body === null) return []
  const { example = {}, required = true } = described.body
  const bare = (kind: Kind, says: string, body: string): Part => {
    const one = change(described, says, withBody(body), answers.input[kind])
    return { kind, turn: 0, one, drawn: fc.constant(one) }
  }
  return [
    bare(required ? 'outside' : 'open', 'empty body', ''),
    bare('outside', 'body that is broken JSON', `{${JSON.stringify(example)}`),
  ]
}

function bodyParts(described: DescribedInput, allowance: Allowance): readonly Part[] {
  if (described.body === null) return []
  const { schema, example: base } = described.body
  return partsOf({ schema, carrier: 'json', base, allowance }, described, ({ name, leaf, value }) => [
    leaf === undefined
      ? `body without ${name}`
      : `body with ${name === '' ? '' : `${name} `}${shown(typeof leaf === 'string' ? leaf : JSON.stringify(leaf), JSON.stringify(leaf))}`,
    withBody(JSON.stringify(value)),
  ])
}

/** A text, or its length where it is long. */
function shown(text: string, quoted = text): string {
  return text.length > 40 ? `${[...text].length} characters` : quoted
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

/** A value as it stands in a query; the items of a list one after the other. */
function textsOf(value: unknown): readonly string[] {
  return [value].flat().map(String)
}
