import { BlockList, isIP, isIPv4 } from 'node:net'
import { urlOf } from '../text/url.ts'

/** The destination of a request, with the host as in a URL and its port. */
interface Destination {
  readonly host: string
  readonly port: string
}

/** Whether an entry of NO_PROXY names a destination. */
type Entry = (destination: Destination) => boolean

/**
 * Whether `noProxy` names a target, following the rules of curl and Go. It may contain hosts with their subdomains, addresses of both IP
 * versions in any spelling, with or without brackets, networks (`10.0.0.0/8`, `fd00::/8`), a port after any of these except a network, and
 * `*` for all.
 */
export function isExempt({ hostname, port, protocol }: URL, noProxy: string): boolean {
  const host = bare(hostname)
  const destination = { host, port: port || (protocol === 'https:' ? '443' : '80') }
  const entries = noProxy.split(/[,\s]+/).filter((entry) => entry !== '')
  return entries.some((text) => entryOf(text)?.(destination) === true)
}

/** Null for an entry that can never match, such as `10.*`, `https://host` or `10.0.0.0/33`. */
function entryOf(text: string): Entry | null {
  if (text === '*') return () => true
  if (text.includes('/')) return networkOf(text)
  const [, named = text, onlyPort = null] = isIP(text) > 0 ? [] : (/^(.+):(\d+)$/.exec(text) ?? [])
  if (onlyPort !== null && Number(onlyPort) > 65_535) return null
  const matches = hostOf(named)
  return (
    matches &&
    ((destination) =>
      (onlyPort === null || Number(onlyPort) === Number(destination.port)) && matches(destination))
  )
}

function networkOf(text: string): Entry | null {
  const [, address = '', bits = ''] = /^(.+)\/(\d{1,3})$/.exec(text) ?? []
  const version = isIP(bare(address))
  if (version === 0 || Number(bits) > (version === 4 ? 32 : 128)) return null
  const list = new BlockList()
  list.addSubnet(bare(address), Number(bits), `ipv${version === 4 ? 4 : 6}`)
  return ({ host }) => isListed(list, host)
}

function hostOf(text: string): Entry | null {
  const address = bare(text)
  if (isIP(address) > 0) {
    const list = new BlockList()
    list.addAddress(address, isIPv4(address) ? 'ipv4' : 'ipv6')
    return ({ host }) => isListed(list, host)
  }
  const name = canonical(text.replace(/^\*?\./, ''))
  return name === null ? null : ({ host }) => host === name || host.endsWith(`.${name}`)
}

function isListed(list: BlockList, host: string): boolean {
  const version = isIP(host)
  return version > 0 && list.check(host, version === 4 ? 'ipv4' : 'ipv6')
}

/** A name in lower case and ASCII, without a trailing dot; null if it cannot occur in a URL. */
function canonical(name: string): string | null {
  // The end of an address matches, as in Go, so `.0.0.1` names 127.0.0.1.
  if (/^\d+(?:\.\d+)*$/.test(name)) return name
  const url = /^[^\s/?#@:*[\]\\]+$/.test(name) ? urlOf(`https://${name}/`) : null
  return url === null ? null : bare(url.hostname)
}

/** A host without brackets or a trailing dot. */
function bare(host: string): string {
  return host.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '')
}
