import { isRuleId } from '../spec/rules.ts'
import { groupBy } from './group-by.ts'
import { printable } from './printable.ts'
import type { Verdict } from './verdict.ts'

/** A verdict of a shard, and where it was read. */
export interface ShardVerdict {
  /** As the user named it. */
  readonly path: string
  readonly verdict: Verdict
}

/** A shard in its place among the others. */
export interface Shard extends ShardVerdict {
  readonly index: number
  readonly of: number
}

/** Shards of one run, by their index; or why they are not. */
export type Fitting =
  | {
      readonly kind: 'shards'
      readonly shards: readonly Shard[]
      readonly of: number
      /** The one whose word counts for what is the same in all: the first that judged anything. */
      readonly basis: Verdict
    }
  | { readonly kind: 'mistakes'; readonly mistakes: readonly string[] }

type Fact = string | number | boolean | null

/** What must be the same in all shards of a run, and how to make it so. */
const sameInAll: readonly (readonly [what: string, of: (verdict: Verdict) => Fact, how: string])[] = [
  ['versions of the suite', ({ suite }) => suite.version, 'run all with one version'],
  ['targets', ({ target }) => (target.embedded ? 'embedded' : target.baseUrl), 'give all one --base-url'],
  ['versions of the API', ({ target }) => target.version, 'give all one --target-version'],
  ['labels', ({ target }) => target.label, 'give all one --label'],
  ['profiles', ({ profile }) => profile, 'give all one --profile'],
  ['values of strict', ({ strict }) => strict, 'give --strict to all or to none'],
  ['seeds', ({ seed }) => seed, 'give all one --seed; that of nightly is the UTC date'],
  ['numbers of fuzz cases', ({ fuzzCases }) => fuzzCases, 'give all one --fuzz-cases'],
  ['selections', ({ selection }) => selection.only?.join(',') ?? 'all rules', 'give all one --only'],
]

/**
 * Puts the shards of a run in order. All that keeps them from being one is said at once. A shard whose run came to nothing names no
 * target for sure, and is held against none.
 */
export function fitTogether(verdicts: readonly ShardVerdict[]): Fitting {
  const placed = verdicts.map((one) => ({ ...one, place: placeOf(one.verdict) }))
  const shards = placed.flatMap(({ place, ...one }) => (place === null ? [] : [{ ...one, ...place }]))
  const judged = shards.filter(({ verdict }) => verdict.rules.length > 0)
  const mistakes = [
    ...placed.filter(({ place }) => place === null).map(noShard),
    ...differing('numbers of shards', shards, ({ of }) => of, 'give every shard of one run'),
    ...doubled(shards),
    ...sameInAll.flatMap(([what, of, how]) => differing(what, judged, ({ verdict }) => of(verdict), how)),
    ...judged.flatMap(unknownRules),
  ]
  const [first] = [...judged, ...shards]
  if (mistakes.length > 0) return { kind: 'mistakes', mistakes }
  if (first === undefined) return { kind: 'mistakes', mistakes: ['no shard was given'] }
  const inOrder = shards.toSorted((a, b) => a.index - b.index)
  return { kind: 'shards', shards: inOrder, of: first.of, basis: first.verdict }
}

function placeOf({ selection }: Verdict): { readonly index: number; readonly of: number } | null {
  const parts = /^(\d{1,4})\/(\d{1,4})$/.exec(selection.shard ?? '')
  return parts === null ? null : { index: Number(parts[1]), of: Number(parts[2]) }
}

function noShard({ path, verdict }: ShardVerdict): string {
  const nothing = verdict.rules.length === 0 ? ` (${verdict.because.map(printable).join('; ')})` : ''
  return `${path} is no shard: its run was not made with --shard${nothing}`
}

function differing(
  what: string,
  shards: readonly Shard[],
  of: (shard: Shard) => Fact,
  how: string,
): readonly string[] {
  const values = groupBy(shards, (shard) => printable(String(of(shard) ?? 'none')))
  if (values.size <= 1) return []
  const each = [...values].map(([value, same]) => `${value} in ${same.map(({ path }) => path).join(', ')}`)
  return [`the shards have different ${what}, so they are not of one run: ${each.join('; ')} (${how})`]
}

function doubled(shards: readonly Shard[]): readonly string[] {
  return [...groupBy(shards, ({ index, of }) => `${index}/${of}`)]
    .filter(([, same]) => same.length > 1)
    .map(
      ([shard, same]) => `shard ${shard} is there more than once: ${same.map(({ path }) => path).join(', ')}`,
    )
}

function unknownRules({ path, verdict }: Shard): readonly string[] {
  const ids: readonly string[] = verdict.rules.map(({ id }) => id)
  const unknown = ids.filter((id) => !isRuleId(id))
  if (unknown.length === 0) return []
  return [
    `${path} has rules that this version does not know (${unknown.slice(0, 3).join(', ')}): merge with version ${printable(verdict.suite.version)} of the suite, which wrote it`,
  ]
}
