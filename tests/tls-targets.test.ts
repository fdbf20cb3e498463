import { readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { overTls } from '../lab/targets/tls.ts'
import { run } from './support/program-test.ts'
import { tunnelling } from './support/tunnelling.ts'

// Targets that cannot be judged over TLS are in lab/targets.
describe('over TLS', () => {
  test('nothing is sent if the authority is not trusted', async () => {
    let sent = 0
    const intervene = (): boolean => {
      sent += 1
      return false
    }
    const target = await overTls({ certificate: 'local', trusted: false, reference: { intervene } })
    onTestFinished(target.close)

    const { code } = await run([], { env: target.env })

    expect(code).toBe(3)
    expect(sent).toBe(0)
  })

  test('every report names the proxy and the authority, but not the user of the proxy', async () => {
    const target = await overTls({ certificate: 'local', trusted: true })
    onTestFinished(target.close)
    const { port, tunnels } = await tunnelling(onTestFinished)
    const HTTPS_PROXY = `http://ci:pr0xy-Xq7w@127.0.0.1:${port}`
    const expected = [`through the proxy http://127.0.0.1:${port}`, 'trusting the certificates of']

    const { code, verdict, stdout, stderr, cwd } = await run([], { env: { ...target.env, HTTPS_PROXY } })
    const files = await Promise.all(
      ['summary.md', 'index.html', 'junit.xml', 'verdict.json', 'allure-results/environment.properties'].map(
        async (name) => readFile(join(cwd, 'reports', name), 'utf8'),
      ),
    )

    expect([code, new Set(tunnels)]).toEqual([
      0,
      new Set([new URL(target.env['TARGET_BASE_URL'] ?? '').host]),
    ])
    expect(verdict?.connection).toEqual({
      proxy: `http://127.0.0.1:${port}`,
      caFiles: [`…/${basename(target.env['RUN_CA_FILE'] ?? '')}`],
    })
    for (const text of expected) expect(stdout.replaceAll(/\s+/g, ' ')).toContain(text)
    for (const text of files) expect(text).toContain(`127.0.0.1:${port}`)
    // Only the password is searched for: the user name has two letters, which many words contain.
    for (const text of [stdout, stderr, ...files]) expect(text).not.toMatch(/pr0xy-Xq7w|<HTTPS_PROXY>/)
  })
})
