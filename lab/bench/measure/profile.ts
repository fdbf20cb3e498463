/** What V8 writes with `--cpu-prof`, as far as it is used. Times are microseconds of the clock that all processes share. */
export interface CpuProfile {
  readonly nodes: readonly ProfileNode[]
  readonly startTime: number
  readonly samples: readonly number[]
  readonly timeDeltas: readonly number[]
}

interface ProfileNode {
  readonly id: number
  readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number }
  readonly children?: readonly number[]
}

/**
 * Milliseconds by what they were spent on, up to a time of the shared clock in milliseconds. A sample belongs to the innermost function of
 * its stack that `kindOf` knows.
 */
export function spentUntil(
  { nodes, startTime, samples, timeDeltas }: CpuProfile,
  until: number,
  kindOf: (frame: ProfileNode['callFrame']) => string | null,
): ReadonlyMap<string, number> {
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])))
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]))
  const kinds = new Map<number, string>()
  const kind = (id: number): string => {
    const known = kinds.get(id)
    if (known !== undefined) return known
    const frame = frames.get(id)
    const parent = parents.get(id)
    const found =
      (frame === undefined ? null : kindOf(frame)) ?? (parent === undefined ? 'other' : kind(parent))
    kinds.set(id, found)
    return found
  }
  const spent = new Map<string, number>()
  let at = startTime
  for (const [index, delta] of timeDeltas.entries()) {
    const began = at
    at += delta
    const previous = samples[index - 1]
    if (previous === undefined || began / 1_000 > until) continue
    const of = kind(previous)
    spent.set(of, (spent.get(of) ?? 0) + (Math.min(at, until * 1_000) - began) / 1_000)
  }
  return spent
}
