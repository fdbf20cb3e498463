import type { Baseline } from './baseline.ts'
import { jsonTypes, type Seen } from './seen.ts'

/**
 * The baseline as the text of its file: everything sorted and a line for each path, so that two baselines differ in the lines in
 * which they differ.
 */
export function baselineText({ format, stimuli }: Baseline): string {
  const written = sorted(stimuli).map(([stimulus, answers]) => {
    const inner = sorted(answers).map(([answer, { seen, shape }]) => {
      const paths = sorted(shape).map(([path, types]) => named(path, seenText(types)))
      return named(answer, block([named('seen', String(seen)), named('shape', block(paths))]))
    })
    return named(stimulus, block(inner))
  })
  return `${block([named('format', JSON.stringify(format)), named('stimuli', block(written))])}\n`
}

function named(name: string, value: string): string {
  return `${JSON.stringify(name)}: ${value}`
}

function seenText(seen: Seen): string {
  const counts = jsonTypes.flatMap((type) => (seen[type] === undefined ? [] : [`"${type}": ${seen[type]}`]))
  return `{ ${[...counts, ...(seen.cut === true ? ['"cut": true'] : [])].join(', ')} }`
}

/** Lines hold no line breaks but those between members: JSON writes all others as escapes. */
function block(members: readonly string[]): string {
  if (members.length === 0) return '{}'
  return `{\n  ${members.join(',\n').replaceAll('\n', '\n  ')}\n}`
}

function sorted<One>(record: Readonly<Record<string, One>>): readonly (readonly [string, One])[] {
  return Object.entries(record).toSorted(([one], [other]) => (one < other ? -1 : 1))
}
