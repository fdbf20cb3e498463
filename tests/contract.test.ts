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
import { runInProcess } from './support/in-process.ts'
import { emptyFolder } from './support/program.ts'
import { filesIn, textOf } from './support/syntax.ts'

const page = textOf('docs/contract.md')
const schema = JSON.parse(textOf('lib/verdict/verdict.schema.json'))

/** The rows of the table of the page whose head begins with these cells. */
const tableOf = (head: string): readonly string[] =>
  page.split(`\n| ${head} |`)[1]?.split('\n\n')[0]?.split('\n').slice(2) ?? []

/** The names in a text: its parts in backquotes. */
const namesIn = (text = '') => Array.from(text.matchAll(/`([^`]+)`/g), ([, name = '']) => name)

/** The names in a column of such a table. */
const column = (head: string, at = 0) => tableOf(head).flatMap((line) => namesIn(line.split(' | ')[at]))

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
  const onPage = tableOf('command | arguments and flags').map((line) => {
    const [name = '', ...words] = namesIn(line)
    return sorted(name, name === 'run' ? words.filter((word) => word !== '--settings-file') : words)
  })

  areSame(onPage, all)
})

/** Names as the page lists them in a cell. */
const named = (names: readonly string[]) => [...new Set(names)].map((name) => `\`${name}\``).join(', ')

/** The properties of an entry in a schema of a file of the user. */
function propertiesIn(file: string): string {
  const [, written = ''] = textOf(file).split(/const (?:entry|file)Schema/)
  const [, indent = '', properties = ''] = /\n( +)properties: \{\n([^]*?)\n\1\}/.exec(written) ?? []
  return named(properties.match(new RegExp(`(?<=^${indent}  )\\w+(?=[:,])`, 'gm')) ?? [])
}

/** The exports of one kind, as docs/library.md lists them. library.test.ts compares that page with the library. */
const exported = (isStable: boolean, isType: boolean): string => {
  const text = textOf('docs/library.md').split('<!-- may change -->')[isStable ? 0 : 1]
  return named(text?.match(isType ? /(?<=^\| `)\w+(?=` \(type\) \|)/gm : /(?<=^\| `)\w+(?=` \|)/gm) ?? [])
}

const { properties, required, definitions } = schema
const counted = countedRules(ruleIds.map((id) => ({ id, level: ruleOf(id).level })))
const flagged = settingTable.filter(({ flag }) => flag !== null)
const unflagged = settingTable.filter(({ flag }) => flag === null)
const samples = metricsText(view(nonconformantVerdict())).replaceAll(/="[^"]*"/g, '')
const everyFact = view({
  ...nonconformantVerdict(),
  target: targetWith({ embedded: true, notJudged: [{ endpoint: 'b', because: 'why', fingerprint: 'a' }] }),
  connection: { proxy: 'http://a.example', caFiles: ['a'], certFile: 'a', fromEnvFile: ['HTTPS_PROXY'] },
  selection: { only: ['*'], essential: true },
})
const ofSuites = junitXml(everyFact).match(/(?<=<property name=")\w+/g) ?? []
const ofAllure = allureResults(everyFact, () => 'exchange').flatMap(({ labels }) => labels)

/** The beginning of each row of these tables of the page. The rest of a row explains. */
const tables: Readonly<Record<string, readonly string[]>> = {
  'code | verdict': properties.exitCode.enum.map((code: number) => `| ${code} | `),
  'setting | flag': flagged.map(({ name, flag, argument }) => {
    return `| ${named([name])} | ${named([argument === null ? `--${flag}` : `--${flag} ${argument}`])} |`
  }),
  'rule | level': counted.map(({ id, level }) => `| ${named([id])} | ${level} |`),
  'of | words': [
    `| a verdict | ${named(properties.verdict.enum)} |`,
    `| the status of a rule | ${named(statuses)} |`,
    `| the level of a rule | ${named(definitions.rule.properties.level.enum)} |`,
    `| the severity of a cause | ${named(severities)} |`,
    `| a profile | ${named(Object.keys(profiles))} |`,
  ],
  'field | always present': Object.keys(properties).map((name) => {
    return `| ${named([name])} |${required.includes(name) ? ' yes' : ''} |`
  }),
  'file of yours | properties of an entry': [
    `| [waivers](settings.md#waivers) | ${propertiesIn('lib/settings/waivers-validator.ts')} |`,
    `| [endpoints](rules.md#your-own-endpoints) | ${propertiesIn('lib/settings/endpoints-file.ts')}, \`definitions\` |`,
  ],
  'metric | further labels': [...new Set(samples.match(/^\w+\{.*(?=\} )/gm))].map((sample) => {
    const [name = '', ...further] = sample.replace('{target,profile', '').split(',')
    return `| ${named([name])} | ${named(further)} |`
  }),
  'where | names': [
    '| suites of `junit.xml` |',
    '| a test case |',
    `| properties of a suite | ${named(ofSuites)} |`,
    `| labels of Allure | ${named(ofAllure.map(({ name }) => name))} |`,
    '| annotations of GitHub |',
  ],
  'export | names': [
    `| stable | ${exported(true, false)} |`,
    `| stable types | ${exported(true, true)} |`,
    `| may change | ${exported(false, false)} |`,
    `| types that may change | ${exported(false, true)} |`,
  ],
}

it.each(Object.entries(tables))('the rows of a table of docs/contract.md are exact: %s', (head, rows) => {
  expect(tableOf(head).map((line, at) => line.slice(0, rows[at]?.length))).toEqual(rows)
})

it('docs/contract.md names exactly the verdicts of exit codes, and every other setting, format and file', async () => {
  const sources = filesIn('lib', '.ts').filter((file) => !/\.(?:test|testing)\.ts$|\/testing\//.test(file))
  const format = /(?<=')(?:card-switch-conformance\/[a-z]+\/|application\/vnd\.in-toto)[^']+(?=')/g
  const written = sources.map(textOf).join('').match(format) ?? []
  const sealed = JSON.parse(statementOf(verdictWith(), new Map(), '1.0.0').toString())
  const cwd = await emptyFolder()
  const args = ['--base-url', 'embedded', '--only', 'errors/*']
  for (const _ of [1, 2]) expect((await runInProcess(args, { cwd })).code).toBe(0)

  areSame([...new Set(column('code', 1))], properties.verdict.enum)
  expect(column('without a flag')).toEqual(unflagged.map(({ name }) => name))
  expect(unflagged.filter(({ secret }) => !secret).map(({ name }) => name)).toEqual(['NO_PROXY'])
  for (const { maxRequests } of Object.values(profiles))
    expect(page).toContain(`${maxRequests.toLocaleString('en')} in a`)
  for (const id of [...ruleIds, ...Object.values(fileNames)]) expect(page).toContain(`\`${id}\``)
  areSame(column('format'), [...written, sealed['_type'], sealed['predicateType']])
  areSame(column('file'), await readdir(join(cwd, 'reports')))
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

it.skipIf(!existsSync(agreed))('the schema of the verdict adds only optional properties', () => {
  expect(schema).toMatchObject(JSON.parse(readFileSync(agreed, 'utf8')))
})
