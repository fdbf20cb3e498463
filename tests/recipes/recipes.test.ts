import { generateKeyPairSync } from 'node:crypto'
import { existsSync, readdirSync } from 'node:fs'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { settingTable } from '../../lib/settings/setting-table.ts'
import { ruleIds } from '../../lib/specification/rules.ts'
import { describeWithPackages } from '../gateways/installed.ts'
import { reference } from '../support/program-test.ts'
import { filled, rulesThat, settingsFor, untestedOfGate } from '../support/program.ts'
import { filesIn, textOf } from '../support/syntax.ts'
import { documentsOf, githubMistakes, gitlabMistakes, kubernetesMistakes, type Mapping } from './readers.ts'
import { activated, copied, judgedBy, quick, recipes, runGithubJob, runShell } from './steps.ts'
import { stagesOf, tiny, verdictIn, workflows, workplace } from './steps.ts'

const files = filesIn('docs/ci', '')
const wrongKey = 'invalid-api-key-customer-not-found'
const kubernetes = files.filter((file) => /\/kubernetes-/.test(file))

describeWithPackages('the files of docs/ci fit their published schemas, which reject mistakes:', () => {
  const workflow = (text: string): Promise<readonly string[]> => githubMistakes('workflow', text)
  const action = (text: string): Promise<readonly string[]> => githubMistakes('action', text)
  /** The schema accepts anything in a hidden job. */
  const pipeline = (text: string): Promise<readonly string[]> =>
    gitlabMistakes(text.replace(/^\.conformance:/m, 'shared:'))
  const resources = (text: string): readonly string[] => documentsOf(text).flatMap(kubernetesMistakes)
  type Row = readonly [string, (text: string) => readonly string[] | Promise<readonly string[]>, string]

  test.for<Row>([
    ...workflows.map((file): Row => [file, workflow, 'steps:']),
    ['docs/ci/action.yml', action, 'shell: bash'],
    ['docs/ci/gitlab-ci.yml', pipeline, 'when: always'],
    ...kubernetes.map((file): Row => [file, resources, '1, 2, 3']),
  ])('%s', async ([file, mistakesOf, part]) => {
    const text = textOf(file)

    expect(await mistakesOf(text)).toEqual([])
    expect(await mistakesOf(text.replaceAll(part, `x${part}`))).not.toEqual([])
  })
})

describeWithPackages('the files of docs/ci have shell steps that work on GitHub:', () => {
  const annotation = /^::error title=A request with a wrong API key.+%0AReplay: npx /m
  test.for([
    ['passes', [], ['gh'], {}, /CONFORMANT/, '**Conformant**', 0],
    ['fails, annotates a violation', [wrongKey], ['gh', 'npm'], quick, annotation, '**Partial, nonc', 1],
  ] as const)('a gate %s and comments on the pull request', async (row) => {
    const [, faults, programs, env, says, comment, exit] = row
    const place = await workplace(...programs)
    const settings = settingsFor(await reference({ faults }))

    const { code, output } = await judgedBy('docs/ci/github-gate.yml', { ...place, settings, env })

    expect(output).toMatch(says)
    const verdict = await verdictIn(place)
    expect(rulesThat(verdict, 'untested', 'inconclusive')).toEqual(untestedOfGate)
    const called = 'pr comment 7 --body-file comment.md --edit-last --create-if-none\n'
    expect(await readFile(join(place.stubs, 'gh.called'), 'utf8')).toBe(called)
    expect(await readFile(join(place.cwd, 'comment.md'), 'utf8')).toContain(comment)
    expect([verdict?.target.build, code]).toEqual(['f34ee38', exit])
  })

  test('an acceptance seals and signs its evidence, whatever the verdict', async () => {
    const place = await workplace('npm')
    const { privateKey, publicKey } = generateKeyPairSync('ed25519')
    const SIGNING_KEY = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
    await writeFile(join(place.cwd, 'public.pem'), publicKey.export({ type: 'spki', format: 'pem' }))
    const settings = { ...settingsFor(await reference()), SIGNING_KEY }

    const ended = await judgedBy('docs/ci/github-acceptance.yml', { ...place, settings, env: tiny })

    // Only some rules were selected.
    expect(ended.code).toBe(3)
    const verify = 'npx --no -- card-switch-conformance verify conformance-evidence.tar.gz --key public.pem'
    expect(await runShell(['-c', verify], place)).toMatchObject({ code: 0 })
    const target = { label: 'vendor-a', build: '$(touch owned)' }
    expect((await verdictIn(place))?.target).toMatchObject(target)
    expect(existsSync(join(place.cwd, 'owned'))).toBe(false)
  })

  test('the action outputs its exit code', async () => {
    const place = await workplace('npm')
    const { TARGET_BASE_URL = '', TARGET_API_KEY = '' } = settingsFor(await reference())
    const settings = { TARGET_BASE_URL, TARGET_API_KEY, TARGET_SECRET_KEY: 'nobodys-secret-key' }

    expect((await judgedBy('docs/ci/action.yml', { ...place, settings, env: quick })).code).toBe(3)
    expect(await readFile(join(place.cwd, 'output'), 'utf8')).toBe('exit-code=3\n')
    expect(existsSync(join(place.cwd, 'owned'))).toBe(false)
  })

  test('a matrix of targets ends with a page that has a line for each target, even one that never ran', async () => {
    const place = await workplace('npm')
    const text = textOf('docs/ci/github-matrix.yml')
    const targets = { 'vendor-a': await reference(), 'vendor-b': await reference({ faults: [wrongKey] }) }
    await writeFile(join(place.cwd, 'conformance-targets.txt'), '# all\nvendor-a\nvendor-b\n\nvendor-c\n')
    await mkdir(join(place.cwd, 'targets'))
    const GITHUB_OUTPUT = join(place.cwd, 'output')
    await runGithubJob(text, 'list', { ...place, env: { GITHUB_OUTPUT } })
    for (const [name, service] of Object.entries(targets)) {
      const [settings, context] = [settingsFor(service), { 'matrix.target': name }]
      await judgedBy('docs/ci/github-matrix.yml', { ...place, settings, context, env: quick })
      await rename(join(place.cwd, 'reports'), join(place.cwd, `targets/${name}`))
    }

    const { code, output } = await runGithubJob(text, 'compare', place)

    expect(await readFile(GITHUB_OUTPUT, 'utf8')).toBe('targets=["vendor-a","vendor-b","vendor-c"]\n')
    const page = await readFile(join(place.cwd, 'targets/index.html'), 'utf8')
    for (const name of Object.keys(targets)) expect(page).toContain(`href="${name}/index.html"`)
    expect(output).toContain('vendor-c: ABSENT')
    expect(output).toContain('1 of 3 targets has no verdict (exit 1)')
    expect(code).toBe(1)
  })
})

/** Commands that would install the package by its name alone. */
const takenByName =
  /\b(?:npx (?!--no -- )|npm (?:i|install|add|exec|x) |pnpm (?:add|dlx) |yarn (?:add|dlx) |bunx )(?:-[\w-]* )*card-switch-conformance\b/
const pages = ['README.md', '.env.example', 'CHANGELOG.md', 'reports/README.md', ...filesIn('docs', '.md')]

test.for([...pages, ...files])('%s never installs the package by name from a public registry', (page) => {
  for (const wrong of ['npx --yes', 'npx', 'npm i -D', 'npm install', 'npm exec'])
    expect(`${wrong} card-switch-conformance`).toMatch(takenByName)
  expect(textOf(page)).not.toMatch(takenByName)
})

const fixtures = settingTable.filter(({ name }) => name.startsWith('FIXTURE_'))
const history = 'conformance-history.jsonl'
const jenkinsfile = textOf('docs/ci/Jenkinsfile')

test.for(copied)('every fixture is in %s', (file) => {
  const text = textOf(file)

  expect(fixtures.length).toBeGreaterThan(10)
  expect(fixtures.filter(({ name }) => !new RegExp(`\\b${name}\\b`).test(text))).toEqual([])
})

describeWithPackages('every fixture is given on GitHub', () => {
  test.for(workflows)('only to the step that judges: %s', (file) => {
    const { steps, ...job } = Object(Object(documentsOf(textOf(file))[0]?.['jobs'])['judge'])
    const [judging, ...none] = steps.filter(({ run = '' }: Mapping) => / run( |$)/.test(String(run)))
    const others = steps.filter((step: Mapping) => step !== judging)

    for (const { name, secret } of fixtures)
      expect(judging.env[name]).toBe(`\${{ ${secret ? 'secrets' : 'vars'}.${name} }}`)
    expect(JSON.stringify([job, others])).not.toMatch(/secrets\.(?:TARGET|FIXTURE)_/)
    expect(none).toEqual([])
  })
})

describeWithPackages('the history is kept between runs, even of a red run:', () => {
  test.for([...workflows, 'docs/ci/action.yml'])('%s, for each target', (file) => {
    const [{ runs, jobs }] = documentsOf(textOf(file)).map(Object)
    const steps = (runs ?? jobs.judge).steps.filter(({ uses }: Mapping) =>
      String(uses).startsWith('actions/cache'),
    )
    const [restored, saved] = steps.map((step: Mapping) => Object(step['with']))

    expect(steps.map((step: Mapping) => step['if'])).toEqual([undefined, 'always()'])
    // The prefix of a target ends with a slash before the number of the run, so it matches the key of no other target.
    const end = /acceptance|matrix|action/.test(file)
      ? /\/\$\{\{ (?:inputs|matrix)\.\w+ \}\}\/$/
      : /history-$/
    expect(restored['restore-keys']).toMatch(end)
    for (const { key } of [restored, saved]) expect(key.startsWith(restored['restore-keys'])).toBe(true)
    expect(restored.path).toBe(saved.path)
  })

  test('docs/ci/gitlab-ci.yml, for each profile', () => {
    const [pipeline = {}] = documentsOf(textOf('docs/ci/gitlab-ci.yml'))

    const kept = { key: 'conformance-history-$RUN_PROFILE', paths: [history], when: 'always' }
    expect(pipeline['.conformance']).toHaveProperty('cache', kept)
  })

  test('docs/ci/Jenkinsfile, from the last build, whatever its result', () => {
    expect(stagesOf(jenkinsfile).map(({ name }) => name)).toEqual(['Clear', 'History', 'Install', 'Judge'])
    expect(jenkinsfile).toContain(`selector: lastCompleted(), filter: '${history}', optional: true`)
    expect(jenkinsfile).toMatch(new RegExp(`always \\{[^]*archiveArtifacts artifacts: '[^']*\\b${history}'`))
    // A Jenkinsfile has no published schema.
    expect(jenkinsfile.split('{').length).toBe(jenkinsfile.split('}').length)
  })
})

describeWithPackages('once its line is active', () => {
  test('every fixture is used on Jenkins', async () => {
    const settings = settingsFor(await reference())
    const place = await workplace('npm')
    const text = activated(jenkinsfile.replaceAll(/^.*(?:FIXTURE_INACTIVE_ENDPOINT|RUN_WAIVERS =).*\n/gm, ''))

    const judging = { ...place, settings, text, env: quick }
    expect((await judgedBy('docs/ci/Jenkinsfile', judging)).code).toBe(0)
    expect(rulesThat(await verdictIn(place), 'untested', 'inconclusive')).toEqual(untestedOfGate)
  })

  test.for(copied)('the file of agreed exceptions counts, and not before: %s', async (file) => {
    const service = await reference({ faults: [wrongKey] })
    const { TARGET_BASE_URL = '', TARGET_API_KEY = '', TARGET_SECRET_KEY = '' } = settingsFor(service)
    const settings = { TARGET_BASE_URL, TARGET_API_KEY, TARGET_SECRET_KEY }
    const place = await workplace('gh', 'npm')
    // Without fixtures their rules are untested, which does not fail a gate.
    const active = activated(textOf(file)).replaceAll(/^ *FIXTURE_\w+ = .*\n/gm, '')
    const judged = async (text: string): Promise<number> =>
      (await judgedBy(file, { ...place, settings, text, env: quick })).code
    const agreed = { reason: 'agreed', owner: 'Kim', expires: '2999-01-31' }
    const entries = ruleIds.map((rule) => ({ rule, ...agreed }))
    await writeFile(join(place.cwd, 'conformance-waivers.json'), JSON.stringify(entries))

    const before = await judged(textOf(file))
    const failed = rulesThat(await verdictIn(place), 'failed')

    expect(failed).not.toEqual([])
    expect([before, await judged(active)]).toEqual([1, 0])
    expect(rulesThat(await verdictIn(place), 'waived')).toEqual(failed)
  })
})

describeWithPackages('no report of yesterday is published', () => {
  const clients = { TARGET_API_KEY: 'key', TARGET_SECRET_KEY: 'secret' }
  const settings = { TARGET_BASE_URL: 'http://127.0.0.1:9', ...clients }

  const cases = ['Node itself fails at once', 'nothing can be installed'].flatMap((why) =>
    recipes.map((file) => ({ why, file })),
  )
  const earlier = ['verdict.json', 'junit.xml', 'index.html', 'summary.md', 'history.html', 'lint.txt']
  test.for(cases)('if $why: $file', async ({ why, file }) => {
    const isNode = why.startsWith('Node')
    const place = await workplace('gh', 'npm', ...(isNode ? ['node'] : []))
    const written = earlier.map((name) => [`reports/${name}`, 'CONFORMANT'])
    await filled(place.cwd, { ...Object.fromEntries(written), 'conformance-evidence.tar.gz': 'CONFORMANT' })

    const ended = await judgedBy(file, { ...place, settings, env: isNode ? {} : { NPM_FAILS: 'true' } })

    expect(ended.code).toBe(file.includes('action') && isNode ? 4 : 1)
    expect(readdirSync(join(place.cwd, 'reports'))).toEqual(['lint.txt'])
    // Yesterday's reports are also neither sealed nor posted as a comment.
    const isSealed = readdirSync(place.cwd).includes('conformance-evidence.tar.gz')
    expect(isSealed).toBe(!file.includes('acceptance'))
    expect(readdirSync(place.stubs)).not.toContain('gh.called')
    expect(await readFile(join(place.stubs, 'npm.called'), 'utf8')).toMatch(/^ci --ignore-scripts\n/)
    // Names of the credentials in the environment of npm.
    expect(await readFile(join(place.stubs, 'npm.saw'), 'utf8')).toBe('')
  })
})

test('no file of docs/ci runs scripts of the packages that it installs', () => {
  const installs = files.flatMap((file) => textOf(file).match(/\bnpm (?:ci|i|install)\b.*/g) ?? [])

  expect(installs.length).toBeGreaterThan(7)
  for (const install of installs) expect(install).toMatch(/^npm ci --ignore-scripts\b/)
})

test('the address that gets the credentials of a Jenkinsfile is chosen from a list', () => {
  const [, parameters = ''] = /^ {2}parameters \{\n([^]*?)^ {2}\}$/m.exec(jenkinsfile) ?? []

  const choices = ["choice(name: 'TARGET_BASE_URL'", "choice(name: 'RUN_PROFILE'"]
  expect(parameters.match(/(?<=^ *)\w+\(name: '\w+'/gm)).toEqual(choices)
})
