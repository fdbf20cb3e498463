import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { settingTable } from '../../lib/settings/setting-table.ts'
import { reference } from '../support/program-test.ts'
import { readVerdict, rulesThat, settingsFor } from '../support/program.ts'
import { textOf } from '../support/syntax.ts'
import { runJenkins, stagesOf } from './jenkins.ts'
import { documentsOf, type Mapping } from './readers.ts'
import { runGithubJob, runGitlabJob, type Outcome } from './steps.ts'
import { noPackages } from './user-repository.ts'
import { activated, contextFor, copied, quick, tiny, workplace, type Place } from './workplace.ts'

const fixtures = settingTable.filter(({ name }) => name.startsWith('FIXTURE_'))
const history = 'conformance-history.jsonl'
/** Every file that judges on GitHub, with its job, or null for an action. */
const onGithub = [
  ['docs/ci/github-gate.yml', 'judge'],
  ['docs/ci/github-nightly.yml', 'judge'],
  ['docs/ci/github-acceptance.yml', 'judge'],
  ['docs/ci/github-matrix.yml', 'judge'],
  ['docs/ci/action.yml', null],
] as const
const workflows = onGithub.filter(([, job]) => job !== null)

/** The number of runs in a history. */
async function runsIn({ cwd }: Place, name: string = history): Promise<number> {
  const file = join(cwd, name)
  return existsSync(file) ? (await readFile(file, 'utf8')).trim().split('\n').length : 0
}

/** Names of the credentials in the environment of npm. */
async function seenByNpm(...places: readonly Place[]): Promise<string> {
  const seen = places.map(({ stubs }) => readFile(join(stubs, 'npm.saw'), 'utf8'))
  return (await Promise.all(seen)).join('')
}

describe('every fixture', () => {
  test.for(copied)('is in %s', (file) => {
    const text = textOf(file)

    expect(fixtures.length).toBeGreaterThan(10)
    expect(fixtures.filter(({ name }) => !new RegExp(`\\b${name}\\b`).test(text))).toEqual([])
  })

  describe.skipIf(noPackages !== null)('is given on GitHub', () => {
    test.for(workflows)('only to the step that judges: %s', ([file]) => {
      const { steps, ...job } = Object(Object(documentsOf(textOf(file))[0]?.['jobs'])['judge'])
      const [judging, ...none] = steps.filter(({ run = '' }: Mapping) => / run( |$)/.test(String(run)))
      const others = steps.filter((step: Mapping) => step !== judging)

      for (const { name, secret } of fixtures)
        expect(judging.env[name]).toBe(`\${{ ${secret ? 'secrets' : 'vars'}.${name} }}`)
      expect(JSON.stringify([job, others])).not.toMatch(/secrets\.(?:TARGET|FIXTURE)_/)
      expect(none).toEqual([])
    })
  })
})

describe.skipIf(noPackages !== null)(`between runs${noPackages === null ? '' : ` (${noPackages})`}`, () => {
  describe('on GitHub, each on a new machine,', () => {
    test.for(onGithub)(
      'the history is kept, even of a red run, and no credential: %s',
      async ([file, job]) => {
        const service = await reference()
        const cache = new Map<string, string>()
        const places: Place[] = []
        const judged = async (run: string, changes: Readonly<Record<string, string>>): Promise<Outcome> => {
          const place = await workplace('gh', 'npm')
          places.push(place)
          const context: Readonly<Record<string, string>> = {
            ...contextFor(service),
            'github.run_id': run,
            ...changes,
          }
          const secret = context['secrets.TARGET_SECRET_KEY'] ?? ''
          // A step that uses the action supplies the settings.
          const own = job === null ? { ...settingsFor(service), TARGET_SECRET_KEY: secret } : {}
          const env = { ...own, ...tiny, GITHUB_ACTIONS: 'true', GITHUB_OUTPUT: join(place.cwd, 'output') }
          const failing = run === '42' ? { NPM_FAILS: 'true' } : {}
          return runGithubJob(textOf(file), job, { ...place, context, cache, env: { ...env, ...failing } })
        }

        const red = await judged('41', { 'secrets.TARGET_SECRET_KEY': 'nobodys-secret-key' })
        const broken = await judged('42', {})
        const green = await judged('43', {})
        expect(red.code).toBe(3)
        expect(red.output).toMatch(/^::error title=conformance%3A (?:partial%2C )?incomplete::/m)
        expect(broken.code).toBe(1)
        // A run of selected rules cannot accept a vendor.
        expect(green.code).toBe(file.includes('acceptance') ? 3 : 0)
        const kept = file.includes('matrix') ? 'reports/history.jsonl' : history
        expect(await Promise.all(places.map((place) => runsIn(place, kept)))).toEqual([1, 1, 2])
        const last = places.at(-1)?.cwd ?? ''
        expect(await readFile(join(last, 'reports/history.html'), 'utf8')).toContain('incomplete')
        expect(await seenByNpm(...places)).toBe('')
      },
    )
  })

  test.for(onGithub.filter(([file]) => !/gate|nightly/.test(file)))(
    'on GitHub a target never gets the history of another: %s',
    ([file, job]) => {
      const text = textOf(file)
      const { steps } =
        job === null
          ? Object(documentsOf(text)[0]?.['runs'])
          : Object(Object(documentsOf(text)[0]?.['jobs'])[job])
      const keys = steps.flatMap(({ uses, with: given }: Mapping) =>
        String(uses).startsWith('actions/cache/') ? [Object(given)] : [],
      )

      // The prefix ends with a slash before the number of the run, so no prefix matches the key of another target.
      expect(keys[0]['restore-keys']).toMatch(/\/\$\{\{ (?:inputs|matrix)\.\w+ \}\}\/$/)
      for (const { key } of keys) expect(key.startsWith(keys[0]['restore-keys'])).toBe(true)
    },
  )

  test('on GitLab the history is kept, even of a red run, and no credential', async () => {
    const [pipeline = {}] = documentsOf(textOf('docs/ci/gitlab-ci.yml'))
    const { cache } = Object(pipeline['.conformance'])
    const settings = settingsFor(await reference())
    const kept = new Map<string, string>()
    const places: Place[] = []
    const judged = async (
      job: string,
      more: Readonly<Record<string, string>>,
    ): Promise<Outcome & { readonly profile: string | undefined }> => {
      const place = await workplace('npm')
      places.push(place)
      const env = { ...settings, ...Object(pipeline[job]).variables, ...tiny, ...more }
      const key = String(cache.key).replaceAll(/\$(\w+)/g, (_, name: string) => env[name] ?? '')
      const [path = ''] = cache.paths
      const before = kept.get(key)
      if (before !== undefined) await writeFile(join(place.cwd, path), before)
      const outcome = await runGitlabJob(textOf('docs/ci/gitlab-ci.yml'), { ...place, env })
      if (outcome.code === 0 || cache.when === 'always')
        kept.set(key, await readFile(join(place.cwd, path), 'utf8'))
      const verdict = await readVerdict(join(place.cwd, 'reports/verdict.json'))
      return { ...outcome, profile: verdict?.profile }
    }

    const red = await judged('conformance', { TARGET_SECRET_KEY: 'nobodys-secret-key' })
    const green = await judged('conformance', {})
    const night = await judged('conformance nightly', {})

    expect([red.code, green.code, night.code]).toEqual([3, 0, 0])
    expect([green.profile, night.profile]).toEqual(['gate', 'nightly'])
    expect(await Promise.all(places.map((place) => runsIn(place)))).toEqual([1, 2, 1])
    expect(await seenByNpm(...places)).toBe('')
  })

  test('on Jenkins the history is kept, even of a red run, and no credential', async () => {
    const text = textOf('docs/ci/Jenkinsfile')
    const settings = settingsFor(await reference())
    const place = await workplace('npm')

    const red = await runJenkins(text, { ...settings, TARGET_SECRET_KEY: 'nobodys-secret-key' }, place, tiny)
    const green = await runJenkins(text, settings, place, tiny)

    expect([red, green]).toEqual([3, 0])
    expect(await runsIn(place)).toBe(2)
    expect(await seenByNpm(place)).toBe('')
    // A stage copies the archive of the last build, whatever its result.
    expect(stagesOf(text).map(({ name }) => name)).toEqual(['Clear', 'History', 'Install', 'Judge'])
    expect(text).toMatch(new RegExp(`selector: lastCompleted\\(\\), filter: '${history}', optional: true`))
    expect(text).toMatch(new RegExp(`always \\{[^]*archiveArtifacts artifacts: '[^']*\\b${history}'`))
    // A Jenkinsfile has no published schema.
    expect(text.split('{').length).toBe(text.split('}').length)
  })

  test('on Jenkins every fixture is used once its line is active', async () => {
    const settings = settingsFor(await reference())
    const place = await workplace('npm')
    const withoutEndpoint = textOf('docs/ci/Jenkinsfile').replaceAll(
      /^.*FIXTURE_INACTIVE_ENDPOINT.*\n|^.*RUN_WAIVERS =.*\n/gm,
      '',
    )

    const code = await runJenkins(activated(withoutEndpoint), settings, place, quick)

    const verdict = await readVerdict(join(place.cwd, 'reports/verdict.json'))
    expect(rulesThat(verdict, 'untested', 'inconclusive')).toEqual([
      'conventions/http-messages',
      'tolerance/no-breaking-change',
    ])
    expect(code).toBe(0)
  })
})
