import { chmod, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createServer } from 'node:tls'
import { describe, expect, onTestFinished, test } from 'vitest'
import { makeCertificates } from '../lib/http/testing/certificates.ts'
import { listen } from '../lib/http/testing/raw-server.ts'
import { startReference } from '../lib/serve/reference/service.ts'
import { forward } from '../lab/targets/tls.ts'
import { runInProcess } from './support/in-process.ts'
import { folderWith, settingsFor } from './support/program.ts'

const only = ['--only', 'authentication/api-key-missing,authentication/api-key-invalid']

describe('a secret in a file', () => {
  test('is read without the line end behind it, from the environment and from an env file', async () => {
    const service = await startReference({})
    onTestFinished(() => service.close())
    const { TARGET_API_KEY: key = '', TARGET_SECRET_KEY: secret = '' } = settingsFor(service)
    const cwd = await folderWith({
      key: `${key}\n`,
      secret: `${secret}\r\n`,
      '.env': 'TARGET_SECRET_KEY_FILE=secret\n',
    })
    const env = { TARGET_BASE_URL: service.baseUrl, TARGET_API_KEY_FILE: join(cwd, 'key') }

    const { code, verdict, stdout, stderr } = await runInProcess(only, { cwd, env })

    expect([code, verdict?.verdict]).toEqual([0, 'conformant'])
    for (const text of [stdout, stderr, JSON.stringify(verdict)]) {
      expect(text).not.toContain(key)
      expect(text).not.toContain(secret)
    }
  })

  test.each([
    ['both are given', { TARGET_API_KEY: 'sk_one', TARGET_API_KEY_FILE: 'key' }, 'not both'],
    ['there is no such file', { TARGET_API_KEY_FILE: 'missing' }, 'missing (a file that does not exist)'],
    ['it is empty', { TARGET_API_KEY_FILE: 'empty' }, 'empty (an empty file)'],
    ['its name is misspelt', { TARGET_API_KYE_FILE: 'key' }, 'did you mean TARGET_API_KEY_FILE?'],
  ])('is a mistake if %s', async (_, env, says) => {
    const cwd = await folderWith({ key: 'sk_of_the_file_8Qw', empty: '\n' })
    const target = { TARGET_BASE_URL: 'http://127.0.0.1:9', TARGET_SECRET_KEY: 'secret_2Lx9' }

    const { code, stderr } = await runInProcess(only, { cwd, env: { ...target, ...env } })

    expect(code).toBe(2)
    expect(stderr.replaceAll(/\s+/g, ' ')).toContain(says)
    expect(stderr).not.toContain('sk_of_the_file_8Qw')
  })
})

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

describe('a client certificate', () => {
  const { ca, local, other } = makeCertificates()

  /** The reference service behind a server that lets in nobody without a certificate. */
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

  test('lets a run in, whole, and stands in the reports; without it nothing can be judged', async () => {
    const { cwd, env } = await demanding()
    const own = { RUN_CERT_FILE: 'own.pem', RUN_KEY_FILE: 'own.key' }

    const { code, verdict, stdout } = await runInProcess([], { cwd, env: { ...env, ...own } })
    expect([code, verdict?.verdict]).toEqual([0, 'conformant'])
    expect(verdict?.connection).toMatchObject({ certFile: 'own.pem' })
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain('showing the client certificate')
    expect(JSON.stringify(verdict)).not.toContain('PRIVATE KEY')

    const without = await runInProcess(only, { cwd, env })
    expect([without.code, without.verdict?.verdict]).toEqual([3, 'incomplete'])
    expect(without.verdict?.because.join()).toContain('RUN_CERT_FILE, RUN_KEY_FILE')
    expect((await runInProcess(['doctor'], { cwd, env })).stdout).toContain('RUN_CERT_FILE, RUN_KEY_FILE')
  })

  test.each([
    ['only half of it is given', { RUN_CERT_FILE: 'own.pem' }, 'since RUN_CERT_FILE is given'],
    [
      'the key is another one',
      { RUN_CERT_FILE: 'own.pem', RUN_KEY_FILE: 'other.key' },
      'this is another one',
    ],
    ['they are swapped', { RUN_CERT_FILE: 'own.key', RUN_KEY_FILE: 'own.pem' }, 'a file that holds none'],
    ['the key is missing', { RUN_CERT_FILE: 'own.pem', RUN_KEY_FILE: 'none.key' }, 'none.key (a file that'],
  ])('is a mistake if %s', async (_, own, says) => {
    const cwd = await folderWith({ 'own.pem': local.cert, 'own.key': local.key })
    await writeFile(join(cwd, 'other.key'), other.key)
    const target = { TARGET_BASE_URL: 'https://127.0.0.1:9', TARGET_API_KEY: 'k1', TARGET_SECRET_KEY: 's1' }

    const { code, stderr } = await runInProcess(only, { cwd, env: { ...target, ...own } })

    expect(code).toBe(2)
    expect(stderr.replaceAll(/\s+/g, ' ')).toContain(says)
    expect(stderr).not.toContain('PRIVATE KEY')
  })
})
