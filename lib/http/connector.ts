import { readFileSync } from 'node:fs'
import tls from 'node:tls'

import { buildConnector } from 'undici'

import { openTunnels, proxyFor } from './tunnel.ts'
import type { Connector } from './tunnel.ts'

interface ConnectorOptions {
  readonly origin: string
  readonly timeoutMs: number
  readonly ca: string | null
  readonly httpsProxy: string | null
  readonly noProxy: string | null
}

/** Chooses the way to the target. Throws a `TransportError` when the proxy's URL cannot be used. */
export function openConnector({ origin, timeoutMs, ca, httpsProxy, noProxy }: ConnectorOptions): Connector {
  const connect = buildConnector({
    timeout: timeoutMs,
    allowH2: false,
    // Made once: from a list of authorities, Node would parse 140 certificates for each connection.
    ...(ca === null ? {} : { secureContext: tls.createSecureContext({ ca: [...systemAuthorities(), ca] }) }),
  })
  const proxy = proxyFor(new URL(origin), httpsProxy, noProxy)

  return proxy === null
    ? { isDirect: true, connect, close: () => Promise.resolve() }
    : openTunnels(proxy, connect, timeoutMs)
}

/** What Node trusts when nothing is said; naming authorities replaces these, so they are named too. */
function systemAuthorities(): readonly string[] {
  // Since Node 22.15; it includes NODE_EXTRA_CA_CERTS.
  const given: unknown = Reflect.get(tls, 'getCACertificates')
  if (typeof given === 'function') {
    const all: unknown = Reflect.apply(given, tls, ['default'])
    if (Array.isArray(all)) return all.filter((one) => typeof one === 'string')
  }
  return [...tls.rootCertificates, ...extraAuthorities()]
}

function extraAuthorities(): readonly string[] {
  const path = process.env['NODE_EXTRA_CA_CERTS'] ?? ''
  if (path === '') return []

  try {
    return [readFileSync(path, 'utf8')]
  } catch {
    // Node itself only warns of a file that it cannot read.
    return []
  }
}
