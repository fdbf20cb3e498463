import { chmod } from 'node:fs/promises'
import { join } from 'node:path'
import { createServer } from 'node:tls'
import { expect, onTestFinished, test } from 'vitest'
import { forward } from '../lab/targets/tls.ts'
import { makeCertificates } from '../lib/http/testing/certificates.ts'
import { listen } from '../lib/http/testing/raw-server.ts'
import { startReference } from '../lib/serve/reference/service.ts'
import { runInProcess } from './support/in-process.ts'
import { folderWith, settingsFor } from './support/program.ts'

const only = ['--only', 'authentication/api-key-missing,authentication/api-key-invalid']

test.each([
  ['::1', '[::1]'],
  ['127.0.0.1', 'localhost'],
])('a service that listens at %s is judged as %s', async (host, name) => {
  const service = await startReference({ host })
  onTestFinished(() => service.close())
  const TARGET_BASE_URL = `http://${name}:${new URL(service.baseUrl).port}`

  const { code, verdict } = await runInProcess([], { env: { ...settingsFor(service), TARGET_BASE_URL } })

  expect([code, verdict?.verdict, verdict?.target.baseUrl]).toEqual([0, 'conformant', TARGET_BASE_URL])
})

const { ca, local } = makeCertificates()

/** The reference service behind a server that demands a client certificate. */
async function demanding() {
  const service = await startReference({})
  const port = Number(new URL(service.baseUrl).port)
  const server = createServer({ ...local, ca, requestCert: true, rejectUnauthorized: true }, (socket) =>
    forward(socket, port),
  )
  server.on('tlsClientError', () => {})
  const cwd = await folderWith({ 'ca.pem': ca, 'own.pem': local.cert, 'own.key': local.key })
  await chmod(join(cwd, 'own.key'), 0o600)
  const env = {
    ...settingsFor(service),
    TARGET_BASE_URL: `https://localhost:${await listen(server)}`,
    RUN_CA_FILE: 'ca.pem',
  }
  onTestFinished(async () => {
    server.close()
    await service.close()
  })
  return { cwd, env }
}

test('a client certificate permits a run and appears in reports; without it nothing is judged', async () => {
  const { cwd, env } = await demanding()
  const own = { RUN_CERT_FILE: 'own.pem', RUN_KEY_FILE: 'own.key' }

  const { code, verdict, stdout } = await runInProcess([], { cwd, env: { ...env, ...own } })
  expect([code, verdict?.verdict]).toEqual([0, 'conformant'])
  expect(verdict?.connection).toMatchObject({ certFile: 'own.pem' })
  expect(stdout.replaceAll(/\s+/g, ' ')).toContain('with the client certificate')
  expect(JSON.stringify(verdict)).not.toContain('PRIVATE KEY')

  const without = await runInProcess(only, { cwd, env })
  expect([without.code, without.verdict?.verdict]).toEqual([3, 'incomplete'])
  expect(without.verdict?.because.join()).toContain('RUN_CERT_FILE, RUN_KEY_FILE')
  expect((await runInProcess(['doctor'], { cwd, env })).stdout).toContain('RUN_CERT_FILE, RUN_KEY_FILE')
})
