import { existsSync } from 'node:fs'
import { posix } from 'node:path'
import { parse } from 'dotenv'
import { expect, it } from 'vitest'
import { rulesMarkdown } from '../lib/report/render/rules-list.ts'
import { profiles } from '../lib/settings/profiles.ts'
import { secrets, settingTable } from '../lib/settings/setting-table.ts'
import { sizeLimits } from '../lib/settings/user-file.ts'
import { specCatalogue } from '../lib/specification/rules.ts'
import { specification } from '../lib/specification/specification.ts'
import { blocksIn, pages, proseOf } from './support/command-lines.ts'
import { filesIn, textOf } from './support/syntax.ts'

const settingNames = settingTable.map(({ name }): string => name)
const variables = [...settingNames, ...secrets.map(({ name }) => `${name}_FILE`)]

const packed: readonly string[] = JSON.parse(textOf('package.json')).files
const isPacked = (file: string): boolean =>
  packed.some((entry) => file === entry || file.startsWith(`${entry}/`)) && !packed.includes(`!${file}`)

const row = (head: string, of: 'fuzzCases' | 'maxRequests'): string =>
  `| ${[head, ...Object.values(profiles).map((one) => one[of].toLocaleString('en'))].join(' | ')} |`

it.each([
  ['docs/settings.md', `<!-- settings -->\n\n${settingsMarkdown()}\n\n<!-- /settings -->`],
  ['docs/rules.md', `<!-- rules -->\n${rulesMarkdown(specCatalogue)}<!-- /rules -->`],
  ['docs/rules.md', `*${specification.title}*`],
  ['docs/rules.md', `\n\`${specification.sha256}\`\n`],
  ['docs/settings.md', row('generated cases per rule', 'fuzzCases')],
  ['docs/settings.md', row('requests at most', 'maxRequests')],
])('the documents repeat, word for word, what the program prints, in %s: %#', (page, text) => {
  expect(textOf(page)).toContain(text)
})

it('the GitHub gate sets no concurrency, which would cancel waiting pull requests', () => {
  expect(textOf('docs/ci/github-gate.yml')).not.toMatch(/^ *concurrency:/m)
})

it('docs/settings.md states the enforced sizes of files', () => {
  const rows = textOf('docs/settings.md').matchAll(/^\| [a-z ,()A-Z]+ \| (\d+) ([KM])iB/gm)
  const sizes = [...rows].map(([, count, unit]) => Number(count) * (unit === 'K' ? 2 ** 10 : 2 ** 20))

  expect(sizes).toEqual(Object.values(sizeLimits))
})

it('.env.example has exactly the settings, without values', () => {
  const given = parse(textOf('.env.example'))

  expect(Object.keys(given)).toEqual(settingNames)
  expect(Object.values(given).filter((value) => value !== '')).toEqual([])
})

it('the README is short, and begins with the commands to install, judge the embedded service and run the tests, as in CI', () => {
  const commands = blocksIn('README.md').filter(({ language }) => language === 'sh')

  expect(textOf('README.md').trimEnd().split('\n').length).toBeLessThanOrEqual(110)
  const first = commands[0]?.text.trim().split('\n')
  expect(first).toEqual(['npm ci', 'npm run conformance -- --base-url embedded', 'npm test'])
  expect(textOf('.ci/run').split('\n')).toEqual(expect.arrayContaining(['npm ci', 'npm test']))
})

it.each(pages)('%s names existing settings and files, has no dead link and never overwrites .env', (page) => {
  const text = textOf(page)
  const inText = text.match(/\b(?:TARGET|FIXTURE|RUN)_[A-Z_]*[A-Z]\b(?!_?…)/g) ?? []
  const blocks = blocksIn(page).filter(({ language }) => language === 'ini')
  const names = [...inText, ...blocks.flatMap((block) => block.text.match(/^\w+(?==)/gm) ?? [])]
  const paths = text.matchAll(/`((?:lib|suites|tests|docs|bin|lab|\.ci)\/[\w./-]+)`/g)
  const isThere = (path: string): boolean => existsSync(new URL(`../${path}`, import.meta.url))

  expect(names.filter((name) => !variables.includes(name))).toEqual([])
  expect(Array.from(paths, ([, path = '']) => path).filter((path) => !isThere(path))).toEqual([])
  expect(linksOf(page).filter((target) => !leadsSomewhere(page, target))).toEqual([])
  // No link leads out of the package.
  if (isPacked(page)) expect(linksOf(page).filter((to) => !isPacked(fileBehind(page, to)))).toEqual([])
  expect(text).not.toMatch(/(?:>|\btee)\s+\.env\b/)
})

it('links and paths name every source folder in ARCHITECTURE.md, and only existing sources', () => {
  const named = [...textOf('ARCHITECTURE.md').matchAll(/`([\w./-]+)`/g)].map(([, name = '']) => name)
  const sources = ['lib', 'suites', 'tests', 'bin'].flatMap((folder) => filesIn(folder, 'ts'))
  const folder = /^(?:lib\/(?:doors|report|run|serve)\/[^/]+\/|lib\/[^/]+\/|[^/]+\/)/
  const folders = new Set(sources.map((file) => folder.exec(file)?.[0] ?? ''))
  const isThere = (name: string): boolean => sources.some((file) => `/${file}`.endsWith(`/${name}`))

  expect([...folders].filter((one) => !one.endsWith('/testing/') && !named.includes(one))).toEqual([])
  expect(named.filter((name) => /\.m?ts$/.test(name) && !isThere(name))).toEqual([])
})

it('links and paths lead from the README to every page', () => {
  const readme = textOf('README.md')

  expect(filesIn('docs', '.md').filter((page) => !readme.includes(posix.basename(page)))).toEqual([])
})

/** The targets of the links of a page, without those of other sites. */
function linksOf(page: string): readonly string[] {
  return [...proseOf(page).matchAll(/\]\((?!https:)([^)\s]+)\)/g)].map(([, target = '']) => target)
}

/** The file that a link leads to. */
function fileBehind(page: string, target: string): string {
  const [path = ''] = target.split('#')
  return path === '' ? page : posix.join(posix.dirname(page), path)
}

/** Whether a file exists, and has the heading after `#`. */
function leadsSomewhere(page: string, target: string): boolean {
  const anchor = target.split('#')[1]
  const file = fileBehind(page, target)
  if (!existsSync(new URL(`../${file}`, import.meta.url))) return false
  return anchor === undefined || anchorsOf(file).includes(anchor)
}

/** The anchors that GitHub makes from the headings of a page. */
function anchorsOf(page: string): readonly string[] {
  return [...proseOf(page).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  )
}

it('no shipped file names our machines, registries or folders', () => {
  const others = ['lab/bench/peers/package-lock.json', 'tests/recipes/readers/package-lock.json']
  const own = ['package.json', 'package-lock.json', '.env.example']
  const files = [...own, ...others, ...filesIn('docs/ci', ''), ...pages]
  const ours = /\/(?:work|home|root|Users)\/|"resolved"|_authToken|registry\.[a-z]/
  for (const file of files) expect(textOf(file), file).not.toMatch(ours)
})

/** Markdown table of all settings, as in `docs/settings.md`. */
function settingsMarkdown(): string {
  const rows = settingTable.map(({ name, flag, argument, about, default: usual }) => {
    const how = flag === null ? '' : `\`--${flag}${argument === null ? '' : ` ${argument}`}\``
    return `| \`${name}\` | ${how} | ${about.replaceAll('|', '\\|')} | ${usual === undefined ? '' : `\`${usual}\``} |`
  })
  return ['| setting | flag | meaning | default |', '| --- | --- | --- | --- |', ...rows].join('\n')
}
