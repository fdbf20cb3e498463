import { createServer } from 'node:http'
import { createSecureServer } from 'node:http2'
import { connect } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'

import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'

import { Secret } from '../redact/secret.ts'
import type { ClientCertificate } from './connector-options.ts'
import { makeCertificates } from './testing/certificates.ts'
import type { Certificates } from './testing/certificates.ts'
import { routes, listen, ok, serve, transportTo } from './testing/servers.ts'
import type { RawAnswerer, RawServer } from './testing/servers.ts'
import { openTransport } from './transport.ts'
import { TransportError } from './transport-error.ts'

const get = { method: 'GET', target: '/x', fields: [] }
let certificates: Certificates

beforeAll(() => {
  certificates = makeCertificates()
})

function serveTls(certificate = certificates.local): Promise<RawServer> {
  return serve((socket) => socket.write(ok('{}')), { certificate })
}

describe.for(routes)('on %s, a client certificate', ([, route]) => {
  const request = { ...get, ...route }

  /** A server that lets in nobody without a certificate of its authority. */
  async function demanding(version: 'TLSv1.2' | 'TLSv1.3' = 'TLSv1.3'): Promise<string> {
    const server = createTlsServer(
      {
        ...certificates.local,
        ca: certificates.ca,
        requestCert: true,
        rejectUnauthorized: true,
        maxVersion: version,
      },
      (socket) => socket.on('data', () => socket.end(ok('{}'))),
    )
    server.on('tlsClientError', () => {})
    const port = await listen(server)
    onTestFinished(() => void server.close())
    return `https://127.0.0.1:${port}`
  }
  const shown = ({ cert, key }: Certificates['local']): ClientCertificate => ({
    cert,
    key: new Secret('RUN_KEY_FILE', key),
  })

  test('is shown to a service that asks for one', async () => {
    const transport = transportTo(await demanding(), {
      ca: certificates.ca,
      clientCertificate: shown(certificates.local),
    })

    await expect(transport.send(request)).resolves.toMatchObject({ response: { status: 200 } })
  })

  test.each([
    ['is missing', null, 'TLSv1.3'],
    ['is missing from an older handshake', null, 'TLSv1.2'],
    ['is of an authority that the service does not know', 'selfSigned', 'TLSv1.3'],
  ] as const)('that %s ends the connection, and the settings are named', async (_, name, version) => {
    const clientCertificate = name === null ? null : shown(certificates[name])
    const transport = transportTo(await demanding(version), { ca: certificates.ca, clientCertificate })

    // The alert may be lost with the request that was on its way.
    await expect(transport.send(request)).rejects.toMatchObject({
      kind: expect.stringMatching(/^(?:tls|connection-closed)$/),
      message: expect.stringContaining('RUN_CERT_FILE, RUN_KEY_FILE'),
    })
  })

  test('is no matter once the service has answered', async () => {
    let asked = 0
    const server = createTlsServer(certificates.local, (socket) =>
      socket.on('data', () => (asked++ === 0 ? socket.write(ok('{}')) : socket.destroy())),
    )
    const port = await listen(server)
    onTestFinished(() => void server.close())
    const transport = transportTo(`https://127.0.0.1:${port}`, { ca: certificates.ca })
    await transport.send(request)

    await expect(transport.send(request)).rejects.toMatchObject({
      kind: 'connection-closed',
      message: `127.0.0.1:${port} closed the connection before its answer was complete`,
    })
  })
})

describe.for(routes)('on %s, certificates', ([, route]) => {
  const request = { ...get, ...route }

  test('of an unknown authority are refused, and accepted once it is given', async () => {
    const { port } = await serveTls()
    const url = `https://127.0.0.1:${port}`

    await expect(transportTo(url).send(request)).rejects.toMatchObject({
      kind: 'tls',
      message: `the certificate of 127.0.0.1:${port} is signed by an authority that is not trusted: give it with RUN_CA_FILE`,
    })
    await expect(transportTo(url, { ca: certificates.ca }).send(request)).resolves.toMatchObject({
      response: { status: 200 },
    })
    await expect(
      transportTo(`https://localhost:${port}`, { ca: certificates.ca }).send(request),
    ).resolves.toMatchObject({ response: { status: 200 } })
  })

  test('for another host are refused, each time', async () => {
    const { port } = await serveTls(certificates.other)
    const transport = transportTo(`https://127.0.0.1:${port}`, { ca: certificates.ca })
    const refusal = { kind: 'tls', message: expect.stringContaining('is for another host') }

    await expect(transport.send(request)).rejects.toMatchObject(refusal)
    await expect(transport.send(request)).rejects.toMatchObject(refusal)
    await expect(transport.connection().send(request)).rejects.toMatchObject(refusal)
  })

  test('where HTTP/2 is all that is spoken', async () => {
    const server = createSecureServer({ ...certificates.local, allowHTTP1: false })
    const port = await listen(server)
    onTestFinished(() => void server.close())

    const transport = transportTo(`https://127.0.0.1:${port}`, { ca: certificates.ca })

    await expect(transport.send(request)).rejects.toMatchObject({
      kind: 'tls',
      message: expect.stringContaining('does it offer HTTP/2 only'),
    })
  })

  test('where there is no TLS', async () => {
    const { port } = await serve(() => {}, { greeting: 'HTTP/1.1 400 Bad Request\r\n\r\n' })

    await expect(transportTo(`https://127.0.0.1:${port}`).send(request)).rejects.toMatchObject({
      kind: 'tls',
      message: expect.stringContaining('http://'),
    })
  })

  test('where the connection is closed instead', async () => {
    const { port } = await serve(() => {}, { greeting: '' })

    await expect(transportTo(`https://127.0.0.1:${port}`).send(request)).rejects.toMatchObject({
      kind: 'tls',
      message: expect.stringContaining('handshake'),
    })
  })
})

describe('an interim answer that nobody asked for is passed over', () => {
  const pieces = ['HTTP/1.1 10', '0 Continue\r\n\r', '\nHTTP/1.1 100\r\n\r\nHT', ok('{}').subarray(2)]
  const inPieces: RawAnswerer = (socket) => {
    const next = (at: number): void => {
      const piece = pieces[at]
      if (piece !== undefined) socket.write(piece, () => setImmediate(next, at + 1))
    }
    next(0)
  }

  test.for(routes)('over TLS, on %s', async ([, route]) => {
    const { port } = await serve(inPieces, { certificate: certificates.local })
    const options = { ca: certificates.ca, connections: 1 }
    const transport = transportTo(`https://127.0.0.1:${port}`, options)
    const answers = [await transport.send({ ...get, ...route }), await transport.send({ ...get, ...route })]

    expect(answers.map(({ response }) => response.text)).toEqual(['{}', '{}'])
    expect(answers.map(({ reused }) => reused)).toEqual([false, !('route' in route)])
  })

  test('through a proxy', async () => {
    const proxy = await startProxy()
    const { port } = await serve(inPieces, { certificate: certificates.local })
    const options = { ca: certificates.ca, httpsProxy: proxy.url, connections: 1 }
    const transport = transportTo(`https://127.0.0.1:${port}`, options)
    const answers = [await transport.send(get), await transport.send(get)]

    expect(answers.map(({ response }) => response.text)).toEqual(['{}', '{}'])
    expect(answers.map(({ reused }) => reused)).toEqual([false, true])
    expect(proxy.tunnels).toHaveLength(1)
  })
})

interface Proxy {
  readonly url: string
  readonly tunnels: readonly string[]
  readonly authorizations: readonly (string | undefined)[]
}

/** A proxy that tunnels; with a status, one that refuses to. */
async function startProxy(status = '200 OK'): Promise<Proxy> {
  const tunnels: string[] = []
  const authorizations: (string | undefined)[] = []
  const server = createServer().on('connect', (request, client) => {
    tunnels.push(request.url ?? '')
    authorizations.push(request.headers['proxy-authorization'])
    client.write(`HTTP/1.1 ${status}\r\n\r\n`)
    if (status !== '200 OK') return
    const { hostname, port } = new URL(`http://${request.url}`)
    const target = connect(Number(port), hostname)
    target.on('error', () => client.destroy()).on('close', () => client.destroy())
    client.on('error', () => target.destroy()).on('close', () => target.destroy())
    target.pipe(client)
    client.pipe(target)
  })
  const port = await listen(server)
  onTestFinished(() => void server.close())

  return { url: `http://127.0.0.1:${port}`, tunnels, authorizations }
}

/** A service that is reached through a proxy, except for the hosts of NO_PROXY. */
async function throughProxy(noProxy: (port: number) => string) {
  const proxy = await startProxy()
  const server = await serveTls()
  const options = { ca: certificates.ca, httpsProxy: proxy.url, noProxy: noProxy(server.port) }
  return { proxy, server, transport: transportTo(`https://127.0.0.1:${server.port}`, options) }
}

describe('a proxy', () => {
  test('gets one tunnel a connection, and requests pass it byte for byte', async () => {
    const proxy = await startProxy()
    const server = await serveTls()
    const transport = transportTo(`https://127.0.0.1:${server.port}`, {
      ca: certificates.ca,
      httpsProxy: proxy.url,
    })
    const fields = [
      { name: 'X-B', value: '1' },
      { name: 'x-b', value: '2' },
      { name: 'X-B', value: '3' },
    ]
    const own = transport.connection()
    await own.send({ ...get, fields })
    await own.send(get)
    await transport.send(get)

    expect(proxy.tunnels).toEqual([`127.0.0.1:${server.port}`, `127.0.0.1:${server.port}`])
    expect(server.heads[0]).toContain('\r\nX-B: 1\r\nx-b: 2\r\nX-B: 3\r\n\r\n')
  })

  test('checks certificates all the same', async () => {
    const proxy = await startProxy()
    const server = await serveTls(certificates.other)
    const options = { ca: certificates.ca, httpsProxy: proxy.url }

    await expect(transportTo(`https://127.0.0.1:${server.port}`, options).send(get)).rejects.toMatchObject({
      kind: 'tls',
    })
  })

  test.for(['127.0.0.1', 'example.com, 127.0.0.1', '*', '.0.0.1', 'port'])(
    'is passed by for %s',
    async (exempt) => {
      const { proxy, transport } = await throughProxy((port) =>
        exempt === 'port' ? `127.0.0.1:${port}` : exempt,
      )
      await transport.send(get)

      expect(proxy.tunnels).toEqual([])
    },
  )

  test.for(['', 'example.com', '127.0.0.1:1', '7.0.0.1'])('is used in spite of %j', async (noProxy) => {
    const { proxy, transport } = await throughProxy(() => noProxy)
    await transport.send(get)

    expect(proxy.tunnels).toHaveLength(1)
  })

  test.for([
    ['', /sent through a proxy \(HTTPS_PROXY\)/],
    ['127.0.0.1', null],
  ] as const)('keeps the raw socket away where NO_PROXY is %j', async ([noProxy, because]) => {
    const { proxy, server, transport } = await throughProxy(() => noProxy)
    const sendings = [transport, transport.connection()].map((one) => one.send({ ...get, route: 'raw' }))
    const statuses = await Promise.allSettled(sendings)

    expect(transport.rawSocketUnavailable).toEqual(because === null ? null : expect.stringMatching(because))
    expect(statuses.map(({ status }) => status)).toEqual(
      Array(2).fill(because === null ? 'fulfilled' : 'rejected'),
    )
    expect(server.heads).toHaveLength(because === null ? 2 : 0)
    expect(proxy.tunnels).toEqual([])
  })

  test('is not for http', async () => {
    const proxy = await startProxy()
    const server = await serve((socket) => socket.write(ok('{}')))
    await transportTo(`http://127.0.0.1:${server.port}`, { httpsProxy: proxy.url }).send(get)

    expect(proxy.tunnels).toEqual([])
  })

  test('gets the user and the password of its URL', async () => {
    const proxy = await startProxy('407 Proxy Authentication Required')
    const httpsProxy = proxy.url.replace('http://', 'us%65r:p%40ss@')

    await expect(transportTo('https://target.invalid', { httpsProxy }).send(get)).rejects.toMatchObject({
      kind: 'proxy',
      message: expect.stringMatching(/407/),
    })
    expect(proxy.authorizations).toEqual([`Basic ${Buffer.from('user:p@ss').toString('base64')}`])
  })

  test('that refuses, is not there, or never answers', async () => {
    const refusing = await startProxy('403 Forbidden')
    const silent = await serve(() => {})
    const failing = [
      [refusing.url, 'proxy', /refused a tunnel to target.invalid:443 \(status 403\)/],
      ['http://127.0.0.1:1', 'proxy', /the proxy \(HTTPS_PROXY\): nobody listens at 127.0.0.1:1/],
      [`http://127.0.0.1:${silent.port}`, 'connect-timeout', /within 200 ms/],
    ] as const
    for (const [httpsProxy, kind, message] of failing) {
      // Short only where it is to pass: on a busy machine, the others may take longer than that to connect.
      const timeoutMs = kind === 'connect-timeout' ? 200 : 5_000
      const sending = transportTo('https://target.invalid', { httpsProxy, timeoutMs }).send(get)

      await expect(sending).rejects.toMatchObject({ kind, message: expect.stringMatching(message) })
    }
  })

  test('with a URL that cannot be used is refused at once, without quoting it', () => {
    for (const httpsProxy of ['socks5://user:hidden@127.0.0.1', 'http://user:hidden@[']) {
      const open = (): unknown =>
        openTransport({
          baseUrl: 'https://a.invalid',
          timeoutMs: 1,
          connections: 1,
          ca: null,
          httpsProxy,
          noProxy: null,
        })

      expect(open).toThrow(TransportError)
      expect(open).not.toThrow(/hidden/)
    }
  })
})
