import { mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { spellings } from '../../../tests/leaks/spellings.ts'
import { textOf } from '../../../tests/support/syntax.ts'
import { smallVerdict } from '../../report/evidence/bundle.testing.ts'
import { writeReports } from '../../report/write-reports.ts'
import { faults } from '../../serve/reference/faults.ts'
import { unfinishedVerdict } from '../../verdict/assemble.ts'
import { concluded, findingWith, metadataWith } from '../../verdict/verdict.testing.ts'
import { nonconformantVerdict, rulesWith, ruleWith, verdictWith } from '../../verdict/verdict.testing.ts'
import { verdictJson, type Verdict } from '../../verdict/verdict.ts'
import { makeKeys, reported, runIn } from './bundle.testing.ts'
import { shownWord } from './command.ts'

type Change = (cwd: string) => unknown

/** A command, its message, an earlier change to the folder with the reports of a run, and the verdict of that run. */
type Row = readonly [words: string, says: string | RegExp, change?: Change | undefined, verdict?: Verdict]

const put =
  (name: string, text: string): Change =>
  async (cwd) => {
    await mkdir(dirname(join(cwd, name)), { recursive: true })
    await writeFile(join(cwd, name), text)
  }

const edited =
  (name: string, from: RegExp = /$/, to = ' '): Change =>
  async (cwd) => {
    const text = await readFile(join(cwd, name), 'utf8')
    expect(text).toMatch(from)
    await writeFile(join(cwd, name), text.replace(from, to))
  }

/** Changes one of the Allure results in the reports. */
const ofAllure =
  (change: (file: string) => Promise<unknown>): Change =>
  async (cwd) => {
    await writeReports(smallVerdict, { folder: join(cwd, 'reports'), allure: true })
    const folder = join(cwd, 'reports/allure-results')
    const [name = ''] = (await readdir(folder)).filter((one) => one.endsWith('-result.json'))
    await change(join(folder, name))
  }

const linked =
  (name: string, to: string): Change =>
  async (cwd) => {
    await rm(join(cwd, name), { force: true })
    await symlink(to, join(cwd, name))
  }

const documented: Change = async (cwd) => {
  await put('cards.yaml', textOf('docs/examples/cards.openapi.yaml'))(cwd)
  await put('w.json', 'mine')(cwd)
}

const sealed: Change = async (cwd) => {
  makeKeys(cwd)
  await runIn(cwd, ['bundle', 'reports', '--out', 'e.tar.gz'])
}

const otherDigest = 'its SHA-256 differs from the one in run.sha256'
const bundle = 'bundle reports --out e.tar.gz'
const bundleHere = 'bundle . --out e.tar.gz'
const waive = 'waive reports --out w.json'
const red = nonconformantVerdict()
const other = 'allure-results/00000000-0000-0000-0000-000000000000-result.json'
const exists = ' was not written: it already exists: choose another name with --out, or move it away\n'

const outside = 'a.yaml, the reference http://127.0.0.1:9/a.yaml'
const referring = put('a.yaml', 'openapi: 3.1.0\npaths: { /api/a: { $ref: "http://127.0.0.1:9/a.yaml" } }')
const untested = ruleWith('quota/exhausted', { status: 'untested', because: 'no such client is given' })
const spent = ruleWith('fuzz/path', { status: 'inconclusive', because: 'the budget was used up' })
const because = ['the run ended early: why it is incomplete']
const unchangeable = `no waiver can change that the run in reports is incomplete: ${because.join('')}`
const warned = ruleWith('conventions/json-content-type', { status: 'warned', findings: [findingWith()] })
const waives = (verdict: Verdict, says: string): Row => [waive, says, undefined, verdict]
const notStarted = 'the reference service cannot be started on 127.0.0.1:0'
const ports = ['-1', '', '00', '08080', '8o', '1e3', '0x50', '65536', 'http']
const zero: Change = async (cwd) => {
  await put('honest.json', verdictJson(red))(cwd)
  await edited('reports/verdict.json', /"exitCode": 1/, '"exitCode": 0')(cwd)
}
const forged = (words: string): Row => [words, 'it says nonconformant with exit code 0', zero, red]
test.for<Row>([
  // Changed reports. forged-archives.test.ts has more cases of the same check.
  [bundle, `"verdict.json" was changed: ${otherDigest}`, edited('reports/verdict.json')],
  [bundle, '"index.html" was changed', edited('reports/index.html')],
  [bundle, /"allure-results\/.+" was changed/, ofAllure((file) => writeFile(file, '{}'))],
  [bundle, /"allure-results\/.+" is missing/, ofAllure((file) => rm(file))],
  [bundle, `"${other}" is extra: run.sha256 does not list it`, put(`reports/${other}`, '{}')],
  [bundle, '"index.html" is missing', linked('reports/index.html', '/etc/passwd')],
  [bundle, '"run.sha256" is missing', (cwd) => rm(join(cwd, 'reports/run.sha256'))],
  // No run.
  ['bundle missing --out e.tar.gz', '"verdict.json" is missing'],
  ['bundle reports/verdict.json --out e.tar.gz', '"verdict.json" is missing'],
  [bundleHere, '"verdict.json" is missing'],
  [bundleHere, 'is not JSON', put('verdict.json', '{')],
  ['waive . --out w.json', 'cannot be read'],
  ['waive . --out w.json', 'is not JSON', put('verdict.json', '{')],
  // A verdict that contradicts itself. lib/verdict/read-verdict.test.ts has more cases of the same check.
  ...['report reports', bundle, waive, 'plan --failed --base-url embedded'].map(forged),
  ...['compare reports honest.json', 'compare honest.json reports'].map(forged),
  // Nothing to waive.
  waives(verdictWith({ rules: rulesWith([warned]) }), 'nothing to waive: the run in reports is conformant'),
  waives(concluded({ because, rules: rulesWith([spent]) }), `nothing to waive: ${unchangeable}`),
  waives(concluded({ because, rules: rulesWith([untested]) }), 'there is nothing to waive'),
  waives(unfinishedVerdict(metadataWith()), 'that the run in reports is error: the run did not finish'),
  // Unusable output names. Existing files are never replaced.
  ['bundle reports', "required option '--out <file>' not specified"],
  ['waive reports', "required option '--out <file>' not specified"],
  ['bundle reports --out reports/index.html', 'must end in .tar.gz'],
  ['bundle reports --out=', 'must end in .tar.gz'],
  ['bundle reports --out missing/e.tar.gz', 'ENOENT'],
  ['bundle reports --out /sys/kernel/e.tar.gz', '/sys/kernel/e.tar.gz was not written: E'],
  [bundle, `e.tar.gz${exists}`, put('e.tar.gz', 'signed')],
  [bundle, `e.tar.gz${exists}`, put('e.tar.gz/file', 'signed')],
  [bundle, `e.tar.gz${exists}`, linked('e.tar.gz', 'reports/index.html')],
  [bundle, `e.tar.gz${exists}`, linked('e.tar.gz', 'nothing')],
  [waive, `w.json${exists}`, put('w.json', 'mine'), red],
  [`${bundle} --signing-key-file key.pem`, "unknown option '--signing-key-file'", makeKeys],
  ['endpoints import cards.yaml --out w.json', `w.json${exists}`, documented],
  // No document to import.
  ['endpoints import none.yaml', 'given a file that does not exist'],
  ['endpoints import a.yaml', 'line 2, column 1: expected YAML or JSON', put('a.yaml', 'a: [1\nb: 2')],
  ['endpoints import a.yaml', `${outside}: expected a file in the folder of the document`, referring],
  // No service to start.
  ['serve --fault nonsense', `${notStarted}: unknown fault "nonsense"; known faults: `],
  ['serve --variant nonsense', `${notStarted}: unknown variant "nonsense"; known variants: `],
  ...ports.map((port): Row => [`serve --port=${port}`, 'a whole number from 0 to 65535']),
  ...['', '\t'].map((host): Row => [`serve --host=${host}`, 'check that the variable for --host is set']),
  // Nothing to check.
  ['verify missing.tar.gz', 'cannot be checked: ENOENT'],
  ['verify reports', 'cannot be checked: EISDIR'],
  ['verify /dev/zero', 'cannot be checked: it is not a plain file'],
  ['verify e.tar.gz --key missing.pem', 'missing.pem cannot be read', sealed],
  ['verify e.tar.gz --key e.tar.gz', 'contains no key in PEM', sealed],
  ['verify e.tar.gz --key key.pem', 'key.pem contains "PRIVATE KEY"', sealed],
  ['verify e.tar.gz --key=', 'cannot be read', sealed],
])('%s ends in 2, and changes no file: %s', async ([words, says, change, verdict = smallVerdict]) => {
  const cwd = await reported(verdict)
  await change?.(cwd)
  const before = await contents(cwd)

  const { code, stdout, stderr } = await runIn(cwd, words.split(' '))

  expect(stderr).toMatch(says)
  expect([code, stdout]).toEqual([2, ''])
  expect(await contents(cwd)).toEqual(before)
})

/** Each file and folder below a folder, with its bytes. */
async function contents(cwd: string): Promise<readonly (readonly [string, string])[]> {
  const names = (await readdir(cwd, { recursive: true })).toSorted()
  const textIn = (name: string) => readFile(join(cwd, name), 'latin1').catch(() => '')
  return Promise.all(names.map(async (name) => [name, await textIn(name)] as const))
}

test('the list of faults describes each fault, the rules that detect it, and the profiles', async () => {
  const { code, stdout } = await runIn('.', ['serve', '--list-faults'])

  expect(code).toBe(0)
  expect(stdout.match(/^\S.*$/gm)).toEqual(faults.map(({ name }) => name))
  for (const { name, about, rules } of faults)
    expect(stdout).toContain(`${name}\n    ${about}\n    noticed by ${rules.join(', ')}`)
  expect(stdout).toMatch(/^browsers-need-no-key\n[^]*?, in acceptance alone$/m)
  const later = faults.filter(({ profile }) => profile !== undefined)
  expect(stdout.match(/, (?:in acceptance alone|from acceptance on)$/gm)).toHaveLength(later.length)
})

const secret = 'sk_9fQ2mLx7Tzv4Rk1wYc83'
const env = { TARGET_API_KEY: 'pk_7Hd0Ks3Vn6Bq1Xz8', TARGET_SECRET_KEY: secret }

const texts = ['unchanged', 'in upper case', 'in base64', 'in hexadecimal'].flatMap((name) => {
  const spell = spellings[name] ?? String
  const most = `${name}, without its last character`
  return [[name, spell(secret)] as const, [most, spell(secret.slice(0, -1))] as const]
})

test.for(texts)(
  'a credential in the arguments of a command is refused, but not shown: %s',
  async ([, text]) => {
    const cwd = await reported()
    const before = await readdir(cwd)
    for (const args of [
      ['init', '--label', `build of ${text}`],
      ['init', '--base-url', `https://staging.example/${text}`],
      ['waive', 'reports', '--out', 'w.json', '--reason', `as ${text}`],
      ['waive', 'reports', '--out', 'w.json', '--owner', text],
      ['waive', 'reports', '--out', `${text}.json`],
      ['proxy', '--base-url', `https://staging.example/${text}`],
      // Arguments that no command knows.
      [text],
      ['run', text],
      ['plan', '--seed', text],
      ['plan', `--${text}`],
      ['plan', `--secret-key=${text}`],
      ['plan', `-${text}`],
      ['rules', '--format', text],
    ]) {
      const { code, stdout, stderr } = await runIn(cwd, args, env)

      expect([code, stdout]).toEqual([2, ''])
      expect(stderr).not.toContain(text)
      const isKnown = ['init', 'waive', 'proxy'].includes(args[0] ?? '')
      expect(stderr).toContain(isKnown ? 'contains TARGET_SECRET_KEY or most of it' : '')
      expect(stderr).toContain(isKnown ? args.at(-2) : '')
    }

    expect(await readdir(cwd)).toEqual(before)
  },
)

test.each([
  ['rum', 'rum'],
  ['--secret-key=Zm9v+Tq/81', '--secret-key…'],
  ['-Zm9v+Tq/81', 'a word of 11 characters'],
  ['averylongwordinlowercase', 'a word of 24 characters'],
])('%s is shown as %s', (word, shown) => {
  expect(shownWord(word)).toBe(shown)
})
