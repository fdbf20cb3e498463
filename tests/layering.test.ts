import { posix } from 'node:path'
import { parseSync } from 'rolldown/utils'
import { describe, expect, it } from 'vitest'
import { filesIn, textOf } from './support/syntax.ts'

/** What every room of the engine may import. */
const belowEngine = ['specification', 'redact', 'http', 'judge', 'fuzz', 'drift', 'settings', 'verdict']
/** What every door may import. */
const belowDoors = ['specification', 'http', 'settings', 'verdict', 'engine/plan', 'engine/run', 'report']

/**
 * Which folder of `lib/` may import which, besides itself: the column "may import" of the table in the design, "and below" written out. Each
 * may import those above it only, so that there are no circles. `text` may be imported by all but those before `specification`.
 */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  text: [],

  serve: [],
  // An opinion of its own: what it takes of the specification are types.
  'serve/reference': ['serve', 'text'],
  specification: [],
  redact: [],
  http: ['redact', 'specification'],
  fuzz: ['http', 'redact', 'specification'],
  drift: ['specification'],
  settings: ['fuzz', 'http', 'redact', 'specification'],
  judge: ['http', 'redact', 'specification'],
  verdict: ['http', 'redact', 'judge', 'drift', 'settings', 'specification'],
  'engine/plan': belowEngine,
  'engine/send': ['engine/plan', ...belowEngine],
  'engine/record': ['engine/plan', ...belowEngine],
  'engine/run': ['engine/plan', 'engine/send', 'engine/record', ...belowEngine],
  report: ['verdict', 'judge', 'drift', 'settings', 'redact', 'specification'],
  'serve/proxy': ['serve', 'drift', 'settings', 'http', 'redact', 'specification'],
  suites: ['engine/plan', 'judge', 'fuzz', 'drift', 'http', 'redact', 'specification'],
  doors: ['suites', 'serve/reference', 'drift', 'redact', ...belowDoors],
  'doors/library': [
    'suites',
    'doors',
    'serve/reference',
    'serve/proxy',
    'judge',
    'fuzz',
    'drift',
    ...belowDoors,
  ],
  // The doctor tells a gateway's answer from the service's own.
  'doors/cli': [
    'suites',
    'doors',
    'serve/reference',
    'serve/proxy',
    'judge',
    'drift',
    'engine/send',
    ...belowDoors,
  ],
  'doors/vitest': ['suites', 'doors', 'judge', ...belowDoors],
}
const order = Object.keys(mayImport)

/** The rooms of reports; each may import those before it. */
const rooms = ['folder', 'history', 'model', 'render', 'allure', 'page', 'evidence', 'compare']

interface Import {
  /** From the root, as `lib/http/raw.ts`. */
  readonly file: string
  /** A path from the root, or the name of a package. */
  readonly target: string
  readonly isType: boolean
}

const scripts = ['lib', 'suites'].flatMap((folder) =>
  filesIn(folder, 's').filter((name) => /\.[cm]?[jt]s$/.test(name)),
)
/** What is shipped: no tests, and nothing that only tests use. */
const files = scripts.filter((name) => !/\.(?:test|testing)\.ts$|(?:^|\/)(?:testing\/|\.)/.test(name))
const imports = files.flatMap(importsOf)

function importsOf(file: string): readonly Import[] {
  const text = textOf(file)
  const { staticImports, staticExports, dynamicImports } = parseSync(file, text).module
  const made = (specifier: string, isType: boolean): Import => ({
    file,
    target: specifier.startsWith('.') ? posix.join(posix.dirname(file), specifier) : specifier,
    isType,
  })
  return [
    ...staticImports.map(({ moduleRequest, entries }) =>
      made(moduleRequest.value, entries.length > 0 && entries.every(({ isType }) => isType)),
    ),
    ...staticExports.flatMap(({ entries }) =>
      entries.flatMap(({ moduleRequest, isType }) =>
        moduleRequest === null ? [] : [made(moduleRequest.value, isType)],
      ),
    ),
    ...dynamicImports.map(({ moduleRequest: { start, end } }) =>
      made(text.slice(start, end).replaceAll(/^['"`]|['"`]$/g, ''), false),
    ),
  ]
}

/** `http` for `lib/http/raw.ts`, `engine/send` for `lib/engine/send/retry.ts`, `suites` for a suite. */
function folderOf(path: string): string {
  const [folder = path] = /^(?:lib\/(?:engine|serve|doors)\/[^/.]+(?=\/)|lib\/[^/]+|[^/]+)/.exec(path) ?? []
  return folder.replace(/^lib\//, '')
}

const isOurs = ({ target }: Import): boolean => /^(?:lib|suites)\//.test(target)

/** The imports that are so, as `lib/report/a.ts imports lib/http/b.ts`. */
function those(are: (one: Import) => boolean, of = imports): readonly string[] {
  return of
    .filter(are)
    .map(({ file, target, isType }) => `${file} imports ${isType ? 'types of ' : ''}${target}`)
}

describe('the layers', () => {
  it('are all the folders that there are, each above those that it may import', () => {
    expect(order.toSorted()).toEqual([...new Set(files.map(folderOf))].toSorted())
    for (const [at, folder] of order.entries())
      expect(mayImport[folder]?.filter((below) => order.indexOf(below) >= at)).toEqual([])
    expect(imports.length).toBeGreaterThan(500)
  })

  it('import only what they may', () => {
    const mayAll = order.indexOf('specification')
    const departures = those((one) => {
      const [from, to] = [folderOf(one.file), folderOf(one.target)]
      const isShared = ['text'].includes(to) && order.indexOf(from) >= mayAll
      const isOfTypes = one.isType && from === 'serve/reference' && to === 'specification'
      return isOurs(one) && from !== to && !isShared && !isOfTypes && mayImport[from]?.includes(to) !== true
    })

    expect(departures).toEqual([])
  })

  it.each<[string, (one: Import) => boolean]>([
    ['name files with their extension', (one) => isOurs(one) && !/\.(?:ts|mjs|json)$/.test(one.target)],
    [
      'reach nothing outside of lib and suites',
      ({ target }) => /^(?:\.\.|tests|lab|bin|docs)\//.test(target),
    ],
    ['do not ship what only tests use', ({ target }) => /\.test\.|\.testing\.|\/testing\//.test(target)],
    [
      'know the generator library only where requests are generated',
      ({ file, target }) => /^(?:fast-check|pure-rand)\b/.test(target) && folderOf(file) !== 'fuzz',
    ],
    [
      'know vitest only at its own door',
      ({ file, target }) =>
        /^(?:vitest|@vitest|allure-vitest)\b/.test(target) && folderOf(file) !== 'doors/vitest',
    ],
    [
      'know the suites by their index alone',
      ({ file, target }) => /^suites\/(?!index\.ts)/.test(target) && folderOf(file) !== 'suites',
    ],
    [
      'know of what drives a run its judge and its events alone',
      ({ file, target }) =>
        /^lib\/engine\/run\/(?!run\.ts|events\.ts)/.test(target) && !file.startsWith('lib/engine/'),
    ],
  ])('%s', (_, departs) => {
    expect(those(departs)).toEqual([])
  })

  it('know nothing of the lab in their tests either', () => {
    expect(those(({ target }) => target.startsWith('lab/'), scripts.flatMap(importsOf))).toEqual([])
  })

  it('have rooms of reports, which one file fills, each above those that it imports', () => {
    const roomOf = (path: string): string => /^lib\/report\/([^/]+)\//.exec(path)?.[1] ?? ''
    const upwards = those(({ file, target }) => {
      const [from, to] = [roomOf(file), roomOf(target)]
      return from !== '' && to !== '' && rooms.indexOf(to) > rooms.indexOf(from)
    })

    expect([...new Set(files.map(roomOf))].toSorted()).toEqual(['', ...rooms].toSorted())
    expect(upwards).toEqual([])
    expect(files.filter((file) => /^lib\/report\/[^/]+$/.test(file))).toEqual(
      ['names', 'view', 'write-reports'].map((name) => `lib/report/${name}.ts`),
    )
  })
})

it('files have at most 400 lines of code', () => {
  const isCode = (line: string): boolean => !/^\s*(?:\/\/.*|\/?\*.*)?$/.test(line)
  const long = files.filter((file) => textOf(file).split('\n').filter(isCode).length > 400)

  expect(long).toEqual([])
})
