import { generateKeyPairSync } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { reference } from '../support/program-test.ts'
import { rulesThat, settingsFor } from '../support/program.ts'
import { filesIn, textOf } from '../support/syntax.ts'
import { documentsOf, githubMistakes, gitlabMistakes, kubernetesMistakes } from './readers.ts'
import { runGithubJob, runShell } from './steps.ts'
import {
  describeWithPackages,
  judgedBy,
  quick,
  tiny,
  untestedOfGate,
  verdictIn,
  workflows,
  workplace,
} from './workplace.ts'

const files = filesIn('docs/ci', '')
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
  test('a gate passes and comments on the pull request', async () => {
    const place = await workplace('gh')
    const settings = settingsFor(await reference())

    const { code, output } = await judgedBy('docs/ci/github-gate.yml', { ...place, settings, env: {} })

    expect(output).toContain('CONFORMANT')
    const verdict = await verdictIn(place)
    expect(rulesThat(verdict, 'untested', 'inconclusive')).toEqual(untestedOfGate)
    expect(await readFile(join(place.stubs, 'gh.called'), 'utf8')).toBe(
      'pr comment 7 --body-file comment.md --edit-last --create-if-none\n',
    )
    expect(await readFile(join(place.cwd, 'comment.md'), 'utf8')).toContain('**Conformant**')
    expect(verdict?.target.build).toBe('f34ee38')
    expect(code).toBe(0)
  })

  test('a gate fails on a violation, annotates it and still comments', async () => {
    const place = await workplace('gh', 'npm')
    const settings = settingsFor(await reference({ faults: ['invalid-api-key-customer-not-found'] }))

    const { code, output } = await judgedBy('docs/ci/github-gate.yml', { ...place, settings, env: quick })

    expect(output).toMatch(/^::error title=A request with a wrong API key.+%0AReplay: npx /m)
    expect(await readFile(join(place.cwd, 'comment.md'), 'utf8')).toContain('not conformant')
    expect(existsSync(join(place.stubs, 'gh.called'))).toBe(true)
    expect(code).toBe(1)
  })

  test('an acceptance seals and signs its evidence, whatever the verdict', async () => {
    const place = await workplace('npm')
    const { privateKey, publicKey } = generateKeyPairSync('ed25519')
    const SIGNING_KEY = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
    await writeFile(join(place.cwd, 'public.pem'), publicKey.export({ type: 'spki', format: 'pem' }))
    const settings = { ...settingsFor(await reference()), SIGNING_KEY }

    const { code } = await judgedBy('docs/ci/github-acceptance.yml', { ...place, settings, env: tiny })

    const verify = 'npx --no -- card-switch-conformance verify conformance-evidence.tar.gz --key public.pem'
    expect(await runShell(['-c', verify], { ...place, env: {} })).toMatchObject({ code: 0 })
    const target = { label: 'vendor-a', build: '$(touch owned)' }
    expect((await verdictIn(place))?.target).toMatchObject(target)
    expect(existsSync(join(place.cwd, 'owned'))).toBe(false)
    // Only some rules were selected.
    expect(code).toBe(3)
  })

  test('the action outputs its exit code', async () => {
    const place = await workplace('npm')
    const { TARGET_BASE_URL = '', TARGET_API_KEY = '' } = settingsFor(await reference())
    const settings = { TARGET_BASE_URL, TARGET_API_KEY, TARGET_SECRET_KEY: 'nobodys-secret-key' }

    const { code } = await judgedBy('docs/ci/action.yml', { ...place, settings, env: quick })

    expect(await readFile(join(place.cwd, 'output'), 'utf8')).toBe('exit-code=3\n')
    expect(existsSync(join(place.cwd, 'owned'))).toBe(false)
    expect(code).toBe(3)
  })

  test('a matrix of targets ends with a page that has a line for each target, even one that never ran', async () => {
    const place = await workplace('npm')
    const text = textOf('docs/ci/github-matrix.yml')
    const targets = {
      'vendor-a': await reference(),
      'vendor-b': await reference({ faults: ['invalid-api-key-customer-not-found'] }),
    }
    await writeFile(join(place.cwd, 'conformance-targets.txt'), '# all\nvendor-a\nvendor-b\n\nvendor-c\n')
    await mkdir(join(place.cwd, 'targets'))
    const GITHUB_OUTPUT = join(place.cwd, 'output')
    await runGithubJob(text, 'list', { ...place, context: {}, env: { GITHUB_OUTPUT } })
    for (const [name, service] of Object.entries(targets)) {
      const [settings, context] = [settingsFor(service), { 'matrix.target': name }]
      await judgedBy('docs/ci/github-matrix.yml', { ...place, settings, context, env: quick })
      await rename(join(place.cwd, 'reports'), join(place.cwd, `targets/${name}`))
    }

    const { code, output } = await runGithubJob(text, 'compare', { ...place, context: {}, env: {} })

    expect(await readFile(GITHUB_OUTPUT, 'utf8')).toBe('targets=["vendor-a","vendor-b","vendor-c"]\n')
    const page = await readFile(join(place.cwd, 'targets/index.html'), 'utf8')
    for (const name of Object.keys(targets)) expect(page).toContain(`href="${name}/index.html"`)
    expect(output).toContain('vendor-c: ABSENT')
    expect(output).toContain('1 of 3 targets has no verdict (exit 1)')
    expect(code).toBe(1)
  })

  test('the package judges a service once installed as in the README', async () => {
    const [, commands = ''] = /^## In a pipeline$[^]*?^```sh\n([^]*?)^```$/m.exec(textOf('README.md')) ?? []
    const { cwd } = await workplace()
    const env = { ...settingsFor(await reference()), ...quick }

    const { code, output } = await runShell(['-euc', commands], { cwd, env })

    expect(output).toContain('CONFORMANT')
    expect(existsSync(join(cwd, 'reports/junit.xml'))).toBe(true)
    expect(code).toBe(0)
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
