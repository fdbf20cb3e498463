import { chmod, readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { parse } from 'dotenv'
import { expect, test } from 'vitest'
import { expectEnds, run, runWhole } from './support/program-test.ts'
import { emptyFolder, folderWith } from './support/program.ts'
import { textOf } from './support/syntax.ts'

const TARGET_SECRET_KEY = `sk_Jd7W"q0Bn5'Xe2#Hs9Vt6 Pa41GuKm`
const credentials = { TARGET_API_KEY: 'pk_9fQ2mLx7Tzv4Rk1wYc83', TARGET_SECRET_KEY }

test('init writes the initial files from flags and environment, and prints the next command last', async () => {
  const flags = ['--base-url', 'https://staging.example/v1', '--label', 'vendor 7', '--ci', 'github']
  const { code, stdout, stderr, cwd } = await run(['init', ...flags], { env: credentials })

  expect((await readdir(cwd)).toSorted()).toEqual(['.env', '.github', '.gitignore', 'provider-request.md'])
  const env = parse(await readFile(join(cwd, '.env')))
  expect(Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''))).toEqual({
    ...credentials,
    TARGET_BASE_URL: 'https://staging.example/v1',
    TARGET_LABEL: 'vendor 7',
  })
  expect((await stat(join(cwd, '.env'))).mode & 0o777).toBe(0o600)
  expect(await readFile(join(cwd, '.gitignore'), 'utf8')).toBe('.env\nreports/\n')
  const workflow = await readFile(join(cwd, '.github/workflows/conformance.yml'), 'utf8')
  expect(workflow).toBe(textOf('docs/ci/github-gate.yml'))
  expect(stdout.trimEnd().split('\n').at(-1)).toMatch(/^ {2}node \/.*card-switch-conformance\.mjs doctor$/)
  expect([code, stderr]).toEqual([0, ''])
})

test.for([
  ['gitlab', '.gitlab-ci.yml', 'docs/ci/gitlab-ci.yml'],
  ['jenkins', 'Jenkinsfile', 'docs/ci/Jenkinsfile'],
] as const)('init writes the pipeline of docs/ci for %s', async ([ci, file, source]) => {
  const { cwd } = await run(['init', '--ci', ci])

  expect(await readFile(join(cwd, file), 'utf8')).toBe(textOf(source))
})

test('init never overwrites a file, lists the files that it kept, and says what .gitignore must contain', async () => {
  const mine = { '.env': 'TARGET_LABEL=mine\n', '.gitignore': 'node_modules\n/.env' }
  const own = { ...mine, Jenkinsfile: 'mine\n', 'provider-request.md': 'mine\n' }
  const cwd = await folderWith(own)

  const ended = await run('init --ci jenkins', { cwd })

  for (const [name, text] of Object.entries(own)) expect(await readFile(join(cwd, name), 'utf8')).toBe(text)
  expect(ended.stdout.match(/^left .*already exists/gm)).toHaveLength(4)
  expectEnds(ended, 0, '.gitignore: it already exists; make sure that it lists .env and reports/')
})

test('init writes only the requested settings, and says that a pipeline does not read .env', async () => {
  const alone = await run(['init'])
  const { stdout, cwd } = await run(['init', '--ci', 'gitlab', '--profile', 'nightly'])

  expect(stdout).toContain('The pipeline does not read .env.')
  expect(alone.stdout).not.toContain('?')
  expect(alone.stdout).not.toContain('The pipeline does not read .env')
  const [first, ...lines] = (await readFile(join(cwd, '.env'), 'utf8')).trimEnd().split('\n')
  const example = /^# .* (\/\S+\.env\.example) lists /.exec(first ?? '')?.[1] ?? ''
  expect(await readFile(example, 'utf8')).toBe(textOf('.env.example'))
  const names = ['TARGET_BASE_URL=', 'TARGET_API_KEY=', 'TARGET_SECRET_KEY=', 'TARGET_LABEL=']
  expect(lines).toEqual([...names, 'RUN_PROFILE=nightly'])
})

test('init asks the provider for a client for each documented answer', async () => {
  const { cwd } = await run(['init', '--base-url', 'https://staging.example', '--label', 'vendor 7'])
  const text = await readFile(join(cwd, 'provider-request.md'), 'utf8')

  const rows = [...text.matchAll(/^\| (?!client|---)[^|]+\| ([^|]+) \| ([^|]+) \|$/gm)]
  const codeOf = (answer = ''): string => /error_code (\d+)/.exec(answer)?.[1] ?? 'served'
  expect(rows.map(([, answer, setting]) => [codeOf(answer), setting])).toEqual([
    ['served', 'TARGET_API_KEY, TARGET_SECRET_KEY'],
    ['served', 'FIXTURE_SECOND_…'],
    ['1012', 'FIXTURE_NO_CUSTOMER_…'],
    ['1011', 'FIXTURE_INACTIVE_…'],
    ['1013', 'FIXTURE_UNAUTHORIZED_…'],
    ['1020', 'FIXTURE_EXHAUSTED_…'],
    ['1020', 'FIXTURE_DISPOSABLE_…'],
  ])
  for (const words of ['vendor 7', 'https://staging.example', 'error_code 1030'])
    expect(text).toContain(words)
  for (const name of ['FIXTURE_INVALID_QUERY', 'FIXTURE_DISPOSABLE_QUOTA']) expect(text).toContain(name)
})

test('init exits 2 with a message in a read-only folder', async () => {
  const cwd = await emptyFolder()
  await chmod(cwd, 0o555)
  const through =
    process.getuid?.() === 0 ? ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'] : []
  if (through.length > 0) await chmod(cwd, 0o755)

  const says = /\.gitignore cannot be written: EACCES.*run init in a writable folder/

  expectEnds(await runWhole(['init'], { cwd, through }), 2, says)
  expect(await readdir(cwd)).toEqual([])
})
