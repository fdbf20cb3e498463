import { groupBy } from '../../spec/group-by.ts'
import { named } from './verdict-bytes.ts'

/** Letters, digits, dots and dashes between slashes: what every file of ours is called by. */
const ourName = /^(?!.*\/\/)[A-Za-z0-9_][A-Za-z0-9_./-]*(?<!\/)$/

/** What is wrong with the names in an archive. */
export interface NameMistakes {
  /** Sentences. */
  readonly mistakes: readonly string[]
  /** The names that no file may be read under. */
  readonly refused: readonly string[]
}

/** Judges the names in an archive by what other programs would do with them when they unpack it. */
export function nameMistakes(names: readonly string[]): NameMistakes {
  const bad = [...new Set(names)].flatMap((name) => {
    const why = whyRefused(name)
    return why === null ? [] : [{ name, mistake: `the name ${named(name)} is refused: ${why}` }]
  })
  const times = [...groupBy(names, (name) => name)]
  const doubled = times
    .filter(([, same]) => same.length > 1)
    .map(
      ([name, same]) =>
        `${named(name)} is there ${same.length} times: which one counts depends on the reader`,
    )
  const colliding = [...groupBy([...new Set(names)], (name) => name.normalize('NFKC').toLowerCase()).values()]
    .filter((same) => same.length > 1)
    .map((same) => `${same.map(named).join(' and ')} are one file where letter case does not count`)

  return {
    mistakes: [...bad.map(({ mistake }) => mistake), ...doubled, ...colliding],
    refused: bad.map(({ name }) => name),
  }
}

function whyRefused(name: string): string | null {
  if (name === '') return 'it is empty'
  if (name.startsWith('/') || /^[A-Za-z]:/.test(name))
    return 'it is absolute, and would be written outside of any folder'
  if (name.includes('\\')) return 'it holds a backslash, which some systems take for a slash'
  if (name.split('/').includes('..')) return 'it leaves the folder into which the archive is unpacked'
  if (name.split('/').includes('.')) return 'it names one file in several ways'
  return ourName.test(name) ? null : 'no file of an archive of ours is called so'
}
