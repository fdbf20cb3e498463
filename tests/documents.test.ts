import { existsSync } from 'node:fs'
import { posix } from 'node:path'
import { parse } from 'dotenv'
import { describe, expect, it } from 'vitest'
import { rulesMarkdown } from '../lib/report/render/rules-list.ts'
import { profiles } from '../lib/settings/profiles.ts'
import { fileVariable } from '../lib/settings/secret-files.ts'
import { settingTable } from '../lib/settings/setting-table.ts'
import { sizeLimits } from '../lib/settings/user-file.ts'
import { specification } from '../lib/specification/specification.ts'
import { blocksIn, commandLinesIn, pages, proseOf, wordsOf } from './support/command-lines.ts'
import { runInProcess } from './support/in-process.ts'
import { filesIn, textOf } from './support/syntax.ts'

const settingNames = settingTable.map(({ name }): string => name)
const variables = [
  ...settingNames,
  ...settingTable.filter(({ secret }) => secret).map(({ name }) => fileVariable(name)),
]

describe('what the program prints stands in the documents word for word', () => {
  it.each([
    ['docs/settings.md', 'settings', settingsMarkdown()],
    ['docs/rules.md', 'rules', rulesMarkdown()],
  ])('in %s: %s', (page, name, printed) => {
    const held = new RegExp(`<!-- ${name} -->\n([^]*?)<!-- /${name} -->`).exec(textOf(page))?.[1]

    expect(held?.trim()).toBe(printed.trim())
  })

  it('the specification', () => {
    expect(textOf('docs/rules.md')).toContain(`*${specification.title}*`)
    expect(textOf('docs/rules.md')).toContain(`\n\`${specification.sha256}\`\n`)
  })

  it('the figures of the profiles', () => {
    const row = (head: string, of: (profile: (typeof profiles)['gate']) => number): string =>
      `| ${head} | ${Object.values(profiles)
        .map((profile) => of(profile).toLocaleString('en'))
        .join(' | ')} |`

    expect(textOf('docs/settings.md')).toContain(row('generated cases per rule', (one) => one.fuzzCases))
    expect(textOf('docs/settings.md')).toContain(row('requests at most', (one) => one.maxRequests))
  })
})

it('the sizes of files in docs/settings.md are those that are enforced', () => {
  const rows = textOf('docs/settings.md').matchAll(/^\| [a-z ,()A-Z]+ \| (\d+) ([KM])iB/gm)
  const sizes = [...rows].map(([, count, unit]) => Number(count) * (unit === 'K' ? 2 ** 10 : 2 ** 20))

  expect(sizes).toEqual(Object.values(sizeLimits))
})

describe('settings in the documents', () => {
  it('.env.example names every setting, none besides, and gives none a value', () => {
    const given = parse(textOf('.env.example'))

    expect(Object.keys(given)).toEqual(settingNames)
    expect(Object.values(given).filter((value) => value !== '')).toEqual([])
  })

  it.each(pages)('exist: %s', (page) => {
    const named = [
      ...textOf(page).matchAll(/\b(?:TARGET|FIXTURE|RUN)_[A-Z_]*[A-Z]\b(?!_?…)/g),
      ...blocksIn(page)
        .filter(({ language }) => language === 'ini')
        .flatMap(({ text }) => [...text.matchAll(/^\w+(?==)/gm)]),
    ].map(([name]) => name)

    expect(named.filter((name) => !variables.includes(name))).toEqual([])
  })
})

describe('the README', () => {
  it('is short', () => {
    expect(textOf('README.md').trimEnd().split('\n').length).toBeLessThanOrEqual(160)
  })

  it('begins with the commands that judge the embedded service and run the tests, and CI calls the second', () => {
    const commands = blocksIn('README.md').filter(({ language }) => language === 'sh')

    expect(commands.slice(0, 2).map(({ text }) => text.trim())).toEqual([
      'npm ci && npm run conformance -- --base-url embedded',
      'npm ci && npm test',
    ])
    expect(textOf('.ci/run').split('\n')).toEqual(expect.arrayContaining(['npm ci', 'npm test']))
  })
})

describe('links and paths', () => {
  it.each(pages)('lead somewhere: %s', (page) => {
    const targets = [...proseOf(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target)
    const dead = targets.filter((target) => !target.startsWith('https://') && !leadsSomewhere(page, target))

    expect(dead).toEqual([])
  })

  it.each(pages)('name files that exist: %s', (page) => {
    const named = [...textOf(page).matchAll(/`((?:lib|suites|tests|docs|bin|lab|\.ci)\/[\w./-]+)`/g)].map(
      ([, path = '']) => path,
    )

    expect(named.filter((path) => !existsSync(new URL(`../${path}`, import.meta.url)))).toEqual([])
  })

  it('name every folder of the sources in ARCHITECTURE.md, and no source that is not there', () => {
    const named = [...textOf('ARCHITECTURE.md').matchAll(/`([\w./-]+)`/g)].map(([, name = '']) => name)
    const sources = ['lib', 'suites', 'tests', 'bin'].flatMap((folder) => filesIn(folder, 'ts'))
    const folders = sources
      .map((file) => /^(?:lib\/(?:doors|report|serve)\/[^/]+\/|lib\/[^/]+\/|[^/]+\/)/.exec(file)?.[0] ?? '')
      .filter((folder) => !folder.endsWith('/testing/'))
    const rooms = named.map((name) => name.replace(/^(?=engine\/)/, 'lib/'))

    expect([...new Set(folders)].filter((folder) => !rooms.includes(folder))).toEqual([])
    expect(
      named.filter(
        (name) => /\.m?ts$/.test(name) && !sources.some((file) => `/${file}`.endsWith(`/${name}`)),
      ),
    ).toEqual([])
  })

  it('lead from the README to every page', () => {
    const readme = textOf('README.md') + textOf('docs/trust.md')

    expect(filesIn('docs', '.md').filter((page) => !readme.includes(posix.basename(page)))).toEqual([])
  })
})

/** Whether a file exists, and has the heading behind `#`. */
function leadsSomewhere(page: string, target: string): boolean {
  const [path = '', anchor] = target.split('#')
  const file = path === '' ? page : posix.join(posix.dirname(page), path)
  if (!existsSync(new URL(`../${file}`, import.meta.url))) return false
  return anchor === undefined || anchorsOf(file).includes(anchor)
}

/** The headings of a page as GitHub makes anchors of them. */
function anchorsOf(page: string): readonly string[] {
  return [...proseOf(page).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  )
}

/** What one command of the program takes, as its help says it. */
interface Usage {
  /** Flags, and whether each takes a value. */
  readonly flags: ReadonlyMap<string, boolean>
  readonly fewest: number
  readonly most: number
}

/** Null for a command that the program does not have: its help is that of the program. */
async function usageOf(command: string): Promise<Usage | null> {
  const { stdout } = await runInProcess([...command.split(' '), '--help'])
  const flags = [...stdout.matchAll(/^ +(?:-\w, )?--([\w-]+)(?: (<))?/gm)]
  const [usage = ''] = stdout.split('\n')
  if (!usage.includes(` ${command} [`)) return null
  const taken = usage.match(/<[^>]+>|\[(?!options)[^\]]+\]/g) ?? []
  return {
    flags: new Map(flags.map(([, name = '', value]) => [name, value !== undefined])),
    fewest: taken.filter((one) => one.startsWith('<')).length,
    most: /\.\.\.[>\]]/.test(usage) ? Infinity : taken.length,
  }
}

/** What is wrong with a command line of the program, or null. */
async function wrongWith(words: readonly string[]): Promise<string | null> {
  const [first = '', second = ''] = words
  const isNamed = first !== '' && !first.startsWith('-')
  const command = first === 'endpoints' ? `${first} ${second}` : first
  const usage = await usageOf(isNamed ? command : 'run')
  if (usage === null) return `no command ${first}`
  const { flags, fewest, most } = usage
  let given = 0
  for (let at = isNamed ? command.split(' ').length : 0; at < words.length; at += 1) {
    const word = words[at] ?? ''
    if (!word.startsWith('--')) given += 1
    else if (!flags.has(word.slice(2))) return `no flag ${word}`
    else if (flags.get(word.slice(2)) === true) at += 1
  }
  return given < fewest || given > most ? `${given} arguments` : null
}

const scripts: Readonly<Record<string, string>> = JSON.parse(textOf('package.json')).scripts
/** The source that names the flags of a program of the lab. */
function flagsOfLab(name: string): string | null {
  // Stryker's own.
  if (name === 'mutation') return '--mutate --force'
  return existsSync(new URL(`../lab/${name}/main.ts`, import.meta.url)) ? textOf(`lab/${name}/main.ts`) : null
}

/** What is wrong with a command line of npm, npx or node, or null. */
async function mistakeIn(line: string): Promise<string | null> {
  const [runner = '', ...rest] = wordsOf(line).filter((word) => !/^[A-Z_]+=/.test(word))
  const [first = '', second = '', ...others] = rest
  if (runner === 'node') {
    if (first.endsWith('bin/card-switch-conformance.mjs')) return wrongWith(rest.slice(1))
    return existsSync(new URL(`../${first}`, import.meta.url)) ? null : 'no such program'
  }
  if (runner === 'npx') {
    const [name = '', ...args] = first === '--no' && second === '--' ? others : rest
    if (name === 'card-switch-conformance') return wrongWith(args)
    return ['vitest', 'allure'].includes(first) ? null : 'no such package'
  }
  if (first !== 'run')
    return ['ci', 'test', 'install', 'pack', 'pkg', 'publish'].includes(first) ? null : 'no such command'
  if (scripts[second] === undefined) return `no script ${second}`
  const args = others[0] === '--' ? others.slice(1) : []
  if (second === 'conformance') return wrongWith(args)
  const [program = '', ...options] =
    second === 'proof' ? ['judge', ...args] : second === 'lab' ? args : [second, ...args]
  if (second === 'lab' && flagsOfLab(program) === null) return `no program ${program} in the lab`
  const unknown = options.filter(
    (word) => word.startsWith('--') && flagsOfLab(program)?.includes(word.slice(2)) !== true,
  )
  return unknown.length === 0 ? null : `no flag ${unknown.join(' ')}`
}

describe('command lines', () => {
  it.each(pages)('are understood: %s', async (page) => {
    const mistakes: string[] = []
    for (const line of commandLinesIn(page)) {
      const mistake = await mistakeIn(line)
      if (mistake !== null) mistakes.push(`${line}: ${mistake}`)
    }

    expect(mistakes).toEqual([])
  })

  it('are checked', async () => {
    expect(pages.flatMap(commandLinesIn).length).toBeGreaterThan(50)
    expect(await mistakeIn('npm run conformance -- --profil gate')).toBe('no flag --profil')
    expect(await mistakeIn('npm run conformance -- verify')).toBe('0 arguments')
    expect(await mistakeIn('npx card-switch-conformance seal reports')).toBe('no command seal')
    expect(await mistakeIn('npm run proof -- --slowly')).toBe('no flag --slowly')
    expect(await mistakeIn('npm run prove')).toBe('no script prove')
    expect(await mistakeIn('npm run lab -- judge --slowly')).toBe('no flag --slowly')
    expect(await mistakeIn('npm run lab -- sauna')).toBe('no program sauna in the lab')
  })
})

it('nothing that is shipped names a machine, a registry or a folder of ours', () => {
  const files = [
    'package.json',
    'package-lock.json',
    'lab/bench/peers/package-lock.json',
    'tests/recipes/readers/package-lock.json',
    ...filesIn('docs/ci', ''),
    '.env.example',
    ...pages,
  ]
  for (const file of files) {
    expect(textOf(file), file).not.toMatch(
      /\/(?:work|home|root|Users)\/|"resolved"|_authToken|registry\.[a-z]/,
    )
  }
})

/** Markdown table of all settings, as in `docs/settings.md`. */
function settingsMarkdown(): string {
  const rows = settingTable.map(({ name, flag, argument, about, default: usual }) => {
    const how = flag === null ? '' : `\`--${flag}${argument === null ? '' : ` ${argument}`}\``
    return `| \`${name}\` | ${how} | ${about.replaceAll('|', '\\|')} | ${usual === undefined ? '' : `\`${usual}\``} |`
  })
  return ['| setting | flag | meaning | default |', '| --- | --- | --- | --- |', ...rows].join('\n')
}
