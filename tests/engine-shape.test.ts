import { expect, it } from 'vitest'
import { filesIn, nameOf, nodesOf, partsOf, textOf, type SyntaxNode } from './support/syntax.ts'

const [mostMembers, mostObjects] = [8, 6]
/** Values with many methods: users write their rules with them. */
const vocabulary = new Set(['TestRequest'])
/** Functions that `run` may hand down to `send` and `record`. */
const handedDown = new Set([
  'signal',
  'onEvent',
  // The layer below.
  'next',
  // What a check of a suite says of an answer: data.
  'expects',
])
const rooms = ['lib/engine/send', 'lib/engine/record']
const declarations = /^(?:Class|Function|TSInterface|TSTypeAlias)Declaration$/
const functionTypes: ReadonlySet<unknown> = new Set(['TSFunctionType', 'TSMethodSignature'])
const hidden: ReadonlySet<unknown> = new Set(['private', 'protected'])
const functions = new Set(['ArrowFunctionExpression', 'FunctionExpression', 'FunctionDeclaration'])

/** A class, a function or a type with its name. */
interface Declared {
  readonly file: string
  readonly name: string
  readonly node: SyntaxNode
  /** All that stands in it. */
  readonly inside: readonly SyntaxNode[]
  /** What a name stands for there. */
  readonly meant: Meant
}

type Meant = (name: string | null) => Declared | undefined

/** Sentences about the files of lib/engine; the others say what these make. */
function complaintsOf(sources: Readonly<Record<string, string>>): readonly string[] {
  const all = Object.entries(sources).map(([file, text]) => ({ file, nodes: nodesOf(text) }))
  const exported = new Map<string, Declared>()
  const declared = all.flatMap(({ file, nodes }) => declaredIn(file, nodes, exported))
  const classes = declared.filter(({ file, node }) => isIn(['lib/engine'], file) && isClass(node))
  const ofRun = new Set(
    all.filter(({ file }) => isIn(['lib/engine/run'], file)).flatMap(({ nodes }) => importedBy(nodes)),
  )
  const below = declared.filter(({ file, name }) => isIn(rooms, file) && ofRun.has(name))
  return [
    ...classes
      .filter(({ name }) => !vocabulary.has(name))
      .flatMap((one) => tooMany(one, 'has', 'public members', mostMembers, membersOf(one))),
    ...classes.flatMap((one) => tooMany(one, 'makes', 'objects', mostObjects, objectsOf(one))),
    ...classes.flatMap(earlyReads),
    ...below.flatMap(callbacksOf),
  ]
}

function isIn(folders: readonly string[], file: string): boolean {
  return folders.some((folder) => file.startsWith(`${folder}/`))
}

function importedBy(nodes: readonly SyntaxNode[]): readonly string[] {
  return nodes
    .filter(({ type }) => type === 'ImportSpecifier')
    .flatMap(({ parts }) => nameOf(parts['imported']) ?? [])
}

/** What a file declares; adds to `exported` what others may mean. */
function declaredIn(
  file: string,
  nodes: readonly SyntaxNode[],
  exported: Map<string, Declared>,
): readonly Declared[] {
  const own = new Map<string, Declared>()
  const meant: Meant = (name) => own.get(name ?? '') ?? exported.get(name ?? '')
  for (const node of nodes.filter(({ type }) => declarations.test(type))) {
    const name = nameOf(node.parts['id']) ?? ''
    const inside = nodes.filter(({ within }) => within.includes(node))
    own.set(name, { file, name, node, inside, meant })
    if (node.within[0]?.type === 'ExportNamedDeclaration')
      exported.set(name, { file, name, node, inside, meant })
  }
  return [...own.values()]
}

function isClass({ type }: SyntaxNode): boolean {
  return type === 'ClassDeclaration'
}

function tooMany(
  { file, name }: Declared,
  has: string,
  what: string,
  most: number,
  found: readonly string[],
): readonly string[] {
  return found.length > most ? [`${file}: ${name} ${has} ${found.length} ${what}: ${found.join(', ')}`] : []
}

/** Names of what is no private part of a class, or of what it extends. */
function membersOf({ node, inside, meant }: Declared): readonly string[] {
  const parent = meant(nameOf(node.parts['superClass']))
  const own = inside
    .filter(({ within }) => within[1] === node && within[0]?.type === 'ClassBody')
    .filter(({ parts }) => parts['kind'] !== 'constructor' && !hidden.has(parts['accessibility']))
    .flatMap(({ parts }) => nameOf(parts['key']) ?? [])
  return [...new Set([...(parent === undefined ? [] : membersOf(parent)), ...own])]
}

/** What a constructor makes, or the value of a field: instances of our classes, and what our functions give that acts. */
function objectsOf(one: Declared): readonly string[] {
  return one.inside
    .filter(isConstructing)
    .filter(({ type }) => type === 'NewExpression' || type === 'CallExpression')
    .filter(({ within }) => within[0]?.type !== 'ThrowStatement')
    .flatMap(({ parts }) => one.meant(nameOf(parts['callee'])) ?? [])
    .filter(({ node, meant }) => isClass(node) || acts(node.parts['returnType'], meant))
    .map(({ name }) => name)
}

/** Whether a node of a class runs when an instance is made, in no function besides the constructor. */
function isConstructing({ within }: SyntaxNode): boolean {
  const around = within.find(({ type }) => functions.has(type))
  if (around !== undefined) return around.within[0]?.parts['kind'] === 'constructor'
  return within.some(({ type, parts }) => type === 'PropertyDefinition' && parts['static'] === false)
}

/** Whether a type is a function, one of our classes, or has a function among its members. */
function acts(annotation: unknown, meant: Meant): boolean {
  const type = unwrapped(annotation)
  const named = meant(nameOf(type['typeName']))
  return (
    isFunction(type, meant) ||
    (named !== undefined && isClass(named.node)) ||
    functionsAmong(type, meant).length > 0
  )
}

/** A function, or the name of a type that is one. */
function isFunction(type: SyntaxNode['parts'], meant: Meant): boolean {
  const named = meant(nameOf(type['typeName']))?.node.parts
  return functionTypes.has(type['type']) || functionTypes.has(partsOf(named?.['typeAnnotation'])['type'])
}

/** Names of members of a type, written out or named, that are functions. */
function functionsAmong(type: SyntaxNode['parts'], meant: Meant): readonly string[] {
  const named = meant(nameOf(type['typeName']))
  const { members } = named === undefined ? type : partsOf(named.node.parts['typeAnnotation'])
  const all = members ?? partsOf(named?.node.parts['body'])['body']
  const there = named?.meant ?? meant
  if (!Array.isArray(all)) return []
  return all
    .map(partsOf)
    .filter((member) => isFunction(member, there) || isFunction(unwrapped(member['typeAnnotation']), there))
    .flatMap((member) => nameOf(member['key']) ?? [])
}

/** The type of an annotation. */
function unwrapped(annotation: unknown): SyntaxNode['parts'] {
  return partsOf(partsOf(annotation)['typeAnnotation'])
}

/** Fields that an arrow function of the constructor reads, and a later line sets. */
function earlyReads({ file, name, inside }: Declared): readonly string[] {
  const set = inside
    .filter((node) => node.type === 'AssignmentExpression' && isConstructing(node))
    .map(({ parts }) => ({ field: fieldOf(partsOf(parts['left'])), end: Number(parts['end']) }))
  const read = inside
    .filter(({ within }) => within.some(({ parts }) => parts['kind'] === 'constructor'))
    .map(({ parts, within }) => ({
      field: fieldOf(parts),
      madeAt:
        within.findLast(({ type }) => type === 'ArrowFunctionExpression')?.start ?? Number.POSITIVE_INFINITY,
    }))
  return read
    .filter(({ field, madeAt }) =>
      set.some((one) => one.field === field && field !== null && madeAt < one.end),
    )
    .map(({ field }) => `${file}: ${name} reads ${field} in a closure before it is set`)
}

/** `#budget` for `this.#budget`, null for anything else. */
function fieldOf({ type, object, property }: SyntaxNode['parts']): string | null {
  if (type !== 'MemberExpression' || partsOf(object)['type'] !== 'ThisExpression') return null
  const { type: kind, name } = partsOf(property)
  return typeof name === 'string' ? `${kind === 'PrivateIdentifier' ? '#' : ''}${name}` : null
}

/** Functions that a function or a class is given, itself or as a member of a parameter; a layer is given the next one. */
function callbacksOf({ file, name, node, inside, meant }: Declared): readonly string[] {
  const called =
    node.type === 'FunctionDeclaration' ? [node] : inside.filter(({ within }) => isMethod(within, node))
  return called
    .flatMap(({ parts }) => (Array.isArray(parts['params']) ? parts['params'].map(partsOf) : []))
    .flatMap((given) => {
      const parameter = given['type'] === 'AssignmentPattern' ? partsOf(given['left']) : given
      const type = unwrapped(parameter['typeAnnotation'])
      return isFunction(type, meant) ? [nameOf(parameter) ?? 'of a pattern'] : functionsAmong(type, meant)
    })
    .filter((given) => !handedDown.has(given))
    .map((given) => `${file}: ${name} is given the function ${given}`)
}

function isMethod([member, , node]: SyntaxNode['within'], declared: SyntaxNode): boolean {
  return node === declared && member?.type === 'MethodDefinition' && nameOf(member.parts['key']) !== null
}

/** A class that is wrong in each way, and what it takes to see it. */
const wrong = {
  'lib/http/open.ts': `
    type Call = () => void
    export interface Given { take(): void }
    export interface Failing { readonly fail: Call }
    export interface Door { close(): void }
    export interface Place { readonly path: string }
    export function openDoor(): Door {}
    export function placeOf(): Place {}`,
  'lib/engine/send/layer.ts': `
    type Call = string
    type Send = (text: string) => void
    interface Given { readonly data: Call; readonly done?: () => void; readonly onEvent: Send }
    export class Layer { constructor({ data }: Given, next: Send) {} take(later = 1, more: Send = 2): void {} #own(some: Send) {} }
    export function counting(next: Send, { fail }: Failing, { end }: { end(): void }): Send {}
    export function inRoom(own: Send): void {}`,
  'lib/engine/run/many.ts': `
    import { counting, Layer } from '../send/layer.ts'
    interface Failing { readonly data: string }
    class Base { one = 1; get two() { return 2 } set two(value) {} #three = 3; private four = 4; five() {} }
    export class Many extends Base {
      readonly six = new Layer()
      readonly five: number
      readonly #seven = () => this.eight
      static eight = new Layer()
      nine = 9; ten() { return new Layer() } eleven() {} twelve() {}
      readonly #last: number
      constructor() {
        if (this.five) throw new Layer()
        const [a, b, c, d, e] = [new Layer(), new Layer(), openDoor(), placeOf(), counting(() => new Layer())]
        this.#last = new Map().get(() => [this.#last, this.ten])
        this.five = [(given) => { this.#last = given }, new Layer(), new Layer()]
      }
    }`,
}

it('sees what is wrong with a shape', () => {
  expect(complaintsOf(wrong)).toEqual([
    'lib/engine/run/many.ts: Many has 9 public members: one, two, five, six, eight, nine, ten, eleven, twelve',
    'lib/engine/run/many.ts: Many makes 7 objects: Layer, Layer, Layer, openDoor, counting, Layer, Layer',
    'lib/engine/run/many.ts: Many reads #last in a closure before it is set',
    'lib/engine/send/layer.ts: Layer is given the function done',
    'lib/engine/send/layer.ts: Layer is given the function more',
    'lib/engine/send/layer.ts: counting is given the function fail',
    'lib/engine/send/layer.ts: counting is given the function end',
  ])
})

it('finds nothing wrong with that of the engine', () => {
  const files = ['lib/engine', 'lib/http', 'lib/redact']
    .flatMap((folder) => filesIn(folder, '.ts'))
    .filter((file) => !/\/testing\/|\.(?:test|testing)\.ts$/.test(file))

  expect(files.length).toBeGreaterThan(40)
  expect(complaintsOf(Object.fromEntries(files.map((file) => [file, textOf(file)])))).toEqual([])
})
