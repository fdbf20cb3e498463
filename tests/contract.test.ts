import { existsSync, readFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Command } from 'commander'
import { expect, it } from 'vitest'
import { withSettings } from '../lib/doors/cli/command.ts'
import { declareCommands } from '../lib/doors/cli/program.ts'
import { allureResults } from '../lib/report/allure/allure.ts'
import { fileNames, statementOf } from '../lib/report/evidence/statement.ts'
import { junitXml } from '../lib/report/render/junit.ts'
import { metricsText } from '../lib/report/render/metrics.ts'
import { view } from '../lib/report/view.ts'
import { profiles } from '../lib/settings/profiles.ts'
import { settingTable } from '../lib/settings/setting-table.ts'
import { areaOf, countedRules, ruleIds, ruleOf } from '../lib/specification/rules.ts'
import { severities } from '../lib/verdict/causes.ts'
import { nonconformantVerdict, targetWith, verdictWith } from '../lib/verdict/verdict.testing.ts'
import { statuses } from '../lib/verdict/verdict.ts'
import { suites } from '../suites/index.ts'
import { exportsOf } from './support/exports-table.ts'
import { runInProcess } from './support/in-process.ts'
import { emptyFolder } from './support/program.ts'
import { filesIn, textOf } from './support/syntax.ts'

const page = textOf('docs/contract.md')
const schema = JSON.parse(textOf('lib/verdict/verdict.schema.json'))

/** The cells of the table whose head begins with `head`, below a heading of the page. */
function rowsOf(heading: string, head: string): readonly (readonly string[])[] {
  const section = page.split(/^## /m).find((text) => text.startsWith(`${heading}\n`)) ?? ''
  const [, table = ''] = section.split(`\n| ${head} `)
  const [, , ...rows] = (table.split('\n\n')[0] ?? '').split('\n')
  return rows.filter((line) => line.startsWith('|')).map((line) => line.split('|').slice(1, -1))
}

/** The names in a cell: its texts in backquotes. */
const namesIn = (cell: string | undefined): readonly string[] =>
  [...(cell ?? '').matchAll(/`([^`]+)`/g)].map(([, name = '']) => name)

/** The names in a column of such a table. */
function column(heading: string, head: string, at = 0): readonly string[] {
  return rowsOf(heading, head).flatMap((cells) => namesIn(cells[at]))
}

/** The names in the row of such a table that begins with `first`. */
function row(heading: string, head: string, first: string): readonly string[] {
  return namesIn(rowsOf(heading, head).find(([cell]) => cell?.trim() === first)?.[1])
}

const areSame = (onPage: readonly string[], ofCode: readonly string[]): void =>
  expect(onPage.toSorted()).toEqual(ofCode.toSorted())

/** The arguments and flags of a command, with the choices of each flag, such as `--format text`. */
function takenBy(command: Command): readonly string[] {
  const settings = withSettings(new Command()).options.map(({ long }) => long ?? '')
  const flags = command.options.flatMap(({ long, argChoices = [] }) => [long ?? '', ...argChoices])
  const words = command.registeredArguments.map((argument) => {
    const name = argument.variadic ? `${argument.name()}...` : argument.name()
    return argument.required ? `<${name}>` : `[${name}]`
  })
  const takesSettings = settings.every((flag) => flags.includes(flag))
  return [...words, ...flags.filter((flag) => !takesSettings || !settings.includes(flag))]
}

it('docs/contract.md names exactly the commands, with their arguments and flags', async () => {
  const program = new Command()
  await declareCommands(['--help'], program, () => async () => {})
  const sorted = (name: string, taken: readonly string[]): string => [name, ...taken.toSorted()].join(' ')
  const all = program.commands.flatMap((command) =>
    command.commands.length === 0
      ? [sorted(command.name(), takenBy(command))]
      : command.commands.map((below) => sorted(`${command.name()} ${below.name()}`, takenBy(below))),
  )
  const onPage = rowsOf('Commands', 'command').map(([name, taken]) => {
    const words = namesIn(taken).filter((word) => namesIn(name)[0] !== 'run' || word !== '--settings-file')
    return sorted(namesIn(name).join(), words)
  })

  areSame(onPage, all)
})

it('docs/contract.md names exactly the exit codes, with their verdicts', () => {
  const codes = rowsOf('Exit codes', 'code').map(([code]) => Number(code))

  expect(codes).toEqual(schema.properties.exitCode.enum)
  areSame([...new Set(column('Exit codes', 'code', 1))], schema.properties.verdict.enum)
})

it('docs/contract.md names exactly the settings and flags, and the maximum requests of each profile', () => {
  const [flagged, others] = [rowsOf('Settings', 'setting'), column('Settings', 'without a flag')]
  const flags = flagged.map(([name, flag]) => [namesIn(name).join(), namesIn(flag).join()])
  const ofCode = settingTable.flatMap(({ name, flag, argument }) =>
    flag === null ? [] : [[name, `--${flag}${argument === null ? '' : ` ${argument}`}`]],
  )

  expect(flags).toEqual(ofCode)
  for (const { maxRequests } of Object.values(profiles))
    expect(page).toContain(`${maxRequests.toLocaleString('en')} in a`)
  expect(others).toEqual(settingTable.flatMap(({ name, flag }) => (flag === null ? [name] : [])))
  expect(settingTable.filter(({ secret, flag }) => !secret && flag === null)).toEqual([
    expect.objectContaining({ name: 'NO_PROXY' }),
  ])
})

it('docs/contract.md names exactly the rules and levels', () => {
  const onPage = rowsOf('Rules', 'rule').map(([id, level]) => [namesIn(id).join(), level?.trim()])

  const counted = countedRules(ruleIds.map((id) => ({ id, level: ruleOf(id).level })))
  expect(onPage).toEqual(counted.map(({ id, level }) => [id, level]))
  for (const id of ruleIds) expect(page).toContain(`\`${id}\``)
})

it.each([
  ['a verdict', schema.properties.verdict.enum],
  ['the status of a rule', statuses],
  ['the level of a rule', schema.definitions.rule.properties.level.enum],
  ['the severity of a cause', severities],
  ['a profile', Object.keys(profiles)],
])('docs/contract.md names exactly the words for %s', (of, words) => {
  areSame(row('Words', 'of', of), words)
})

it('docs/contract.md names exactly the fields of verdict.json, and which are always present', () => {
  const always = rowsOf('verdict.json', 'field').flatMap(([name, yes]) =>
    yes?.trim() === 'yes' ? namesIn(name) : [],
  )

  expect(column('verdict.json', 'field')).toEqual(Object.keys(schema.properties))
  areSame(always, schema.required)
})

it('docs/contract.md names exactly the files of a run', async () => {
  const cwd = await emptyFolder()
  const args = ['--base-url', 'embedded', '--only', 'errors/*']
  for (const _ of [1, 2]) expect((await runInProcess(args, { cwd })).code).toBe(0)

  areSame(column('Files and formats', 'file'), await readdir(join(cwd, 'reports')))
})

it('docs/contract.md names exactly the formats', () => {
  const sources = filesIn('lib', '.ts').filter((file) => !/\.(?:test|testing)\.ts$|\/testing\//.test(file))
  const format = /'((?:card-switch-conformance\/[a-z]+\/|application\/vnd\.in-toto)[^']+)'/g
  const written = [...sources.map(textOf).join('').matchAll(format)].map(([, name = '']) => name)
  const sealed = JSON.parse(statementOf(verdictWith(), new Map(), '1.0.0').toString())

  areSame(column('Files and formats', 'format'), [...written, sealed['_type'], sealed['predicateType']])
  for (const name of Object.values(fileNames)) expect(page).toContain(`\`${name}\``)
})

it.each([
  ['[waivers](settings.md#waivers)', 'lib/settings/waivers-validator.ts', []],
  ['[endpoints](rules.md#your-own-endpoints)', 'lib/settings/endpoints-file.ts', ['definitions']],
])('docs/contract.md names exactly the properties of %s', (of, file, others) => {
  const [, written = ''] = textOf(file).split(/const (?:entry|file)Schema/)
  const [, indent = '', properties = ''] = /\n( +)properties: \{\n([^]*?)\n\1\}/.exec(written) ?? []
  const names = [...properties.matchAll(new RegExp(`^${indent}  (\\w+)[:,]`, 'gm'))]

  areSame(row('Files and formats', 'file of yours', of), [...names.map(([, name = '']) => name), ...others])
})

it('docs/contract.md names exactly the metrics and their labels', () => {
  const samples = metricsText(view(nonconformantVerdict())).matchAll(/^(\w+)\{(.*)\} /gm)
  const ofCode = [...samples].map(([, name = '', labels = '']) =>
    [name, ...[...labels.matchAll(/(\w+)="/g)].map(([, label = '']) => label)].join(),
  )
  const onPage = rowsOf('Metrics', 'metric').map(([name, labels]) =>
    [...namesIn(name), 'target', 'profile', ...namesIn(labels)].join(),
  )

  areSame(onPage, [...new Set(ofCode)])
})

it('docs/contract.md names exactly the JUnit properties and Allure labels', () => {
  // A verdict with every fact.
  const notJudged = [{ endpoint: 'POST /b', because: 'why', fingerprint: 'aaaaaaaa' }]
  const fromEnvFile = ['HTTPS_PROXY'] as const
  const verdict = {
    ...nonconformantVerdict(),
    target: targetWith({ embedded: true, notJudged }),
    connection: { proxy: 'http://proxy.example', caFiles: ['ca.pem'], certFile: 'a.pem', fromEnvFile },
    selection: { only: ['*'], essential: true },
  }
  const properties = junitXml(view(verdict)).matchAll(/<property name="(\w+)"/g)
  const known = new Set([...properties].map(([, name = '']) => name))
  const results = allureResults(view(verdict), () => 'exchange')
  const labels = new Set(results.flatMap((result) => result.labels.map(({ name }) => name)))

  areSame(row('JUnit, Allure, GitHub', 'where', 'properties of a suite'), [...known])
  areSame(row('JUnit, Allure, GitHub', 'where', 'labels of Allure'), [...labels])
})

it.each([
  ['stable', true, false],
  ['stable types', true, true],
  ['may change', false, false],
  ['types that may change', false, true],
])('docs/contract.md names exactly the exports of the library: %s', (first, isStable, isType) => {
  const exported = exportsOf(textOf('lib/doors/library/library.ts'))
  const wanted = exported.filter((one) => one.isStable === isStable && one.isType === isType)

  expect(row('The library', 'export', first)).toEqual(wanted.map(({ name }) => name))
})

it('the version matches the changelog and the lock file', () => {
  const { version } = JSON.parse(textOf('package.json'))
  const lock = JSON.parse(textOf('package-lock.json'))
  const [newest] = [...textOf('CHANGELOG.md').matchAll(/^## (\S+)/gm)].map(([, name]) => name)

  expect([lock.version, lock.packages[''].version, newest]).toEqual([version, version, version])
})

it('the rules of the catalogue are each implemented exactly once, with one suite file per area', () => {
  const declared = suites.flatMap(({ rules }) => rules.map(({ id }) => id))
  const areas = suites.map(({ rules }) => [...new Set(rules.map(({ id }) => areaOf(id)))])

  areSame(declared, ruleIds)
  expect(areas.flat()).toEqual([...new Set(ruleIds.map(areaOf))])
  expect(areas.every((names) => names.length === 1)).toBe(true)
  const files = areas.flat().map((area) => `suites/${area}.suite.ts`)
  areSame(filesIn('suites', '.suite.ts'), files)
})

it('the rules of the catalogue are judged in phases: rules that use up a quota after rules that need it, summaries at the end', () => {
  const idsIn = (phase: string): readonly string[] => ruleIds.filter((id) => ruleOf(id).phase === phase)

  expect(idsIn('quota').map((id) => id.split('/')[0])).toEqual(['quota', 'quota', 'quota'])
  const last = ['conventions/http-messages', 'authentication/stays-refused', 'authentication/no-side-door']
  expect(idsIn('last')).toEqual(last)
  expect(idsIn('summary')).toContain('endpoints/list-succeeds')
})

const agreed = fileURLToPath(new URL('../../shared/verdict.schema.json', import.meta.url))

it.skipIf(!existsSync(agreed))(
  'the schema of the verdict extends the agreed one with optional properties only',
  () => {
    expect(schema).toMatchObject(JSON.parse(readFileSync(agreed, 'utf8')))
  },
)
