import { enoughToBeAlways } from './compare-shapes.ts'
import { emptyShape, mergeShapes, shapeOf, type Shape } from './shape.ts'

/** What was learned from these values. */
export function learned(...values: readonly unknown[]): Shape {
  return values.map(shapeOf).reduce(mergeShapes, emptyShape)
}

/** What was learned from a value that came as often as it takes to be always so. */
export function always(value: unknown): Shape {
  return learned(...Array.from({ length: enoughToBeAlways }, () => value))
}
