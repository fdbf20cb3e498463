import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { reference } from '../support/program-test.ts'
import { readVerdict, rulesThat, settingsFor } from '../support/program.ts'
import { textOf } from '../support/syntax.ts'
import { runJenkins } from './jenkins.ts'
import { documentsOf, kubernetesMistakes, type Mapping } from './readers.ts'
import { runGithubJob, runGitlabJob } from './steps.ts'
import { noPackages } from './user-repository.ts'
import { activated, copied, quick, workplace, type Place } from './workplace.ts'

const waivers = 'conformance-waivers.json'

describe.skipIf(noPackages !== null)('agreed exceptions', () => {
  const ways: Readonly<
    Record<
      (typeof copied)[number],
      (text: string, env: Readonly<Record<string, string>>, place: Place) => Promise<number>
    >
  > = {
    'docs/ci/github-gate.yml': async (text, env, place) => {
      const context = Object.fromEntries(
        Object.entries(env).flatMap(([name, value]) => [
          [`vars.${name}`, value],
          [`secrets.${name}`, value],
        ]),
      )
      return (await runGithubJob(text, 'judge', { ...place, context, env: quick })).code
    },
    'docs/ci/gitlab-ci.yml': async (text, env, place) => {
      return (await runGitlabJob(text, { ...place, env: { ...env, ...quick } })).code
    },
    'docs/ci/Jenkinsfile': (text, env, place) =>
      runJenkins(text.replaceAll(/^ *FIXTURE_.*\n/gm, ''), env, place, quick),
  }

  test.for(copied)('count only once their line is active: %s', async (file) => {
    const service = await reference({ faults: ['invalid-api-key-customer-not-found'] })
    const { TARGET_BASE_URL = '', TARGET_API_KEY = '', TARGET_SECRET_KEY = '' } = settingsFor(service)
    const env = { TARGET_BASE_URL, TARGET_API_KEY, TARGET_SECRET_KEY }
    const place = await workplace('gh', 'npm')
    const judged = async (text: string): Promise<number> => ways[file](text, env, place)

    const before = await judged(textOf(file))
    const failed = rulesThat(await readVerdict(join(place.cwd, 'reports/verdict.json')), 'failed')
    const entries = failed.map((rule) => ({ rule, reason: 'agreed', owner: 'Kim', expires: '2999-01-31' }))
    await writeFile(join(place.cwd, waivers), JSON.stringify(entries))
    const still = await judged(textOf(file))
    const after = await judged(activated(textOf(file)))

    expect(failed).not.toEqual([])
    // Without fixtures their rules are untested, which does not fail a gate.
    expect([before, still, after]).toEqual([1, 1, 0])
    const verdict = await readVerdict(join(place.cwd, 'reports/verdict.json'))
    expect(rulesThat(verdict, 'waived')).toEqual(failed)
  })
})

describe.skipIf(noPackages !== null)('agreed exceptions in a cluster', () => {
  test('are in a file that the container reads once their lines are active', () => {
    const text = textOf('docs/ci/kubernetes-cronjob.yml')
    const active = text.replaceAll(/# (?=- \{ name: waivers|env: \[)/g, '')
    const podOf = (of: string): Mapping => Object(documentsOf(of)[0]?.['spec']).jobTemplate.spec.template.spec

    const { volumes, containers } = Object(podOf(active))
    const [{ env, volumeMounts }] = containers

    expect(kubernetesMistakes(documentsOf(active)[0] ?? {})).toEqual([])
    expect(env).toContainEqual({ name: 'RUN_WAIVERS', value: `/waivers/${waivers}` })
    expect(volumeMounts).toContainEqual({ name: 'waivers', mountPath: '/waivers', readOnly: true })
    expect(volumes).toContainEqual({ name: 'waivers', configMap: { name: 'conformance-waivers' } })
    expect(JSON.stringify(podOf(text))).not.toContain('waivers')
  })
})
