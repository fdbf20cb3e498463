import { describe, test } from 'vitest'
import { noPackages } from '../../tests/recipes/user-repository.ts'
import { textOf } from '../../tests/support/syntax.ts'
import { playedPage, playedPages } from './pages.ts'
import { comparable, played } from './transcript.ts'

/** Runs of these pages take long for their many cases, whose counts do not matter here. */
const fewerCases: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'docs/users/acceptance.md': { RUN_FUZZ_CASES: '20' },
  'docs/users/nightly.md': { RUN_FUZZ_CASES: '200' },
}

/** Besides CI, only the first page is played: the others take a minute. */
const pages = playedPages.filter(
  (page) => (process.env['TESTS_DEMAND_PROGRAMS'] ?? '') !== '' || page === 'docs/first-five-minutes.md',
)

describe.skipIf(noPackages !== null)(
  `what commands print, as pages show it${noPackages === null ? '' : ` (${noPackages})`}`,
  { concurrent: true },
  () => {
    test.for(pages)('%s', async (page, { expect }) => {
      const sentences = (text: string): readonly string[] => comparable(text).split(/(?<=[.:,;]) /)
      expect(sentences(await playedPage(page, fewerCases[page]))).toEqual(sentences(textOf(page)))
    })
  },
)

describe('a page that is played', () => {
  const terminal = {
    type: async (line: string) => ({ text: `one\ntwo\nthree\n${line}\n`, seconds: 1.25 }),
  }
  const directions: string[] = []
  const direct = async (direction: string): Promise<void> => void directions.push(direction)

  test('shows what was printed, as much of it as before, and how long it took', async ({ expect }) => {
    const page = [
      'Text.\n\n<!-- service: no fault -->\n',
      '```console\n$ first\n$ second\nold\n…\nold\n```\n\nTook 9 s.\n',
      '1. In a list:\n\n   ```console\n   $ third\n   ```\n',
    ].join('\n')

    expect(await played(page, { terminal, direct })).toBe(
      [
        'Text.\n\n<!-- service: no fault -->\n',
        '```console\n$ first\none\ntwo\nthree\nfirst\n$ second\none\n…\nsecond\n```\n\nTook 2.5 s.\n',
        '1. In a list:\n\n   ```console\n   $ third\n   one\n   two\n   three\n   third\n   ```\n',
      ].join('\n'),
    )
    expect(directions).toEqual(['no fault'])
  })

  test('is compared without times and counts, and with all else', ({ expect }) => {
    const line = (text: string): string => comparable(`325 of at most 500 requests sent, ${text}\n`)

    expect(line('1.2 s, exit 0')).toBe(line('312 ms,\n  exit 0'))
    expect(line('1.2 s, exit 0')).not.toBe(line('1.2 s, exit 1'))
  })
})
