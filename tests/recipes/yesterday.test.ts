import { readdirSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { filesIn, textOf } from '../support/syntax.ts'
import { runJenkins } from './jenkins.ts'
import { runGithubJob, runGitlabJob } from './steps.ts'
import { noPackages } from './user-repository.ts'
import { workplace, type Place } from './workplace.ts'

type Env = Readonly<Record<string, string>>
type Way = (text: string, place: Place, env: Env) => Promise<number>

const settings = { TARGET_BASE_URL: 'http://127.0.0.1:9', TARGET_API_KEY: 'key', TARGET_SECRET_KEY: 'secret' }

function onGithub(job: string | null): Way {
  return async (text, place, own) => {
    const env = { ...own, GITHUB_OUTPUT: join(place.cwd, 'output') }
    return (await runGithubJob(text, job, { ...place, context: {}, env })).code
  }
}

/** Every file that judges in a folder of its user, with a function that runs it. */
const ways: readonly (readonly [file: string, run: Way])[] = [
  ['docs/ci/github-gate.yml', onGithub('judge')],
  ['docs/ci/github-nightly.yml', onGithub('judge')],
  ['docs/ci/github-acceptance.yml', onGithub('judge')],
  ['docs/ci/github-matrix.yml', onGithub('judge')],
  ['docs/ci/action.yml', onGithub(null)],
  ['docs/ci/gitlab-ci.yml', async (text, place, env) => (await runGitlabJob(text, { ...place, env })).code],
  ['docs/ci/Jenkinsfile', (text, place, env) => runJenkins(text, settings, place, env)],
]

/** A place with the reports of yesterday's run, and a report from another tool. */
async function placeOfYesterday(...names: readonly string[]): Promise<Place> {
  const place = await workplace('gh', 'npm', ...names)
  await mkdir(join(place.cwd, 'reports'))
  for (const name of ['verdict.json', 'junit.xml', 'index.html', 'summary.md', 'history.html', 'lint.txt'])
    await writeFile(join(place.cwd, 'reports', name), '"CONFORMANT"')
  await writeFile(join(place.cwd, 'conformance-evidence.tar.gz'), 'CONFORMANT')
  return place
}

describe.skipIf(noPackages !== null)(
  `no report of yesterday is published${noPackages === null ? '' : ` (${noPackages})`}`,
  () => {
    describe('if Node itself fails at once:', () => {
      test.for(ways)('%s', async ([file, run]) => {
        const place = await placeOfYesterday('node')

        const code = await run(textOf(file), place, settings)

        expect(code).toBe(file.includes('action') ? 4 : 1)
        expect(readdirSync(join(place.cwd, 'reports'))).toEqual(['lint.txt'])
        // Yesterday's reports are also neither sealed nor posted as a comment.
        expect(readdirSync(place.cwd).includes('conformance-evidence.tar.gz')).toBe(
          !file.includes('acceptance'),
        )
        expect(readdirSync(place.stubs)).not.toContain('gh.called')
      })
    })

    describe('if nothing can be installed:', () => {
      test.for(ways)('%s', async ([file, run]) => {
        const place = await placeOfYesterday()

        const code = await run(textOf(file), place, { ...settings, NPM_FAILS: 'true' })

        expect(code).toBe(1)
        expect(readdirSync(join(place.cwd, 'reports'))).toEqual(['lint.txt'])
        expect(await readFile(join(place.stubs, 'npm.called'), 'utf8')).toMatch(/^ci --ignore-scripts\n/)
      })
    })
  },
)

test('no file of docs/ci runs scripts of the packages that it installs', () => {
  const installs = filesIn('docs/ci', '').flatMap(
    (file) => textOf(file).match(/\bnpm (?:ci|i|install)\b.*/g) ?? [],
  )

  expect(installs.length).toBeGreaterThan(7)
  for (const install of installs) expect(install).toMatch(/^npm ci --ignore-scripts\b/)
})

test('the address that gets the credentials of a Jenkinsfile is chosen from a list', () => {
  const [, parameters = ''] = /^ {2}parameters \{\n([^]*?)^ {2}\}$/m.exec(textOf('docs/ci/Jenkinsfile')) ?? []

  expect([...parameters.matchAll(/^ *(\w+)\(name: '(\w+)'/gm)].map(([, kind, name]) => [kind, name])).toEqual(
    [
      ['choice', 'TARGET_BASE_URL'],
      ['choice', 'RUN_PROFILE'],
    ],
  )
})
