import { createSecureServer } from 'node:http2'
import { createServer } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { tunnelling } from '../../tests/support/tunnelling.ts'
import { Secret } from '../redact/secret.ts'
import type { ClientCertificate } from './connector-options.ts'
import type { Request } from './request.ts'
import { makeCertificates } from './testing/certificates.ts'
import { connectedTo, listen, ok, routes, serve, transportTo, type RawAnswerer } from './testing/servers.ts'
import { TransportError, type TransportErrorKind } from './transport-error.ts'

const get: Request = { method: 'GET', target: '/x', fields: [] }
const { ca, local, other, selfSigned } = makeCertificates()
const served = { response: { status: 200 } }
const trouble = (kind: string, says: string | RegExp) => ({ kind, message: expect.stringMatching(says) })

describe.for(routes)('on %s, a client certificate', ([, route]) => {
  const request = { ...get, ...route }
  const shown = ({ cert, key }: typeof local): ClientCertificate => ({
    cert,
    key: new Secret('RUN_KEY_FILE', key),
  })

  /** A transport with this certificate, to a server that requires one signed by its authority. */
  async function shownTo(clientCertificate: ClientCertificate | null, maxVersion = 'TLSv1.3') {
    const certificate = { ...local, ca, requestCert: true, rejectUnauthorized: true, maxVersion }
    return (await connectedTo(ok('{}'), { certificate, ca, clientCertificate })).transport
  }

  test('is sent to a service that asks for it', async () => {
    const transport = await shownTo(shown(local))

    await expect(transport.send(request)).resolves.toMatchObject(served)
  })

  test.each([
    ['is missing', null, 'TLSv1.3'],
    ['is missing from an older handshake', null, 'TLSv1.2'],
    ['comes from an authority that the service does not know', shown(selfSigned), 'TLSv1.3'],
  ] as const)('that %s ends the connection, and the error names the settings', async (_, own, version) => {
    const transport = await shownTo(own, version)

    // The alert can get lost while the request is on its way.
    await expect(transport.send(request)).rejects.toMatchObject({
      kind: expect.stringMatching(/^(?:tls|connection-closed)$/),
      message: expect.stringContaining('RUN_CERT_FILE, RUN_KEY_FILE'),
    })
  })

  test('is not mentioned in errors once the service has answered', async () => {
    let asked = 0
    const once: RawAnswerer = (socket) => (asked++ === 0 ? socket.write(ok('{}')) : socket.destroy())
    const { server, transport } = await connectedTo(once, { certificate: local, ca })
    await transport.send(request)

    await expect(transport.send(request)).rejects.toMatchObject({
      kind: 'connection-closed',
      message: `127.0.0.1:${server.port} closed the connection before its answer was complete`,
    })
  })
})

describe.for(routes)('on %s, certificates', ([, route]) => {
  const request = { ...get, ...route }

  test('from an unknown authority are rejected until RUN_CA_FILE names it', async () => {
    const { server, transport } = await connectedTo(ok('{}'), { certificate: local })

    await expect(transport.send(request)).rejects.toMatchObject({
      kind: 'tls',
      message: `the certificate of 127.0.0.1:${server.port} is signed by an untrusted authority: to trust it, set RUN_CA_FILE to its file`,
    })
    for (const host of ['127.0.0.1', 'localhost']) {
      const trusting = transportTo(`https://${host}:${server.port}`, { ca })
      expect(await trusting.send(request)).toMatchObject(served)
    }
  })

  test('for another host are rejected every time', async () => {
    const { transport } = await connectedTo(ok('{}'), { certificate: other, ca })
    for (const one of [transport, transport, transport.connection()])
      await expect(one.send(request)).rejects.toMatchObject(trouble('tls', 'is for another host'))
  })

  test.for([
    ['it speaks only HTTP/2', 'offer only HTTP/2', createSecureServer({ ...local, allowHTTP1: false })],
    ['it does not use TLS', 'http://', createServer((socket) => socket.end('HTTP/1.1 400 No\r\n\r\n'))],
    ['the service closes the connection', 'handshake', createServer((socket) => socket.end())],
  ] as const)('are not accepted if %s', async ([, says, server]) => {
    const port = await listen(server)
    onTestFinished(() => void server.close())
    const sending = transportTo(`https://127.0.0.1:${port}`, { ca }).send(request)

    await expect(sending).rejects.toMatchObject(trouble('tls', says))
  })
})

describe('an unrequested interim response is skipped', () => {
  const pieces = ['HTTP/1.1 10', '0 Continue\r\n\r', '\nHTTP/1.1 100\r\n\r\nHT', ok('{}').subarray(2)]
  const inPieces: RawAnswerer = (socket) => {
    const next = (at: number): void => {
      const piece = pieces[at]
      if (piece !== undefined) socket.write(piece, () => setImmediate(next, at + 1))
    }
    next(0)
  }

  test.for<readonly [string, Partial<Request>, boolean]>([
    ...routes.map(([name, added]) => [name, added, false] as const),
    ['a tunnel through a proxy', {}, true],
  ])('over TLS, on %s', async ([, route, isProxied]) => {
    const proxy = await tunnelling(onTestFinished)
    const httpsProxy = isProxied ? proxy.url : null
    const { transport } = await connectedTo(inPieces, { certificate: local, ca, connections: 1, httpsProxy })
    const answers = [await transport.send({ ...get, ...route }), await transport.send({ ...get, ...route })]

    expect(answers.map(({ response }) => response.text)).toEqual(['{}', '{}'])
    expect(answers.map(({ reused }) => reused)).toEqual([false, !('route' in route)])
    expect(proxy.tunnels).toHaveLength(isProxied ? 1 : 0)
  })
})

/** A service behind a proxy, except for the hosts in NO_PROXY. */
async function throughProxy(noProxy: string | null = null, certificate = local) {
  const proxy = await tunnelling(onTestFinished)
  return { proxy, ...(await connectedTo(ok('{}'), { certificate, ca, httpsProxy: proxy.url, noProxy })) }
}

const refusing = async (): Promise<string> => (await tunnelling(onTestFinished, '403 Forbidden')).url
const absent = (): Promise<string> => Promise.resolve('http://127.0.0.1:1')
const silent = async (): Promise<string> => `http://127.0.0.1:${(await serve(() => {})).port}`

describe('a proxy', () => {
  test('gets a tunnel for each connection, and forwards requests byte for byte', async () => {
    const { proxy, server, transport } = await throughProxy()
    const fields = ['X-B', 'x-b', 'X-B'].map((name, index) => ({ name, value: `${index}` }))
    const own = transport.connection()
    await own.send({ ...get, fields })
    await own.send(get)
    await transport.send(get)

    expect(proxy.tunnels).toEqual([`127.0.0.1:${server.port}`, `127.0.0.1:${server.port}`])
    expect(server.heads[0]).toContain('\r\nX-B: 0\r\nx-b: 1\r\nX-B: 2\r\n\r\n')
  })

  test('does not replace certificate checks', async () => {
    const { transport } = await throughProxy(null, other)

    await expect(transport.send(get)).rejects.toMatchObject({ kind: 'tls' })
  })

  // The hosts that NO_PROXY matches are tested in no-proxy.test.ts.
  test.for([
    ['', 1, /requests go through a proxy \(HTTPS_PROXY\)/],
    ['127.0.0.1', 0, null],
  ] as const)(
    'is used and rules out the raw socket, except for hosts in NO_PROXY: %j',
    async ([noProxy, tunnels, because]) => {
      const { proxy, server, transport } = await throughProxy(noProxy)
      await transport.send(get)
      const sendings = [transport, transport.connection()].map((one) => one.send({ ...get, route: 'raw' }))
      const ends = (await Promise.allSettled(sendings)).map(({ status }) => status)

      expect(proxy.tunnels).toHaveLength(tunnels)
      expect(transport.rawSocketUnavailable).toEqual(because === null ? null : expect.stringMatching(because))
      expect(ends).toEqual(Array(2).fill(because === null ? 'fulfilled' : 'rejected'))
      expect(server.heads).toHaveLength(because === null ? 3 : 1)
    },
  )

  test('is not used for http URLs', async () => {
    const proxy = await tunnelling(onTestFinished)
    const { transport } = await connectedTo(ok('{}'), { httpsProxy: proxy.url })
    await transport.send(get)

    expect(proxy.tunnels).toEqual([])
  })

  test('receives the user and the password from its URL', async () => {
    const proxy = await tunnelling(onTestFinished, '407 Proxy Authentication Required')
    const httpsProxy = proxy.url.replace('http://', 'us%65r:p%40ss@')
    const sending = transportTo('https://target.invalid', { httpsProxy }).send(get)

    await expect(sending).rejects.toMatchObject(trouble('proxy', /407/))
    expect(proxy.authorizations).toEqual([`Basic ${btoa('user:p@ss')}`])
  })

  // The timeout is short only for the row that must time out: on a busy machine, the others may need longer.
  test.for<[string, () => Promise<string>, TransportErrorKind, RegExp, timeoutMs?: number]>([
    ['refuses', refusing, 'proxy', /refused a tunnel to target.invalid:443 \(status 403\)/],
    ['is not there', absent, 'proxy', /the proxy \(HTTPS_PROXY\): nothing is listening on 127.0.0.1:1/],
    ['never answers', silent, 'connect-timeout', /within 200 ms/, 200],
  ])('that %s is named in the error', async ([, opened, kind, message, timeoutMs = 5_000]) => {
    const transport = transportTo('https://target.invalid', { httpsProxy: await opened(), timeoutMs })

    await expect(transport.send(get)).rejects.toMatchObject(trouble(kind, message))
  })

  test.for(['socks5://user:hidden@127.0.0.1', 'http://user:hidden@['])(
    'with an unusable URL is refused at once, without quoting it: %s',
    (httpsProxy) => {
      const open = (): unknown => transportTo('https://a.invalid', { httpsProxy })

      expect(open).toThrow(TransportError)
      expect(open).not.toThrow(/hidden/)
    },
  )
})
