import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))

/** What every room of the engine may import. */
const belowEngine = [
  'lib/verdict',
  'lib/explain',
  'lib/judge',
  'lib/generate',
  'lib/drift',
  'lib/settings',
  'lib/http',
  'lib/redact',
  'lib/specification',
]

/**
 * Which folder may import which, besides itself: the column "may import" of the table in the design, "and below" written out.
 * `lib/drift` is named where the design names it.
 */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  'lib/text': [],
  'lib/json': [],
  'lib/specification': [],
  'lib/redact': [],
  'lib/http': ['lib/redact', 'lib/specification'],
  'lib/generate': ['lib/http', 'lib/redact', 'lib/specification'],
  'lib/drift': ['lib/specification'],
  'lib/settings': ['lib/generate', 'lib/http', 'lib/redact', 'lib/specification'],
  'lib/explain': ['lib/judge', 'lib/http', 'lib/redact', 'lib/specification'],
  'lib/judge': ['lib/http', 'lib/redact', 'lib/specification'],
  'lib/verdict': ['lib/explain', 'lib/judge', 'lib/drift', 'lib/settings', 'lib/specification'],
  'lib/engine/plan': belowEngine,
  'lib/engine/send': ['lib/engine/plan', ...belowEngine],
  'lib/engine/record': ['lib/engine/plan', ...belowEngine],
  'lib/engine/run': ['lib/engine/plan', 'lib/engine/send', 'lib/engine/record', ...belowEngine],
  'lib/report': [
    'lib/verdict',
    'lib/explain',
    'lib/judge',
    'lib/drift',
    'lib/settings',
    'lib/redact',
    'lib/specification',
  ],
  // An opinion of its own: what it takes of the specification are types.
  'lib/serve/reference': [],
  'lib/serve/proxy': ['lib/drift', 'lib/settings', 'lib/http', 'lib/redact', 'lib/specification'],
  'lib/doors': [
    'suites',
    'lib/report',
    'lib/serve/reference',
    'lib/engine/plan',
    'lib/engine/run',
    'lib/verdict',
    'lib/drift',
    'lib/settings',
    'lib/http',
    'lib/redact',
    'lib/specification',
  ],
  'lib/doors/library': [
    'suites',
    'lib/doors',
    'lib/engine/plan',
    'lib/engine/run',
    'lib/report',
    'lib/verdict',
    'lib/explain',
    'lib/judge',
    'lib/generate',
    'lib/settings',
    'lib/http',
    'lib/specification',
  ],
  'lib/doors/cli': [
    'suites',
    'lib/doors',
    'lib/serve/proxy',
    'lib/report',
    'lib/serve/reference',
    'lib/engine/plan',
    // The doctor tells a gateway's answer from the service's own.
    'lib/engine/send',
    'lib/engine/run',
    'lib/verdict',
    'lib/explain',
    'lib/judge',
    'lib/drift',
    'lib/settings',
    'lib/http',
    'lib/specification',
  ],
  'lib/doors/vitest': [
    'suites',
    'lib/doors',
    'lib/engine/plan',
    'lib/engine/run',
    'lib/verdict',
    'lib/judge',
    'lib/settings',
    'lib/report',
    'lib/specification',
  ],
  suites: [
    'lib/engine/plan',
    'lib/judge',
    'lib/generate',
    'lib/drift',
    'lib/http',
    'lib/redact',
    'lib/specification',
  ],
}

/** What others may import: how things are said and read, which knows nothing of the project. */
const shared: readonly string[] = ['lib/text', 'lib/json']
const alone: readonly string[] = ['lib/text', 'lib/serve/reference']

/** Folders of which only types may be imported. */
const typesOf: Readonly<Record<string, readonly string[]>> = {
  'lib/serve/reference': ['lib/specification'],
  suites: ['lib/http', 'lib/redact'],
}

interface Import {
  /** From the root, as `lib/http/raw.ts`. */
  readonly file: string
  /** A path from the root, or the name of a package. */
  readonly target: string
  readonly kind: 'values' | 'types' | 'dynamic'
}

const scripts = ['lib', 'suites'].flatMap(scriptsIn)
const files = scripts.filter(isShipped)
const imports = files.flatMap(importsOf)

function scriptsIn(folder: string): readonly string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name).split(sep).join('/'))
    .filter((name) => /\.[cm]?[jt]s$/.test(name))
}

/** Whether a file is shipped: no test, and nothing that only tests use. */
function isShipped(name: string): boolean {
  return !/\.(?:test|testing)\.ts$/.test(name) && !/(?:^|\/)(?:testing\/|\.)/.test(name)
}

function importsOf(file: string): readonly Import[] {
  return importsIn(file, readFileSync(join(root, file), 'utf8'))
}

function importsIn(file: string, source: string): readonly Import[] {
  const text = withoutComments(source)
  const made = (kind: Import['kind'], specifier: string): Import => ({
    file,
    target: specifier.startsWith('.')
      ? relative(root, join(root, dirname(file), specifier))
          .split(sep)
          .join('/')
      : specifier,
    kind,
  })
  // Static: `import … from 'x'`, `export … from 'x'`, `import 'x'`; the clause may span lines.
  const statics = [
    ...text.matchAll(/^\s*(import|export)\s+(type\s)?([^'"`;()]*?from\s*)?['"]([^'"]+)['"]/gm),
  ].map(([, , type, clause = '', specifier = '']) =>
    made(type !== undefined || onlyTypes(clause) ? 'types' : 'values', specifier),
  )
  const dynamics = [...text.matchAll(/\b(?:import|require|importActual)\s*\(\s*['"`]([^'"`]+)['"`]/g)].map(
    ([, specifier = '']) => made('dynamic', specifier),
  )
  return [...statics, ...dynamics]
}

/** Whether a clause such as `{ type A, type B } from` names types alone. */
function onlyTypes(clause: string): boolean {
  const names =
    /\{([^}]*)\}/
      .exec(clause)?.[1]
      ?.split(',')
      .map((name) => name.trim()) ?? []
  const given = names.filter((name) => name !== '')
  return given.length > 0 && given.every((name) => name.startsWith('type '))
}

/** Comments may quote imports; strings that hold `//` are rare enough to be kept by asking for a space before. */
function withoutComments(text: string): string {
  return text.replaceAll(/\/\*[^]*?\*\//g, '').replaceAll(/(?<=^|\s)\/\/.*$/gm, '')
}

/** `lib/http` for `lib/http/raw.ts`, `lib/engine/send` for `lib/engine/send/retry.ts`, `suites` for a suite. */
function folderOf(path: string): string {
  const [folder = path] = /^(?:lib\/(?:engine|serve|doors)\/[^/.]+(?=\/)|lib\/[^/]+|[^/]+)/.exec(path) ?? []
  return folder
}

function isOurs({ target }: Import): boolean {
  return target.startsWith('lib/') || target.startsWith('suites/')
}

/** As `lib/report/a.ts imports lib/http/b.ts`. */
function told({ file, target, kind }: Import): string {
  return `${file} imports ${kind === 'types' ? 'types of ' : ''}${target}`
}

/** The shortest circle through each node, each once, as `a → b → a`. */
function circlesIn(edges: readonly (readonly [from: string, to: string])[]): readonly string[] {
  const circles = new Map<string, string>()
  for (const start of new Set(edges.map(([from]) => from))) {
    const way = wayBack(start, edges)
    if (way !== null) circles.set(way.toSorted().join(' '), [...way, start].join(' → '))
  }
  return [...circles.values()]
}

function wayBack(
  start: string,
  edges: readonly (readonly [from: string, to: string])[],
): readonly string[] | null {
  const ways: (readonly [...string[], string])[] = [[start]]
  const reached = new Set<string>()
  for (const way of ways) {
    for (const [from, to] of edges) {
      if (from !== way.at(-1) || reached.has(to)) continue
      if (to === start) return way
      reached.add(to)
      ways.push([...way, to])
    }
  }
  return null
}

it('tells the circles in a graph', () => {
  const edges = [
    ['a', 'b'],
    ['b', 'c'],
    ['c', 'b'],
    ['c', 'a'],
    ['d', 'a'],
  ] as const

  expect(circlesIn(edges)).toEqual(['a → b → c → a', 'c → b → c'])
  expect(circlesIn(edges.slice(0, 2))).toEqual([])
})

describe('reading imports', () => {
  it('finds them all', () => {
    expect(files.length).toBeGreaterThan(150)
    expect(imports.length).toBeGreaterThan(500)
    for (const file of files) {
      const text = withoutComments(readFileSync(join(root, file), 'utf8'))
      const mentioned = [...text.matchAll(/(?:\bfrom|\bimport\s*\(|^\s*import)\s*['"]([^'"]+)['"]/gm)].map(
        ([, specifier]) => specifier,
      )
      expect(imports.filter((one) => one.file === file).length, file).toBeGreaterThanOrEqual(mentioned.length)
    }
  })

  it('tells the kinds apart', () => {
    const source = [
      "import { a } from './a.ts'",
      "import type { B } from '../specification/b.ts'",
      "import { type C } from 'c'",
      "export { d } from './d.ts'",
      "const e = await import('./e.ts')",
      "// import { f } from './f.ts'",
    ].join('\n')

    expect(importsIn('lib/http/x.ts', source).map(({ target, kind }) => [target, kind])).toEqual([
      ['lib/http/a.ts', 'values'],
      ['lib/specification/b.ts', 'types'],
      ['c', 'types'],
      ['lib/http/d.ts', 'values'],
      ['lib/http/e.ts', 'dynamic'],
    ])
  })

  it('is done for every folder there is', () => {
    for (const folder of new Set(files.map(folderOf))) expect(Object.keys(mayImport)).toContain(folder)
  })
})

describe('the layers', () => {
  it('import only what they may', () => {
    const departures = imports.filter(isOurs).filter(({ file, target, kind }) => {
      const [from, to] = [folderOf(file), folderOf(target)]
      const may =
        from === to ||
        (shared.includes(to) && !alone.includes(from)) ||
        mayImport[from]?.includes(to) === true
      return !may && !(kind === 'types' && typesOf[from]?.includes(to) === true)
    })

    expect(departures.map(told)).toEqual([])
  })

  it('know the suites by their index alone', () => {
    const known = imports.filter(
      ({ file, target }) => !file.startsWith('suites/') && target.startsWith('suites/'),
    )

    expect(new Set(known.map(({ target }) => target))).toEqual(new Set(['suites/index.ts']))
  })

  it('reach nothing outside of lib and suites', () => {
    const outside = imports.filter(({ target }) =>
      /^(?:\.\.|tests|lab|bin|dist|docs|reports)(?:\/|$)/.test(target),
    )

    expect(outside.map(told)).toEqual([])
  })

  it('do not ship what only tests use', () => {
    expect(imports.filter(({ target }) => /\.test\.|\.testing\.|\/testing\//.test(target)).map(told)).toEqual(
      [],
    )
  })

  it('know nothing of the lab in their tests either', () => {
    const knowing = scripts.flatMap(importsOf).filter(({ target }) => target.startsWith('lab/'))

    expect(knowing.map(told)).toEqual([])
  })

  it('know the generator library only where requests are generated', () => {
    const knowing = imports.filter(({ target }) => /^(?:fast-check|pure-rand)(?:\/|$)/.test(target))

    expect(knowing.length).toBeGreaterThan(5)
    expect(knowing.filter(({ file }) => folderOf(file) !== 'lib/generate').map(told)).toEqual([])
  })

  it('have no circles', () => {
    const between = imports
      .filter(isOurs)
      .map(({ file, target }) => [folderOf(file), folderOf(target)] as const)
      .filter(([from, to]) => from !== to)

    expect(circlesIn(between)).toEqual([])
  })

  it('have no circles between the rooms of reports, which one file fills', () => {
    const roomOf = (path: string): string => /^lib\/report\/[^/]+/.exec(path)?.[0] ?? ''
    const between = imports
      .filter(({ file, target }) => roomOf(file) !== roomOf(target) && roomOf(target) !== '')
      .map(({ file, target }) => [roomOf(file), roomOf(target)] as const)
    const roomless = files.filter((file) => /^lib\/report\/[^/]+$/.test(file))

    expect(circlesIn(between)).toEqual([])
    expect(roomless).toEqual(['lib/report/write-reports.ts'])
  })

  it('have no circles of files', () => {
    expect(circlesIn(imports.filter(isOurs).map(({ file, target }) => [file, target]))).toEqual([])
  })

  it('know of what drives a run its judge and its events alone', () => {
    const known = imports.filter(
      ({ file, target }) => !file.startsWith('lib/engine/') && target.startsWith('lib/engine/run/'),
    )

    const open = new Set(['lib/engine/run/run.ts', 'lib/engine/run/events.ts'])
    expect(known.filter(({ target }) => !open.has(target)).map(told)).toEqual([])
  })

  it('know vitest only at its own door', () => {
    const knowing = imports.filter(({ target }) => /^(?:vitest|@vitest|allure-vitest)(?:\/|$)/.test(target))

    expect(knowing.filter(({ file }) => folderOf(file) !== 'lib/doors/vitest').map(told)).toEqual([])
  })

  it('name files with their extension', () => {
    expect(
      imports
        .filter(isOurs)
        .filter(({ target }) => !/\.(?:ts|mjs|json)$/.test(target))
        .map(told),
    ).toEqual([])
  })
})

it('files have at most 300 lines, but the catalogue, which has a row a rule', () => {
  const long = files.filter(
    (file) => readFileSync(join(root, file), 'utf8').trimEnd().split('\n').length > 300,
  )

  expect(long).toEqual(['lib/specification/rules.ts'])
})
