import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { serve } from '../lib/http/testing/servers.ts'
import { emptyFolder } from './program.ts'
import { run, test } from './program-test.ts'
import { expectRefused } from './refused.ts'

const client = {
  TARGET_API_KEY: 'pk_9fQ2mLx7Tzv4Rk1wYc83',
  TARGET_SECRET_KEY: 'sk_Jd7Wq0Bn5Xe2Hs9Vt6Pa41GuKm',
}

test('a .env that nobody named aims no pipeline, which a line says', async ({ onTestFinished, expect }) => {
  const server = await serve(() => {}, { onFinished: onTestFinished })
  const cwd = await emptyFolder()
  const TARGET_BASE_URL = `http://127.0.0.1:${server.port}`
  const lines = Object.entries({ TARGET_BASE_URL, ...client }).map(([name, value]) => `${name}=${value}`)
  await writeFile(join(cwd, '.env'), lines.join('\n'))

  const unnamed = await run([], { cwd, env: { CI: 'true' } })
  const named = await run(['plan', '--settings-file', '.env'], { cwd, env: { CI: 'true' } })

  expectRefused(expect, unnamed, ['TARGET_BASE_URL', 'CI is set, so .env in this folder is not read'])
  expect(server.connections()).toBe(0)
  expect([named.code, named.stderr]).toEqual([0, ''])
})

test('what NODE_OPTIONS in a file of settings name is not run, however Node was started', async ({
  expect,
}) => {
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
