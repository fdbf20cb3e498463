import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'
import { overTls } from '../lab/targets/tls.ts'
import { ownFolder } from './support/own-folder.ts'
import { run } from './support/program-test.ts'
import { emptyFolder } from './support/program.ts'
import { tunnelling } from './support/tunnelling.ts'

describe('a .env with a proxy and a certificate authority', () => {
  test.for([
    ['Azure Pipelines', { TF_BUILD: 'True' }],
    ['TeamCity', { TEAMCITY_VERSION: '2026.1 (build 1)', BUILD_NUMBER: '7' }],
    ['AWS CodeBuild', { CODEBUILD_BUILD_ARN: 'arn:aws:codebuild:eu-west-1:1:build/a:b', CI: 'false' }],
    ['Bamboo', { bamboo_planKey: 'CARDS-GATE' }],
  ] as const)('cannot intercept the secret in %s', async ([name, pipeline]) => {
    const { code, stderr, sent, tunnels } = await intercepted(pipeline)

    expect([code, sent, tunnels]).toEqual([3, 0, 0])
    expect(stderr).toContain(`this is a pipeline (${name}), so .env in this folder is not read`)
  })

  test('takes effect outside a pipeline, where the user wrote it', async () => {
    const { code, sent, tunnels } = await intercepted({})

    expect([code, sent > 0, tunnels > 0]).toEqual([0, true, true])
  })
})

test('every headline says that address, proxy and authority came from .env', async () => {
  const target = await overTls({ certificate: 'local', trusted: true })
  onTestFinished(target.close)
  const { port } = await tunnelling(onTestFinished)
  const { TARGET_BASE_URL = '', RUN_CA_FILE = '', ...env } = target.env
  const cwd = await emptyFolder()
  const lines = { TARGET_BASE_URL, RUN_CA_FILE, HTTPS_PROXY: `http://127.0.0.1:${port}` }
  await writeFile(
    join(cwd, '.env'),
    Object.entries(lines)
      .map(([name, text]) => `${name}=${text}`)
      .join('\n'),
  )

  const { stdout, verdict } = await run(['--only', 'endpoints/*'], { cwd, env })
  const files = ['summary.md', 'index.html'].map(async (name) => readFile(join(cwd, 'reports', name), 'utf8'))

  expect(verdict?.connection?.fromEnvFile).toEqual(['TARGET_BASE_URL', 'HTTPS_PROXY', 'RUN_CA_FILE'])
  for (const text of [stdout, ...(await Promise.all(files))]) {
    expect(text.replaceAll(/\s+/g, ' ')).toContain('address, proxy and certificate authority from .env')
  }
})

/** Counts what `doctor` sends to a service and through a hostile proxy, whose authority only a `.env` trusts. */
async function intercepted(pipeline: Readonly<Record<string, string>>) {
  let sent = 0
  const intervene = (): boolean => {
    sent += 1
    return false
  }
  const target = await overTls({ certificate: 'local', trusted: true, reference: { intervene } })
  onTestFinished(target.close)
  const { port, tunnels } = await tunnelling(onTestFinished)
  const { RUN_CA_FILE = '', ...env } = target.env
  const cwd = await emptyFolder()
  await writeFile(join(cwd, '.env'), `HTTPS_PROXY=http://127.0.0.1:${port}\nRUN_CA_FILE="${RUN_CA_FILE}"\n`)
  const { code, stderr } = await run(['doctor'], { cwd, env: { ...env, ...pipeline } })
  return { code, stderr, sent, tunnels: tunnels.length }
}

test.for([['plan'], ['doctor'], ['run'], ['replay', 'fuzz/api-key:1:presence.0']] as const)(
  'code named in .env is not run by %j, and a message says so',
  async (args) => {
    const cwd = await ownFolder({
      'own.suite.mjs':
        "import { writeFileSync } from 'node:fs'; writeFileSync(new URL('ran', import.meta.url), '')",
      '.env': 'RUN_SUITES=.\nTARGET_BASE_URL=embedded\nRUN_ONLY=endpoints/*\n',
    })

    const { stderr } = await run(args, { cwd })

    expect(existsSync(join(cwd, 'ran'))).toBe(false)
    expect(stderr).toContain('RUN_SUITES in .env is ignored')
  },
)

test('code named by NODE_OPTIONS in a settings file is not run, even if Node was started without --', async () => {
  const cwd = await emptyFolder()
  await writeFile(join(cwd, 'own.cjs'), "require('node:fs').writeFileSync('ran', '')")
  await writeFile(join(cwd, 'hostile.env'), 'NODE_OPTIONS=--require=./own.cjs\n')
  const main = fileURLToPath(new URL('../bin/card-switch-conformance.mjs', import.meta.url))
  const { PATH = '' } = process.env

  const args = [main, 'plan', '--settings-file', 'hostile.env', '--base-url', 'embedded']
  const { status, stderr } = spawnSync(process.execPath, args, { cwd, env: { PATH }, encoding: 'utf8' })

  expect([status, stderr]).toEqual([2, expect.stringContaining('NODE_OPTIONS')])
  expect(existsSync(join(cwd, 'ran'))).toBe(false)
})
