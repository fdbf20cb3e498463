import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { baselines } from './baseline.testing.ts'
import { type Baseline, emptyBaseline, mergeBaselines, observe, type ObservedAnswer } from './baseline.ts'
import { type BreakingChange, breakingChangesOf, broken, type Place } from './breaking.testing.ts'
import { compareBaselines, shapeTexts } from './compare-baselines.ts'
import { compareShapes, enoughToBeAlways, type ShapeDifference } from './compare-shapes.ts'
import { changed, json, seeds, wordOf } from './json.testing.ts'
import { isIdentifier, itemsPath, parentOf, propertyPath, rootPath } from './shape-paths.ts'
import { countOf, emptyShape, mergeShapes, type Shape, shapeOf, typesOf } from './shape.ts'
import { toleratedChanges } from './tolerated.ts'

/** The merged shape of these values. */
export function learned(...values: readonly unknown[]): Shape {
  return values.map(shapeOf).reduce(mergeShapes, emptyShape)
}

/** The shape of a value that has been seen often enough to count as constant. */
export function always(value: unknown): Shape {
  return learned(...Array.from({ length: enoughToBeAlways }, () => value))
}

function baselineOf(...all: readonly ObservedAnswer[]): Baseline {
  return all.reduce(observe, emptyBaseline)
}

function refused(status: number, errorCode: string | null): ObservedAnswer {
  return { requestName: 'GET /a | no api key', status, errorCode, body: { value: { error_code: errorCode } } }
}

function listed(value: unknown): ObservedAnswer {
  return { requestName: 'GET /a | none', status: 200, errorCode: null, body: { value } }
}

const once = baselineOf(refused(400, '1001'))
const several = baselineOf(refused(400, '1001'), refused(401, '1006'))
const withoutBody = { ...refused(200, null), body: null }
const undocumented = 'the answer was 400 with a code that is not documented, and 400 / 1001 before'
const anyOf = 'the answer was 200, and 400 / 1001 or 401 / 1006 before'

test.each<[kind: string, says: string, before: Baseline, now: readonly ObservedAnswer[]]>([
  ['status', 'the answer was 401 / 1001, and 400 / 1001 before', once, [refused(401, '1001')]],
  ['code', 'the answer was 400 / 1002, and 400 / 1001 before', once, [refused(400, '1002')]],
  ['code', 'the answer was 400 without a code, and 400 / 1001 before', once, [refused(400, null)]],
  ['code', undocumented, once, [refused(400, 'E1')]],
  ['status', anyOf, several, [refused(400, '1001'), withoutBody]],
  // Only one of the earlier answers had this status.
  ['code', 'the answer was 401 / 1001, and 400 / 1001 or 401 / 1006 before', several, [refused(401, '1001')]],
  ['code', 'the answer was 400 / 1006, and 400 / 1001 or 401 / 1006 before', several, [refused(400, '1006')]],
])('a different %s departs from the baseline: %s', (kind, says, baseline, now) => {
  expect(compareBaselines(baseline, baselineOf(...now))).toMatchObject([
    { path: null, kind: `${kind}-changed`, severity: 'breaking', says },
  ])
})

test('a departure holds its request, its answer and both shapes', () => {
  expect(compareBaselines(once, baselineOf(refused(401, '1001')))).toMatchObject([
    {
      requestName: 'GET /a | no api key',
      answer: '401/1001',
      shapes: { before: '400 / 1001', after: '401 / 1001' },
    },
  ])
})

test.each([
  ['a b c', '200/ 400/1001 401/1006'],
  ['b c a', '400/1001 401/1006 200/'],
  ['c a b', '401/1006 400/1001 200/'],
])(
  'departures are sorted by request and answer, even if %s and %s were seen in another order',
  (requests, answers) => {
    const seen = { seen: 1, shape: {} }
    const sameFor = <Value>(names: string, value: Value): Readonly<Record<string, Value>> =>
      Object.fromEntries(names.split(' ').map((name) => [name, value]))
    const withStimuli = (stimuli: Baseline['stimuli']): Baseline => ({ ...emptyBaseline, stimuli })
    const now = withStimuli(sameFor(requests, sameFor(answers, seen)))

    const found = compareBaselines(withStimuli(sameFor(requests, { '500/': seen })), now)
    expect(found.map(({ requestName, answer }) => `${requestName} ${answer}`)).toEqual(
      ['a', 'b', 'c'].flatMap((name) => ['200/', '400/1001', '401/1006'].map((one) => `${name} ${one}`)),
    )
  },
)

test('a difference in the shape of the same answer is a departure', () => {
  const often = baselineOf(...Array.from({ length: 5 }, () => listed({ total: 1, list: [{ id: 'x' }] })))
  const answer = { requestName: 'GET /a | none', answer: '200/', severity: 'breaking' }

  expect(compareBaselines(often, baselineOf(listed({ list: [{ id: 7 }] })))).toEqual([
    {
      ...answer,
      path: '$.list[].id',
      kind: 'type-changed',
      says: '$.list[].id is number, and was string',
      shapes: { before: '$.list[] { id: string }', after: '$.list[] { id: number }' },
    },
    {
      ...answer,
      path: '$.total',
      kind: 'removed',
      says: '$.total was removed',
      shapes: { before: '$ { total: number, list: array }', after: '$ { list: array }' },
    },
  ])
})

const withoutAnswer: Baseline = { ...emptyBaseline, stimuli: { 'GET /a | none': {} } }
test.each<[about: string, before: Baseline, now: Baseline]>([
  ['a request that the baseline does not contain', once, baselineOf(listed([]))],
  ['a request when the baseline is empty', emptyBaseline, baselineOf(listed([]))],
  ['a request of the baseline that was not sent again', baselineOf(listed([])), emptyBaseline],
  ['a request called toString', emptyBaseline, baselineOf({ ...listed([]), requestName: 'toString' })],
  ['a request for which the baseline holds no answer', withoutAnswer, baselineOf(listed([]))],
  ['a missing answer while other answers still occur', several, baselineOf(refused(401, '1006'))],
])('%s is not a departure', (_, baseline, now) => {
  expect(compareBaselines(baseline, now)).toEqual([])
})

test('a baseline has no departures from a run that was merged into it', () => {
  fc.assert(
    fc.property(baselines, baselines, (baseline, seen) => {
      expect(compareBaselines(mergeBaselines(baseline, seen), seen)).toEqual([])
    }),
  )
})

function differences(before: unknown, now: unknown): readonly ShapeDifference[] {
  return compareShapes(always(before), shapeOf(now))
}

const item = { id: 'cust_1', palette: { primary: '#00f', secondary: '#08f' }, weight: 1 }
const cut = { ...item, palette: { primary: '#00f' } }
const { id: _, ...without } = item
const numbered = '$.byId{} is number, and was string'
const renamed = '$.a.b was renamed to $.a.c, or removed while that was added'
const sometimesNull = '$[].palette is null in 1 of 2, and never was'

test.each<[before: unknown, now: unknown, kind: string, says: string]>([
  [{ list: [item] }, { list: [cut] }, 'breaking removed', '$.list[].palette.secondary was removed'],
  [{ a: { b: { c: 1 }, d: [{ e: 1 }] } }, {}, 'breaking removed', '$.a was removed'],
  [{ a: { b: 'x', d: 'y' } }, { a: { c: 'x', d: 'y' } }, 'breaking renamed', renamed],
  [{ 'an id': '17' }, { 'an id': 17 }, 'breaking type-changed', "$['an id'] is number, and was string"],
  [{ a: {} }, { a: [] }, 'breaking container-changed', '$.a is array, and was object'],
  [{ a: 'x' }, { a: {} }, 'breaking container-changed', '$.a is object, and was string'],
  [{ a: [1] }, { a: 'x' }, 'breaking container-changed', '$.a is string, and was array'],
  [[item], { items: [item] }, 'breaking container-changed', '$ is object, and was array'],
  [{ a: [{ b: 1 }] }, { a: [{ b: null }] }, 'breaking became-null', '$.a[].b is null, and was number'],
  [{ a: 1 }, null, 'breaking became-null', '$ is null, and was object'],
  [{ a: ['x', 'y'] }, { a: ['x', 1] }, 'breaking type-changed', '$.a[] is number, and was string'],
  [{ a: ['x'] }, { a: [{}, 1] }, 'breaking container-changed', '$.a[] is object or number, and was string'],
  [{ a: ['x', []] }, { a: [1] }, 'breaking type-changed', '$.a[] is number, and was array or string'],
  [byId('cust_12345', 'x'), byId('cust_67890', 1), 'breaking type-changed', numbered],
  [[item], [item, without, without], 'warning sometimes-missing', '$[].id is missing in 2 of 3'],
  [[item], [item, { ...item, palette: null }], 'warning sometimes-null', sometimesNull],
])('the change from %j to %j is %s', (before, now, kind, says) => {
  const found = differences(before, now).map((one) => `${one.severity} ${one.kind}: ${one.says}`)
  expect(found).toEqual([`${kind}: ${says}`])
})

function byId(id: string, value: unknown): unknown {
  return { byId: { [id]: value } }
}

test('a difference names everything that was seen', () => {
  const says = '$ is array, and was string or number or null'
  expect(compareShapes(learned('x', 1, null, 'x', 1), shapeOf([]))).toEqual([
    { path: '$', kind: 'container-changed', severity: 'breaking', says },
  ])
})

const four = learned(item, item, item, item)
const often = learned(item, item, item, item, item, item, { id: null, palette: {} })
const byHand: Shape = { $: { object: 5 }, '$.a.b': { string: 5 } }
const many = Object.fromEntries(
  Array.from({ length: 2_500 }, (__, index) => [`a${'x'.repeat(index % 50)}_${wordOf(index)}`, 1]),
)

test.each<[about: string, before: Shape, now: unknown]>([
  ['a property that fewer than five answers had', four, {}],
  ['null instead of a value that fewer than five answers had', four, { ...item, palette: null }],
  ['a property that was missing or null in any earlier answer', often, { id: null, palette: {} }],
  ['the items of a list that is empty now', always([item]), []],
  ['the items of a list that was always empty', always([]), [item]],
  ['a property whose parent is not in the baseline, as after a manual edit', byHand, { a: {} }],
  ['the type of a property that was always null', always({ a: null }), { a: 1 }],
  ['a new identifier', always(byId('cust_12345', { a: 1 })), byId('cust_67890', { a: 2 })],
  ['a missing identifier', always(byId('cust_12345', { a: 1 })), { byId: {} }],
  ['a fraction instead of an integer', always({ a: 1 }), { a: 1.5 }],
  ['a property that the new shape leaves out', always({ zz: 1 }), { zz: 1, ...many }],
  ['a property that the earlier shape left out', always({ zz: 1, ...many }), { zz: 1, ...many }],
])('there is no difference for %s', (__, before, now) => {
  expect(compareShapes(before, shapeOf(now))).toEqual([])
})

const another = named('a', 19, (index) => index)
const twenty = named('a', 20, (index) => index)
const inner = { inner: 1 }

function named(prefix: string, count: number, value: (index: number) => unknown): object {
  return Object.fromEntries(
    Array.from({ length: count }, (__, index) => [`${prefix}${wordOf(index)}`, value(index)]),
  )
}

function only(index: number): unknown {
  return { [`only_${wordOf(index)}`]: 1 }
}

const removed = '$.a removed'
test.each<[about: string, before: unknown, now: unknown, differences: readonly string[]]>([
  ['a property of another type', { a: 'x' }, { b: 1 }, [removed]],
  ['a property that existed before', { a: 'x', b: 'y' }, { b: 'y' }, [removed]],
  ['a property in another place', { a: 'x', c: {} }, { c: { b: 'x' } }, [removed]],
  ['two candidates', { a: 'x' }, { b: 'x', c: 'x' }, [removed]],
  ['a new property that is null', { a: 'x' }, { b: null }, [removed]],
  ['an object with other properties', { a: { x: 1 } }, { b: { y: 1 } }, [removed]],
  ['an object with other properties that are null', { a: { x: 1 } }, { b: { y: null } }, [removed]],
  ['two removals', { a: 'x', c: { d: 1 } }, { c: { b: 'x' } }, [removed, '$.c.d removed']],
  ['a property that fits two removed properties', { a: 'x', b: 'x' }, { c: 'x' }, [removed, '$.b removed']],
  ['a property of another type in some', [{ a: 'x' }], [{ b: 'x' }, { b: 1 }], ['$[].a removed']],
  ['a property of only some objects', [{ a: 'x' }], [{ b: 'x' }, {}], ['$[].a removed']],
  ['a property of all objects', [{ a: 'x' }], [{ b: 'x' }, { b: 'y' }], ['$[].a renamed']],
  ['an object with null inside', { a: { x: 1 } }, { b: { x: null } }, ['$.a renamed']],
  ['two renames', { a: 'x', b: { c: [1] } }, { d: { c: [2, 3] }, e: 'y' }, ['$.a renamed', '$.b renamed']],
  ['one of 20 additions', { a: inner }, { ...named('b', 19, only), last: inner }, ['$.a renamed']],
  ['one of 21 additions', { a: inner }, { ...named('b', 20, only), last: inner }, [removed]],
])('removed and renamed properties are distinguished for %s', (__, before, now, found) => {
  expect(differences(before, now).map(({ path, kind }) => `${path} ${kind}`)).toEqual(found)
})

test('renames are detected only among at most 20 removed properties', () => {
  const kindsOf = (before: object, now: object): readonly string[] =>
    differences(before, now).map(({ path, kind }) => `${path} ${kind}`)
  const kinds = (count: number): ReadonlySet<string> =>
    new Set(differences(named('a', count, only), named('b', count, only)).map(({ kind }) => kind))

  expect([kinds(20), kinds(21)]).toEqual([new Set(['renamed']), new Set(['removed'])])
  expect(kindsOf({ ...another, last: {} }, { another: {} })).toContain('$.last renamed')
  expect(kindsOf({ ...twenty, last: {} }, { another: {} })).toContain('$.last removed')
})

test('a property does not count as renamed if the baseline omitted something', () => {
  const baseline = { $: { object: 5 }, '$.a': { string: 5 } }
  const withCut = { ...baseline, $: { object: 5, cut: true } } as const

  expect(compareShapes(baseline, shapeOf({ b: 'x' }))).toMatchObject([{ kind: 'renamed' }])
  expect(compareShapes(withCut, shapeOf({ b: 'x' }))).toMatchObject([{ kind: 'removed' }])
})

const entry = { id: 'c1', palette: { primary: '#fff', shade: '#000' } }

describe('the text of a shape before and after', () => {
  it.each([
    [
      'a removed property',
      '$.list[].palette.shade',
      { list: [{ ...entry, palette: { primary: '#fff' } }] },
      '$.list[].palette { shade: string, primary: string }',
      '$.list[].palette { primary: string }',
    ],
    [
      'a renamed property',
      '$.list[].id',
      { list: [{ key: 'c1', palette: entry.palette }] },
      '$.list[] { id: string, palette: object }',
      '$.list[] { key: string, palette: object }',
    ],
    ['a different type', '$.list', { list: {} }, '$ { list: array }', '$ { list: object }'],
    ['null', '$.list', { list: null }, '$ { list: array }', '$ { list: null }'],
    [
      'a different item type',
      '$.list[]',
      { list: [1, 'x'] },
      '$.list[]: object',
      '$.list[]: string | number',
    ],
    ['a different root', '$', [entry], '$: object', '$: array'],
  ])('shows %s', (__, path, now, before, after) => {
    expect(shapeTexts(shapeOf({ list: [entry] }), shapeOf(now), path)).toEqual({ before, after })
  })

  it('marks optional properties, and lists the changed property first if there are many', () => {
    const wide = Object.fromEntries(
      Array.from({ length: 20 }, (__, index) => [`p${String.fromCharCode(97 + index)}`, 1]),
    )
    const before = mergeShapes(shapeOf({ ...wide, z: 'x' }), shapeOf({ ...wide, z: 'x' }))
    const after = mergeShapes(shapeOf({ ...wide, z: 'x' }), shapeOf(wide))
    const texts = shapeTexts(before, after, '$.z')

    expect(texts.before).toMatch(/^\$ \{ z: string, pa: number, .*, … \}$/)
    expect(texts.after).toMatch(/^\$ \{ z\?: string, pa: number, .*, … \}$/)
  })
})

describe('differences in arbitrary JSON', () => {
  const values = fc.array(json, { minLength: 1, maxLength: 6 })

  it('do not exist between equal values', () => {
    fc.assert(
      fc.property(values, (all) => {
        expect(compareShapes(learned(...all), learned(...all))).toEqual([])
      }),
    )
  })

  it('disappear once the baseline has learned the new values', () => {
    fc.assert(
      fc.property(values, values, (all, more) => {
        const widened = learned(...all, ...all, ...all, ...more)
        expect(compareShapes(widened, learned(...more))).toEqual([])
      }),
    )
  })

  it.each(toleratedChanges)('never result from a tolerated change: $name', ({ name }) => {
    fc.assert(
      fc.property(json, seeds, (value, seed) => {
        expect(compareShapes(always(value), shapeOf(changed(value, [name], seed)))).toEqual([])
      }),
    )
  })

  it('always result from a breaking change to a constant part, even among tolerated changes', () => {
    const all = toleratedChanges.map(({ name }) => name)
    let tried = 0

    fc.assert(
      fc.property(json, seeds, fc.boolean(), (value, seed, isAlone) => {
        const before = always(value)
        const now = isAlone ? value : changed(value, all, seed)
        for (const change of breakingChangesOf(value).filter((one) => isAlways(one, before))) {
          tried += 1
          const here = compareShapes(before, shapeOf(broken(now, change))).filter(
            ({ path, severity }) => path === pathOf(change.place) && severity === 'breaking',
          )
          expect(here.map(({ kind }) => kind)).toEqual([expect.stringMatching(expectedKinds[change.kind])])
        }
      }),
    )
    expect(tried).toBeGreaterThan(250)
  })
})

const expectedKinds: Readonly<Record<BreakingChange['kind'], RegExp>> = {
  removed: /^(?:removed|renamed)$/,
  renamed: /^(?:removed|renamed)$/,
  null: /^became-null$/,
  'other-type': /^type-changed$/,
  'other-container': /^container-changed$/,
  'number-for-string': /^type-changed$/,
}

/** The path, or null if it contains a name that shapes leave out. */
function pathOf(place: Place): string | null {
  if (place.some((step) => typeof step === 'string' && isIdentifier(step))) return null
  return place.reduce<string>(
    (path, step) => (typeof step === 'string' ? propertyPath(path, step) : itemsPath(path)),
    rootPath,
  )
}

/**
 * Whether the baseline can reveal the change. A removed property must have been in every object. A changed
 * one must have had a single type and never been null.
 */
function isAlways({ place, kind }: BreakingChange, before: Shape): boolean {
  const path = pathOf(place)
  if (path === null) return false
  const seen = before[path]
  if (kind === 'removed' || kind === 'renamed') {
    return countOf(seen) === before[parentOf(path) ?? path]?.object
  }
  return seen?.null === undefined && typesOf(seen).length === 1
}
