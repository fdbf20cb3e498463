import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { breakingChangesOf, broken, type BreakingChange, type Place } from './breaking.testing.ts'
import { compareShapes } from './compare-shapes.ts'
import { changed, json, seeds } from './json.testing.ts'
import { always, learned } from './learned.testing.ts'
import { isIdentifier, itemsPath, parentOf, propertyPath, rootPath } from './shape-paths.ts'
import { countOf, typesOf, shapeOf, type Shape } from './shape.ts'
import { toleratedChanges } from './tolerated.ts'

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
