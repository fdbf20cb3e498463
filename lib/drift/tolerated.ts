import { withAdded } from './added.ts'
import type { ChangeName, Changed, Done } from './changed.ts'
import { treeOf, type Tree } from './json-tree.ts'
import { withOtherStrings } from './opaque.ts'
import { inAnotherOrder } from './order.ts'
import { readTree } from './read-tree.ts'

const BYTE_ORDER_MARK = '\uFEFF'

const changes: Readonly<Record<ChangeName, (tree: Tree, seed: number) => Changed>> = {
  added: withAdded,
  order: inAnotherOrder,
  opaque: withOtherStrings,
}

/** A change of answers that clients must tolerate. Source: Versioning, tolerated changes 2, 3 and 5. */
export interface ToleratedChange {
  readonly name: ChangeName
  /** What is changed, as a phrase that follows "with". */
  readonly says: string
  /**
   * The value, as `JSON.parse` gives it, after the change that the seed decides; however deep. JavaScript keeps properties of digits
   * alone in an order of its own, which only {@link changedText} changes.
   */
  readonly change: (value: unknown, seed: number) => unknown
}

/** All changes of a body that clients must tolerate. */
export const toleratedChanges: readonly ToleratedChange[] = [
  tolerated('added', 'properties added to every object'),
  tolerated('order', 'the properties of every object in another order'),
  tolerated('opaque', 'every opaque string longer, shorter, empty or of another format'),
]

function tolerated(name: ChangeName, says: string): ToleratedChange {
  return {
    name,
    says,
    change: (value, seed): unknown => JSON.parse(changedText(name, value, seed)),
  }
}

/** JSON text of a value, as `JSON.parse` gives it, after one tolerated change. */
export function changedText(name: ChangeName, value: unknown, seed: number): string {
  return changes[name](treeOf(value), seed).text
}

/**
 * A JSON text after several tolerated changes, one upon the other, and what each did. Numbers stay to the letter, also where a
 * double would round them; a byte order mark stays; white space goes. Throws a SyntaxError for what is not JSON.
 */
export function changeText(
  text: string,
  names: readonly ChangeName[],
  seed: number,
): { readonly text: string; readonly done: readonly Done[] } {
  const mark = text.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK : ''
  const done: Done[] = []
  let changed = text.slice(mark.length)
  for (const name of names) {
    const result = changes[name](readTree(changed), seed)
    changed = result.text
    done.push(result.done)
  }
  return { text: `${mark}${changed}`, done }
}
