import { cp, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Command, type CommanderError } from 'commander'
import { expect, test } from 'vitest'
import { playedPage, playedPages } from '../lab/transcripts/played.ts'
import { declareCommands } from '../lib/doors/cli/program.ts'
import { describeWithPackages } from './gateways/installed.ts'
import { commandLinesIn, pages, withoutConsole, wordsOf } from './support/command-lines.ts'
import { reference, run } from './support/program-test.ts'
import { emptyFolder, settingsFor } from './support/program.ts'
import { filesIn, textOf } from './support/syntax.ts'

/** Commands in the documents that this test does not run, by their beginning, with the reason. */
const notRunHere: Readonly<Record<string, string>> = {
  'npm ci': '.ci/run begins with it',
  'npm test': '.ci/run calls it',
  'npm run test:programs': '.ci/run calls it, and it runs this test',
  'npm run check': 'npm test calls it',
  'npm pack': 'tests/recipes/user-repository.ts',
  'npm install --save-dev ./card-switch-conformance-1.0.0.tgz': 'tests/package.test.ts',
  'npm install --save-dev git+ssh:':
    'needs a server with a copy of the repository; tests/package.test.ts tries the build',
  'npm install --save-dev @your-scope/': 'needs a registry of the user; tests/package.test.ts tries a scope',
  'npm pkg set': 'needs a registry of the user; tests/package.test.ts tries a scope',
  'npm publish': 'needs a registry of the user',
  'npm run release': 'tests/package.test.ts',
  'npm run proof': 'takes minutes: .ci/run calls it',
  'npm run lab -- ': 'takes minutes to an hour: .ci/run calls three of them, and each has its own tests',
  'npx vitest': 'tests/two-doors.test.ts',
  'npx allure': 'a separate program, which is not installed here',
  serve: 'serves until it is interrupted: lab/transcripts',
  'waive reports': 'needs a run that is not conformant: tests/waivers.test.ts',
  'init --ci': 'tests/init.test.ts; it asks on a terminal only',
}

/** The words of a command line, or only the arguments if it starts this program. */
function commandOf(line: string): readonly string[] {
  const words = wordsOf(line).filter((word) => !/^[A-Z_]+=/.test(word))
  const text = words.join(' ')
  const program = ['npm run conformance -- ', 'npx --no -- card-switch-conformance '].find((start) =>
    `${text} `.startsWith(start),
  )
  if (program !== undefined) return words.slice(program.trim().split(' ').length)
  return text === 'npm run conformance' ? [] : words
}

function commandsOf(lines: readonly string[]): readonly (readonly string[])[] {
  const all = lines.map(commandOf)
  return [...new Map(all.map((words) => [words.join(' '), words])).values()]
}

const commands = commandsOf(pages.flatMap((page) => commandLinesIn(page, withoutConsole)))
const others = /^(?:npm|npx|node)$/

/** Mistakes in the arguments of this program or of a program of the lab. Empty if they are correct. */
async function mistakesIn(words: readonly string[]): Promise<readonly string[]> {
  const [runner = '', ...rest] = words
  if (others.test(runner)) return runner === 'npm' ? mistakesOfLab(rest) : []
  const mistakes: string[] = []
  const program = new Command().exitOverride().configureOutput({ writeOut: () => {}, writeErr: () => {} })
  const named = await declareCommands(words, program, () => async () => {})
  await program.parseAsync(named, { from: 'user' }).catch((error: CommanderError) => {
    if (error.exitCode !== 0) mistakes.push(error.message)
  })
  return mistakes
}

function mistakesOfLab([, script = '', , ...args]: readonly string[]): readonly string[] {
  if (script !== 'lab' && script !== 'proof') return []
  const [name = '', ...options] = script === 'proof' ? ['judge', ...args] : args
  if (!filesIn('lab', 'main.ts').includes(`lab/${name}/main.ts`)) return [name]
  const known = textOf(`lab/${name}/main.ts`)
  return options.filter((word) => word.startsWith('--') && !known.includes(word.slice(2)))
}

/** A folder with the files that the documents name: reports of runs, and the documents themselves. */
async function preparedFolder(env: Readonly<Record<string, string>>): Promise<string> {
  const cwd = await emptyFolder()
  for (const _ of [1, 2]) await run(['--essential', '--quiet'], { cwd, env })
  const vendors = ['vendor-a', 'vendor-b', 'vendor-c', 'verdicts/vendor-a', 'verdicts/vendor-b']
  for (const name of ['yesterday', 'today', ...vendors])
    await cp(join(cwd, 'reports'), join(cwd, name), { recursive: true })
  await writeFile(join(cwd, 'targets.txt'), 'vendor-a\nvendor-b\n')
  await symlink(fileURLToPath(new URL('../docs', import.meta.url)), join(cwd, 'docs'))
  return cwd
}

test('commands in the documents exit 0 or are tested elsewhere', async () => {
  const env = settingsFor(await reference())
  const cwd = await preparedFolder(env)
  const failed: string[] = []
  // Comparisons come first, because the other commands replace the runs in the folder.
  const isComparison = (words: readonly string[]): number => Number(words[0] === 'compare')
  const here = commands
    .filter((words) => !Object.keys(notRunHere).some((start) => `${words.join(' ')} `.startsWith(start)))
    .toSorted((one, other) => isComparison(other) - isComparison(one))
  for (const words of here) {
    // An acceptance with one case per rule would be incomplete.
    const RUN_ESSENTIAL = String(!words.includes('acceptance'))
    const { code, stderr } = await run(words, { cwd, env: { ...env, RUN_ESSENTIAL } })
    if (code !== 0) failed.push(`${words.join(' ')}: exit ${code} ${stderr}`)
  }

  expect(failed).toEqual([])
  expect(commands.length).toBeGreaterThan(35)
})

test('commands in the documents use existing commands and flags, even those that are not run here', async () => {
  const all = commandsOf(pages.flatMap((page) => commandLinesIn(page)))
  const mistakes = await Promise.all(all.map(mistakesIn))

  expect(mistakes.flatMap((found, at) => found.map((one) => [all[at], one]))).toEqual([])
  expect(await mistakesIn(['--profil', 'gate'])).toHaveLength(1)
  expect(await mistakesIn(['verify'])).toHaveLength(1)
  expect(await mistakesIn(['npm', 'run', 'lab', '--', 'judge', '--slowly'])).toEqual(['--slowly'])
})

test('commands in the documents include every command that notRunHere excludes', () => {
  const texts = commands.map((words) => `${words.join(' ')} `)
  const isThere = (start: string): boolean => texts.some((text) => text.startsWith(start))

  expect(Object.keys(notRunHere).filter((start) => !isThere(start))).toEqual([])
})

/** Settings that shorten the runs of these pages. The number of cases does not matter here. */
const fewerCases: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'docs/acceptance.md': { RUN_FUZZ_CASES: '5' },
  'docs/nightly.md': { RUN_FUZZ_CASES: '50' },
  'docs/pipelines.md': { RUN_FUZZ_CASES: '5' },
  'docs/first-five-minutes.md': { RUN_FUZZ_CASES: '5' },
}

/** Only CI plays all pages, because they take a minute. Elsewhere the first page must do. */
const played = playedPages.filter(
  (page) => (process.env['TESTS_DEMAND_PROGRAMS'] ?? '') !== '' || page === 'docs/first-five-minutes.md',
)

describeWithPackages('pages show what their commands print', () => {
  test.for(played)('%s', async (page) => {
    const sentences = (text: string): readonly string[] => comparable(text).split(/(?<=[.:,;]) /)
    expect(sentences(await playedPage(page, fewerCases[page]))).toEqual(sentences(textOf(page)))
  })
})

/** The stable text of a page: without times, dates, hashes, seeds of a day, counts of requests and line breaks. */
function comparable(page: string): string {
  return (
    page
      .replaceAll(/\b(?:\d+ min )?\d+(?:[.,]\d+)* ?(?:ms|s|min)\b/g, 'TIME')
      .replaceAll(/\d+(?= [KM]iB\b)/g, '#')
      .replaceAll(/\d{4}-\d\d-\d\d(?:[ T][\d:.]+(?: UTC|Z)?)?/g, 'DATE')
      .replaceAll(/\b[\da-f]{64}\b/g, 'HASH')
      // Each day draws other cases.
      .replaceAll(/(?<=\bfuzz\/[\w-]+:)20\d{6}:[\w.-]+/g, '#')
      .replaceAll(/(?<=\bseed |:)20\d{6}\b/g, '#')
      .replaceAll(
        /[\d,]+(?= of at most | left for | files\b| requests\b| packages\b| answers (?:could|showed)\b| of [\d,]+ requests showed\b)|\(\d+ to confirm\)/g,
        '#',
      )
      .replaceAll(/(?<=\b(?:target|second|others) )\d+/g, '#')
      .replaceAll(/\s+/g, ' ')
  )
}
