import { createSecureServer } from 'node:http2'
import { createServer } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { tunnelling } from '../../tests/support/tunnelling.ts'
import { Secret } from '../redact/secret.ts'
import type { Request } from './exchange.ts'
import { makeCertificates } from './testing/certificates.ts'
import { connectedTo, listen, ok, routes, serve, transportTo, type RawAnswerer } from './testing/servers.ts'
import { TransportError, type TransportErrorKind } from './transport-error.ts'
import { proxyFor, type TransportOptions } from './transport.ts'

const get: Request = { method: 'GET', target: '/x', fields: [] }
const requests = routes.map(([, route]) => ({ ...get, ...route }))
const { ca, local, other, selfSigned } = makeCertificates()
/** Clients must skip an interim response that they did not request. */
const interimAndOk = Buffer.concat([Buffer.from('HTTP/1.1 100 Continue\r\n\r\n'), ok('{}')])
const served = { response: { status: 200, text: '{}' } }
const trouble = (kind: string | RegExp, says: RegExp) => {
  return { kind: expect.stringMatching(kind), message: expect.stringMatching(says) }
}

/** A server's certificate, and its demand for a client certificate signed by its authority. */
function demanding(maxVersion = 'TLSv1.3') {
  return { ...local, ca, requestCert: true, rejectUnauthorized: true, maxVersion }
}

function showing({ cert, key }: typeof local): Partial<TransportOptions> {
  return { ca, clientCertificate: { cert, key: new Secret('RUN_KEY_FILE', key) } }
}

// The alert can get lost while the request is on its way.
const unshown = trouble(/^(?:tls|connection-closed)$/, /RUN_CERT_FILE, RUN_KEY_FILE/)
const untrusted =
  /^the certificate of 127\.0\.0\.1:\d+ is signed by an untrusted authority: to trust it, set RUN_CA_FILE to its file$/

// A transport parses the authorities of the system, which takes a while.
test.for<[what: string, certificate: typeof local, Partial<TransportOptions>, came: object]>([
  ['a client certificate that the service demands', demanding(), showing(local), served],
  ['no client certificate', demanding(), { ca }, unshown],
  ['no client certificate in an older handshake', demanding('TLSv1.2'), { ca }, unshown],
  ['a client certificate from an unknown authority', demanding(), showing(selfSigned), unshown],
  ['a certificate from the authority in RUN_CA_FILE', local, { ca }, served],
  ['a certificate from an unknown authority', local, {}, trouble('tls', untrusted)],
  ['a certificate for another host', other, { ca }, trouble('tls', /is for another host/)],
])('requests succeed, or the error says why, every time: %s', async ([, certificate, options, came]) => {
  const { transport } = await connectedTo(interimAndOk, { certificate, ...options })

  for (const request of requests)
    for (const one of [transport, transport, transport.connection()])
      expect(await one.send(request).catch((error: unknown) => error)).toMatchObject(came)
})

test('a client certificate is not mentioned in errors once the service has answered', async () => {
  let asked = 0
  const once: RawAnswerer = (socket) => (asked++ === 0 ? socket.write(ok('{}')) : socket.destroy())
  const { transport } = await connectedTo(once, { certificate: local, ca })
  await transport.send(get)

  const says = /^127\.0\.0\.1:\d+ closed the connection before its answer was complete$/
  for (const request of requests)
    await expect(transport.send(request)).rejects.toMatchObject(trouble('connection-closed', says))
})

test.for([
  ['speaks only HTTP/2', /offer only HTTP\/2/, createSecureServer({ ...local, allowHTTP1: false })],
  ['does not use TLS', /http:\/\//, createServer((socket) => socket.end('HTTP/1.1 400 No\r\n\r\n'))],
  ['closes the connection', /handshake/, createServer((socket) => socket.end())],
] as const)('a service that %s is reported', async ([, says, server]) => {
  const port = await listen(server)
  onTestFinished(() => void server.close())
  const transport = transportTo(`https://127.0.0.1:${port}`, { ca })

  for (const request of requests)
    await expect(transport.send(request)).rejects.toMatchObject(trouble('tls', says))
})

/** A service over TLS, and a proxy for it. */
async function throughProxy(options: Parameters<typeof connectedTo>[1] = {}) {
  const proxy = await tunnelling(onTestFinished)
  const usual = { certificate: local, ca, httpsProxy: proxy.url }
  return { proxy, ...(await connectedTo(interimAndOk, { ...usual, ...options })) }
}

const refusing = async (): Promise<string> => (await tunnelling(onTestFinished, '403 Forbidden')).url
const absent = (): Promise<string> => Promise.resolve('http://127.0.0.1:1')
const silent = async (): Promise<string> => `http://127.0.0.1:${(await serve(() => {})).port}`

describe('a proxy', () => {
  test('gets a tunnel for each connection, and forwards requests byte for byte', async () => {
    const { proxy, server, transport } = await throughProxy()
    const fields = ['X-B', 'x-b', 'X-B'].map((name, index) => ({ name, value: `${index}` }))
    const own = transport.connection()
    const answers = [await own.send({ ...get, fields }), await own.send(get), await transport.send(get)]

    expect(answers).toMatchObject([false, true, false].map((reused) => ({ ...served, reused })))
    expect(proxy.tunnels).toEqual([`127.0.0.1:${server.port}`, `127.0.0.1:${server.port}`])
    expect(server.heads[0]).toContain('\r\nX-B: 0\r\nx-b: 1\r\nX-B: 2\r\n\r\n')
  })

  test('does not replace certificate checks', async () => {
    const { transport } = await throughProxy({ certificate: other })

    await expect(transport.send(get)).rejects.toMatchObject({ kind: 'tls' })
  })

  test.for<[what: string, Parameters<typeof throughProxy>[0], tunnels: number, because: RegExp | null]>([
    ['an https URL', {}, 1, /requests go through a proxy \(HTTPS_PROXY\)/],
    ['a host in NO_PROXY', { noProxy: '127.0.0.1' }, 0, null],
    ['an http URL', { certificate: undefined }, 0, null],
  ])('is used only where it rules out the raw socket: %s', async ([, options, tunnels, because]) => {
    const { proxy, server, transport } = await throughProxy(options)
    await transport.send(get)
    const sendings = [transport, transport.connection()].map((one) => one.send({ ...get, route: 'raw' }))
    const ends = (await Promise.allSettled(sendings)).map(({ status }) => status)

    expect(proxy.tunnels).toHaveLength(tunnels)
    expect(transport.rawSocketUnavailable).toEqual(because === null ? null : expect.stringMatching(because))
    expect(ends).toEqual(Array(2).fill(because === null ? 'fulfilled' : 'rejected'))
    expect(server.heads).toHaveLength(because === null ? 3 : 1)
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

  const unusable = ['socks5://user:hidden@127.0.0.1', 'http://user:hidden@[']
  test.for(unusable)('with an unusable URL is refused at once, without quoting it: %s', (httpsProxy) => {
    const open = (): unknown => transportTo('https://a.invalid', { httpsProxy })

    expect(open).toThrow(TransportError)
    expect(open).not.toThrow(/hidden/)
  })
})

test.each<[isFree: boolean, url: string, ...noProxy: readonly string[]]>([
  [true, 'https://[::1]:8443', '::1', '[::1]', '[::1]:8443', '0:0:0:0:0:0:0:1', '::/64'],
  [true, 'https://[::1]:8443', '[0:0:0:0:0:0:0:1]:8443'],
  [true, 'https://[fd00::ab]', 'FD00::/8'],
  [true, 'https://127.0.0.1', '127.0.0.0/8', '127.0.0.1:443', '.0.0.1'],
  [true, 'https://10.1.2.3', '10.1.2.3/32', '::ffff:10.1.2.0/120'],
  [true, 'https://[::ffff:10.1.2.3]', '10.0.0.0/8'],
  [true, 'https://localhost:8443', 'localhost.'],
  [true, 'https://cards.example.', 'cards.example'],
  [true, 'https://cards.example', 'CARDS.Example.:443', 'other.example, cards.example', '10.0.0.0/8\t*'],
  [true, 'https://a.cards.example', '.cards.example'],
  [true, 'https://cards.example', '*.cards.example'],
  [true, 'https://bücher.example', 'bücher.example'],
  [false, 'https://[::1]:8443', '::2, [::1]:443, 127.0.0.0/8, 1::/64'],
  [false, 'https://127.0.0.1', '128.0.0.0/8, 127.0.0.1:8443, ::1'],
  [false, 'https://cards.example', 'a.cards.example, ards.example, cards.example:8443, cards.example.com'],
  [false, 'https://cards.example', ''],
  [false, 'https://10.1.2.3.example', '10.0.0.0/8'],
  [false, 'https://10.1.2.3', '10.*', '10.0.0.0/33', '10.1/8', '10.1.2.3:99999'],
  [false, 'https://cards.example', '*example', 'https://cards.example', 'cards.example:99999'],
  [false, 'https://[::1]', '::/129', '[::1'],
])('whether an entry of NO_PROXY names the host is %s for %s: %#', (isFree, url, ...all) => {
  for (const noProxy of all)
    expect(proxyFor(new URL(url), 'p.example', noProxy) === null, noProxy).toBe(isFree)
})
