import { writeFile } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { createServer } from 'node:tls'
import { beforeAll, describe, type onTestFinished } from 'vitest'
import { makeCertificates, type Certificates } from '../lib/http/testing/certificates.ts'
import { listen } from '../lib/http/testing/servers.ts'
import type { ReferenceService } from '../lib/reference/service.ts'
import { expectIncomplete } from './expected.ts'
import { emptyFolder, ruleIn, rulesThat, settingsFor } from './program.ts'
import { run, test } from './program-test.ts'

const impatient = ['--timeout-ms', '300'] as const

describe.concurrent('over TLS', () => {
  let certificates: Certificates
  beforeAll(() => {
    certificates = makeCertificates()
  })

  /** Forwards what arrives over TLS. */
  const inFrontOf =
    ({ baseUrl }: ReferenceService) =>
    (socket: Socket): void => {
      const behind = connect(Number(new URL(baseUrl).port), '127.0.0.1')
      socket.pipe(behind).pipe(socket)
      behind.on('error', () => socket.destroy())
      socket.on('error', () => behind.destroy())
      socket.on('close', () => behind.destroy())
    }

  test('an authority that is not trusted', async ({ reference, onTestFinished, expect }) => {
    const service = await reference()
    const port = await tlsServer(certificates.local, inFrontOf(service), onTestFinished)

    const result = await run([], {
      env: { ...settingsFor(service), TARGET_BASE_URL: `https://127.0.0.1:${port}` },
    })

    expectIncomplete(expect, result, ['signed by an authority that is not trusted: give it with RUN_CA_FILE'])
    expect(service.requests()).toBe(0)
  })

  test('the same service, once its authority is given', async ({ reference, onTestFinished, expect }) => {
    const service = await reference({ faults: ['missing-api-key-called-invalid'] })
    const port = await tlsServer(certificates.local, inFrontOf(service), onTestFinished)
    const file = join(await emptyFolder(), 'authority.pem')
    await writeFile(file, certificates.ca)

    const { code, verdict } = await run(['--ca-file', file], {
      env: { ...settingsFor(service), TARGET_BASE_URL: `https://127.0.0.1:${port}` },
    })

    expect(rulesThat(verdict, 'failed')).toContain('authentication/api-key-missing')
    expect(ruleIn(verdict, 'endpoints/list-succeeds').status).toBe('passed')
    expect(code).toBe(1)
  })

  test("another host's certificate", async ({ reference, onTestFinished, expect }) => {
    const service = await reference()
    const port = await tlsServer(certificates.other, inFrontOf(service), onTestFinished)
    const file = join(await emptyFolder(), 'authority.pem')
    await writeFile(file, certificates.ca)

    const result = await run(['--ca-file', file], {
      env: { ...settingsFor(service), TARGET_BASE_URL: `https://127.0.0.1:${port}` },
    })

    expectIncomplete(expect, result, ['is for another host'])
  })

  test('https to a service that speaks http', async ({ reference, expect }) => {
    const service = await reference()

    const result = await run([], {
      env: { ...settingsFor(service), TARGET_BASE_URL: service.baseUrl.replace('http:', 'https:') },
    })

    expectIncomplete(expect, result, ['does not speak TLS', 'should TARGET_BASE_URL begin with http://'])
  })

  test('http to a service that speaks TLS', async ({ reference, onTestFinished, expect }) => {
    const service = await reference()
    const port = await tlsServer(certificates.local, inFrontOf(service), onTestFinished)

    const result = await run(impatient, {
      env: { ...settingsFor(service), TARGET_BASE_URL: `http://127.0.0.1:${port}` },
    })

    expectIncomplete(expect, result, ['127.0.0.1'])
  })
})

async function tlsServer(
  certificate: Certificates['local'],
  forward: (socket: Socket) => void,
  onFinished: typeof onTestFinished,
): Promise<number> {
  const open = new Set<Socket>()
  const server = createServer(certificate, (socket) => {
    open.add(socket)
    forward(socket)
  })
  server.on('tlsClientError', () => {})
  onFinished(() => {
    server.close()
    for (const socket of open) socket.destroy()
  })
  return listen(server)
}
