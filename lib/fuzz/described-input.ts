import fc from 'fast-check'
import { refusalOf, success, type Answer } from '../specification/answers.ts'
import { filledPath, type DescribedInput } from '../specification/endpoints.ts'
import { caseClass, judged, type CaseClass, type GeneratorInput, type MutatedRequest } from './case-class.ts'
import { allowanceOf } from './plain-value.ts'
import { withBody, withPath, withQueryFrom, type RequestChange } from './request-changes.ts'
import {
  schemaInputs,
  type Candidate,
  type InputSource,
  type Kind,
  type SchemaInput,
} from './schema-inputs.ts'
import { percentEncoded } from './targets.ts'

/** The change of a request for an input, in words, and the documented answers. */
type Change = readonly [says: string, apply: RequestChange, allowed: readonly Answer[]]

/** Cases for `fuzz/query` on an endpoint whose input is in the endpoints file: values that its schemas forbid, and values that they allow. */
export function describedClasses({ described, query, endpoints }: GeneratorInput): readonly CaseClass[] {
  if (described === null) return []
  const { file, number } = described
  const allowance = allowanceOf(endpoints)
  const ofSchemas = [...describedParts(described, query)].flatMap((part) =>
    schemaInputs({ ...part, allowance }).map((listed) => changeFor(part, listed)),
  )
  // Lists the first case for each place, then the second for each, so that a gate reaches every place.
  const all = [...bareBodies(described), ...ofSchemas].toSorted((a, b) => a.turn - b.turn)
  const request = ([says, apply, allowed]: Change): MutatedRequest =>
    judged(`${says} (${file}, entry ${number})`, apply, { allowed, described: { file, number, says } })
  const classOf = (kind: Kind, weight: number): CaseClass => {
    const ofKind = all.filter((one) => one.kind === kind)
    const drawn = ofKind.map((one) => one.drawn.map(request))
    return caseClass(
      `described-${kind}`,
      weight,
      drawn,
      ofKind.map(({ one }) => request(one)),
    )
  }
  const ofBounds = {
    because: 'each is about a different bound in the endpoints file',
    everywhere: true,
  } as const
  return [
    { ...classOf('outside', 30), always: 40, ...ofBounds },
    { ...classOf('inside', 15), always: 12, ...ofBounds },
    classOf('open', 5),
  ]
}

/** The documented answers to each kind of input. */
const answers: Readonly<Record<Kind, readonly Answer[]>> = {
  outside: [refusalOf('1030')],
  inside: [success],
  open: [success, refusalOf('1030')],
}

/** Invalid JSON, and a missing body. */
function bareBodies({ body }: DescribedInput): readonly Candidate<Change>[] {
  if (body === null) return []
  const { example = {}, required = true } = body
  const bare = (kind: Kind, says: string, text: string): Candidate<Change> => {
    const one: Change = [says, withBody(text), answers[kind]]
    return { kind, turn: 0, one, drawn: fc.constant(one) }
  }
  return [
    bare(required ? 'outside' : 'open', 'empty body', ''),
    bare('outside', 'body that is broken JSON', `{${JSON.stringify(example)}`),
  ]
}

type Made = (input: SchemaInput) => readonly [says: string, apply: RequestChange]

/** A part of a request that a schema describes, and the change that puts a value there. */
interface DescribedPart extends Omit<InputSource, 'allowance'> {
  readonly made: Made
  readonly isPath?: true
}

/** A path value may name something that does not exist, and a forbidden value may count as a different path. */
function changeFor(
  { made, isPath }: DescribedPart,
  { one, drawn, ...input }: Candidate<SchemaInput>,
): Candidate<Change> {
  const kind = isPath === true && input.kind === 'inside' ? 'open' : input.kind
  const allowed = [...answers[kind], ...(isPath === true ? [refusalOf('1010')] : [])]
  const change = (it: SchemaInput): Change => {
    const [says, apply] = made(it)
    return [it.why === null ? says : `${says}, ${it.why}`, apply, allowed]
  }
  return { kind, turn: input.turn, one: change(one), drawn: drawn.map(change) }
}

/** The query, each parameter of the path, and the body. */
function* describedParts(described: DescribedInput, query: string | null): Generator<DescribedPart> {
  const { query: schema, template, pathParameters, body } = described
  if (schema !== null) {
    const sent = new URLSearchParams(query ?? '')
    const all = [...sent.keys()].map((name) => [name, sent.getAll(name)] as const)
    const base = Object.fromEntries(all.map(([name, texts]) => [name, texts.length === 1 ? texts[0] : texts]))
    const made: Made = ({ name, leaf, value }) => {
      const texts = leaf === undefined ? [] : textsOf(Reflect.get(Object(value), name))
      const told = texts.length > 3 ? `${texts.length} items` : shown(texts.join(','))
      return [texts.length === 0 ? `without ${name}` : `${name}=${told}`, withParameter(name, texts)]
    }
    yield { root: schema, carrier: 'text', base, made }
  }
  const parameters = Object.entries(pathParameters)
  const examples = parameters.map(([name, { example = '' }]) => [name, String(example)] as const)
  for (const [name, { schema: root, example: base }] of parameters) {
    const made: Made = ({ value }) => {
      const text = textsOf(value).join(',')
      const texts = { ...Object.fromEntries(examples), [name]: text }
      return [`{${name}} ${shown(text)}`, withPath(filledPath(template, texts))]
    }
    yield { root, carrier: 'text', base, made, isPath: true }
  }
  if (body === null) return
  const made: Made = ({ name, leaf, value }) => {
    const text = typeof leaf === 'string' ? leaf : JSON.stringify(leaf)
    const place = name === '' ? 'body with' : `body with ${name}`
    const says = leaf === undefined ? `body without ${name}` : `${place} ${shown(text, JSON.stringify(leaf))}`
    return [says, withBody(JSON.stringify(value))]
  }
  yield { root: body.schema, carrier: 'json', base: body.example, made }
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
