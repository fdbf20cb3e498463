import { parse } from 'node:querystring'
import fc from 'fast-check'
import { refusalOf, success, type Answer } from '../specification/answers.ts'
import { filledPath, type DescribedInput } from '../specification/endpoints.ts'
import { caseClass, judged, type CaseClass, type GeneratorInput } from './case-class.ts'
import type { NamedChange, Share } from './case-class.ts'
import { allowanceOf } from './plain-value.ts'
import { withBody, withPath, withQueryFrom, type RequestChange } from './request-changes.ts'
import { schemaInputs, type InputSource, type Kind, type SchemaInput } from './schema-inputs.ts'
import { percentEncoded } from './targets.ts'

/** Cases for `fuzz/query` on an endpoint whose input is in the endpoints file: values that its schemas forbid, and values that they allow. */
export function describedClasses({ described, query, endpoints }: GeneratorInput): readonly CaseClass[] {
  if (described === null) return []
  const { file, number, body } = described
  const allowance = allowanceOf(endpoints)
  const request = (kind: Kind, [says, apply]: NamedChange, further: readonly Answer[] = []) => {
    const allowed = [...answers[kind], ...further]
    return judged(`${says} (${file}, entry ${number})`, apply, { allowed, described: { file, number, says } })
  }
  const ofSchemas = [...describedParts(described, query)].flatMap(({ made, isPath = false, ...source }) =>
    schemaInputs({ ...source, allowance }).map(({ one, drawn, turn }) => {
      // A path value may name something that does not exist, and a forbidden value may count as a different path.
      const kind = isPath && one.kind === 'inside' ? 'open' : one.kind
      const changed = (input: SchemaInput) => {
        const [says, apply] = made(input)
        const reason = input.why === null ? '' : `, ${input.why}`
        return request(kind, [says + reason, apply], isPath ? [refusalOf('1010')] : [])
      }
      return { kind, turn, one: changed(one), drawn: drawn.map(changed) }
    }),
  )
  const withBroken = (kind: Kind, says: string, text: string) => {
    const one = request(kind, [says, withBody(text)])
    return { kind, turn: 0, one, drawn: fc.constant(one) }
  }
  const broken = `{${JSON.stringify(body?.example ?? {})}`
  const ofBodies = [
    withBroken(body?.required === false ? 'open' : 'outside', 'empty body', ''),
    withBroken('outside', 'body that is broken JSON', broken),
  ]
  // Lists the first case for each place, then the second for each, so that a gate reaches every place.
  const all = [...(body === null ? [] : ofBodies), ...ofSchemas].toSorted((a, b) => a.turn - b.turn)
  const classOf = (kind: Kind, share: Share) => {
    const ofKind = all.filter((one) => one.kind === kind)
    const drawn = ofKind.map((one) => one.drawn)
    const listed = ofKind.map(({ one }) => one)
    return caseClass(`described-${kind}`, share, drawn, listed)
  }
  const because = 'each is about a different bound in the endpoints file'
  return [
    classOf('outside', { weight: 30, always: 40, because, everywhere: true }),
    classOf('inside', { weight: 15, always: 12, because, everywhere: true }),
    classOf('open', { weight: 5 }),
  ]
}

/** The documented answers to each kind of input. */
const answers: Readonly<Record<Kind, readonly Answer[]>> = {
  outside: [refusalOf('1030')],
  inside: [success],
  open: [success, refusalOf('1030')],
}

/** A part of a request that a schema describes, and the change that puts a value there. */
interface DescribedPart extends Omit<InputSource, 'allowance'> {
  readonly made: (input: SchemaInput) => NamedChange
  readonly isPath?: true
}

/** The query, each parameter of the path, and the body. */
function* describedParts(described: DescribedInput, query: string | null): Generator<DescribedPart> {
  const { query: schema, template, pathParameters, body } = described
  if (schema !== null) {
    const made: DescribedPart['made'] = ({ name, leaf, value }) => {
      const texts = leaf === undefined ? [] : textsOf(Reflect.get(Object(value), name))
      const told = texts.length > 3 ? `${texts.length} items` : shown(texts.join(','))
      return [texts.length === 0 ? `without ${name}` : `${name}=${told}`, withParameter(name, texts)]
    }
    yield { root: schema, carrier: 'text', base: { ...parse(query ?? '') }, made }
  }
  const parameters = Object.entries(pathParameters)
  const examples = parameters.map(([name, { example = '' }]) => [name, String(example)] as const)
  for (const [name, { schema: root, example: base }] of parameters) {
    const made: DescribedPart['made'] = ({ value }) => {
      const text = textsOf(value).join(',')
      const texts = { ...Object.fromEntries(examples), [name]: text }
      return [`{${name}} ${shown(text)}`, withPath(filledPath(template, texts))]
    }
    yield { root, carrier: 'text', base, made, isPath: true }
  }
  if (body === null) return
  const made: DescribedPart['made'] = ({ name, leaf, value }) => {
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
