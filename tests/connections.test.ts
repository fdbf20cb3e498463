import { readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { createServer } from 'node:tls'
import { expect, onTestFinished, test } from 'vitest'
import { forward, overTls } from '../lab/targets/tls.ts'
import { makeCertificates } from '../lib/http/testing/certificates.ts'
import { listen } from '../lib/http/testing/raw-server.ts'
import { against, expectEnds, expectIncomplete, run } from './support/program-test.ts'
import { folderWith } from './support/program.ts'
import { tunnelling } from './support/tunnelling.ts'

const hosts = { '::1': '[::1]', '127.0.0.1': 'localhost' }

test.for(Object.entries(hosts))('a service that listens at %s is judged as %s', async ([host, name]) => {
  const { service, run: judge } = await against({ host })
  const TARGET_BASE_URL = `http://${name}:${new URL(service.baseUrl).port}`

  const { code, verdict } = await judge('', { env: { TARGET_BASE_URL } })

  expect([code, verdict?.verdict, verdict?.target.baseUrl]).toEqual([0, 'conformant', TARGET_BASE_URL])
})

test('a client certificate permits a run and appears in reports; without it nothing is judged', async () => {
  const { ca, local } = makeCertificates()
  const files = { 'ca.pem': ca, 'own.pem': local.cert, 'own.key': local.key }
  const { service, run: judge } = await against({ files, env: { RUN_CA_FILE: 'ca.pem' } })
  const options = { ...local, ca, requestCert: true, rejectUnauthorized: true }
  const server = createServer(options, (socket) => forward(socket, Number(new URL(service.baseUrl).port)))
  onTestFinished(() => void server.close())
  const TARGET_BASE_URL = `https://localhost:${await listen(server.on('tlsClientError', () => {}))}`
  const own = { TARGET_BASE_URL, RUN_CERT_FILE: 'own.pem', RUN_KEY_FILE: 'own.key' }

  const { verdict, ...result } = await judge('', { env: own })
  expectEnds(result, 0, 'with the client certificate')
  expect(verdict).toMatchObject({ verdict: 'conformant', connection: { certFile: 'own.pem' } })
  expect(JSON.stringify(verdict)).not.toContain('PRIVATE KEY')

  const needed = 'RUN_CERT_FILE, RUN_KEY_FILE'
  expectIncomplete(await judge('--only errors/*', { env: { TARGET_BASE_URL } }), [needed])
  expectEnds(await judge('doctor', { env: { TARGET_BASE_URL } }), 3, needed)
})

/** A service behind TLS, its settings, a proxy that tunnels to it, and the number of requests that reach it. */
async function behindTls({ trusted }: { readonly trusted: boolean }) {
  let sent = 0
  const intervene = (): boolean => (sent += 1) < 0
  const { env, close } = await overTls({ certificate: 'local', trusted, reference: { intervene } })
  onTestFinished(close)
  const { TARGET_BASE_URL, RUN_CA_FILE = '', ...clients } = env
  const { port, tunnels } = await tunnelling(onTestFinished)
  const proxy = `127.0.0.1:${port}`
  return { env, clients, TARGET_BASE_URL, RUN_CA_FILE, proxy, tunnels, sent: () => sent }
}

// Targets that cannot be judged over TLS are in lab/targets.
test('over TLS nothing is sent if the authority is not trusted', async () => {
  const { env, sent } = await behindTls({ trusted: false })

  expect([(await run([], { env })).code, sent()]).toEqual([3, 0])
})

test('every report names the proxy and the authority, but not the user of the proxy', async () => {
  const { env, TARGET_BASE_URL, RUN_CA_FILE, proxy, tunnels } = await behindTls({ trusted: true })
  const HTTPS_PROXY = `http://ci:pr0xy-Xq7w@${proxy}`

  const { code, verdict, stdout, stderr, cwd } = await run([], { env: { ...env, HTTPS_PROXY } })
  const environment = 'allure-results/environment.properties'
  const names = ['summary.md', 'index.html', 'junit.xml', 'verdict.json', environment]
  const files = await Promise.all(names.map(async (name) => readFile(join(cwd, 'reports', name), 'utf8')))

  expect(new Set(tunnels)).toEqual(new Set([new URL(TARGET_BASE_URL).host]))
  expect(verdict?.connection).toEqual({ proxy: `http://${proxy}`, caFiles: [`…/${basename(RUN_CA_FILE)}`] })
  expectEnds({ code, stdout, stderr }, 0, `through the proxy http://${proxy}`, 'trusting the certificates of')
  for (const text of files) expect(text).toContain(proxy)
  // Only the password is searched for: the user name has two letters, which many words contain.
  for (const text of [stdout, stderr, ...files]) expect(text).not.toMatch(/pr0xy-Xq7w|<HTTPS_PROXY>/)
})

// lib/settings/pipeline.test.ts has other pipelines.
test.for<readonly [where: string, pipeline: Readonly<Record<string, string>>]>([
  ['Azure Pipelines', { TF_BUILD: 'True' }],
  ['no pipeline', {}],
])('a .env with a proxy and an authority intercepts a secret only outside a pipeline: %s', async (row) => {
  const [where, pipeline] = row
  const { clients, TARGET_BASE_URL, RUN_CA_FILE, proxy, tunnels, sent } = await behindTls({ trusted: true })
  const cwd = await folderWith({ '.env': `HTTPS_PROXY=http://${proxy}\nRUN_CA_FILE="${RUN_CA_FILE}"\n` })

  const { code, stderr } = await run(['doctor'], { cwd, env: { ...clients, TARGET_BASE_URL, ...pipeline } })

  const isRead = where === 'no pipeline'
  expect([code, sent() > 0, tunnels.length > 0]).toEqual([isRead ? 0 : 3, isRead, isRead])
  const says = `this is a pipeline (${where}), so .env in this folder is not read`
  expect(stderr.includes(says)).toBe(!isRead)
})
